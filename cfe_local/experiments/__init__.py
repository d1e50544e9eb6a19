"""Experiments: each one a plan (which prompts) and an analysis (what the verdicts add up to)."""
