"""How numbers are written in reports, everywhere the same.

Shares are per cent with one decimal and no sign (the column says per cent); what was not measured is a dash.
"""

from __future__ import annotations

from cfe_local.metrics.scores import Interval, Share

DASH = "–"


def percent(value: float | None) -> str:
    """0.4738 as ``47.4``; None as a dash."""
    return DASH if value is None else f"{100 * value:.1f}"


def interval(found: Interval | None) -> str:
    """``42.9–52.0``, or a dash."""
    return DASH if found is None else f"{100 * found.low:.1f}–{100 * found.high:.1f}"


def fraction(share: Share) -> str:
    """``213/449``; a sum of shares keeps one decimal: ``238.9/449``."""
    whole = float(share.numerator).is_integer()
    return f"{share.numerator:.0f}/{share.denominator}" if whole else f"{share.numerator:.1f}/{share.denominator}"


def count(n: float | None) -> str:
    """1234567 as ``1,234,567``; a mean keeps one decimal below 100; None as a dash."""
    if n is None:
        return DASH
    return f"{n:,.0f}" if float(n).is_integer() or abs(n) >= 100 else f"{n:,.1f}"


def seconds(n: float | None) -> str:
    """Seconds as ``0.42 s``, ``12.3 s``, ``4 min 05 s`` or ``3 h 07 min``."""
    if n is None:
        return DASH
    if n < 60:
        return f"{n:.2f} s" if n < 10 else f"{n:.1f} s"
    minutes, rest = divmod(round(n), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
