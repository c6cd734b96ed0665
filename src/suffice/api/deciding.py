"""Decisions on anything that `fit` takes: whole, or a batch at a time; and what has to be known before them.

Rows are scored once under a uniform class prior, which leaves log p(x | c) up to a number for each row: all that a
decision under any prior needs, and of a calibrated model the calibrated one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.posterior import asked_scores
from suffice.api.predictions import batches_to_score, column_of_labels, encodable, put_column
from suffice.api.scoring import Oddities
from suffice.decisions import Decided, PriorShift, RowSample, Rule, Unit, estimated_prior
from suffice.errors import DataError
from suffice.models import ClassPrior, Scores
from suffice.sources import OnProgress, rows_from
from suffice.sources.files import Files
from suffice.sources.target import labels_of
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["Decisions", "decided", "decided_columns", "prior_of", "rule_of", "shifted_prior"]

ESTIMATE = "estimate"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """What to do about each row, and why: what `Model.decide` returns.

    Attributes
    ----------
    action : array of rows
        The action with the least expected cost.
    predicted : array of rows
        The most probable class.
    actions, classes : tuples of labels
    class_prior : array of classes
    unit : "nats", "bits" or "decibans"
    prior_shift : PriorShift or None
        Where the class prior was estimated, how.
    found : Decided
        The same by position, from which the attributes below are made when they are asked for.
    """

    action: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    actions: tuple[Label, ...]
    classes: tuple[Label, ...]
    class_prior: FloatArray
    unit: Unit
    prior_shift: PriorShift | None
    found: Decided

    @property
    def probabilities(self) -> FloatArray:
        """p(c | x) under `class_prior`, rows × classes."""
        return self.found.posterior

    @property
    def log_odds(self) -> FloatArray:
        """Of each class against the others given the row, after the class prior has had its say, in `unit`.

        Rows × classes. Of two classes the second column is the ratio of the second to the first.
        """
        return self.found.log_odds

    @property
    def llr(self) -> FloatArray:
        """The log-likelihood ratio of each class against the others: what the row itself says, in `unit`.

        Rows × classes, as `log_odds`.
        """
        return self.found.llr

    @property
    def expected_cost(self) -> FloatArray:
        """Of the action taken, an array of rows."""
        return self.found.taken

    @property
    def expected_costs(self) -> FloatArray:
        """Of each action, rows × actions."""
        return self.found.expected

    def __repr__(self) -> str:
        rows, actions = len(self.action), len(self.actions)
        return (
            f"Decisions on {counted(rows, 'row')}, {counted(actions, 'action')}, {counted(len(self.classes), 'class')}"
        )


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
        actions,
        rule.classes.labels,
        rule.prior,
        rule.unit,
        shift,
        found,
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
    ignored: Callable[[Columns], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield {name: column} for each batch of the files, in order.

    Columns to keep come first, then `action`, `expected_cost` and `predicted`, and where asked for `p(class)`,
    `log_odds(class)`, `llr(class)` (of two classes the second alone) and `cost(action)` of each action.
    """
    oddities = Oddities()
    labels, names = ([encodable(str(each)) for each in some] for some in (rule.classes, rule.costs.actions))
    classes, actions = column_of_labels(rule.classes.labels), column_of_labels(rule.costs.actions)
    against = (1,) if len(labels) == 2 else range(len(labels))
    plain = _plain(model)
    for batch in batches_to_score(plain, files, keep, progress, ignored):
        scores = asked_scores(plain, batch.table, "log_posterior")
        found = rule.decide(scores.values)
        oddities.add(scores)
        oddities.add(_impossible(found))
        out: dict[str, Any] = dict(batch.metadata)
        put_column(out, "action", [actions[at] for at in found.action.tolist()])
        put_column(out, "expected_cost", found.taken)
        put_column(out, "predicted", [classes[at] for at in found.best.tolist()])
        if proba:
            for at, label in enumerate(labels):
                put_column(out, f"p({label})", found.posterior[:, at])
        for at in against if odds else ():
            put_column(out, f"log_odds({labels[at]})", found.log_odds[:, at])
        for at in against if llr else ():
            put_column(out, f"llr({labels[at]})", found.llr[:, at])
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
    with rows_from(data, like=plain.like, needs_classes=False, progress=progress) as source:
        for batch in source:
            scores = asked_scores(plain, batch.table, "log_posterior")
            oddities.add(scores)
            yield scores


def _plain(model: Model) -> Model:
    return model.with_options(class_prior="uniform")


def _impossible(found: Decided) -> Scores:
    # Rows that only classes of prior 0 can have produced: the others were counted when they were scored.
    return Scores(np.empty(0), found.impossible, (), False)
