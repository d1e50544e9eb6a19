"""Cuts a cleaned text into tokens: numbers, names, commands, upright text, signs.

Not here: what the tokens mean together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from cfe_local.equivalence.cleaning import matching_brace
from cfe_local.equivalence.limits import MAX_DIGITS, MAX_TOKENS, LimitError


class ReadError(Exception):
    """The text cannot be read as a value of this kind; the message says where it stopped. Internal."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    ``kind`` is num, word (a run of letters), name (an upright run: one identifier), cmd (without backslash), text
    (words), begin or end (an environment), op (a sign or bracket), or eof. ``spaced`` says that a blank came before.
    """

    kind: str
    text: str
    spaced: bool = False
    value: Fraction = Fraction(0)
    ulp: Fraction | None = None


EOF = Token("eof", "end of text")
_NUMBER = re.compile(
    r"(?P<radix>0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)(?![0-9A-Za-z])"
    r"|(?P<grouped>\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<blanks>\d{1,3}(?: \d{3})+(?![\d.]))"
    r"|(?P<repeating>\d*\.\d*(?:\\overline|\\bar|\\dot)\{\d+\}|\d+\.\(\d+\))"
    r"|(?P<plain>(?:\d+(?:\.\d+|\.(?![.\d]))?|\.\d+)(?:[eE][+-]?\d+(?![A-Za-z\d.]))?)"
)
_TEXT_COMMANDS = frozenset({"text", "textrm", "mbox", "textnormal", "hbox", "textup", "textsf"})
_NAME_COMMANDS = frozenset({"mathrm", "operatorname", "mathop", "mathup", "rm", "ce"})
_OPS = re.compile(r"\*\*|<->|<=|>=|!=|==|:=|->|=>|<<|>>|\\\\|\\[{}|%#&_]|[^\w\s]|_", re.UNICODE)
_LETTERS = re.compile(r"[^\W\d_]+", re.UNICODE)


def number_value(text: str) -> tuple[Fraction, Fraction | None]:
    """Value and unit of the last digit (None for an integer) of a number literal.

    Raises:
        LimitError: If it has too many digits or too large an exponent.
    """
    if len(text) > MAX_DIGITS:
        raise LimitError(f"number with {len(text)} characters")
    if text[:2].lower() in ("0x", "0o", "0b"):
        return Fraction(int(text, 0)), None
    repeating = re.fullmatch(r"(\d*)\.(\d*)(?:\\\w+\{|\()(\d+)[})]", text)
    if repeating:
        whole, fixed, cycle = repeating.groups()
        fraction = Fraction(int(cycle), (10 ** len(cycle) - 1) * 10 ** len(fixed))
        return Fraction(int((whole + fixed) or "0"), 10 ** len(fixed)) + fraction, None
    mantissa, _, exponent = text.replace(",", "").replace(" ", "").lower().partition("e")
    shift = int(exponent or "0")
    if abs(shift) > MAX_DIGITS:
        raise LimitError(f"exponent {shift} in a number")
    digits = len(mantissa.partition(".")[2])
    value = Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** shift
    decimal = "." in mantissa.rstrip(".") or bool(exponent)
    return value, Fraction(10) ** (shift - digits) if decimal else None


def tokenize(text: str) -> list[Token]:
    """Cut a cleaned text into tokens.

    Raises:
        ReadError: At a character that has no place in a value.
        LimitError: If there are too many tokens.
    """
    tokens: list[Token] = []
    at = 0
    spaced = False
    while at < len(text):
        if text[at].isspace():
            spaced = True
            at += 1
            continue
        found, at = _next(text, at, spaced)
        tokens.extend(found)
        spaced = False
        if len(tokens) > MAX_TOKENS:
            raise LimitError(f"more than {MAX_TOKENS} tokens")
    return tokens


def _next(text: str, at: int, spaced: bool) -> tuple[list[Token], int]:  # noqa: FBT001
    """The tokens that start at ``at`` and the position after them."""
    number = _NUMBER.match(text, at)
    if (
        number
        and number["grouped"]
        and text[at - 1 : at] in ("(", "[")
        and text[number.end() : number.end() + 1] in (")", "]")
    ):
        number = re.compile(r"\d+").match(text, at)  # ``(12,102)`` is a pair, not a number in brackets.
    if number:
        value, ulp = number_value(number.group())
        return [Token("num", number.group(), spaced, value, ulp)], number.end()
    command = re.compile(r"\\([a-zA-Z]+)\*?").match(text, at)
    if command:
        return _command(text, command.group(1), command.end(), spaced)
    letters = _LETTERS.match(text, at)
    if letters:
        return [Token("word", letters.group(), spaced)], letters.end()
    sign = _OPS.match(text, at)
    if sign:
        return [Token("op", sign.group(), spaced)], sign.end()
    raise ReadError(f"cannot read {text[at : at + 10]!r}")


def _command(text: str, name: str, at: int, spaced: bool) -> tuple[list[Token], int]:  # noqa: FBT001
    """A command; environments and upright text take their braces with them."""
    rest = text[at:]
    opening = at + len(rest) - len(rest.lstrip())
    braced = opening < len(text) and text[opening] == "{"
    closing = matching_brace(text, opening) if braced else -1
    if name in ("begin", "end") and closing > 0:
        return [Token(name, text[opening + 1 : closing].strip().rstrip("*"), spaced)], closing + 1
    if name in _TEXT_COMMANDS and closing > 0:
        return [Token("text", text[opening + 1 : closing].strip(), spaced)], closing + 1
    if name in _NAME_COMMANDS and closing > 0:
        return _upright(text[opening + 1 : closing].strip(), spaced), closing + 1
    return [Token("cmd", name, spaced)], at


def _upright(content: str, spaced: bool) -> list[Token]:  # noqa: FBT001
    r"""Content of ``\mathrm``: one identifier, or several tokens whose letter runs are identifiers."""
    if re.fullmatch(r"[A-Za-z]+", content):
        return [Token("name", content, spaced)]
    inner = [Token("name", token.text, token.spaced) if token.kind == "word" else token for token in tokenize(content)]
    return [Token("op", "{", spaced), *inner, Token("op", "}")]
