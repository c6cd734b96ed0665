"""Plain records that every face shows: what a model has learnt, ranked and counted, never drawn.

Telling   which columns, levels and words speak for which class, and how loudly
"""

from suffice.evidence.telling import ColumnEvidence, LevelEvidence, Telling, telling
from suffice.evidence.words import WordEvidence

__all__ = ["ColumnEvidence", "LevelEvidence", "Telling", "WordEvidence", "telling"]
