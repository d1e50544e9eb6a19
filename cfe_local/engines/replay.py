"""An engine that answers from a file: for tests, for grading old responses again, and for runs without a model.

Four formats, told apart by what is inside:

    our own         JSONL of responses, as a run writes them; answers cases with the same key
    upstream        JSON list of ``{"id": ..., "generated_answers": [...]}`` per split; the n-th entry is row n, so ids
                    that repeat keep their own answers
    lm-eval         JSONL of samples, ``{"doc_id": 0, "resps": [["...", ...]], ...}`` per split; ``doc_id`` is the row
    plain           JSONL of ``{"split": ..., "row": 0, "sample": 0, "text": ...}``

A folder holds several such files; where there are lm-eval samples, its results file is passed over. An upstream or
lm-eval file belongs to the split whose name is part of the file's name (``responses_mm.json``,
``samples_cfe_mm_TIME.jsonl``); a single file without such a name serves every split.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from cfe_local.config.model import ModelConfig
from cfe_local.engines.thinking import PromptThinking, SplitText, ThinkingMarks, split_thinking
from cfe_local.engines.wire import EngineInfo
from cfe_local.errors import ModelError
from cfe_local.records import Case, FileDigest, Response


class UpstreamEntry(BaseModel):
    """One row of an upstream responses file. Fields that we do not need are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str
    generated_answers: tuple[str | None, ...]


class PlainEntry(BaseModel):
    """One answer in the plain format; ``sample`` counts from 0."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    split: str
    row: Annotated[int, Field(ge=0)]
    sample: Annotated[int, Field(ge=0)] = 0
    text: str


class LmEvalEntry(BaseModel):
    """One line of lm-eval samples. Several filters repeat a document; its responses are the same in each."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    doc_id: Annotated[int, Field(ge=0)]
    resps: tuple[tuple[str, ...], ...]


UPSTREAM: TypeAdapter[list[UpstreamEntry]] = TypeAdapter(list[UpstreamEntry])


class ReplayEngine:
    """Answers from what was read at start."""

    def __init__(self, model: ModelConfig) -> None:
        """Read everything.

        Raises:
            ModelError: If the path holds no responses, or something that is none of the formats.
        """
        self._path = Path(model.path).expanduser()
        self._marks = ThinkingMarks(model.thinking_start, model.thinking_end)
        self._responses: dict[str, Response] = {}
        self._texts: dict[tuple[str, int, int], str] = {}
        self._rows_of: dict[str, dict[int, tuple[str | None, ...]]] = {}
        for path in _files(self._path):
            self._read(path)
        n_by_row = sum(len(answers) for rows in self._rows_of.values() for answers in rows.values())
        self._n_answers = len(self._responses) + len(self._texts) + n_by_row

    @property
    def info(self) -> EngineInfo:
        """Where the answers come from, and how many there are."""
        settings = {"n_answers": str(self._n_answers)}
        return EngineInfo(engine="replay", model_path=str(self._path), settings=settings)

    @property
    def n_steps(self) -> int:
        """None are needed."""
        return 0

    def generate(self, cases: Iterable[Case]) -> Iterator[Response]:
        """Answer every case from the file; one that is not in it is ``failed``."""
        for case in cases:
            yield self._answer(case)

    # ------------------------------------------------------------ answering

    def _answer(self, case: Case) -> Response:
        if (response := self._responses.get(case.key.label)) is not None:
            return response
        text = None if case.key.call else self._text(case)
        if text is None:
            detail = f"no answer for {case.key.label} in {self._path}"
            return Response(key=case.key, outcome="failed", detail=detail)
        split = self._split(text)
        prompt = "\n".join(
            part.text if part.kind == "text" else part.sha256 for message in case.messages for part in message.parts
        )
        return Response(
            key=case.key,
            outcome="truncated_thinking" if split.end == "unclosed" else "answered",
            text=split.answer,
            thinking=split.thinking,
            thinking_end=split.end,
            finish_reason="replayed",
            n_images=sum(part.kind == "image" for message in case.messages for part in message.parts),
            prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
        )

    def _split(self, text: str) -> SplitText:
        """Thinking apart from the answer. The prompt is not known here: an end mark alone says that it was open."""
        before, end_mark, _ = text.partition(self._marks.end)
        opened: PromptThinking = "open" if end_mark and self._marks.start not in before else "none"
        return split_thinking(text, opened, self._marks)

    def _text(self, case: Case) -> str | None:
        key = case.key
        if (text := self._texts.get((key.split, key.row, key.sample))) is not None:
            return text
        answers = self._rows(key.split).get(key.row, ())
        return answers[key.sample] if key.sample < len(answers) else None

    def _rows(self, split: str) -> dict[int, tuple[str | None, ...]]:
        named = [stem for stem in self._rows_of if split in re.split(r"[^0-9A-Za-z]+", stem)]
        if named:
            return self._rows_of[named[0]]
        return next(iter(self._rows_of.values())) if len(self._rows_of) == 1 else {}

    # ------------------------------------------------------------ reading

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: not readable: {error}\nFix: give a file or folder of responses.") from error
        try:
            if text.lstrip().startswith("["):
                entries = UPSTREAM.validate_json(text)
                self._rows_of[path.stem] = {row: entry.generated_answers for row, entry in enumerate(entries)}
            else:
                self._read_lines(text, path.stem)
        except ValueError as error:
            raise ModelError(
                f"{path}: not a file of responses: {_first(error)}\n"
                "Fix: give a run's responses.jsonl, an upstream responses file, lm-eval samples, or lines of "
                '{"split": "text", "row": 0, "sample": 0, "text": "..."}.'
            ) from error

    def _read_lines(self, text: str, stem: str) -> None:
        *lines, last = text.split("\n")
        if last and _is_json(last):  # else empty, or the torn last line of a run that was killed
            lines.append(last)
        for number, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            try:
                self._read_line(raw, stem)
            except ValueError as error:
                raise ValueError(f"line {number}: {_first(error)}") from error

    def _read_line(self, raw: str, stem: str) -> None:
        entry = from_json(raw)  # unlike json.loads, it refuses half characters and does not run out of stack
        if not isinstance(entry, dict):
            raise ValueError("is no JSON object")
        if "key" in entry:
            response = Response.model_validate_json(raw)
            self._responses[response.key.label] = response
        elif "resps" in entry:
            line = LmEvalEntry.model_validate(entry)
            self._rows_of.setdefault(stem, {})[line.doc_id] = tuple(chain.from_iterable(line.resps))
        else:
            plain = PlainEntry.model_validate(entry)
            self._texts[plain.split, plain.row, plain.sample] = plain.text


def _first(error: ValueError) -> str:
    """What is wrong, in one line without the input, which may be long."""
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'whole'}: {first['msg']}"
    return str(error)


def _is_json(raw: str) -> bool:
    try:
        from_json(raw)
    except ValueError:
        return False
    return True


def digest_replay(path: Path) -> tuple[FileDigest, ...]:
    """sha256 of every file that a replay engine would read.

    Raises:
        ModelError: If there is none, or one cannot be read.
    """
    digests = []
    for file in _files(path.expanduser()):
        try:
            data = file.read_bytes()
        except OSError as error:
            raise ModelError(f"{file}: {error.strerror}\nFix: make the file readable.") from error
        digests.append(FileDigest(path=file.name, sha256=hashlib.sha256(data).hexdigest(), n_bytes=len(data)))
    return tuple(digests)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(p for p in path.glob("*.json*") if p.suffix in (".json", ".jsonl")) if path.is_dir() else []
    if any(file.name.startswith("samples_") for file in found):
        found = [file for file in found if not file.name.startswith("results_")]
    if not found:
        raise ModelError(f"{path}: no responses there\nFix: give a .json or .jsonl file, or a folder of them.")
    return found
