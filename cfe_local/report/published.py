"""Scores that the benchmark's authors published, for rows beside a run's own; never mixed with measured figures.

Source: CFE-Bench, arXiv:2602.19517, results tables; question accuracy in per cent, from whole runs with the authors'
judge. They stand only in reports on the published benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published question accuracy, as a share in [0, 1]."""

    model: str
    group: Literal["combined", "text", "mm"]
    question_accuracy: float


PUBLISHED = (
    PublishedScore("Gemini-3.1-pro-preview", "combined", 0.5969),
    PublishedScore("Gemini-3-flash-preview", "combined", 0.5546),
    PublishedScore("Qwen3.5-397B", "combined", 0.4744),
    PublishedScore("Gemini-3.1-pro-preview", "text", 0.6492),
    PublishedScore("Gemini-3-flash-preview", "text", 0.5869),
    PublishedScore("Qwen3.5-plus", "text", 0.4820),
    PublishedScore("Gemini-3-flash-preview", "mm", 0.4861),
    PublishedScore("Qwen3.5-397B", "mm", 0.4514),
    PublishedScore("InternVL3.5-241B-A28B", "mm", 0.0486),
)


def published_for(group: str) -> tuple[PublishedScore, ...]:
    """The published scores of one group, best first; empty for a group that was not published."""
    return tuple(score for score in PUBLISHED if score.group == group)
