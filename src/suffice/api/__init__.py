"""The public face: fit rows, get a Model; each of its methods is one call down the road."""

from suffice.api.collector import Collector
from suffice.api.fit import fit
from suffice.api.model import Model
from suffice.api.notices import (
    DroppedRowsWarning,
    ImpossibleRowsWarning,
    MissingColumnsWarning,
    SufficeWarning,
    UnseenLevelsWarning,
)
from suffice.api.sampling import Sample
from suffice.models.class_prior import ClassPrior

__all__ = [
    "ClassPrior",
    "Collector",
    "DroppedRowsWarning",
    "ImpossibleRowsWarning",
    "MissingColumnsWarning",
    "Model",
    "Sample",
    "SufficeWarning",
    "UnseenLevelsWarning",
    "fit",
]
