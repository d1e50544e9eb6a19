"""Points by rubric: what reviewers gave to a whole response, part by part, and the mean over responses."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from cfe_local.metrics.intervals import clustered_share_interval
from cfe_local.metrics.samples import GradedSample
from cfe_local.metrics.scores import Share, share_of
from cfe_local.records import RUBRIC_POINTS, Key, Record
from cfe_local.review.agreement import Adjudicated
from cfe_local.review.labels import RUBRIC


class ResponsePoints(Record):
    """One response: the sum over all parts of its rubric."""

    unit: str
    split: str
    row: int = Field(ge=0)
    sample: int = Field(ge=0)
    by_reviewer: dict[str, int] = Field(description="Of reviewers who gave points for every part.")
    settled: int | None = Field(description="None where points for a part are not settled.")


class RubricPoints(Record):
    """All responses that have a rubric and at least one label of it."""

    responses: tuple[ResponsePoints, ...]
    mean: Share = Field(description="Settled points over possible ones, of settled responses; interval by problem.")


def rubric_points(places: Sequence[Adjudicated], samples: Sequence[GradedSample]) -> RubricPoints | None:
    """Points per response, and their mean as a share of the points that a rubric has.

    Args:
        places: From ``adjudicate``.
        samples: The run's samples; a response without a text has none to be given points for.

    Returns:
        None where no response with a rubric was labelled.
    """
    given = {(place.unit, place.aspect): place for place in places if place.group == RUBRIC}
    found: list[tuple[GradedSample, ResponsePoints]] = []
    for sample in samples:
        unit = sample.key.label
        parts = [given.get((unit, f"{RUBRIC} {i}")) for i in range(1, len(sample.problem.rubric) + 1)]
        if any(parts):
            found.append((sample, _of_response(sample.key, parts)))
    if not found:
        return None
    sums: dict[str, list[int]] = {}
    for sample, points in found:
        if points.settled is not None:
            sums.setdefault(sample.cluster, []).append(points.settled)
    shares = [sum(own) / RUBRIC_POINTS for own in sums.values()]
    sizes = [len(own) for own in sums.values()]
    mean = share_of(sum(shares), sum(sizes), interval=clustered_share_interval(shares, sizes))
    return RubricPoints(responses=tuple(points for _, points in found), mean=mean)


def _of_response(key: Key, parts: Sequence[Adjudicated | None]) -> ResponsePoints:
    names = dict.fromkeys(name for part in parts if part for name in part.labels)
    totals = {name: _total([part.labels.get(name) if part else None for part in parts]) for name in names}
    return ResponsePoints(
        unit=key.label,
        split=key.split,
        row=key.row,
        sample=key.sample,
        by_reviewer={name: total for name, total in totals.items() if total is not None},
        settled=_total([part.label if part else None for part in parts]),
    )


def _total(labels: Sequence[str | None]) -> int | None:
    points = [int(label) for label in labels if label is not None and label.isdecimal()]
    return sum(points) if len(points) == len(labels) else None
