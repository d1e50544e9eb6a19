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

BARRIER = "\ue001"
"""Stands between paragraphs of what may be copied: a private character that no response holds and no judge writes."""

STRING_CHARACTER = r'([^"\\\x00-\x1f\x7f]|\\["\\])'


def field(position: int) -> str:
    """Name of a variable's field in judge output: v1, v2, ... Names of problems are not identifiers."""
    return f"v{position + 1}"


def extraction_grammar(regions: Sequence[str], n_values: int) -> GrammarConstraint:
    """One verbatim stretch of the response, or null, per value: ``{"v1": "...", "v2": null}``.

    A stretch begins and ends between the pieces of `chunks`, so no number, word, command or sign is cut in two. It
    stays inside one paragraph: a small judge that has begun to copy does not stop by itself.

    Args:
        regions: The parts of the response that may be copied from, as the judge sees them; at least one, not blank.
        n_values: How many values are asked for, at least 1.
    """
    lines = [f"start: {_object([(field(position), 'value') for position in range(n_values)])}"]
    lines.append('value: "null" | copied')
    return GrammarConstraint(grammar="\n".join([*lines, *_copied(regions)]) + "\n")


def claims_grammar(regions: Sequence[str], maxima: Sequence[int], max_reasoning: int) -> GrammarConstraint:
    """Points per field with a verbatim stretch of the response: ``{"v1": {"quote": "", "reason": "", "points": 2}}``.

    Without a quotation there are 0 points, with one at least 1 and at most the field's maximum.

    Args:
        regions: The parts of the response that may be quoted; at least one, not blank.
        maxima: Most points per field, each at least 1.
        max_reasoning: Longest reason, characters.
    """
    rules = [f"claim{position}" for position in range(len(maxima))]
    lines = [f"start: {_object([(field(position), rule) for position, rule in enumerate(rules)])}"]
    for rule, maximum in zip(rules, maxima, strict=True):
        points = " | ".join(f'"{number}"' for number in range(1, maximum + 1))
        lines.append(f"{rule}: {_object([('quote', 'none'), ('reason', 'text'), ('points', 'zero')])}")
        lines.append(f"  | {_object([('quote', 'copied'), ('reason', 'text'), ('points', f'({points})')])}")
    lines += ['none: "null"', 'zero: "0"', *_copied(regions), *_text(max_reasoning)]
    return GrammarConstraint(grammar="\n".join(lines) + "\n")


def rubric_grammar(solution: Sequence[str], total: int, max_criterion: int) -> GrammarConstraint:
    """A rubric: ``{"items": [{"criterion": ..., "solution_excerpt": ..., "points": 3}, ...]}``, at least two items.

    Each excerpt is a stretch of the solution, and the points of all items sum to the total: after an item of p points
    the rule for what is left of the total follows.

    Args:
        solution: The parts of the reference solution that may be copied.
        total: What the points sum to.
        max_criterion: Longest criterion, characters.
    """
    opening = json.dumps('{"items": [')
    lines = [f"start: {opening} left{total} " + json.dumps("]}")]
    for left in range(total, 0, -1):
        whole = [f"item{left}"] if left < total else []
        parts = [f'item{points} ", " left{left - points}' for points in range(1, left)]
        lines.append(f"left{left}: " + " | ".join(whole + parts))
    for points in range(1, total):
        value = f'"{points}"'
        item = _object([("criterion", "text"), ("solution_excerpt", "copied"), ("points", value)])
        lines.append(f"item{points}: {item}")
    return GrammarConstraint(grammar="\n".join([*lines, *_copied(solution), *_text(max_criterion)]) + "\n")


def score_grammar(max_reasoning: int) -> GrammarConstraint:
    """``{"reasoning": "...", "score": 0.5}``: nothing, right up to a constant or a sign, right."""
    fields = [("reasoning", "text"), ("score", '("0" | "0.5" | "1")')]
    return GrammarConstraint(grammar="\n".join([f"start: {_object(fields)}", *_text(max_reasoning)]) + "\n")


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


def _copied(regions: Sequence[str]) -> list[str]:
    """A JSON string that holds one verbatim stretch of one paragraph of the regions, cut between pieces."""
    copies = " | ".join(f"COPY{index}" for index in range(len(regions)))
    lines = [f'copied: "\\"" ({copies}) "\\""']
    for index, region in enumerate(regions):
        pieces = [BARRIER if _ends_paragraph(piece) else _escaped(piece) for piece in chunks(region)]
        lines.append(f"COPY{index}: %regex " + json.dumps({"substring_chunks": pieces}))
    return lines


def _text(max_length: int) -> list[str]:
    return ['text: "\\"" TEXT "\\""', f"TEXT: /{STRING_CHARACTER}{{1,{max_length}}}/"]


def _terminals(max_reasoning: int) -> str:
    return (
        "\n".join(_text(max_reasoning)) + "\n"
        'truth: "true" | "false"\n'
        'degree: "\\"high\\"" | "\\"medium\\"" | "\\"low\\""\n'
    )


def _ends_paragraph(piece: str) -> bool:
    return piece.isspace() and piece.count("\n") > 1


def _escaped(piece: str) -> str:
    """The piece as it stands inside a JSON string, beyond-ASCII characters kept."""
    return json.dumps(piece, ensure_ascii=False)[1:-1]
