"""Decisions on any input that `fit` accepts, all at once or in batches, and the prior and threshold that they need.

Rows are scored once under a uniform class prior, which gives log p(x | c) (calibrated, if the model is) up to a
constant per row. This suffices for decisions under any prior.

A threshold between two classes, chosen on rows whose class is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.counting import require_known_classes, warn_of_training_files
from suffice.api.predictions import batches_to_score, put_column
from suffice.api.scoring import ScoringWarnings, asked_scores
from suffice.decisions import (
    Costs,
    Decided,
    PriorShift,
    RowSample,
    Rule,
    Threshold,
    Unit,
    choose_threshold,
    estimate_prior,
    log_odds,
    positive_class,
)
from suffice.errors import DataError, ParameterError, counted
from suffice.models import ClassPrior, Scores
from suffice.records import TableColumns, Tabular, column_of_labels, encodable, frame_library
from suffice.sources import OnProgress, rows_from
from suffice.sources.files import Files
from suffice.sources.target import Target, labels_of
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label, label_text

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = [
    "Decisions",
    "choose_model_threshold",
    "decide_columns",
    "decide_rows",
    "estimate_prior_shift",
    "prior_of",
    "rule_of",
]


ESTIMATE = "estimate"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Decisions(Tabular):
    """Chosen action of each row, with its expected cost and the class probabilities. Returned by `Model.decide`.

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
        Result of the class-prior estimation; None if the prior was given.
    found : Decided
        The same results as integer positions; the attributes below are computed from it on access.
    """

    action: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    actions: tuple[Label, ...]
    classes: tuple[Label, ...]
    class_prior: FloatArray
    unit: Unit
    prior_shift: PriorShift | None
    found: Decided
    library: str | None = field(default=None, repr=False, compare=False)

    @property
    def costs_given(self) -> bool:
        """Whether costs were given; otherwise every error costs 1."""
        return self.found.rule.costs_given

    @property
    def probabilities(self) -> FloatArray:
        """p(c | x) under `class_prior`, rows × classes."""
        return self.found.posterior

    @property
    def log_odds(self) -> FloatArray:
        """The posterior log-odds of each class against the others, rows × classes, in `unit`."""
        return self.found.log_odds

    @property
    def llr(self) -> FloatArray:
        """The log-likelihood ratio of each class against the others, rows × classes, in `unit`."""
        return self.found.llr

    @property
    def expected_cost(self) -> FloatArray:
        """The expected cost of the chosen action, an array of rows."""
        return self.found.taken

    @property
    def expected_costs(self) -> FloatArray:
        """The expected cost of each action, rows × actions."""
        return self.found.expected

    def table(self) -> TableColumns:
        """Return the columns action, predicted, p(class) of each class and, if costs were given, expected_cost."""
        columns: dict[str, Any] = {"action": self.action, "predicted": self.predicted}
        if self.costs_given:
            columns["expected_cost"] = self.expected_cost
        for at, label in enumerate(self.classes):
            columns[f"p({label})"] = self.probabilities[:, at]
        return columns

    def __repr__(self) -> str:
        rows, actions = len(self.action), len(self.actions)
        return (
            f"Decisions on {counted(rows, 'row')}, {counted(actions, 'action')}, {counted(len(self.classes), 'class')}"
        )


def decide_rows(
    model: Model, data: Any, costs: Any, class_prior: Any, threshold: Any, unit: Any, positive: Any = None
) -> Decisions:
    """Return the decisions on every row."""
    estimate = isinstance(class_prior, str) and class_prior == ESTIMATE
    rule = rule_of(model, costs, None if estimate else class_prior, threshold, unit, positive)
    scoring_warnings = ScoringWarnings()
    parts = [scores.values for scores in _likelihoods(model, data, scoring_warnings)]
    logs = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, len(rule.classes))), *parts])
    shift: PriorShift | None = None
    if estimate:
        sample = RowSample(len(rule.classes))
        sample.add(logs)
        shift = estimate_prior(sample.rows(), rule.prior, rule.classes.labels)
        rule = replace(rule, prior=shift.after)
    found = rule.decide(logs)
    scoring_warnings.add(_impossible(found))
    scoring_warnings.emit(impossible=True)
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
        frame_library(data),
    )


def decide_columns(
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

    Columns to keep come first, then `action`, `expected_cost` if costs were given, `predicted`, and on request
    `p(class)`, `log_odds(class)`, `llr(class)` (for two classes only the second) and `cost(action)` of each action.
    """
    scoring_warnings = ScoringWarnings()
    labels, names = ([encodable(label_text(each)) for each in some] for some in (rule.classes, rule.costs.actions))
    classes, actions = column_of_labels(rule.classes.labels), column_of_labels(rule.costs.actions)
    against = (1,) if len(labels) == 2 else range(len(labels))
    plain = _with_uniform_prior(model)
    for batch in batches_to_score(plain, files, keep, progress, ignored):
        scores = asked_scores(plain, batch.table, "log_posterior")
        found = rule.decide(scores.values)
        scoring_warnings.add(scores)
        scoring_warnings.add(_impossible(found))
        out: dict[str, Any] = dict(batch.metadata)
        put_column(out, "action", [actions[at] for at in found.action.tolist()])
        if rule.costs_given:
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
    scoring_warnings.emit(impossible=True)


def rule_of(model: Model, costs: Any, class_prior: Any, threshold: Any, unit: Any, positive: Any = None) -> Rule:
    """Return the decision rule, with all arguments validated before any row is read."""
    known = model.core
    at = positive_class(known.classes, known.tally.weight, positive)
    return Rule.of(known.classes, prior_of(model, class_prior), costs, threshold, unit, at)


def prior_of(model: Model, class_prior: Any) -> FloatArray:
    """Return the class prior: the given one, otherwise the model's."""
    known = model.core
    if not len(known.classes):
        raise DataError("the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it.")
    setting = known.class_prior if class_prior is None else ClassPrior.of(class_prior)
    return setting.probabilities(known.tally)


def estimate_prior_shift(model: Model, data: Any, progress: OnProgress | None = None) -> PriorShift:
    """Return the estimated class prior of unlabelled rows; for very many rows, from a sample selected by a hash."""
    before = prior_of(model, None)
    scoring_warnings = ScoringWarnings()
    sample = RowSample(len(before))
    for scores in _likelihoods(model, data, scoring_warnings, progress):
        sample.add(scores.values)
    scoring_warnings.emit(impossible=False)
    return replace(estimate_prior(sample.rows(), before, model.classes), library=frame_library(data))


def _likelihoods(
    model: Model, data: Any, scoring_warnings: ScoringWarnings, progress: OnProgress | None = None
) -> Iterator[Scores]:
    # log p(x | c) up to a constant per row; equal for all classes if the row has probability 0 under every class.
    plain = _with_uniform_prior(model)
    with rows_from(data, like=plain.like, needs_classes=False, progress=progress) as source:
        for batch in source:
            scores = asked_scores(plain, batch.table, "log_posterior")
            scoring_warnings.add(scores)
            yield scores


def _with_uniform_prior(model: Model) -> Model:
    return model.with_options(class_prior="uniform")


def _impossible(found: Decided) -> Scores:
    # Rows that are possible only under classes of prior 0; other impossible rows were counted when they were scored.
    return Scores(np.empty(0), found.impossible, (), False)


def choose_model_threshold(
    model: Model,
    data: Any,
    target: Any,
    weights: Any,
    positive: Any,
    class_prior: Any,
    asked: dict[str, Any],
    *,
    labelled: bool = False,
    progress: OnProgress | None = None,
) -> Threshold:
    """Return the threshold on the log-odds of one of two classes that meets the requirement.

    With `labelled`, the class column of files defaults to the one used when the model was fitted.
    """
    prior_of(model, class_prior)
    known = model if class_prior is None else model.with_options(class_prior=class_prior)
    classes = known.core.classes
    if len(classes) != 2:
        raise ParameterError(
            f"a threshold requires exactly two classes: the model has {len(classes)}. Use costs instead."
        )
    at = positive_class(classes, known.core.tally.weight, positive)
    needs = [by for by in ("precision", "recall", "costs") if asked.get(by) is not None]
    labelled = labelled or target is not None
    if needs and not labelled:
        raise DataError(
            f"choosing a threshold by {needs[0]} requires the class of each row",
            kind="no_target",
            advice=lambda words: f"Give {words.option('target')}: an array, or the name of a column.",
        )
    if asked.get("costs") is not None:
        costs = Costs.of(asked["costs"]).on(classes)
        asked = {**asked, "costs": costs if at else Costs(costs.matrix[:, ::-1], costs.actions)}
    scoring_warnings = ScoringWarnings()
    odds: list[FloatArray] = []
    codes: list[IntArray] = []
    row_weights: list[npt.NDArray[Any]] = []
    with rows_from(data, target, weights, like=known.like, needs_classes=labelled, progress=progress) as source:
        if labelled:
            optimistic = "a threshold chosen on training rows is optimistic"
            warn_of_training_files(model.provenance, source, optimistic, "Choose it on other rows.")
        for batch in source:
            scores = asked_scores(known, batch.table, "log_posterior")
            scoring_warnings.add(scores)
            odds.append(log_odds(scores.values)[:, at])
            codes.append(_class_codes(batch.target, classes, batch.table.rows))
            row_weights.append(np.ones(batch.table.rows) if batch.weights is None else batch.weights)
    scoring_warnings.emit(impossible=True)
    score, code, weight = (np.concatenate([np.empty(0), *each]) for each in (odds, codes, row_weights))
    stay = code >= 0
    is_positive = code[stay] == at if labelled else None
    return replace(
        choose_threshold(score[stay], is_positive, weight[stay], **asked),
        positive=classes.labels[at],
        library=frame_library(data),
    )


def _class_codes(target: Target | None, classes: Axis, rows: int) -> IntArray:
    if target is None:
        return np.zeros(rows, dtype=np.int64)
    require_known_classes(target, classes)
    places = [classes.index(each) if each in classes else -1 for each in target.classes]
    return np.array([*places, -1], dtype=np.int64)[target.codes]
