"""The reviewer's desk: the queue, what was said so far, and what comes next. Knows no HTTP and no HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cfe_local.errors import UsageError
from cfe_local.review.files import LabelBook
from cfe_local.review.items import FILTERS, Aspect, FilterName, Item, chosen
from cfe_local.review.labels import MAX_COMMENT, ReviewLine, label_line

BLIND_FILTERS: tuple[FilterName, ...] = ("all", "random")
"""The other filters tell something about the verdicts."""


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """How items are put before the reviewer.

    Attributes:
        title: Name of the run or benchmark.
        start_filter: The filter that the page opens with.
        seed: Of the random order.
        is_blind: Whether verdicts are hidden.
    """

    title: str
    start_filter: FilterName = "all"
    seed: int = 0
    is_blind: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where the reviewer goes next: an item and one question about it."""

    index: int
    aspect: str


class Desk:
    """All items, one reviewer's labels, and the ways between items."""

    def __init__(self, items: Sequence[Item], book: LabelBook, settings: DeskSettings) -> None:
        """Take items and an open book of labels.

        Raises:
            UsageError: If there is nothing to review.
        """
        if not items:
            raise UsageError(
                f"{settings.title}: there is nothing to review: no response has any text\n"
                "Fix: choose a run that has answers (cfe-local run)."
            )
        self.items = tuple(items)
        self.book = book
        self.settings = settings
        self._positions = {item.unit: i for i, item in enumerate(self.items)}
        self.images = {
            part.sha256: Path(part.path)
            for item in self.items
            for part in item.problem.question
            if part.kind == "image"
        }

    @property
    def filters(self) -> tuple[FilterName, ...]:
        """Filters that this desk offers: those that let some item through, in blind mode the neutral ones."""
        names = tuple(name for name in FILTERS if any(name in item.filters for item in self.items))
        if self.settings.is_blind:
            return tuple(name for name in names if name in (*BLIND_FILTERS, self.settings.start_filter))
        return names

    def queue(self, name: FilterName) -> tuple[int, ...]:
        """Positions of the items that a filter shows, in the order of review."""
        return tuple(self._positions[item.unit] for item in chosen(self.items, name, seed=self.settings.seed))

    def said(self) -> Mapping[tuple[str, str], ReviewLine]:
        """The reviewer's standing labels by (unit, aspect)."""
        return self.book.standing.labels()

    def is_done(self, item: Item, said: Mapping[tuple[str, str], ReviewLine]) -> bool:
        """Whether everything that must be answered is."""
        return all((item.unit, aspect.name) in said for aspect in item.required)

    def label(self, item: Item, aspect: Aspect, label: str, *, value: str, comment: str) -> None:
        """Write a label down.

        Raises:
            UsageError: If the label is no choice of the aspect, or a text is too long.
            StoreError: If it could not be written.
        """
        if label not in aspect.choices:
            raise UsageError(
                f"{label[:80]!r} is no answer to {aspect.name!r}\nFix: one of {', '.join(aspect.choices)}."
            )
        if max(len(value), len(comment)) > MAX_COMMENT:
            raise UsageError(f"a comment or value has more than {MAX_COMMENT} characters\nFix: shorten it.")
        stated = value.strip() or None if aspect.takes_value else None
        line = label_line(
            self.book.reviewer,
            (item.unit, aspect.name),
            label,
            group=aspect.group,
            value=stated,
            comment=comment.strip(),
        )
        self.book.add(line.model_copy(update={"blind": self.settings.is_blind}))

    def undo(self) -> Place | None:
        """Take the last label back and go to where it was given.

        None, and nothing is taken back, where there is no label or the last one is about something else than what lies
        on this desk: a folder of labels may serve several runs.
        """
        history = self.book.standing.history
        if not history or history[-1].unit not in self._positions:
            return None
        line = self.book.undo()
        if line is None:
            return None
        return Place(self._positions[line.unit], line.aspect)

    def first_open(self, index: int) -> str:
        """The question to answer first about an item."""
        item, said = self.items[index], self.said()
        return next((a.name for a in item.required if (item.unit, a.name) not in said), item.aspects[0].name)

    def after(self, index: int, aspect: str, queue: Sequence[int]) -> Place | None:
        """Where to go once an aspect is answered: an open one of this item, else the next open item of the queue.

        Optional aspects are passed by. None where everything in the queue is answered.
        """
        item, said = self.items[index], self.said()
        names = [one.name for one in item.aspects]
        start = names.index(aspect) + 1 if aspect in names else 0
        turned = [*names[start:], *names[:start]]
        required = {one.name for one in item.required}
        for name in turned:
            if name in required and (item.unit, name) not in said:
                return Place(index, name)
        at = queue.index(index) + 1 if index in queue else 0
        for position in (*queue[at:], *queue[:at]):
            if not self.is_done(self.items[position], said):
                return Place(position, self.first_open(position))
        return None
