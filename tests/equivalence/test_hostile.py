"""Inputs that hang, explode or try to run something: answered soon, in little memory, and never obeyed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cfe_local.equivalence import ComparisonPool

LIMIT_S = 5.0
LIMIT_MIB = 1024
SLACK_S = 3.0  # Between the kill and the answer, on a machine that has other things to do.

# reference, candidate, verdicts that are right.
NOT_EQUAL = ("different", "undecided")
ANY_BUT_DIFFERENT = ("equal", "undecided")
COSTLY = [
    ("2", "7^{7^{7^{7^{7}}}}", NOT_EQUAL),
    ("x", "2**2**2**2**2**2**2", NOT_EQUAL),
    ("10^{20}", "10^{10^{100}}", NOT_EQUAL),
    ("0", "(-2)^{-3^{44^{55}}}", NOT_EQUAL),
    ("24", "((4!)!)!", NOT_EQUAL),
    ("6", "123456789012!", NOT_EQUAL),
    ("1", "\\binom{10^{15}}{10^{14}}", NOT_EQUAL),
    ("1", "\\prod_{k=1}^{10^{11}} \\frac{k}{k+1}", NOT_EQUAL),
    ("1", "\\sum_{a=1}^{9999}\\sum_{b=1}^{9999}\\sum_{c=1}^{9999} \\frac{1}{a b c}", NOT_EQUAL),
    ("1", "\\int_0^{10^9} \\cos(t^t) \\sin(e^{t^2}) dt", NOT_EQUAL),
    ("0", "\\frac{d^{4000}}{dt^{4000}} e^{-t^2} \\cos t", NOT_EQUAL),
    ("(a+b+c)^{70000}", "(a+b+c)^{70001}", NOT_EQUAL),
    ("(u-v)^{9000}", "(v-u)^{9000}", ANY_BUT_DIFFERENT),
    ("\\cos(\\pi 10^{40})", "1", ANY_BUT_DIFFERENT),
    ("1", "\\tan(\\tan(\\tan(\\tan(10^{300}))))", NOT_EQUAL),
    ("1", "(" * 3000 + "1" + ")" * 3000, ANY_BUT_DIFFERENT),
    ("1", "{" * 1500, NOT_EQUAL),
    ("x", "\\sqrt{" * 700 + "x" + "}" * 700, NOT_EQUAL),
    ("x", "\\sin " * 800 + "x", NOT_EQUAL),
    ("1", "-" * 3999 + "1", NOT_EQUAL),
    ("1", "x" + "_{x" * 900 + "}" * 900, NOT_EQUAL),
    ("1", "\\left" * 900, NOT_EQUAL),
    ("15000", "+".join(["1"] * 15000), ANY_BUT_DIFFERENT),
    ("1", "\\pm 1" * 300, NOT_EQUAL),
    ("1", " or ".join(["1"] * 500 + ["2"]), NOT_EQUAL),
    ("\\{1\\}", "\\{" + ",".join(f"x_{{{n}}}" for n in range(900)) + "\\}", NOT_EQUAL),
    ("3", "3" * 900_000, NOT_EQUAL),
    ("1e400000000", "1e400000001", NOT_EQUAL),
    ("0", "1e-999999999999", NOT_EQUAL),
    ("0.1", "0." + "1" * 50_000, NOT_EQUAL),
    ("1,000", "1" + ",000" * 5000, NOT_EQUAL),
    ("2 kg", "2 kg^{10^{12}}", NOT_EQUAL),
    ("2 kg", "2 " + "kg " * 1200, NOT_EQUAL),
    ("1", "a(b(c(d(e(f(g(h(" * 60 + "1" + "))))))))" * 60, NOT_EQUAL),
    ("1", "1 e i j g d f(x) h(t) \\log x " * 60, NOT_EQUAL),
    ("1", "\x00" * 3000, NOT_EQUAL),
    ("8", "8\x00\x1b[2J\u202e\ufeff\x07", ANY_BUT_DIFFERENT),
    ("1", "\U000e0031" * 2000 + "\u0301" * 1000, NOT_EQUAL),
    ("1", "", NOT_EQUAL),
    ("0/0", "\\frac{0}{0}", ("undecided",)),
    ("4", "\\frac{4}{", NOT_EQUAL),
]
CODE = [
    "__import__('os').system('touch {marker}')",
    "(lambda: __import__('pathlib').Path('{marker}').touch())()",
    "open('{marker}', 'w').write('x')",
    "exec(\"open('{marker}', 'w')\")",
    "sympify(\"open('{marker}', 'w')\")",
    "().__class__.__mro__[1].__subclasses__()",
    "[c for c in (1).__class__.__base__.__subclasses__() if c.__name__ == 'Popen']",
    "$(touch {marker})",
    "`touch {marker}`",
    "\\input{{{marker}}}",
    "\\immediate\\write18{{touch {marker}}}",
    "\\text{{eval(\"open('{marker}','w')\")}}",
    "{{{{ ''.__class__ }}}} ${{jndi:ldap://127.0.0.1:9/x}}",
    'f\'{{open("{marker}","w")}}\'',
    "import socket; socket.create_connection(('127.0.0.1', 9))",
]


@pytest.fixture(scope="module")
def pool() -> Iterator[ComparisonPool]:
    with ComparisonPool(1, timeout_s=LIMIT_S, memory_mb=LIMIT_MIB) as started:
        started.compare("1", "1")
        yield started


def short(text: str) -> str:
    return ascii(text)[1:40]


@pytest.mark.parametrize(("reference", "candidate", "right"), COSTLY, ids=[short(row[1]) for row in COSTLY])
def test_a_costly_input_is_answered_rightly_within_five_seconds_and_one_gibibyte(
    pool: ComparisonPool, reference: str, candidate: str, right: tuple[str, ...]
) -> None:
    start = time.monotonic()
    comparison = pool.compare(reference, candidate)
    assert time.monotonic() - start < LIMIT_S + SLACK_S
    assert comparison.verdict in right, f"by {comparison.by}: {comparison.evidence}"
    assert comparison.by != "crash", comparison.evidence
    assert peak_mib() < LIMIT_MIB
    again = pool.compare("x + y", "y + x")
    assert again.verdict == "equal", "the pair after it has to be answered as ever"


def peak_mib() -> float:
    """The largest resident memory, ever, of the workers that live."""
    peaks = [0]
    for child in psutil.Process().children():
        status = Path(f"/proc/{child.pid}/status")
        if status.exists():
            peaks += [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return max(peaks) / 1024


# Warms up with harmless pairs, so that all is imported; then notes what the hostile ones make the interpreter do.
WATCHED = """
import json, sys
from cfe_local.equivalence import equivalent
harmless = [("x + 1", "1 + x"), ("12 km", "12000 m"), ("a text", "another"), ("[0, 1)", "0 <= x < 1"), ("42", "f(x)")]
for pair in harmless:
    equivalent(*pair)
seen = []
bad = ("open", "socket.", "subprocess.", "os.", "exec", "compile", "shutil.", "ctypes.", "urllib.", "pty.", "import")
sys.addaudithook(lambda event, args: seen.append(event + repr(args)[:80]) if event.startswith(bad) else None)
answers = [equivalent("42", text).verdict for text in json.loads(sys.argv[1])]
found = list(seen)
print(json.dumps([answers, found]))
"""


def test_code_in_a_value_is_never_run_and_touches_neither_files_nor_network(tmp_path: Path) -> None:
    marker = tmp_path / "run"
    texts = [text.format(marker=marker) for text in CODE]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(texts)], capture_output=True, text=True, check=True, timeout=120
    )
    answers, events = json.loads(done.stdout)
    assert events == []
    assert "equal" not in answers
    assert list(tmp_path.iterdir()) == []


def test_code_as_the_reference_is_not_run_either(pool: ComparisonPool, tmp_path: Path) -> None:
    for text in CODE:
        pool.compare(text.format(marker=tmp_path / "run"), "42")
    assert list(tmp_path.iterdir()) == []
