"""Bounds that hold before any work is done, so that no input can cost much by construction.

Each number has its reason beside it. What a bound stops is ``undecided``, never guessed.
"""

from __future__ import annotations

MAX_CHARS = 4000
"""Longest text that is read. The longest published reference has 515 characters; prose answers stay below 2,000."""

MAX_WORDED_CHARS = 800
"""Longest text around which words are looked at; longer ones with words are prose, for a reader."""

MAX_TOKENS = 2500
"""Most tokens in one value: about what MAX_CHARS of dense LaTeX holds."""

MAX_DEPTH = 48
"""Deepest nesting. Written mathematics stays below 15; each level costs a handful of Python frames."""

MAX_DIGITS = 400
"""Most digits in one number literal, and the largest decimal exponent of an e-notation literal."""

MAX_EXACT_BITS = 20_000
"""Largest numerator or denominator, in bits, that exact arithmetic may build (about 6,000 decimal digits)."""

MAX_LOG2 = 1_000_000.0
"""Largest |log2| of a value that is still compared; beyond it even ball arithmetic loses all relative accuracy."""

MAX_TERMS = 400
"""Most terms of a sum or product that is added up term by term."""

MAX_BOUND_VALUES = 2500
"""Most values that bound variables take in one evaluation, over all nested sums and integrals."""

MAX_BRANCHES = 4
"""Most plus-minus signs in one value that are written out as separate branches (2**4 = 16 values)."""

MAX_ELEMENTS = 64
"""Most elements of a set, list, vector or matrix that are matched one by one."""

MAX_READINGS = 6
"""Most ways of reading one ambiguous text that are tried."""


class LimitError(Exception):
    """A bound was reached; the message says which. Internal: it becomes an undecided comparison."""
