"""Certain answers about free-form values: equal, different or undecided, with evidence."""

from cfe_local.equivalence.api import equivalent
from cfe_local.equivalence.pool import ComparisonPool

__all__ = ["ComparisonPool", "equivalent"]
