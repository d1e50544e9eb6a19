"""Writes numbers and truth values that a response spells out in some language in digits and in English.

``十四分之十一`` becomes ``11/14``, ``zweiundsiebzig Kilometer pro Stunde`` becomes ``72 km/h``, ``vrai`` becomes
``true``. Only whole words that mean a number and nothing else are read. What is right is decided by equivalence.
"""

from __future__ import annotations

import re

NUMBERS = {
    0: "zero null zéro cero nul ноль нуль", 1: "one ein eins eine einer einem un une uno una um uma один одна одно",
    2: "two zwei deux dos due dois duas два две", 3: "three drei trois tres tre três три",
    4: "four vier quatre cuatro quattro quatro четыре", 5: "five fünf cinq cinco cinque пять",
    6: "six sechs seis sei шесть", 7: "seven sieben sept siete sette sete семь",
    8: "eight acht huit ocho otto oito восемь", 9: "nine neun neuf nueve nove девять",
    10: "ten zehn dix diez dieci dez десять", 11: "eleven elf onze once undici одиннадцать",
    12: "twelve zwölf douze doce dodici doze двенадцать", 13: "thirteen dreizehn treize trece tredici treze тринадцать",
    14: "fourteen vierzehn quatorze catorce quattordici quatorze четырнадцать",
    15: "fifteen fünfzehn quinze quince quindici пятнадцать", 16: "sixteen sechzehn seize dieciséis sedici dezesseis",
    17: "seventeen siebzehn diecisiete diciassette dezessete", 18: "eighteen achtzehn dieciocho diciotto dezoito",
    19: "nineteen neunzehn diecinueve diciannove dezenove", 20: "twenty zwanzig vingt veinte venti vinte двадцать",
    30: "thirty dreißig trente treinta trenta trinta тридцать", 40: "forty vierzig quarante cuarenta quaranta quarenta",
    50: "fifty fünfzig cinquante cincuenta cinquanta cinquenta", 60: "sixty sechzig soixante sesenta sessanta sessenta",
    70: "seventy siebzig setenta settanta", 80: "eighty achtzig ochenta ottanta oitenta",
    90: "ninety neunzig noventa novanta", 100: "hundred hundert cent cien сто",
}  # fmt: skip
"""Cardinal numbers in English, German, French, Spanish, Italian, Portuguese and Russian."""

PARTS = {
    2: "half halves halb halbe hälfte demi demie medio media mezzo mezza meio meia",
    3: "third thirds drittel tiers tercio tercios terzo terzi terço terços треть трети",
    4: "quarter quarters fourth fourths viertel quart quarts cuarto cuartos quarto quarti quartos четверть четверти",
    5: "fifth fifths fünftel cinquième cinquièmes quinto quintos quinti", 6: "sixth sixths sechstel sixième sixièmes",
    7: "seventh sevenths siebtel septième septièmes", 8: "eighth eighths achtel huitième huitièmes octavo octavos",
    9: "ninth ninths neuntel neuvième neuvièmes", 10: "tenth tenths zehntel dixième dixièmes décimo décimos",
}  # fmt: skip
"""Denominators in words, in the same languages."""

TRUE_WORDS = "wahr richtig ja vrai oui verdadero cierto sí vero sì verdadeiro sim верно да истина 正确 对 是 真"
FALSE_WORDS = "falsch nein faux non falso no não неверно нет ложь 错误 错 否 假"

ENGLISH_TOO = frozenset({"due", "once", "sei", "dix"})
"""Number words that a sentence in English may hold with another meaning."""

UNIT_WORDS = {
    r"kilomet(?:ers?|res?)[ -](?:per|pro|por|all')[ -](?:hour|stunde|hora|ora)|kilomètres? par heure": "km/h",
    r"met(?:ers?|res?)[ -](?:per|pro)[ -]se[ck](?:ond|unde)|mètres? par seconde|metros por segundo": "m/s",
    r"(?:volt|ampere|watt|ohm|joule|newton|pascal|hertz|kelvin)s": "",
}
"""Units of several words; a plural of a unit's name loses its ending."""

ARTICLES = frozenset({"one", "ein", "eine", "einer", "einem", "un", "une", "uno", "una", "um", "uma"})
"""These count only where they are the whole text, or stand before a denominator."""

CHINESE = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
CHINESE_NUMBER = r"[零〇一二三四五六七八九十百千万亿两]+"

WORD = re.compile(r"(?<![\\\w])[^\W\d_]+(?:-[^\W\d_]+)*")
RATIO = re.compile(r"(\d+) (?:in|out of|von|aus|sur|de cada|su|em|из) (?:every )?(\d+)\b")
EXACTLY = re.compile(
    r"(?:exactly|precisely|genau|exactement|exactamente|esattamente|exatamente|ровно)\s+(\d+)(?:\s+(?:per|je|pro)\s+[^\W\d_]+)?"
)


def in_digits(text: str) -> str | None:
    """The text with its number words in digits; None if it spells out no number."""
    chinese = re.sub(
        f"百分之({CHINESE_NUMBER})|({CHINESE_NUMBER})分之({CHINESE_NUMBER})|{CHINESE_NUMBER}", _chinese_fraction, text
    )
    spelt = _spelt_numbers(chinese)
    if spelt == text:
        return None
    for pattern, unit in UNIT_WORDS.items():
        spelt = re.sub(rf"\b(?:{pattern})\b", unit or _singular, spelt, flags=re.IGNORECASE)
    ratio = RATIO.fullmatch(spelt.strip().strip("."))
    exactly = EXACTLY.fullmatch(spelt.strip())
    if ratio is not None:
        return f"{ratio.group(1)}/{ratio.group(2)}"
    return exactly.group(1) if exactly is not None else spelt


def truth_word(text: str) -> str | None:
    """``true`` or ``false`` for a word that means it in another language than English, else None."""
    word = text.strip().strip("\"'«».。 ").lower()
    return "true" if word in TRUE_WORDS.split() else "false" if word in FALSE_WORDS.split() else None


def is_number_word(word: str) -> bool:
    """Whether a word means a number by itself."""
    if word.lower() in ENGLISH_TOO:
        return False
    return _value(word) is not None or re.fullmatch(CHINESE_NUMBER, word) is not None


def _singular(plural: re.Match[str]) -> str:
    return plural.group()[:-1]


def _spelt_numbers(text: str) -> str:
    """Replace every run of number words: a cardinal, or a cardinal with a denominator."""
    pieces: list[str] = []
    end = 0
    words = list(WORD.finditer(text))
    position = 0
    while position < len(words):
        word = words[position]
        value = _value(word.group())
        following = words[position + 1] if position + 1 < len(words) else None
        part = _denominator(following.group()) if following is not None and _adjoins(text, word, following) else None
        hyphenated = re.fullmatch(r"([^\W\d_]+)-([^\W\d_]+)", word.group())
        if hyphenated is not None and value is None:
            value, part = _value(hyphenated.group(1)), _denominator(hyphenated.group(2))
            following = word if part is not None else None
            value = value if part is not None else None
        lonely = part is None and word.group().lower() in ARTICLES and word.group() != text.strip().strip(".")
        if value is None or lonely:
            position += 1
            continue
        pieces.append(text[end : word.start()] + (f"{value}/{part}" if part is not None else str(value)))
        last = following if part is not None and following is not None else word
        end = last.end()
        position += 2 if last is not word else 1
    return "".join(pieces) + text[end:]


def _adjoins(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return text[one.end() : other.start()] == " "


def _value(word: str) -> int | None:
    known = _CARDINALS.get(word.lower())
    if known is not None:
        return known
    german = re.fullmatch(r"(\w+?)und(\w+?ß?ig)", word.lower())
    if german is not None:
        return _sum(german.group(2), german.group(1))
    joined = re.fullmatch(r"(\w+)-(\w+)", word.lower())
    return _sum(joined.group(1), joined.group(2)) if joined is not None else None


def _sum(tens: str, units: str) -> int | None:
    high, low = _CARDINALS.get(tens), _CARDINALS.get(units)
    return high + low if high is not None and low is not None and high % 10 == 0 and 0 < low < 20 else None


def _denominator(word: str) -> int | None:
    known = _DENOMINATORS.get(word.lower())
    if known is not None:
        return known
    # eleven fourteenths, elf Vierzehntel
    ordinal = re.fullmatch(r"(\w+?)(?:ths?|s?tel)", word.lower())
    return _CARDINALS.get(ordinal.group(1)) if ordinal is not None else None


def _chinese_fraction(found: re.Match[str]) -> str:
    percent, below, above = found.groups()
    if percent:
        return f"{_chinese(percent)}%"
    if below:
        return f"{_chinese(above)}/{_chinese(below)}"
    return str(_chinese(found.group()))


def _chinese(numeral: str) -> int:
    total = section = digit = 0
    for character in numeral:
        if character in CHINESE:
            digit = CHINESE[character]
        elif CHINESE_SCALES[character] >= 10_000:
            total += (section + digit) * CHINESE_SCALES[character]
            section = digit = 0
        else:
            section += (digit or 1) * CHINESE_SCALES[character]
            digit = 0
    return total + section + digit


_CARDINALS = {word: value for value, words in NUMBERS.items() for word in words.split()}
_DENOMINATORS = {word: value for value, words in PARTS.items() for word in words.split()}
