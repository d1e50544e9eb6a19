r"""LaTeX to MathML at build time, safe to put into a page whatever the LaTeX says.

``math_core`` converts what it understands in full; ``latex2mathml`` takes the rest leniently; what neither can read is
shown as it was written. Both are treated as untrusted, because a model writes the LaTeX: latex2mathml passes
``<script>`` inside ``\text`` and the address of ``\href`` through. So their output is parsed as XML and written anew
from a list of allowed elements and attributes; styles become a few classes, lengths are bounded.

Not here: finding formulas in a text (``formulas``), and the page's style sheet, which defines the classes.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

from cfe_local.report.characters import visible

MAX_MATHML = 60_000
"""Characters of MathML for one formula; beyond that it is a picture of noise, and shown as source."""

ELEMENTS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded"}
    | {"mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts"}
    | {"mtable", "mtr", "mtd", "none", "menclose", "mfenced", "merror"}
)
_WORDS = re.compile(r"[a-zA-Z -]{1,30}")
_LENGTH = re.compile(r"-?(?:\d|1\d)?(?:\.\d{1,4})?(?:em|ex|pt|px|mu)|0|\d{1,3}%")
ATTRIBUTES = {
    "display": _WORDS,
    "displaystyle": _WORDS,
    "mathvariant": _WORDS,
    "stretchy": _WORDS,
    "symmetric": _WORDS,
    "fence": _WORDS,
    "separator": _WORDS,
    "form": _WORDS,
    "largeop": _WORDS,
    "movablelimits": _WORDS,
    "accent": _WORDS,
    "accentunder": _WORDS,
    "columnalign": _WORDS,
    "rowalign": _WORDS,
    "columnlines": _WORDS,
    "rowlines": _WORDS,
    "notation": _WORDS,
    "scriptlevel": re.compile(r"[+-]?[0-4]"),
    "columnspan": re.compile(r"[1-9]"),
    "rowspan": re.compile(r"[1-9]"),
    "linethickness": _LENGTH,
    "width": _LENGTH,
    "height": _LENGTH,
    "depth": _LENGTH,
    "lspace": _LENGTH,
    "rspace": _LENGTH,
    "minsize": _LENGTH,
    "maxsize": _LENGTH,
    "voffset": _LENGTH,
    "columnspacing": _LENGTH,
    "rowspacing": _LENGTH,
}
STYLE_CLASSES = {
    "text-align:left": "tl",
    "text-align:right": "tr",
    "padding-left:0": "pl0",
    "padding-right:0": "pr0",
    "padding-left:1em": "pl1",
    "border-left-style:solid": "bl",
    "border-right-style:solid": "br",
    "border-top-style:solid": "bt",
    "border-bottom-style:solid": "bb",
}
"""math_core aligns tables by style attributes, which the page's content policy forbids."""

_DEFINES = re.compile(r"\\(?:def|let|gdef|edef|newcommand|renewcommand|providecommand|require)\b")


class Typesetter:
    """Converts formulas and remembers them, as one formula stands in many places.

    Attributes:
        n_typeset: Different formulas that became MathML.
        n_failed: Different formulas that cannot be read.
        n_left_out: Formulas that would have made the page too large.
    """

    def __init__(self, *, budget: int | None = None) -> None:
        """Start with an empty memory.

        Args:
            budget: Characters of MathML to hand out in all; None is no limit.
        """
        import math_core

        # The limit is math_core's guard against definitions that expand without end.
        self._convert = math_core.LatexToMathML(fancy_error=False, max_expansions=500)
        self._error: type[Exception] = math_core.LatexError
        self._known: dict[tuple[str, bool], str | None] = {}
        self.n_typeset = 0
        self.n_failed = 0
        self.n_left_out = 0
        self._left = budget

    def mathml(self, latex: str, *, display: bool) -> str | None:
        """Safe MathML of a formula, or None where it cannot be read or would be too large."""
        found = self._look_up(latex, display=display)
        if found is None or self._left is None:
            return found
        if len(found) > self._left:
            self.n_left_out += 1
            return None
        self._left -= len(found)
        return found

    def _look_up(self, latex: str, *, display: bool) -> str | None:
        place = (latex, display)
        if place not in self._known:
            self._known[place] = found = self._typeset(latex, display=display)
            self.n_typeset += found is not None
            self.n_failed += found is None
        return self._known[place]

    def _typeset(self, latex: str, *, display: bool) -> str | None:
        for attempt in (self._strict, self._lenient):
            markup = attempt(latex, display=display)
            if markup is not None and len(markup) <= MAX_MATHML:
                clean = sanitise(markup)
                if clean is not None:
                    return clean
        return None

    def _strict(self, latex: str, *, display: bool) -> str | None:
        try:
            return str(self._convert.convert_with_local_state(latex, displaystyle=display))
        except (self._error, UnicodeEncodeError):
            return None

    def _lenient(self, latex: str, *, display: bool) -> str | None:
        from latex2mathml import exceptions
        from latex2mathml.converter import convert

        if _DEFINES.search(latex):
            return None
        # The package documents no errors; besides its own it lets these out on broken input (found by trying).
        errors: tuple[type[Exception], ...] = (
            *(kind for name, kind in vars(exceptions).items() if name.endswith("Error")),
            *(RecursionError, LookupError, ValueError, TypeError, AttributeError, StopIteration),
        )
        try:
            return str(convert(latex, display="block" if display else "inline"))
        except errors:
            return None


def sanitise(markup: str) -> str | None:
    """MathML written anew from allowed elements and attributes; None if it is no MathML.

    An element that is not allowed makes the whole formula unreadable rather than half shown.
    """
    if "<!" in markup or "<?" in markup:
        return None
    try:
        root = ElementTree.fromstring(markup)
    except (ElementTree.ParseError, ValueError):
        return None
    if _name(root) != "math":
        return None
    pieces: list[str] = []
    return "".join(pieces) if _write(root, pieces, depth=0) else None


def _write(element: ElementTree.Element, pieces: list[str], *, depth: int) -> bool:
    name = _name(element)
    if name not in ELEMENTS or depth > 100:
        return False
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in _attributes(element).items())
    pieces.append(f"<{name}{attributes}>")
    pieces.append(visible(escape(element.text or "")))
    for child in element:
        if not _write(child, pieces, depth=depth + 1):
            return False
        pieces.append(visible(escape(child.tail or "")))
    pieces.append(f"</{name}>")
    return True


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    kept = {}
    for key, value in element.attrib.items():
        pattern = ATTRIBUTES.get(key)
        if pattern is not None and pattern.fullmatch(value):
            kept[key] = value
    declarations = (part.replace(" ", "") for part in element.attrib.get("style", "").split(";"))
    classes = [STYLE_CLASSES[part] for part in declarations if part in STYLE_CLASSES]
    if classes:
        kept["class"] = " ".join(classes)
    return kept
