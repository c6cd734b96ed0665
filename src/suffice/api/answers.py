"""What a model says about rows: their classes, probabilities and densities, and what to do about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from suffice.api.choosing import chosen_threshold
from suffice.api.deciding import Decisions, decided, shifted_prior
from suffice.api.scoring import scored
from suffice.api.target import labels_of
from suffice.decisions import PriorShift, Threshold
from suffice.models import Wanted
from suffice.statistics.frozen_arrays import FloatArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["Answers"]


class Answers(ABC):
    """The methods of `Model` that answer for rows; each is one call down."""

    __slots__ = ()

    @abstractmethod
    def _model(self) -> Model:
        """Return the model itself, which the functions below take."""

    def predict(self, data: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equals the first."""
        return labels_of(np.argmax(self._scored(data, "log_posterior"), axis=1), self._model().naive_bayes.classes)

    def predict_proba(self, data: Any) -> FloatArray:
        """Return p(c | x), rows × classes.

        A row that is impossible under every class gets the class prior, and a warning counts such rows.
        """
        return self._scored(data, "posterior")

    def predict_log_proba(self, data: Any) -> FloatArray:
        """Return log p(c | x), rows × classes."""
        return self._scored(data, "log_posterior")

    def log_joint(self, data: Any) -> FloatArray:
        """Return log p(c, x), rows × classes, constants and coefficients included; −inf for what cannot be."""
        return self._scored(data, "joint")

    def log_density(self, data: Any) -> FloatArray:
        """Return log p(x) of each row.

        Text that is read as Words(model="complement") has none, and a ParameterError says so.
        """
        return self._scored(data, "density")

    def decide(
        self, data: Any, costs: Any = None, class_prior: Any = None, threshold: Any = None, unit: str = "nats"
    ) -> Decisions:
        """Return what to do about each row: the action with the least expected cost Σ_c L[a, c] p(c | x).

        Parameters
        ----------
        data : as in `predict`
        costs : Costs or mapping {action: {class: cost}}, optional
            One number instead of {class: cost} is the cost in every class, as of "refer". By default the action is the
            most probable class, and the expected cost the probability that it is wrong.
        class_prior : optional
            As in `fit`, how frequent the classes are where these rows come from; "estimate" takes it from the rows
            themselves (`prior_shift`). By default the one that the model has.
        threshold : float or Threshold, optional
            Instead of costs, for two classes: the second is taken where its log-odds, in `unit`, are above it.
        unit : "nats", "bits" or "decibans"
            Of log-odds and log-likelihood ratios.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"paid": ["card", "card", "cash", "cash"]}, ["fraud", "ok", "ok", "ok"])
        >>> costs = {"pass": {"ok": 0, "fraud": 100}, "block": {"ok": 10, "fraud": 0}, "ask": 5}
        >>> model.decide({"paid": ["card", "cash"]}, costs, class_prior={"ok": 0.95, "fraud": 0.05}).action
        array(['ask', 'pass'], dtype='<U5')
        """
        return decided(self._model(), data, costs, class_prior, threshold, unit)

    def prior_shift(self, data: Any) -> PriorShift:
        """Return how frequent the classes are among rows whose class is not known, by EM (Saerens 2002).

        `after` is the class prior under which the rows are most probable, `p_value` that of no change, and
        `class_prior` what `read(class_prior=…)` and `decide` take. The model must tell the classes apart with
        probabilities to be trusted: calibrate it first. Of over 2²⁴ scores a share of the rows stands for all.
        """
        return shifted_prior(self._model(), data)

    def threshold(
        self,
        data: Any,
        target: Any = None,
        weights: Any = None,
        *,
        label: Any = None,
        class_prior: Any = None,
        precision: float | None = None,
        recall: float | None = None,
        alerts: float | None = None,
        share: float | None = None,
        costs: Any = None,
        value: float | None = None,
    ) -> Threshold:
        """Return where to draw the line on the log-odds of one of two classes, and what is reached with it.

        Parameters
        ----------
        data, target, weights : as in `fit`
            Rows that the model has not seen. Without a target for `alerts`, `share` and `value`.
        label : optional
            The class looked for; by default the second.
        class_prior : optional
            As in `decide`, without "estimate".
        precision, recall, alerts, share, costs, value : exactly one
            At least this precision or recall; at most so many alerts, or such a share of the rows; the least cost on
            these rows; or this threshold, in nats.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> x, y = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]), ["no", "no", "yes", "no", "yes", "yes"]
        >>> found = fit(x, y).threshold(x, y, recall=1)
        >>> found.alerts, found.precision
        (4.0, 0.75)
        """
        asked = {"precision": precision, "recall": recall, "alerts": alerts, "share": share, "costs": costs}
        return chosen_threshold(self._model(), data, target, weights, label, class_prior, {**asked, "value": value})

    def _scored(self, data: Any, wanted: Wanted) -> FloatArray:
        return scored(self._model(), data, wanted, impossible=wanted in ("posterior", "log_posterior"))
