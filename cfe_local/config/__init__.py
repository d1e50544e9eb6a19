"""One YAML file, environment and command line become one frozen RunConfig. What a run is, never how it is done."""

from cfe_local.config.load import load_judge_config, load_run_config
from cfe_local.config.model import ImageConfig, JudgeConfig, ModelConfig
from cfe_local.config.run import (
    BenchmarkConfig,
    EquivalenceConfig,
    ExperimentConfig,
    GradingConfig,
    RunConfig,
    SelectionConfig,
    WatchdogConfig,
)
from cfe_local.config.sweep import SweepConfig, SweepRun, load_sweep

__all__ = [
    "BenchmarkConfig",
    "EquivalenceConfig",
    "ExperimentConfig",
    "GradingConfig",
    "ImageConfig",
    "JudgeConfig",
    "ModelConfig",
    "RunConfig",
    "SelectionConfig",
    "SweepConfig",
    "SweepRun",
    "WatchdogConfig",
    "load_judge_config",
    "load_run_config",
    "load_sweep",
]
