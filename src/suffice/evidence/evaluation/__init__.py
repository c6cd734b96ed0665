"""Evaluation on held-out rows: metrics with bootstrap intervals, and a comparison of estimators.

evaluation   Evaluation, the record of a measurement, and EvaluationOptions
classifiers  other classifiers on the same rows
held_out     rows that are scored by a model not fitted on them; stratified, grouped and ordered folds
metrics      accuracy, log loss, ranking and detection metrics for weighted rows
"""

from suffice.evidence.evaluation.evaluation import (
    ClassMetrics,
    Evaluation,
    EvaluationOptions,
    InformationCriteria,
    LabelledRows,
    Metric,
    ReadingMeasured,
    measure_rows,
)
from suffice.evidence.evaluation.metrics import DetectionCosts, ReliabilityBin

__all__ = [
    "ClassMetrics",
    "DetectionCosts",
    "Evaluation",
    "EvaluationOptions",
    "InformationCriteria",
    "LabelledRows",
    "Metric",
    "ReadingMeasured",
    "ReliabilityBin",
    "measure_rows",
]
