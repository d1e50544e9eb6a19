"""Benchmarks: folders of problems in the upstream format, read into records and looked at closely."""

from __future__ import annotations

from cfe_local.benchmarks.cfe import Benchmark, first_copies, load_cfe, select

__all__ = ["Benchmark", "first_copies", "load_cfe", "select"]
