"""The public face: fit rows, get a Model; each of its methods is one call down the road."""

from suffice.api.calibrate import calibrate
from suffice.api.collector import Collector
from suffice.api.concepts import concepts_from
from suffice.api.deciding import Decisions
from suffice.api.evaluate import evaluate
from suffice.api.fit import fit
from suffice.api.load import load
from suffice.api.model import Model
from suffice.api.novelty import novelty_reference
from suffice.api.sampling import Sample
from suffice.api.screening import Screening, screen
from suffice.decisions import Costs, PriorShift, Threshold, choose_threshold
from suffice.evidence import CredibleInterval, Novelty, NoveltyReference
from suffice.evidence.evaluation import Evaluation
from suffice.evidence.explanation import Explanation
from suffice.models.class_prior import ClassPrior
from suffice.models.concepts import ConceptLearner, Hypothesis, number_game
from suffice.sources.files import Files, Progress
from suffice.warnings import (
    DroppedCalibrationWarning,
    DroppedRowsWarning,
    IgnoredColumnsWarning,
    ImpossibleRowsWarning,
    LostPrecisionWarning,
    MissingColumnsWarning,
    RenamedColumnsWarning,
    SkippedLinesWarning,
    SufficeWarning,
    TargetWarning,
    UnseenClassesWarning,
    UnseenLevelsWarning,
)

__all__ = [
    "ClassPrior",
    "Collector",
    "ConceptLearner",
    "Costs",
    "CredibleInterval",
    "Decisions",
    "DroppedCalibrationWarning",
    "DroppedRowsWarning",
    "Evaluation",
    "Explanation",
    "Files",
    "Hypothesis",
    "IgnoredColumnsWarning",
    "ImpossibleRowsWarning",
    "LostPrecisionWarning",
    "MissingColumnsWarning",
    "Model",
    "Novelty",
    "NoveltyReference",
    "PriorShift",
    "Progress",
    "RenamedColumnsWarning",
    "Sample",
    "Screening",
    "SkippedLinesWarning",
    "SufficeWarning",
    "TargetWarning",
    "Threshold",
    "UnseenClassesWarning",
    "UnseenLevelsWarning",
    "calibrate",
    "choose_threshold",
    "concepts_from",
    "evaluate",
    "fit",
    "load",
    "novelty_reference",
    "number_game",
    "screen",
]
