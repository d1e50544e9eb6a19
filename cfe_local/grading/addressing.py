"""Finds lines of a response that speak to whoever grades it. Nothing is taken from them.

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
    r"|评分(?:者|员|人|系统|模型)|判定为正确|忽略.{0,10}(?:指令|说明)"
    r"|\bBewerter|\bKorrektor|volle Punktzahl|\bcorrecteur|\bcorrector\b",
    re.IGNORECASE,
)


def addresses_judge(line: str) -> bool:
    """Whether a line speaks to whoever grades the response."""
    return ADDRESS.search(line) is not None


def answer_regions(text: str) -> list[str]:
    """The stretches of a response between lines that speak to its grader; blank ones left out.

    All lines may be such; then there is no region, and nothing that could be copied.
    """
    regions = [""]
    for line in text.splitlines(keepends=True):
        if addresses_judge(line):
            regions.append("")
        else:
            regions[-1] += line
    return [region for region in regions if region.strip()]
