"""Plain records that every face shows: what a model has learnt, ranked and counted, never drawn.

Telling   which columns, levels and words speak for which class, and how loudly
Screened  which columns to keep, by how alike the classes look in them; Redundancy: which repeat each other
"""

from suffice.evidence.redundancy import Redundancy, RepeatedColumn
from suffice.evidence.screening import ColumnScreen, CurvePoint, Screened
from suffice.evidence.telling import ColumnEvidence, LevelEvidence, Telling, telling
from suffice.evidence.words import WordEvidence

__all__ = [
    "ColumnEvidence",
    "ColumnScreen",
    "CurvePoint",
    "LevelEvidence",
    "Redundancy",
    "RepeatedColumn",
    "Screened",
    "Telling",
    "WordEvidence",
    "telling",
]
