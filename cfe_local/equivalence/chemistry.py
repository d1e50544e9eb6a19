"""Names that chemists write as formulas: species such as ``SO4^2-`` and configurations such as ``1s2 2s2 2p6``.

Not here: reactions, and formulas of mathematics that look alike (only equal spellings are called equal).
"""

from __future__ import annotations

import re

from cfe_local.equivalence.outcome import Outcome, different, equal

_DRESS = re.compile(r"\\(?:text|mathrm|ce|rm|mathbf|textrm)\s*|[{}$\s]|\\[,;:!]")
_ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am"
)
_ELEMENT = "(?:" + "|".join(sorted(_ELEMENTS.split(), key=len, reverse=True)) + ")"
_GROUP = rf"(?:{_ELEMENT}(?:_?\d+)?)"
_SPECIES = re.compile(
    rf"(?P<body>(?:{_GROUP}|\((?:{_GROUP})+\)(?:_?\d+)?)+)(?:\^?(?P<sign>[-+])|\^(?P<charge>\d+[-+]|[-+]\d+))?"
)
_COUNT = r"(?:1[0-4]|[1-9])(?=[1-7][spdf]|$)"
_SHELL = re.compile(rf"([1-7])([spdf])\^?({_COUNT})")
_CONFIGURATION = re.compile(rf"(?P<core>\[{_ELEMENT}\])?(?P<shells>(?:[1-7][spdf]\^?{_COUNT})+)")


def compare_species(reference: str, candidate: str) -> Outcome | None:
    """Compare two cleaned texts that are both species or both configurations; None where nothing is certain."""
    shells = [_configuration(text) for text in (reference, candidate)]
    if shells[0] is not None and shells[1] is not None:
        if shells[0] == shells[1]:
            return equal("configuration", "the same shells")
        return different("configuration", "other shells") if shells[0][0] == shells[1][0] else None
    species = [_species(text) for text in (reference, candidate)]
    if species[0] is not None and species[0] == species[1]:
        return equal("species", f"both are {species[0]}")
    return None


def _species(text: str) -> str | None:
    match = _SPECIES.fullmatch(_DRESS.sub("", text))
    if match is None or not re.search(r"\d|[a-z]|\^", text):
        return None  # Bare capitals may be a product of symbols.
    charge = match["charge"] or (f"1{match['sign']}" if match["sign"] else "")
    return f"{match['body'].replace('_', '')} {charge.strip('+-')}{charge.strip('0123456789')}".strip()


def _configuration(text: str) -> tuple[str, list[tuple[str, str, str]]] | None:
    match = _CONFIGURATION.fullmatch(_DRESS.sub("", text))
    if match is None:
        return None
    shells = sorted(_SHELL.findall(match["shells"]))
    return (match["core"] or "", shells) if len(shells) + bool(match["core"]) > 1 else None
