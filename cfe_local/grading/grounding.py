"""Whether a value stands in a response, compared piece by piece after removing what only typesetting sees.

Preserved: case, subscripts, order, signs, numbers as written. Removed: blanks, dollar signs, spacing commands, sizes of
brackets, and the difference between characters that Unicode counts as compatible. What a value means is not asked here.
"""

from __future__ import annotations

import unicodedata

from cfe_local.grading.chunks import chunks

INVISIBLE = frozenset(
    {
        "$",
        "*",
        "`",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\,",
        "\\;",
        "\\:",
        "\\!",
        "\\ ",
        "\\left",
        "\\right",
        "\\displaystyle",
    }
    | {"\\quad", "\\qquad", "\\big", "\\Big", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "~"}
)
SAME = {"\\dfrac": "\\frac", "\\tfrac": "\\frac", "−": "-", "\\text": "\\mathrm", "\\rm": "\\mathrm", "’": "'"}


def normalised(text: str) -> list[str]:
    """The pieces of a text that carry notation, in order."""
    pieces = []
    for piece in chunks(unicodedata.normalize("NFKC", text)):
        for sign, rest in ((piece[0], piece[1:]) if piece[0] in "-−" and len(piece) > 1 else (piece, ""),):
            plain = SAME.get(sign, sign) + SAME.get(rest, rest)
        if not plain.isspace() and plain not in INVISIBLE:
            pieces.append(plain)
    return pieces


def is_grounded(value: str, response: str) -> bool:
    """Whether the value's pieces stand in the response, next to each other and in this order.

    An empty value is not grounded.
    """
    wanted, given = normalised(value), normalised(response)
    if not wanted:
        return False
    length = len(wanted)
    return any(
        given[start] == wanted[0] and given[start : start + length] == wanted
        for start in range(len(given) - length + 1)
    )
