"""From what a person or model typed to one plain notation: unicode, layout commands, dollars and boxes.

The result is a LaTeX-like text in which characters have become commands and layout is gone. Nothing that carries
meaning is removed here: symbols, accents, units, words and punctuation all stay.
"""

from __future__ import annotations

import re
import unicodedata

from cfe_local.equivalence.names import (
    CHARACTER_COMMANDS,
    COMBINING_ACCENTS,
    GREEK_CHARACTERS,
    SUBSCRIPT_DIGITS,
    SUPERSCRIPT_DIGITS,
)

_SUPERSCRIPTS = "".join(chr(code) for code in SUPERSCRIPT_DIGITS)
_SUBSCRIPTS = "".join(chr(code) for code in SUBSCRIPT_DIGITS)
_LETTER_SPACED = re.compile(r"\{\s*((?:[a-z]\s+){2,}[a-z])\s*\}")
_SIZES = re.compile(
    r"\\(?:left|right|middle|bigl|bigr|bigm|Bigl|Bigr|Bigm|biggl|biggr|Biggl|Biggr|big|Big|bigg|Bigg)(?![a-zA-Z])\s*"
)
_GREEK = "".join(GREEK_CHARACTERS)
_GREEK_SUBSCRIPT = re.compile(rf"_([A-Za-z0-9]*[{_GREEK}][A-Za-z0-9{_GREEK}]*)")
_GREEK_INDEX = re.compile(rf"([{_GREEK}])(\d+)")
# The cyclic group Z/nZ, in the notations that can mean nothing else.
_GROUP = re.compile(r"\\mathbb\s*\{?Z\}?\s*/\s*\(?([0-9]+|[a-z])\)?\s*(?:\\mathbb\s*\{?Z\}?|Z)?(?![A-Za-z0-9])")
_ISOMORPHIC = re.compile(r"\\cong\s+Z\s*/\s*(\d+)\s*Z?(?![A-Za-z0-9])")
_TRANSPOSE = re.compile(
    r"\^\s*(?:\{\s*\\(?:top|intercal)\s*\}|\\(?:top|intercal)(?![a-zA-Z])"
    r"|(?:\{\s*)?\\(?:mathsf|mathrm|text|mathbf)\s*\{?\s*T\s*\}(?:\s*\})?)"
)
_NO_BREAK = re.compile(r"(?<=\d)~(?=[A-Za-z])|(?<=\w)~[-+*/=]~(?=\w)")  # A blank of LaTeX, without a command near it.
# ``2{,}5``: a comma in braces that no group of thousands follows; after a lone zero none can follow.
_DECIMAL_BRACES = re.compile(r"(?<=\d)\{,\}(?=\d)(?!\d{3}(?!\d))|(?<![\d.,}])(?P<zero>0)\{,\}(?=\d)")
_CODE_LOG = re.compile(r"(?<![A-Za-z\\_])log(2|10)\(")
_WORD = re.compile(r"[A-Za-z]{2,}")


def plain_transposes(text: str) -> str:
    r"""``X^\top`` and ``X^{\mathsf{T}}`` as ``X^T``."""
    return _TRANSPOSE.sub("^T", text)


def has_control_characters(text: str) -> bool:
    """Whether the text holds characters that no value has, such as NUL (line breaks and tabs are fine)."""
    return any(unicodedata.category(char) == "Cc" and char not in "\n\t\r" for char in text)


def clean(text: str) -> str:
    """Bring a value into one notation.

    Args:
        text: The value as written, with or without dollars.

    Returns:
        The same value in LaTeX-like ASCII notation; letters of other scripts stay as they are.
    """
    text = _NO_BREAK.sub(lambda match: match.group().replace("~", " "), text)
    text = plain_transposes(text)
    text = _CODE_LOG.sub(r"log_\1(", text)
    tilde = " " if "\\" in text else "~"
    text = _join_combining(text)
    text = _GREEK_SUBSCRIPT.sub(lambda m: f"_{{{m[1]}}}", text)
    text = _GREEK_INDEX.sub(lambda m: f"{m[1]}_{{{m[2]}}}", text)
    text = _scripts(text)
    text = "".join(_character(char) for char in text)
    text = _unbox(text.strip())
    text = _strip_emphasis(text)
    text = _dollars(text)
    whole = re.fullmatch(r"\s*\\(?:text|textbf|textrm|mathrm|mathbf)\{([^{}\\]*)\}\s*", text)
    text = whole[1] if whole else text
    text = _layout(text, tilde=tilde)
    return _trim(text)


def is_latex(text: str) -> bool:
    """Whether letters that stand together are separate symbols: true in LaTeX, not in plain text."""
    without_unicode = re.sub(r"\\(?:text|mathrm|operatorname)\b", "", text)
    return bool(re.search(r"\\[a-zA-Z]|\$|[_^]\{", without_unicode))


def _join_combining(text: str) -> str:
    """Letters with combining marks become accent commands; mathematical alphabets become plain letters."""
    out: list[str] = []
    for char in text:
        if 0x1D400 <= ord(char) <= 0x1D7FF:
            out.append(unicodedata.normalize("NFKC", char))
            continue
        parts = unicodedata.normalize("NFD", char)
        if len(parts) > 1 and all(mark in COMBINING_ACCENTS for mark in parts[1:]) and parts[0].isalpha():
            out.extend(parts)
        else:
            out.append(char)
    joined = "".join(out)
    marks = "".join(COMBINING_ACCENTS)
    while True:
        match = re.search(rf"(\\[a-z]+\{{[^{{}}]*\}}|\w)([{marks}])", joined)
        if match is None:
            return joined
        accent = COMBINING_ACCENTS[match.group(2)]
        joined = f"{joined[: match.start()]}\\{accent}{{{match.group(1)}}}{joined[match.end() :]}"


def _scripts(text: str) -> str:
    """Unicode super- and subscripts become ``^{..}`` and ``_{..}``."""
    text = re.sub(f"[{_SUPERSCRIPTS}]+", lambda m: "^{" + m.group().translate(SUPERSCRIPT_DIGITS) + "}", text)
    return re.sub(f"[{_SUBSCRIPTS}]+", lambda m: "_{" + m.group().translate(SUBSCRIPT_DIGITS) + "}", text)


def _character(char: str) -> str:
    if char in CHARACTER_COMMANDS:
        return CHARACTER_COMMANDS[char]
    if char in GREEK_CHARACTERS:
        return f"\\{GREEK_CHARACTERS[char]} "
    return char


def _unbox(text: str) -> str:
    r"""``\boxed{x}`` is x, where the boxes are not nested in anything else."""
    while True:
        at = text.find("\\boxed")
        if at < 0:
            return text
        opening = text.find("{", at)
        closing = matching_brace(text, opening)
        if opening < 0 or closing < 0:
            return text
        text = text[:at] + " " + text[opening + 1 : closing] + " " + text[closing + 1 :]


def matching_brace(text: str, opening: int) -> int:
    """Position of the brace that closes the one at ``opening``, -1 if there is none."""
    depth = 0
    for at in range(max(opening, 0), len(text)):
        escaped = at > 0 and text[at - 1] == "\\"
        if text[at] == "{" and not escaped:
            depth += 1
        elif text[at] == "}" and not escaped:
            depth -= 1
            if depth == 0:
                return at
    return -1


def _strip_emphasis(text: str) -> str:
    match = re.fullmatch(r"(\*\*|__|`)([^*`]+)\1\.?", text)
    return match.group(2) if match else text


def _dollars(text: str) -> str:
    r"""Dollars as delimiters go, and words outside of them become text; dollars as money become ``\dollar``."""
    text = text.replace("\\$", "\\dollar ")
    text = re.sub(r"(?<!\\)\\[\[\]()]", "$", text)
    if "$" not in text:
        return text
    pieces = re.split(r"\$+", text)
    money = len(pieces) % 2 == 0 or not text.startswith("$")
    if money and all(re.match(r"\s*-?[\d.,]", piece) and "\\" not in piece for piece in pieces[1:]):
        return text.replace("$", "\\dollar ")
    if len(pieces) % 2 == 0:
        return text.replace("$", " ")
    return " ".join(piece if at % 2 else _outside(piece) for at, piece in enumerate(pieces))


def _outside(piece: str) -> str:
    """Words outside dollars are text, whatever their letters."""
    if "\\" in piece:
        return piece
    return re.sub(r"[A-Za-z][A-Za-z'-]*", lambda m: f"\\text{{ {m.group()} }}", piece)


def _layout(text: str, *, tilde: str) -> str:
    """Sizes, spacing and display commands go."""
    text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    text = _SIZES.sub("", text)
    text = _DECIMAL_BRACES.sub(lambda match: f"{match['zero'] or ''}.", text)
    text = re.sub(r"(?<=\d)(?:\{,\}|,\s*\\!\s*|\\,|\\!)\s?(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"\\\\\s*\[[^\]]*(?:pt|em|ex|mm|cm)\]", r"\\\\", text)
    text = re.sub(r"\s*,?\s*\\q?quad(?![a-zA-Z])\s*(?:\\q?quad(?![a-zA-Z])\s*)*,?", ", ", text)
    text = re.sub(r"^, |(?<=[&=(,]) ?, (?=\S)", " ", text)
    text = _GROUP.sub(r"\\mathbb{Z}_{\1}", text)
    text = _ISOMORPHIC.sub(r"\\cong \\mathbb{Z}_{\1}", text)
    text = re.sub(r"(?<!\\)\\[,;:! >]", " ", text).replace("~", tilde)
    text = re.sub(r"\\(?:hspace|vspace|kern|phantom|label|tag)\*?\{[^{}]*\}", " ", text)
    text = re.sub(r"(?<=[(\[{|,=])\s*\.(?=\s*[)\]}|])", "", text)
    text = _LETTER_SPACED.sub(lambda m: "{" + re.sub(r"\s+", "", m.group(1)) + "}", text)
    return re.sub(r" {2,}", " ", text)


def _trim(text: str) -> str:
    """Blanks and sentence punctuation at the ends go."""
    text = text.strip()
    while text and (text[-1] in ",;:" or (text[-1] == "." and not text.endswith("..."))):
        text = text[:-1].rstrip()
    return text


def words_of(text: str) -> list[str]:
    """Runs of two or more Latin letters that are no command, in order."""
    return _WORD.findall(re.sub(r"\\[a-zA-Z]+", " ", text))
