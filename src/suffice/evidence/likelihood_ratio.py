"""Log-likelihood ratios of rows, with the weight of each column if they are linear."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np

from suffice.arguments import find_class
from suffice.decisions import log_likelihood_ratios, positive_class
from suffice.errors import ParameterError
from suffice.models import NaiveBayesModel
from suffice.models.linear import LinearScore, linear_score
from suffice.records import RecordList, TableColumns, Tabular
from suffice.statistics.arrays import FloatArray
from suffice.statistics.labels import Label, quote_label

__all__ = ["LinearWeight", "LogLikelihoodRatio", "log_likelihood_ratio", "ratio_classes"]


class LinearWeight(NamedTuple):
    """Weight b of a column (level None: of its value), or of one level or word of it, in a log-likelihood ratio."""

    column: str | int
    level: Label
    b: float


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogLikelihoodRatio(Tabular):
    """Log-likelihood ratios log p(x | positive) − log p(x | against) of rows, in nats. `model.llr` returns one.

    NumPy functions treat it as the array `values`.

    Attributes
    ----------
    values : array of rows
        +inf if x is impossible under `against`, −inf if it is impossible under `positive`.
    positive, against : labels
        The two classes; `against` is None for all other classes together.
    """

    values: FloatArray
    positive: Label
    against: Label | None
    linear: tuple[LinearScore, int, int] | None = field(repr=False)
    library: str | None = field(default=None, repr=False)

    @property
    def is_linear(self) -> bool:
        """Whether the ratio is a weighted sum: `b` and `intercept` exist."""
        return self.linear is not None

    @property
    def b(self) -> RecordList[LinearWeight]:
        """The weight b of each column, level or word: llr(x) = intercept + Σ b f(x) for rows without missing cells.

        f(x) is the value of the column (level None), whether it has the level, or the count of the word.
        """
        form, at, other = self._linear()
        with np.errstate(invalid="ignore"):
            weights = form.weight[:, at] - form.weight[:, other]
        pairs = zip(form.features, weights.tolist(), strict=True)
        return RecordList((LinearWeight(column, level, b) for (column, level), b in pairs), self.library)

    @property
    def intercept(self) -> float:
        """The part of the ratio that does not depend on the row."""
        form, at, other = self._linear()
        return float(form.start[at] - form.start[other])

    def _linear(self) -> tuple[LinearScore, int, int]:
        if self.linear is None:
            raise ParameterError(
                "the log-likelihood ratio of this model is not linear, so it has no weights",
                kind="not_linear",
                advice=lambda words: (
                    f"It is linear for two classes with a point estimate, e.g. {words.option('estimate', 'mean')}, if "
                    "all columns are Bernoulli, categorical, multinomial, Poisson, text, or Gaussian with a shared "
                    "variance."
                ),
            )
        return self.linear

    def table(self) -> TableColumns:
        """Return the column llr."""
        return {"llr": self.values}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:
        return self.values[at]

    def __repr__(self) -> str:
        rest = "all other classes" if self.against is None else quote_label(self.against)
        return f"log-likelihood ratios of {quote_label(self.positive)} against {rest}: {self.values!r}"


def ratio_classes(model: NaiveBayesModel, positive: object, against: object) -> tuple[int, int | None]:
    """Return the positions of the two classes; None for all other classes together.

    For two classes, the positive class is by default the rarer one. With more classes, it must be given.
    """
    classes = model.classes
    if len(classes) < 2:
        raise ParameterError(f"a log-likelihood ratio needs two classes: the model has {len(classes)}.")
    if positive is None and len(classes) > 2:
        raise ParameterError(
            f"the model has {len(classes)} classes, so the ratio needs a positive class",
            parameter="positive",
            advice=lambda words: f"Give {words.option('positive')}, and {words.option('against')} for one other class.",
        )
    at = positive_class(classes, model.tally.weight, positive)
    if against is None:
        return at, 1 - at if len(classes) == 2 else None
    other = find_class(classes, against)
    if other == at:
        raise ParameterError(f"positive and against are the same class: got {quote_label(classes.labels[at])} twice.")
    return at, other


def log_likelihood_ratio(
    model: NaiveBayesModel, log_likelihood: FloatArray, at: int, other: int | None, library: str | None
) -> LogLikelihoodRatio:
    """Return the ratios of rows with log p(x | c), rows × classes."""
    labels = model.classes.labels
    if other is None:
        prior = model.class_prior.probabilities(model.tally)
        values = log_likelihood_ratios(log_likelihood, prior)[:, at]
        return LogLikelihoodRatio(values, labels[at], None, None, library)
    pair = log_likelihood[:, [other, at]]
    form = linear_score(model)
    values = log_likelihood_ratios(pair, np.array([0.5, 0.5]))[:, 1]
    return LogLikelihoodRatio(values, labels[at], labels[other], None if form is None else (form, at, other), library)
