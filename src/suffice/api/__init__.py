"""The public face: fit rows, get a Model; each of its methods is one call down the road."""

from suffice.api.collector import Collector
from suffice.api.fit import fit
from suffice.api.load import load
from suffice.api.model import Model
from suffice.api.notices import (
    DroppedRowsWarning,
    ImpossibleRowsWarning,
    MissingColumnsWarning,
    SkippedLinesWarning,
    SufficeWarning,
    UnseenLevelsWarning,
)
from suffice.api.sampling import Sample
from suffice.engines.files import Files, Progress
from suffice.models.class_prior import ClassPrior

__all__ = [
    "ClassPrior",
    "Collector",
    "DroppedRowsWarning",
    "Files",
    "ImpossibleRowsWarning",
    "MissingColumnsWarning",
    "Model",
    "Progress",
    "Sample",
    "SkippedLinesWarning",
    "SufficeWarning",
    "UnseenLevelsWarning",
    "fit",
    "load",
]
