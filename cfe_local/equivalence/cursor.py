"""A position in a list of tokens, with the choices that one way of reading makes.

Not here: any grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cfe_local.equivalence.limits import MAX_DEPTH, LimitError
from cfe_local.equivalence.names import FUNCTIONS, GREEK
from cfe_local.equivalence.tokens import EOF, ReadError, Token
from cfe_local.equivalence.tree import Node

CLOSERS = frozenset({")", "]", "}", "\\}", "|", "&", "\\\\", "\\|"})
_CLOSING_COMMANDS = frozenset({"rangle", "rfloor", "rceil", "rvert", "rVert", "rbrace", "rbrack"})
_PLAIN_NAMES = (frozenset(GREEK) | frozenset(FUNCTIONS) | {"hbar", "ell", "infty", "inf", "infinity", "nabla"}) - {"in"}


@dataclass(frozen=True, slots=True)
class Choices:
    r"""How one reading resolves notation that can be read in two ways.

    Attributes:
        tight_slash: ``a/bc`` is a / (b c) instead of (a / b) c.
        loose_slash: So is ``a / b c``, with blanks.
        short_argument: ``\sin x y`` is sin(x) y instead of sin(x y).
        latex: Letters that stand together are separate symbols.
        known: Names of symbols with several letters that the other value or the problem uses.
    """

    tight_slash: bool = False
    loose_slash: bool = False
    short_argument: bool = False
    latex: bool = False
    known: frozenset[str] = frozenset()


@dataclass(slots=True)
class Cursor:
    """A position in the tokens."""

    tokens: list[Token]
    choices: Choices
    parse: Callable[[Cursor, int], Node]
    at: int = 0
    depth: int = 0
    ambiguous: set[str] = field(default_factory=set)
    in_integral: int = 0
    in_bars: int = 0
    in_rows: int = 0
    in_bare_exponent: bool = False

    def peek(self, ahead: int = 0) -> Token:
        """The token ``ahead`` places on, without moving."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else EOF

    def next(self) -> Token:
        """The next token, moving past it."""
        token = self.peek()
        self.at += 1
        return token

    def is_op(self, *texts: str) -> bool:
        """Whether the next token is one of these signs."""
        token = self.peek()
        return token.kind == "op" and token.text in texts

    def is_cmd(self, *texts: str) -> bool:
        """Whether the next token is one of these commands."""
        token = self.peek()
        return token.kind == "cmd" and token.text in texts

    def take_op(self, text: str) -> bool:
        """Move past the sign if it is next."""
        if self.is_op(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Move past the sign.

        Raises:
            ReadError: If something else is next.
        """
        if not self.take_op(text):
            raise ReadError(f"expected {text!r}, found {self.peek().text!r}")

    def at_end(self) -> bool:
        """Whether nothing is left, or a closing sign is next."""
        token = self.peek()
        if token.kind in ("eof", "end"):
            return True
        if token.kind == "cmd":
            return token.text in _CLOSING_COMMANDS
        if token.kind != "op" or token.text not in CLOSERS:
            return False
        if token.text == "&":
            return self.in_rows > 0
        return token.text not in ("|", "\\|") or self.in_bars > 0

    @contextmanager
    def nested(self) -> Iterator[None]:
        """One level deeper.

        Raises:
            LimitError: Below the deepest level that is read.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        try:
            yield
        finally:
            self.depth -= 1

    @contextmanager
    def inside_bars(self) -> Iterator[None]:
        """Between absolute bars, where the next bar closes."""
        self.in_bars += 1
        try:
            yield
        finally:
            self.in_bars -= 1

    @contextmanager
    def outside_bars(self) -> Iterator[None]:
        """In brackets, where a bar opens again; an integral's differential is not looked for either."""
        before = self.in_bars, self.in_integral, self.in_bare_exponent
        self.in_bars, self.in_integral, self.in_bare_exponent = 0, 0, False
        try:
            yield
        finally:
            self.in_bars, self.in_integral, self.in_bare_exponent = before

    @contextmanager
    def bare_exponent(self) -> Iterator[None]:
        """After ``^`` without braces: ``p^k (1-p)`` is a power times a bracket, not p to the value of a function k."""
        before, self.in_bare_exponent = self.in_bare_exponent, True
        try:
            yield
        finally:
            self.in_bare_exponent = before

    def split_word(self) -> None:
        """Cut the run of letters that is next into its first name and the rest, in place."""
        token = self.peek()
        parts = split_letters(token.text, self.choices)
        if len(parts) > 1:
            first, rest = parts[0], token.text[len(parts[0]) :]
            self.tokens[self.at : self.at + 1] = [Token("word", first, token.spaced), Token("word", rest)]


def split_letters(run: str, choices: Choices) -> list[str]:
    """Cut a run of letters into names: known ones whole, functions and Greek letters found, the rest one by one."""
    if run in choices.known or run in _PLAIN_NAMES:
        return [run]
    names = choices.known | _PLAIN_NAMES
    parts: list[str] = []
    at = 0
    while at < len(run):
        length = next((n for n in range(min(len(run) - at, 12), 1, -1) if _is_name(run[at : at + n], names)), 1)
        parts.append(run[at : at + length])
        at += length
    return parts


def _is_name(text: str, names: frozenset[str]) -> bool:
    return text in names and (len(text) > 2 or text in ("ln", "pi", "mu", "nu", "xi"))
