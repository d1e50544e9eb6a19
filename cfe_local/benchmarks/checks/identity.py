"""Identity: rows that share an id, and problems that are the same or nearly so under different ids."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from cfe_local.benchmarks.checks.rows import Row
from cfe_local.benchmarks.findings import Finding

# Word runs of this length are rarely shared by chance; the share of a shorter question's runs that recur elsewhere
# is what counts as similar. Both chosen on problems known to share their stem.
SHINGLE_WORDS = 5
SIMILAR_SHARE = 0.5
# Runs in more questions than this are phrases of the trade ("find the value of the"), not signs of kinship.
COMMON_SHINGLE = 12
# References with fewer characters than this agree by chance ("0", "$n$", "true").
DISTINCT_REFERENCE = 12

_LAYOUT = re.compile(r"\\(?:left|right|displaystyle|quad|qquad)(?![A-Za-z])|\\[,;! ]|[\s${}]")
_WORD = re.compile(r"[a-z0-9]+")


def check_identity(rows: Sequence[Row]) -> Iterator[Finding]:
    """Findings about pairs of rows, each told once, at the later row."""
    yield from _repeated_ids(rows)
    yield from _similar_questions(rows)
    yield from _same_references(rows)


def _repeated_ids(rows: Sequence[Row]) -> Iterator[Finding]:
    first: dict[str, Row] = {}
    for row in rows:
        earlier = first.setdefault(row.problem.problem_id, row)
        if earlier is not row:
            differ = sorted(
                key for key in row.raw.keys() | earlier.raw.keys() if row.raw.get(key) != earlier.raw.get(key)
            )
            said = f"differing in {', '.join(differ)}" if differ else "with equal content"
            yield row.finding(
                "warning", "repeated_id", "id", f"the id stands at {earlier.problem.label} already, {said}"
            )


def _similar_questions(rows: Sequence[Row]) -> Iterator[Finding]:
    shingles = [_shingles(row.problem.question_text) for row in rows]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, found in enumerate(shingles):
        for shingle in found:
            holders[shingle].append(position)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for positions in holders.values():
        if len(positions) <= COMMON_SHINGLE:
            for pair in combinations(positions, 2):
                shared[pair] += 1
    for (one, other), n_shared in sorted(shared.items()):
        shorter = min(len(shingles[one]), len(shingles[other]))
        if n_shared >= SIMILAR_SHARE * shorter and rows[one].problem.problem_id != rows[other].problem.problem_id:
            message = f"{n_shared / shorter:.0%} of the question's text stands in {rows[one].label} too"
            yield rows[other].finding("info", "similar_question", "question.text", message)


def _same_references(rows: Sequence[Row]) -> Iterator[Finding]:
    first: dict[tuple[str, ...], Row] = {}
    for row in rows:
        references = [_bare_reference(variable.value) for variable in row.problem.variables]
        keys = {tuple(sorted(references))} | {(reference,) for reference in references}
        earlier = {
            holder.label
            for key in keys
            if sum(map(len, key)) >= DISTINCT_REFERENCE
            and (holder := first.setdefault(key, row)).problem.problem_id != row.problem.problem_id
        }
        if earlier:
            message = f"has the same reference as {', '.join(sorted(earlier))}"
            yield row.finding("info", "same_reference", "short_answer_value", message)


def _bare_reference(value: str) -> str:
    """A reference without layout and without a leading ``name =``, so that equal ones look equal."""
    bare = _LAYOUT.sub("", value.replace(r"\tfrac", r"\frac").replace(r"\dfrac", r"\frac"))
    name, equals, rest = bare.partition("=")
    return rest if equals and len(name) < len(rest) else bare


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1))
