"""Cases for tests of engines."""

from __future__ import annotations

from cfe_local.records import Case, Constraint, ImagePart, Key, Message, Sampling, TextPart


def case(
    text: str = "What is 2 + 2?",
    row: int = 0,
    *,
    images: tuple[ImagePart, ...] = (),
    constraint: Constraint | None = None,
    sampling: Sampling | None = None,
    system: str = "",
) -> Case:
    """One case; images stand behind the text."""
    asked = Message(role="user", parts=(TextPart(text=text), *images))
    told = (Message(role="system", parts=(TextPart(text=system),)),) if system else ()
    return Case(
        key=Key(experiment="exam", split="text", row=row, sample=0),
        messages=(*told, asked),
        sampling=sampling or Sampling(temperature=0.0, max_tokens=24),
        constraint=constraint,
    )
