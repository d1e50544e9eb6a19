r"""Finds names, relations and top-level parts in mathematical text, without reading what it means.

``T_2 = 836.9 K`` has the name ``T_2``; ``r(t)=r_0\cosh(\omega t),\quad\theta=\omega t`` has two parts. Names are
compared through keys: ``c_{m,c/4}`` and ``c_m_c_over_4`` have the same one. Values are read by equivalence, not here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfe_local.grading.chunks import chunks

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
RELATIONS = frozenset("=≈≃≅:∈") | {"\\approx", "\\simeq", "\\cong", "\\in", "\\equiv", "\\triangleq"}
COMPARISONS = frozenset("<>≤≥") | {"\\le", "\\leq", "\\ge", "\\geq", "\\lt", "\\gt"}
SEPARATORS = frozenset(",;") | {"\\quad", "\\qquad", "\\\\", "\\text{and}"}

NAME_WORDS = {
    "ell": "l", "vartheta": "theta", "varphi": "phi", "varepsilon": "epsilon", "rightarrow": "to", "<": "lt", ">": "gt",
    "lt": "lt", "gt": "gt", "infty": "inf", "prime": "prime", "'": "prime", "θ": "theta", "α": "alpha", "β": "beta",
    "γ": "gamma", "δ": "delta", "Δ": "Delta", "λ": "lambda", "μ": "mu", "σ": "sigma", "τ": "tau", "φ": "phi",
    "Φ": "Phi", "ω": "omega", "Ω": "Omega", "π": "pi", "ρ": "rho", "η": "eta", "ε": "epsilon", "ξ": "xi", "ψ": "psi",
}  # fmt: skip
KIND_WORDS = re.compile(r"^is_|[_ ](?:relation|formula|expression|value|answer|result)$", re.IGNORECASE)
"""What benchmarks append to a symbol to say what kind of thing its value is."""

IGNORED_IN_NAMES = frozenset(
    {
        "rm",
        "mathrm",
        "mathbf",
        "boldsymbol",
        "vec",
        "hat",
        "bar",
        "text",
        "operatorname",
        "over",
        "left",
        "right",
        "Big",
    }
)
NOT_SYMBOLS = frozenset(
    {"\\approx", "\\simeq", "\\circ", "\\pi", "\\times", "\\cdot", "\\quad", "\\qquad"}
) | frozenset({"\\arctan", "\\arccos", "\\arcsin", "\\cos", "\\sin", "\\tan", "\\ln", "\\log", "\\exp"})
SUBSCRIPT_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@dataclass(frozen=True, slots=True)
class Part:
    """One top-level part: what stands before the first relation (empty without one), and what stands after it."""

    name: str
    value: str


def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one symbol have in common: its words, letters and digits, in order; case is kept."""
    pieces = re.findall(r"[\u0370-\u03ff]|[^\W\d_\u0370-\u03ff]+|\d|[<>']", name.translate(SUBSCRIPT_DIGITS))
    words = [NAME_WORDS.get(piece, piece) for piece in pieces]
    return tuple(word for word in words if word not in IGNORED_IN_NAMES)


def same_name(first: str, second: str) -> bool:
    """Whether two spellings name the same symbol; a difference of case alone counts as the same."""
    signs = [re.findall(r"[+-]", name.replace("−", "-")) for name in (first, second)]
    if all(signs) and signs[0] != signs[1]:
        return False
    one, two = (name_key(KIND_WORDS.sub("", name)) for name in (first, second))
    return bool(one) and [word.lower() for word in one] == [word.lower() for word in two]


def parts(text: str) -> list[Part]:
    r"""The top-level parts of a formula, each split at its first relation.

    Commas and wide spaces separate parts only where every part has a relation of its own: ``x=1, y=2`` are two,
    ``(a,b) \in \{1,2\}`` and ``f(x, y)`` are one.
    """
    read = [_part(segment) for segment in _segments(text)]
    if len(read) > 1 and all(part.name for part in read):
        return read
    return [_part(text)]


def is_plain_name(text: str) -> bool:
    """Whether a text is one symbol, perhaps with indices and arguments, or a tuple of symbols, and no expression."""
    bare = re.sub(r"\\left|\\right|\\[,;:! ]|\s", "", text).strip("$").rstrip("\\")
    if re.fullmatch(r"\([A-Za-z](,[A-Za-z])+\)", bare):
        return True
    if re.match(r"\\(?:[dt]?frac|sqrt|binom)(?![A-Za-z])", bare):
        return False
    # One head (letter, word, command, bold letter), then indices, primes, arguments, an evaluation bar.
    font = r"\\(?:mathbf|mathrm|vec|hat|bar|boldsymbol|text|mathcal)\{?[^{}]*\}?"
    head = rf"(?:{font}|\\[A-Za-z]+|\\?[^\W\d_]+|\\?\|[^|]*\\?\|)"
    tail = r"(?:_\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\^\{[^{}\d]*\}|_\\?[\w]+|\^\\?[^\W\d]+|\^\*|[₀-₉']|\([^()]*\)|\d)*"
    return re.fullmatch(rf"(?:\\[dD]elta|[δΔ])?{head}{tail}", bare) is not None


def symbols(text: str) -> frozenset[str]:
    """The letters and words of a formula, commands and upright text left out: what it is expressed in."""
    bare = re.sub(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}|\\(?:d|t)?frac|\\sqrt|\\left|\\right", " ", text)
    found = re.findall(r"\\[A-Za-z]+|[^\W\d_]+", bare)
    return frozenset(found) - NOT_SYMBOLS


def _part(segment: str) -> Part:
    """Split at the first top-level relation if a name stands before it; a comparison stays with the value."""
    depth = 0
    pieces = chunks(segment)
    for position, piece in enumerate(pieces):
        depth += (piece in OPENING) - (piece in CLOSING)
        if depth or not position or piece not in RELATIONS | COMPARISONS:
            continue
        name = "".join(pieces[:position]).strip("&$*` \n").rstrip("\\ ")
        if not is_plain_name(name):
            break
        keep = position + (piece in RELATIONS)
        return Part(name, _trimmed("".join(pieces[keep:])))
    return Part("", _trimmed(segment))


def _segments(text: str) -> list[str]:
    depth = 0
    found: list[str] = [""]
    for piece in chunks(text):
        depth += (piece in OPENING) - (piece in CLOSING)
        if depth == 0 and piece in SEPARATORS:
            found.append("")
        else:
            found[-1] += piece
    return [segment for segment in found if segment.strip(" .\n\\")]


def _trimmed(text: str) -> str:
    """Without blanks, alignment marks and a closing full stop or comma."""
    trimmed = text.strip().lstrip("&").strip()
    while trimmed and trimmed[-1] in ".,;" and not trimmed.endswith("\\,"):
        trimmed = trimmed[:-1].rstrip()
    return trimmed.removesuffix("\\").rstrip() if trimmed.endswith(" \\") else trimmed
