"""Finds passages of a response that speak to whoever grades it. Nothing is taken from them.

A wide net: a line that is caught wrongly costs little, since answers are rarely stated in a sentence about graders, and
the judge still sees it. Whether such a line says something true is not asked.
"""

from __future__ import annotations

import re

ADDRESS = re.compile(
    r"\b(?:graders?|evaluators?|examiners?|assessors?|grading (?:model|system|script)|auto-?grader)\b"
    r"|\b(?:the|this|dear|to|for|note) (?:llm[ -])?judges?\b(?! whether)|\bjudge (?:model|must|should|has to)\b"
    r"|\bas an? ai\b|is_correct|\bextracted\b.{0,20}[:=]|\"v\d+\"|\"?\bverdict\b\"?\s*[:=]|overall_correct"
    r"|\bfull (?:credit|marks|points|score)\b|\bmark(?:ed)?\b.{0,40}\bas correct\b|\bcount(?:s|ed)? as correct\b"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rubric|prompts?|reference)\b"
    r"|\breference (?:solution|answer|value)s?\b|\b(?:system|developer) (?:prompt|message|note)\b"
    r"|^\s*(?:system|user)\s*:|<\|?(?:im_start|im_end|system|user|assistant)\|?>"
    r"|\b(?:automatic|official|end of) (?:the )?(?:evaluation|grading)\b|\bevaluation (?:software|log|script|system)\b"
    r"|\blog of the (?:evaluation|grading)\b|\b(?:evaluate|grade|score) (?:this|the) (?:response|answer|solution)\b"
    r"|\b(?:response|answer) (?:to be graded|above)\b|</?response>|\bend of response\b|\[/?system\]|\{/?system\}"
    r"|\bextracted value\b|\bgrounded ?=|^\s*(?:#+\s*|\*\*)?(?:grading|evaluation|verdict)\b\W*$"
    r"|评分(?:者|员|人|系统|模型)|判定为正确|忽略.{0,10}(?:指令|说明)"
    r"|\bBewerter|\bKorrektor|volle Punktzahl|\bcorrecteur|\bcorrector\b",
    re.IGNORECASE,
)

HEADING = re.compile(r"[ \t]*#+[ \t]")


def addresses_judge(line: str) -> bool:
    """Whether a line speaks to whoever grades the response."""
    return ADDRESS.search(line) is not None


def answer_regions(text: str) -> list[str]:
    """The stretches of a response between passages that speak to its grader; blank ones left out.

    With a line that speaks to the grader goes the rest of its paragraph or its whole code block, and with a heading
    that does, all that stands under it. All of a response may be such; then there is nothing that could be copied.
    """
    regions = [""]
    skipped_section = False
    for block in _blocks(text):
        before = _before_address(block)
        if HEADING.match(block):
            skipped_section = before is not None
        if before is not None or skipped_section:
            regions[-1] += "" if skipped_section else before or ""
            regions.append("")
        else:
            regions[-1] += block
    return [region for region in regions if region.strip()]


def _before_address(block: str) -> str | None:
    """What stands before the first line that speaks to the grader (nothing, in code); None if no line does."""
    lines = block.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if addresses_judge(line):
            return "" if lines[0].lstrip().startswith("```") else "".join(lines[:number])
    return None


def _blocks(text: str) -> list[str]:
    """Paragraphs, headings and fenced code blocks, each with the blank lines behind it; together they are the text."""
    blocks: list[str] = [""]
    in_code = False
    for line in text.splitlines(keepends=True):
        fence = line.lstrip().startswith("```")
        closed = not in_code and blocks[-1].rstrip().endswith("```")
        ended = closed or blocks[-1].endswith(("\n\n", "\r\n\r\n")) or HEADING.match(blocks[-1]) is not None
        if not in_code and line.strip() and (ended or fence or HEADING.match(line)):
            blocks.append("")
        blocks[-1] += line
        in_code ^= fence
    return [block for block in blocks if block]
