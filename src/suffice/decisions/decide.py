"""Decisions: for each row, the action with the lowest expected cost under its posterior.

posterior   p(c | x) ∝ π_c p(x | c)                       odds.py
action      argmin_a Σ_c L[a, c] p(c | x)                 costs.py; without costs the most probable class
            or, for two classes, the positive one if its log-odds are above a threshold
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from suffice.arguments import find_class, is_real
from suffice.decisions.costs import Costs
from suffice.decisions.odds import Unit, from_unit, in_unit, log_likelihood_ratios, log_odds, posterior_of, unit_of
from suffice.decisions.thresholds import Threshold
from suffice.errors import ParameterError
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray

__all__ = ["Decided", "Rule"]


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A decision rule.

    Parameters
    ----------
    classes : Axis
    prior : array of C
    costs : Costs
        Costs in the order of these classes.
    line : (position of a class, log-odds in nats), optional
        For two classes, the positive one and the log-odds above which it is chosen; each error then costs 1.
    unit : "nats", "bits" or "decibans"
        Unit of log-odds and log-likelihood ratios.
    costs_given : bool
        Whether a user gave the costs; otherwise every error costs 1.
    """

    classes: Axis
    prior: FloatArray
    costs: Costs
    line: tuple[int, float] | None = None
    unit: Unit = "nats"
    costs_given: bool = False

    @classmethod
    def of(cls, classes: Axis, prior: FloatArray, costs: Any, threshold: Any, unit: Any, positive: int = 1) -> Rule:
        """Return the rule for these arguments; a threshold given as a number applies to the class `positive`."""
        chosen = unit_of(unit)
        if costs is not None and threshold is not None:
            raise ParameterError(
                "give either costs or a threshold, not both. Costs(...).threshold() converts costs to a threshold."
            )
        known = Costs.of_errors(classes) if costs is None else Costs.of(costs).on(classes)
        line = None if threshold is None else _line(classes, threshold, chosen, positive)
        return cls(classes, prior, known, line, chosen, costs is not None)

    def decide(self, log_likelihood: FloatArray) -> Decided:
        """Return the decisions, given log p(x | c), rows × classes, up to a constant per row."""
        logs, impossible = posterior_of(log_likelihood, self.prior)
        posterior = np.exp(logs)
        best: IntArray = np.argmax(logs, axis=1)
        if self.line is not None:
            at, least = self.line
            action: IntArray = np.where(log_odds(logs)[:, at] > least, at, 1 - at)
        else:
            action = self.costs.decide(posterior)
        return Decided(self, action, best, log_likelihood, logs, posterior, impossible)


@final
@dataclass(frozen=True, eq=False)
class Decided:
    """Decisions on rows, as positions; rarely used results are computed on access.

    `action` and `best` are positions of actions and classes, `log_likelihood`, `log_posterior` and `posterior` rows ×
    classes; `impossible` is the number of rows with the prior as posterior.
    """

    rule: Rule
    action: IntArray
    best: IntArray
    log_likelihood: FloatArray
    log_posterior: FloatArray
    posterior: FloatArray
    impossible: int

    @cached_property
    def log_odds(self) -> FloatArray:
        """The log-odds of each class against the others given the row, rows × classes, in the unit of the rule."""
        return in_unit(log_odds(self.log_posterior), self.rule.unit)

    @cached_property
    def llr(self) -> FloatArray:
        """The log-likelihood ratio of each class against the others, rows × classes, in the unit of the rule."""
        return in_unit(log_likelihood_ratios(self.log_likelihood, self.rule.prior), self.rule.unit)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected cost of each action, rows × actions."""
        return self.rule.costs.expected(self.posterior)

    @cached_property
    def taken(self) -> FloatArray:
        """The expected cost of the chosen action."""
        return self.rule.costs.taken(self.posterior, self.action)


def _line(classes: Axis, threshold: Any, unit: Unit, positive: int) -> tuple[int, float]:
    if len(classes) != 2:
        raise ParameterError(
            f"a threshold requires exactly two classes: the model has {len(classes)}. Give costs instead."
        )
    if isinstance(threshold, Threshold):
        return positive if threshold.positive is None else find_class(classes, threshold.positive), threshold.value
    if not is_real(threshold) or threshold != threshold:
        raise ParameterError(f"threshold must be a number or a Threshold: got {threshold!r}.")
    return positive, from_unit(float(threshold), unit)
