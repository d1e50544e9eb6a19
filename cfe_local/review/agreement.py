"""What several reviewers' labels say together: how far they agree, what is settled, and how the judge compares.

"Unsure" is no label: it counts as missing where agreement is measured, and settles nothing. A question's label is what
the reviewer said about it or, where nothing was said, what the labels of its variables imply.

Pure: labels and samples in, records out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pydantic import Field

from cfe_local.metrics.agreement import Agreement, cohen_kappa, krippendorff_alpha_with_interval
from cfe_local.records import Record
from cfe_local.review.items import QUESTION, problem_of
from cfe_local.review.labels import RUBRIC, UNSURE, ReviewLine, Standing, variable_position

Place = tuple[str, str]
SettledBy = Literal["one reviewer", "all", "majority", "adjudicator", "nobody"]


class PairKappa(Record):
    """Cohen's kappa of two reviewers."""

    first: str
    second: str
    kappa: Agreement


class GroupAgreement(Record):
    """How far reviewers agree on one kind of question."""

    group: str
    n_labelled: int = Field(ge=0, description="Places with at least one label other than unsure.")
    n_unsure: int = Field(ge=0, description="Labels that say unsure.")
    n_disagreements: int = Field(ge=0, description="Places with two different labels.")
    alpha: Agreement = Field(
        description="Krippendorff's, nominal, of points the interval kind; its interval is clustered by problem."
    )
    kappas: tuple[PairKappa, ...]


class Adjudicated(Record):
    """One place with every reviewer's label and what is settled."""

    unit: str
    aspect: str
    group: str
    labels: dict[str, str] = Field(description="By reviewer, unsure included.")
    comments: dict[str, str] = Field(default_factory=dict)
    label: str | None = Field(description="None where nothing is settled.")
    settled_by: SettledBy
    value: str | None = Field(default=None, description="The stated value as told by a reviewer who gave this label.")

    @property
    def is_disputed(self) -> bool:
        """Whether two reviewers gave different labels."""
        return len(set(self.labels.values()) - {UNSURE}) > 1


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One reviewer and what stands of the labels given."""

    name: str
    standing: Standing


def with_questions(lines: Mapping[Place, ReviewLine], variables: Mapping[str, int]) -> dict[Place, ReviewLine]:
    """Labels with those of questions added that follow from their variables.

    Args:
        lines: One reviewer's labels.
        variables: How many variables each unit has.
    """
    found = dict(lines)
    for unit, n in variables.items():
        given = [lines.get((unit, f"v{i}")) for i in range(n)]
        words = [line.label for line in given if line is not None]
        if (unit, QUESTION) in lines or not words:
            continue
        if "incorrect" in words:
            label = "incorrect"
        elif len(words) == n and set(words) == {"correct"}:
            label = "correct"
        else:
            continue
        source = next(line for line in given if line is not None)
        update = {"aspect": QUESTION, "group": QUESTION, "label": label, "value": None, "comment": ""}
        found[unit, QUESTION] = source.model_copy(update=update)
    return found


def count_variables(reviewers: Sequence[Reviewer]) -> dict[str, int]:
    """How many variables each unit seems to have, by the highest that any reviewer labelled."""
    found: dict[str, int] = {}
    for reviewer in reviewers:
        for unit, aspect in reviewer.standing.labels():
            position = variable_position(aspect)
            if position is not None:
                found[unit] = max(found.get(unit, 0), position + 1)
    return found


def adjudicate(
    reviewers: Sequence[Reviewer], variables: Mapping[str, int], *, adjudicator: str | None = None
) -> tuple[Adjudicated, ...]:
    """Every place that somebody labelled, with what is settled: by the adjudicator, else by more than half.

    Args:
        reviewers: At least one, with different names.
        variables: How many variables each unit has, for the questions.
        adjudicator: The reviewer whose label settles a place, where there is one.
    """
    labels = {one.name: with_questions(one.standing.labels(), variables) for one in reviewers}
    places = dict.fromkeys(place for lines in labels.values() for place in lines)
    return tuple(
        _settle(place, {name: lines[place] for name, lines in labels.items() if place in lines}, adjudicator)
        for place in sorted(places)
    )


def _settle(place: Place, lines: Mapping[str, ReviewLine], adjudicator: str | None) -> Adjudicated:
    label, by = _decision({name: line.label for name, line in lines.items()}, adjudicator)
    values = [line for line in lines.values() if line.value and line.label == label]
    # The adjudicator's own words first, then the latest.
    values.sort(key=lambda line: (line.reviewer == adjudicator, line.time))
    return Adjudicated(
        unit=place[0],
        aspect=place[1],
        group=next(iter(lines.values())).group,
        labels={name: line.label for name, line in lines.items()},
        comments={name: line.comment for name, line in lines.items() if line.comment},
        label=label,
        settled_by=by,
        value=values[-1].value if values else None,
    )


def _decision(labels: Mapping[str, str], adjudicator: str | None) -> tuple[str | None, SettledBy]:
    if adjudicator is not None and labels.get(adjudicator, UNSURE) != UNSURE:
        return labels[adjudicator], "adjudicator"
    counts = Counter(label for label in labels.values() if label != UNSURE)
    if not counts:
        return None, "nobody"
    label, n = counts.most_common(1)[0]
    if len(counts) == 1:
        return label, "all" if n > 1 else "one reviewer"
    return (label, "majority") if 2 * n > counts.total() else (None, "nobody")


def group_agreements(places: Sequence[Adjudicated], names: Sequence[str]) -> tuple[GroupAgreement, ...]:
    """Agreement per kind of question, and over all variables together where there are several kinds.

    Args:
        places: From ``adjudicate``.
        names: The reviewers.
    """
    groups: dict[str, list[Adjudicated]] = {}
    for place in places:
        groups.setdefault(place.group, []).append(place)
    variables = [place for place in places if variable_position(place.aspect) is not None]
    if len({place.group for place in variables}) > 1:
        groups["all variables"] = variables
    return tuple(_group(name, found, names) for name, found in sorted(groups.items()))


def _group(group: str, places: Sequence[Adjudicated], names: Sequence[str]) -> GroupAgreement:
    units = [[_known(place.labels.get(name)) for name in names] for place in places]
    pairs = combinations(range(len(names)), 2)
    return GroupAgreement(
        group=group,
        n_labelled=sum(any(unit) for unit in units),
        n_unsure=sum(label == UNSURE for place in places for label in place.labels.values()),
        n_disagreements=sum(place.is_disputed for place in places),
        alpha=krippendorff_alpha_with_interval(
            units,
            clusters=[problem_of(place.unit) for place in places],
            distance="interval" if group == RUBRIC else "nominal",
        ),
        kappas=tuple(
            PairKappa(
                first=names[a],
                second=names[b],
                kappa=cohen_kappa([unit[a] for unit in units], [unit[b] for unit in units]),
            )
            for a, b in pairs
        ),
    )


def _known(label: str | None) -> str | None:
    return None if label == UNSURE else label
