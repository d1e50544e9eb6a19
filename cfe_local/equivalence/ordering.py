r"""Products whose factors do not commute: cross and dot products, operators, daggers, transposes, nabla, matrices.

Evaluation treats every symbol as a number, so it proves nothing about such products. What is in them is listed, in
order, for each text; where the lists differ no verdict from numbers stands.

Not here: carrying out such products.
"""

from __future__ import annotations

import re

from cfe_local.equivalence.cleaning import plain_transposes
from cfe_local.equivalence.outcome import Outcome, undecided
from cfe_local.records import ValueContext

_MARK = r"\\(?:mathbf|vec|boldsymbol|bm|hat|widehat|overrightarrow|overline)"
_VECTOR = rf"{_MARK}\s*(?:\{{[^{{}}]*\}}|\\?[A-Za-z]+)(?:_(?:\{{[^{{}}]*\}}|\w))?"
_PAIR = re.compile(
    rf"(?=(?P<left>{_VECTOR})\s*(?P<sign>\\times|\\cdot|×|·|\\wedge|)\s*(?P<right>{_VECTOR}))(?<![A-Za-z])"
)
_NABLA = re.compile(
    r"(?:\\nabla|∇)\s*(?P<power>\^\s*\{?\d\}?)?\s*(?P<sign>\\times|\\cdot|×|·|)\s*\(?"
    rf"(?P<operand>{_VECTOR}|\\?[A-Za-z]+|)"
)
_ADJOINT = re.compile(
    r"\\dagger|†|[A-Za-df-z}]\s*\^\s*(?:\{?\s*\\(?:mathsf|mathrm|text)\s*\{?\s*T|\{?\s*\\top|\{?\s*\\intercal|\{\s*T\s*\}|T)"
)
_LAPLACIAN = re.compile(r"(\\nabla|∇)\s*(?:\\cdot|·)\s*(?:\\nabla|∇)")
# One letter, with an accent maybe, that the text gives a value: no product.
_NAME = re.compile(
    r"^\s*\$?\s*(?:\\(?:hat|bar|vec|mathbf|tilde|boldsymbol)\s*\{?\s*)?(?:\\[a-z]+|[A-Za-z])\}?(?:_(?:\{\w+\}|\w))?'*\s*="
)
_BINARY_LOG = re.compile(r"(?<![A-Za-z])lg(?![A-Za-z])")
_MATRIX_WORDS = re.compile(
    r"\b(?:matrix|matrices|operators?|commutator|Pauli|quaternions?|non-?commut\w*)\b", re.IGNORECASE
)
_MATRIX_PAIR = re.compile(r"(?:[A-Z]|\\sigma)(?:[_^](?:\{[^{}]*\}|\w))*\s*(?:\\cdot\s*)?(?:[A-Z]|\\sigma)(?![a-z])")


def keep_order(outcome: Outcome, reference: str, candidate: str, context: ValueContext) -> Outcome:
    """The outcome, or ``undecided`` where it comes from numbers and the texts order their factors differently."""
    if outcome.verdict == "undecided":
        return outcome
    if outcome.verdict == "different" and sum(bool(_BINARY_LOG.search(text)) for text in (reference, candidate)) == 1:
        return undecided("lg", f"lg is to base 10 or to base 2; {outcome.evidence}")
    ordered = [_ordered(text) for text in (reference, candidate)]
    if ordered[0] != ordered[1]:
        return undecided("ordered products", f"factors that do not commute, in another order; {outcome.evidence}")
    of_matrices = _MATRIX_WORDS.search(context.description) and any(
        _MATRIX_PAIR.search(text) for text in (reference, candidate)
    )
    if outcome.verdict == "equal" and outcome.by == "values" and of_matrices and _terms(reference) != _terms(candidate):
        return undecided("ordered products", "the problem speaks of matrices or operators")
    return outcome


def _ordered(text: str) -> list[str]:
    """What the text multiplies in an order that counts; sorted, since sums commute."""
    found: list[str] = []
    text = _LAPLACIAN.sub(r"\1^2 ", text)
    for match in _PAIR.finditer(text):
        left, right = _bare(match["left"]), _bare(match["right"])
        dot = match["sign"] in ("\\cdot", "·") and "hat" not in match["left"] + match["right"]
        pair = sorted((left, right)) if dot else [left, right]
        found.append(f"{pair[0]} {_sign(match['sign'])} {pair[1]}")
    for match in _NABLA.finditer(text):
        power = re.sub(r"\D", "", match["power"] or "")
        found.append(f"nabla{power} {_sign(match['sign'])} {_bare(match['operand'])}")
    if _ADJOINT.search(text) and "\\begin" not in text:
        found += _terms(_NAME.sub("", text))
    return sorted(found)


def _terms(text: str) -> list[str]:
    plain = plain_transposes(text)
    plain = re.sub(r"[\s$]|\\[,;:! ]|\\left|\\right", "", plain)
    return sorted(part for part in re.split(r"[+=]|(?<![{^])-", plain) if part)


def _bare(symbol: str) -> str:
    return re.sub(r"[{}\s]", "", re.sub(_MARK, "", symbol))


def _sign(sign: str) -> str:
    return {"×": "\\times", "·": "\\cdot"}.get(sign, sign)
