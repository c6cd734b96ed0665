"""How good predictions are: rows held out, numbers with intervals, readings side by side.

Evaluation   the record that every face shows          Parts, LeftOut   rows that are scored by what has not seen them
Asked        what to measure, and how exactly          splits           folds that are stratified, grouped, in order
"""

from suffice.evidence.evaluation.comparison import ReadingMeasured
from suffice.evidence.evaluation.evaluation import (
    Asked,
    ClassMetrics,
    Evaluation,
    HeldRows,
    Metric,
    evaluated,
)
from suffice.evidence.evaluation.ranking import DetectionCosts
from suffice.evidence.evaluation.reliability import ReliabilityBin

__all__ = [
    "Asked",
    "ClassMetrics",
    "DetectionCosts",
    "Evaluation",
    "HeldRows",
    "Metric",
    "ReadingMeasured",
    "ReliabilityBin",
    "evaluated",
]
