"""The model of the rows that are left when some are taken out."""

from __future__ import annotations

from suffice.errors import LostPrecisionWarning
from suffice.evidence.lost_precision import LostPrecision, lost_precision
from suffice.models import NaiveBayesModel
from suffice.warnings import notify

__all__ = ["without_rows_of"]

_SHOWN = 3


def without_rows_of(known: NaiveBayesModel, gone: NaiveBayesModel) -> NaiveBayesModel:
    """Return known − gone, and warn of statistics whose precision the subtraction has lost."""
    rest = known - gone
    lost = lost_precision(known, gone, rest)
    if lost:
        shown = ", ".join(map(_shown, lost[:_SHOWN])) + f", … {len(lost)} in all" * (len(lost) > _SHOWN)
        notify(
            LostPrecisionWarning,
            f"after the subtraction these are not reliable: {shown}. The rows that were taken out are too large beside "
            "the others: float64 cannot resolve what is left. Fit the model again from the data, without these rows.",
        )
    return rest


def _shown(lost: LostPrecision) -> str:
    of = "" if lost.column is None else f" of column {lost.column!r}"
    return f"{lost.what}{of} in class {lost.label!r}"
