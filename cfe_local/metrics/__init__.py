"""Numbers with denominators, intervals and sources. Records in, records out: no files, no models, no console."""

from cfe_local.metrics.accuracy import Accuracy, PassAtK, mean_pass_at_k, question_accuracy, variable_accuracy
from cfe_local.metrics.effort import EngineTime
from cfe_local.metrics.exam import ExamMetrics, Figures, metrics_json_schema
from cfe_local.metrics.pass_at_k import pass_at_k
from cfe_local.metrics.samples import GradedSample, join_samples
from cfe_local.metrics.scores import Count, Interval, Share
from cfe_local.metrics.summary import ExamRecords, SummaryOptions, summarise

__all__ = [
    "Accuracy",
    "Count",
    "EngineTime",
    "ExamMetrics",
    "ExamRecords",
    "Figures",
    "GradedSample",
    "Interval",
    "PassAtK",
    "Share",
    "SummaryOptions",
    "join_samples",
    "mean_pass_at_k",
    "metrics_json_schema",
    "pass_at_k",
    "question_accuracy",
    "summarise",
    "variable_accuracy",
]
