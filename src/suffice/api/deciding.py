"""Decisions on anything that `fit` takes: whole, or a batch at a time; and what has to be known before them.

Rows are scored once under a uniform class prior, which leaves log p(x | c) up to a number for each row: all that a
decision under any prior needs, and of a calibrated model the calibrated one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.files import OnProgress
from suffice.api.posterior import asked_scores
from suffice.api.predictions import column_of_labels, put_column
from suffice.api.scoring import Oddities, batches_to_score, tables_to_score
from suffice.api.target import labels_of
from suffice.decisions import Decided, PriorShift, RowSample, Rule, Unit, estimated_prior
from suffice.engines.files import Files
from suffice.errors import DataError
from suffice.models import ClassPrior, Scores
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["Decisions", "decided", "decided_columns", "prior_of", "rule_of", "shifted_prior"]

ESTIMATE = "estimate"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What to do about each row, and why: what `Model.decide` returns.

    Attributes
    ----------
    action : array of rows
        The action with the least expected cost.
    predicted : array of rows
        The most probable class.
    probabilities : array, rows × classes
        p(c | x) under `class_prior`.
    log_odds, llr : arrays, rows × classes
        Of each class against the others after and before the class prior has its say, in `unit`: log-odds given the
        row, and the log-likelihood ratio, which is what the row itself says. Of two classes the second column is the
        ratio of the second to the first.
    expected_cost : array of rows
        Of the action taken.
    expected_costs : array, rows × actions
    actions, classes : tuples of labels
    class_prior : array of classes
    unit : "nats", "bits" or "decibans"
    prior_shift : PriorShift or None
        Where the class prior was estimated, how.
    """

    action: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    probabilities: FloatArray
    log_odds: FloatArray
    llr: FloatArray
    expected_cost: FloatArray
    expected_costs: FloatArray
    actions: tuple[Label, ...]
    classes: tuple[Label, ...]
    class_prior: FloatArray
    unit: Unit
    prior_shift: PriorShift | None


def decided(model: Model, data: Any, costs: Any, class_prior: Any, threshold: Any, unit: Any) -> Decisions:
    """Return the decisions on every row."""
    estimate = isinstance(class_prior, str) and class_prior == ESTIMATE
    rule = rule_of(model, costs, None if estimate else class_prior, threshold, unit)
    oddities = Oddities()
    parts = [scores.values for scores in _likelihoods(model, data, oddities)]
    logs = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, len(rule.classes))), *parts])
    shift: PriorShift | None = None
    if estimate:
        sample = RowSample(len(rule.classes))
        sample.add(logs)
        shift = estimated_prior(sample.rows(), rule.prior, rule.classes.labels)
        rule = replace(rule, prior=shift.after)
    found = rule.decide(logs)
    oddities.add(_impossible(found))
    oddities.say(impossible=True)
    actions = rule.costs.actions
    axis = Axis.of(actions)
    return Decisions(
        labels_of(axis.positions(actions)[found.action], axis),
        labels_of(found.best, rule.classes),
        found.posterior,
        found.log_odds,
        found.llr,
        _taken(found),
        found.expected,
        actions,
        rule.classes.labels,
        rule.prior,
        rule.unit,
        shift,
    )


def decided_columns(
    model: Model,
    files: Files,
    rule: Rule,
    *,
    proba: bool = False,
    odds: bool = False,
    llr: bool = False,
    each_cost: bool = False,
    keep: tuple[str, ...] = (),
    progress: OnProgress | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield {name: column} for each batch of the files, in order.

    Columns to keep come first, then `action`, `expected_cost` and `predicted`, and where asked for `p(class)`,
    `log_odds(class)`, `llr(class)` (of two classes the second alone) and `cost(action)` of each action.
    """
    oddities = Oddities()
    labels, names = [str(label) for label in rule.classes], [str(action) for action in rule.costs.actions]
    classes, actions = column_of_labels(rule.classes.labels), column_of_labels(rule.costs.actions)
    against = (1,) if len(labels) == 2 else range(len(labels))
    plain = _plain(model)
    for table, batch, kept in batches_to_score(plain, files, keep, progress):
        scores = asked_scores(plain, table, "log_posterior")
        found = rule.decide(scores.values)
        oddities.add(scores)
        oddities.add(_impossible(found))
        out: dict[str, Any] = {str(name): batch.frame[str(name)] for name in kept}
        put_column(out, "action", [actions[at] for at in found.action.tolist()])
        put_column(out, "expected_cost", _taken(found))
        put_column(out, "predicted", [classes[at] for at in found.best.tolist()])
        if proba:
            for at, label in enumerate(labels):
                put_column(out, f"p({label})", found.posterior[:, at])
        for wanted, what, values in ((odds, "log_odds", found.log_odds), (llr, "llr", found.llr)):
            for at in against if wanted else ():
                put_column(out, f"{what}({labels[at]})", values[:, at])
        if each_cost:
            for at, name in enumerate(names):
                put_column(out, f"cost({name})", found.expected[:, at])
        yield out
    oddities.say(impossible=True)


def rule_of(model: Model, costs: Any, class_prior: Any, threshold: Any, unit: Any) -> Rule:
    """Return how rows are to be decided on, everything checked before the first of them is read."""
    return Rule.of(model.naive_bayes.classes, prior_of(model, class_prior), costs, threshold, unit)


def prior_of(model: Model, class_prior: Any) -> FloatArray:
    """Return the probability of each class, as given or else as the model reads it."""
    known = model.naive_bayes
    if not len(known.classes):
        raise DataError("the model has seen no rows, so it knows no class. Fit it on rows, or add a model that was.")
    setting = known.class_prior if class_prior is None else ClassPrior.of(class_prior)
    return setting.probabilities(known.tally)


def shifted_prior(model: Model, data: Any, progress: OnProgress | None = None) -> PriorShift:
    """Return the class prior of rows without classes; of very many rows a share, drawn by a hash, stands for all."""
    before = prior_of(model, None)
    oddities = Oddities()
    sample = RowSample(len(before))
    for scores in _likelihoods(model, data, oddities, progress):
        sample.add(scores.values)
    oddities.say(impossible=False)
    return estimated_prior(sample.rows(), before, model.classes)


def _likelihoods(model: Model, data: Any, oddities: Oddities, progress: OnProgress | None = None) -> Iterator[Scores]:
    # log p(x | c) up to a number for each row; of a row that is impossible under every class all are the same.
    plain = _plain(model)
    for table in tables_to_score(plain, data, progress):
        scores = asked_scores(plain, table, "log_posterior")
        oddities.add(scores)
        yield scores


def _plain(model: Model) -> Model:
    return model.read(class_prior="uniform")


def _impossible(found: Decided) -> Scores:
    # Rows that only classes of prior 0 can have produced: the others were counted when they were scored.
    return Scores(np.empty(0), found.impossible, (), False)


def _taken(found: Decided) -> FloatArray:
    return np.take_along_axis(found.expected, found.action[:, None], axis=1)[:, 0]
