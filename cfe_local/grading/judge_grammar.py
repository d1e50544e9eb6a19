r"""What the judge may write: grammars in llguidance's Lark dialect whose every sentence is valid JSON.

Natural spacing (one blank after ``:`` and ``,``, none elsewhere): a judge that may not write the blank it is used to
answers null nearly always. Inside strings a backslash is only ever ``\\`` or ``\"``: JSON allows ``\f`` and ``\b``,
so under a plain JSON grammar ``\frac`` and ``\beta`` arrive as control characters. Parsing is in `judge_output`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from cfe_local.grading.chunks import chunks
from cfe_local.records import GrammarConstraint

STRING_CHARACTER = r'([^"\\\x00-\x1f\x7f]|\\["\\])'


def field(position: int) -> str:
    """Name of a variable's field in judge output: v1, v2, ... Names of problems are not identifiers."""
    return f"v{position + 1}"


def extraction_grammar(regions: Sequence[str], n_values: int) -> GrammarConstraint:
    """One verbatim stretch of the response, or null, per value: ``{"v1": "...", "v2": null}``.

    A stretch begins and ends between the pieces of `chunks`, so no number, word, command or sign is cut in two.

    Args:
        regions: The parts of the response that may be copied from, as the judge sees them; at least one, not blank.
        n_values: How many values are asked for, at least 1.
    """
    lines = [f"start: {_object([(field(position), 'value') for position in range(n_values)])}"]
    copies = " | ".join(f"COPY{index}" for index in range(len(regions)))
    lines.append(f'value: "null" | "\\"" ({copies}) "\\""')
    for index, region in enumerate(regions):
        pieces = [_escaped(piece) for piece in chunks(region)]
        lines.append(f"COPY{index}: %regex " + json.dumps({"substring_chunks": pieces}))
    return GrammarConstraint(grammar="\n".join(lines) + "\n")


def verification_grammar(max_reasoning: int) -> GrammarConstraint:
    """``{"reasoning": "...", "is_correct": true, "confidence": "high"}``.

    Args:
        max_reasoning: Longest reasoning, characters.
    """
    fields = [("reasoning", "text"), ("is_correct", "truth"), ("confidence", "degree")]
    return GrammarConstraint(grammar=f"start: {_object(fields)}\n" + _terminals(max_reasoning))


def overall_grammar(n_values: int, max_reasoning: int) -> GrammarConstraint:
    """``{"reasoning": "...", "v1": true, "v2": false}``: a whole response judged at once."""
    fields = [("reasoning", "text"), *((field(position), "truth") for position in range(n_values))]
    return GrammarConstraint(grammar=f"start: {_object(fields)}\n" + _terminals(max_reasoning))


def _object(fields: Sequence[tuple[str, str]]) -> str:
    """A JSON object with these fields in this order, each made by the named rule."""
    pieces = []
    for index, (name, rule) in enumerate(fields):
        opening = "{" if index == 0 else ", "
        pieces.append(f"{json.dumps(opening + json.dumps(name) + ': ')} {rule}")
    return " ".join(pieces) + ' "}"'


def _terminals(max_reasoning: int) -> str:
    return (
        f'text: "\\"" TEXT "\\""\nTEXT: /{STRING_CHARACTER}{{1,{max_reasoning}}}/\n'
        'truth: "true" | "false"\n'
        'degree: "\\"high\\"" | "\\"medium\\"" | "\\"low\\""\n'
    )


def _escaped(piece: str) -> str:
    """The piece as it stands inside a JSON string, beyond-ASCII characters kept."""
    return json.dumps(piece, ensure_ascii=False)[1:-1]
