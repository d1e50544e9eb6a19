"""An experiment's own settings: checked against its model, and its defaults put where nothing else was said."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from pydantic import ValidationError

from cfe_local.config import RunConfig
from cfe_local.errors import UsageError
from cfe_local.experiments.base import Experiment, Options
from cfe_local.records import Problem

DEFAULT_PROTOCOLS = ("s2s",)
DELIMITED = ("delimiter",)
"""In the place of the default, for problems that ask for their answer behind a delimiter."""


def with_defaults_of(experiment: Experiment, config: RunConfig, problems: Sequence[Problem]) -> RunConfig:
    """The configuration with the experiment's samples and protocols, unless they were set."""
    traits = experiment.traits
    protocols = traits.protocols
    if protocols == DEFAULT_PROTOCOLS and any(problem.kind != "variables" for problem in problems):
        protocols = DELIMITED
    if "samples" not in config.experiment.model_fields_set:
        own = config.experiment.model_copy(update={"samples": traits.samples})
        config = config.model_copy(update={"experiment": own})
    if "protocols" not in config.grading.model_fields_set:
        config = config.model_copy(update={"grading": config.grading.model_copy(update={"protocols": protocols})})
    return config


def experiment_options(experiment: Experiment, config: RunConfig) -> Options:
    """The experiment's settings as its own model.

    Raises:
        UsageError: For a setting that the experiment does not have, or a value that it does not take.
    """
    given, kind = config.experiment.options, experiment.traits.options
    known = list(kind.model_fields)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none'}."
            raise UsageError(f"experiment {experiment.name} has no option {name!r}; {hint}\nFix: experiment.options")
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"experiment.options.{where}: {first['msg']} (got {first['input']!r})\n"
            f"Fix: --set experiment.options.{where}=VALUE"
        ) from error
