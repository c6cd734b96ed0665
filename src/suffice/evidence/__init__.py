"""Records that explain and evaluate a model; the interfaces only display them.

ClassEvidence      average evidence of columns, and of levels and words for each class
Explanation        contributions of the prior, cells and words to the log-odds of a row
ScreenedColumns    class similarity of columns and which to keep; Redundancy: correlated columns
CredibleInterval   credible intervals of probabilities
Novelty            novelty of rows compared with training rows
"""

from suffice.decisions.novelty import Novelty, NoveltyReference
from suffice.evidence.explanation import Entry, Explanation, Explanations, Support
from suffice.evidence.feature_importance import (
    ClassEvidence,
    ColumnEvidence,
    LevelEvidence,
    Shown,
    WordEvidence,
    feature_importance,
)
from suffice.evidence.screening import ColumnScreen, CurvePoint, Redundancy, RepeatedColumn, ScreenedColumns
from suffice.evidence.uncertainty import CredibleInterval

__all__ = [
    "ClassEvidence",
    "ColumnEvidence",
    "ColumnScreen",
    "CredibleInterval",
    "CurvePoint",
    "Entry",
    "Explanation",
    "Explanations",
    "LevelEvidence",
    "Novelty",
    "NoveltyReference",
    "Redundancy",
    "RepeatedColumn",
    "ScreenedColumns",
    "Shown",
    "Support",
    "WordEvidence",
    "feature_importance",
]
