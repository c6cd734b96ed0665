"""Plain records that every face shows: what a model has learnt, ranked and counted, never drawn.

Telling            which columns, levels and words speak for which class, and how loudly
Explanation        why a row is taken for one class rather than another: a sum of what its cells and words say
Screened           which columns to keep, by how alike the classes look in them; Redundancy: which repeat each other
CredibleInterval   between what a probability lies, given how few or many rows it comes from
Novelty            how odd rows are beside those that a model has learnt from
"""

from suffice.decisions.novelty import Novelty, NoveltyReference
from suffice.evidence.explanation import Behind, Entry, Explanation
from suffice.evidence.redundancy import Redundancy, RepeatedColumn
from suffice.evidence.screening import ColumnScreen, CurvePoint, Screened
from suffice.evidence.telling import ColumnEvidence, LevelEvidence, Telling, telling
from suffice.evidence.uncertainty import CredibleInterval
from suffice.evidence.words import WordEvidence

__all__ = [
    "Behind",
    "ColumnEvidence",
    "ColumnScreen",
    "CredibleInterval",
    "CurvePoint",
    "Entry",
    "Explanation",
    "LevelEvidence",
    "Novelty",
    "NoveltyReference",
    "Redundancy",
    "RepeatedColumn",
    "Screened",
    "Telling",
    "WordEvidence",
    "telling",
]
