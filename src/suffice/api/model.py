"""The public Model, an immutable value; each method delegates to one function."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.calibrate import (
    calibrate_model,
    forget_calibrated,
    merge_calibrated,
    subtract_calibrated,
    update_calibrated,
)
from suffice.api.counted import CountList, Statistics, count_list, find_posterior
from suffice.api.counting import count_rows, subtract_rows, warn_of_shared_files, warn_of_training_files
from suffice.api.deciding import Decisions, choose_model_threshold, decide_rows, estimate_prior_shift
from suffice.api.novelty import novelty_of_rows
from suffice.api.options import change_columns, change_options, reading_of, readings_of, smoothing_by_evidence
from suffice.api.sampling import Sample, sample_rows
from suffice.api.scoring import ScoringWarnings, asked_scores, scored, weighed_scores
from suffice.api.totals import model_of_statistics
from suffice.arguments import generator, option, proportion, whole_number
from suffice.decisions import NoveltyReference, PriorShift, Threshold
from suffice.decisions.calibration import Calibration, CalibrationMethod
from suffice.engines import arrays
from suffice.errors import DataError, DroppedCalibrationWarning, ParameterError, Wording, counted
from suffice.evidence import CredibleInterval, Explanation, Explanations, Novelty, Shown, feature_importance
from suffice.evidence.cross_fitting import CrossFitting
from suffice.evidence.evaluation import Evaluation, EvaluationOptions, LabelledRows, measure_rows
from suffice.evidence.evaluation.held_out import (
    HeldOutPosterior,
    Part,
    ScoredParts,
    join_posteriors,
    posterior_of_scores,
)
from suffice.evidence.explanation import ExplanationOptions, explanations
from suffice.evidence.likelihood_ratio import LogLikelihoodRatio, log_likelihood_ratio, ratio_classes
from suffice.evidence.uncertainty import credible_interval
from suffice.likelihoods import Likelihood, Parameter
from suffice.likelihoods.dirichlet import EVIDENCE, SHARED, EvidenceAlpha
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema, Wanted
from suffice.models.naive_bayes import prune_model
from suffice.records import RecordList, frame_library, html_table
from suffice.sources import Batch, Like, OnProgress, rows_from
from suffice.sources.files.source import Known
from suffice.sources.target import labels_of
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import FloatArray, IntArray, format_total
from suffice.statistics.labels import Label
from suffice.storage import load_model, save_model
from suffice.warnings import notify, warn_one_class, warn_unseen_classes

__all__ = ["REST", "Model", "drop_calibration", "keep_calibration", "load", "require_model", "sum_log_joint"]

REST = "rest"
_IN_EACH_TAIL = 5
_MOST_DRAWS = 1_000_000
_SHOWN = 12


@final
@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A fitted naive Bayes classifier: sufficient statistics and the options that turn them into probabilities.

    `fit` and `load` return one. A model is immutable: every method returns a new model or a result.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Bernoulli
    >>> model = fit(np.array([[1, 0], [1, 1], [0, 1]]), ["spam", "spam", "ham"], columns=Bernoulli())
    >>> model.predict_proba(np.array([[1, 0]])).round(4)
    array([[0.129, 0.871]])
    >>> model
    Model: 2 classes, 3 rows
      classes: 'ham' 1, 'spam' 2
      2 columns
        0–1: Bernoulli()
      estimate: predictive, class prior: empirical
      calibration: none: fewer than 20 rows belong to classes other than the most frequent one
    """

    core: NaiveBayesModel
    """The scoring core, statistics and options; internal, may change without notice."""
    provenance: Provenance = field(default=Provenance(), compare=False)
    calibration: Calibration | None = None
    novelty_reference: NoveltyReference | None = field(default=None, compare=False)
    """The distribution of log p(x) over the training rows, used by `novelty`."""
    calibration_dropped_because: str = field(default="", compare=False)
    """Reason why the model is not calibrated, unless calibrate=False was passed."""

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels, sorted: the order of every array with one entry per class."""
        return self.core.classes.labels

    @property
    def schema(self) -> Schema:
        """The likelihood of each column."""
        return self.core.schema

    @property
    def statistics(self) -> Statistics:
        """The sufficient statistics of each group of columns, and the row weights of the classes."""
        return Statistics(self.core.schema, self.core.tally, self.core.parts)

    @classmethod
    def from_statistics(
        cls,
        statistics: Any,
        *,
        columns: Any = None,
        classes: Iterable[Label] | None = None,
        class_prior: Any = "empirical",
        estimate: str = "predictive",
        alpha: npt.ArrayLike | None = None,
        like: Model | None = None,
        target: str | None = None,
    ) -> Model:
        """Return the model of sufficient statistics, equal to the result of `fit` on the rows.

        Parameters
        ----------
        statistics : Statistics, or table of totals: frame, mapping {name: column}, list of records, path, or Files
            `model.statistics`; or totals, as `model.counts()` lists them or a GROUP BY gives them, with the columns
            class, column, level and count for categories, and class, column, n, mean and variance (divided by n) for
            numbers. A row with class and count only is the number of rows of the class. Several tables may be given as
            a list. See docs/data.md.
        columns : likelihood, or {name, pattern, position or tuple of those: likelihood}, optional
            As in `fit`. By default those that the statistics were collected for; for totals,
            ``Categorical(alpha="evidence")`` for counts of levels and ``Gaussian()`` for means and variances. Totals
            suffice for Categorical, Bernoulli and Gaussian.
        classes, class_prior, estimate, alpha
            As in `fit`.
        like : Model, optional
            Use the columns, class prior and estimate of this model.
        target : str, optional
            The name of the column that holds the class in data that are read later.

        Examples
        --------
        >>> totals = {
        ...     "class": ["cat", "cat", "dog"],
        ...     "column": ["fur", "fur", "fur"],
        ...     "level": ["black", "white", "black"],
        ...     "count": [6, 2, 4],
        ... }
        >>> model = Model.from_statistics(totals)
        >>> model.predict_proba({"fur": ["black", "white"]}).round(3)
        array([[0.619, 0.381],
               [0.829, 0.171]])
        >>> Model.from_statistics(model.statistics) == model
        True
        """
        if like is not None:
            require_model(like)
        made = model_of_statistics(
            statistics, columns, classes, class_prior, estimate, alpha, None if like is None else like.core
        )
        rows = int(min(made.tally.weight.sum(), 2.0**53))
        origin = Provenance(rows, target=target).at()
        return cls(made, origin, calibration_dropped_because="it was created from statistics, without rows")

    def counts(self, column: str | int | None = None) -> CountList:
        """Return the counts: the rows of each class N_c, then the counts N_jc(k) of a column by class and level.

        For texts, the occurrences and documents of each word; for numbers, weight, mean and variance, or the counts of
        bins with their edges; for columns modelled jointly, the counts of combinations. `.to_frame()` gives a data
        frame with the fields that apply; `from_statistics` accepts those of categories, means and variances.

        Parameters
        ----------
        column : name or position, optional
            By default all columns.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"fur": ["black", "white", "black"]}, ["cat", "cat", "dog"], calibrate=False)
        >>> [(each.label, each.level, each.count) for each in model.counts("fur")[2:]]
        [('cat', 'black', 1.0), ('cat', 'white', 1.0), ('dog', 'black', 1.0), ('dog', 'white', 0.0)]
        """
        return count_list(self.core, column)

    def posterior(self, column: str | int | None = None, label: Any = None) -> Any:
        """Return the posterior of the class prior, or of the parameters of a column in one class, as a conjugate pair.

        Parameters
        ----------
        column : name or position, optional
            By default the posterior is that of the class prior, a `DirichletMultinomial` over the classes; with an
            empirical class prior it starts from α = 1.
        label : the class, if a column is given

        Returns
        -------
        BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma or NormalInverseWishart
            The prior that belongs to the estimate (for "mle", the prior of "mean"), updated by the counts. Outcomes are
            labelled by level. Columns that are modelled together have one posterior. For Words(model="bernoulli") it is
            a BetaBinomial with one entry per word, in the order of `counts`, and for Uniform, which has no pair here, a
            frozen ``scipy.stats.pareto``.

        Raises
        ------
        ParameterError
            If the parameters have no conjugate posterior: Words(model="complement"), alpha=0, a constant column, a
            class prior that is given or uniform.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Bernoulli
        >>> model = fit([[1], [1], [0]], ["spam", "spam", "ham"], columns=Bernoulli())
        >>> model.posterior(0, "spam")
        BetaBinomial(a=3.0, b=1.0)
        >>> model.posterior()
        DirichletMultinomial(alpha=[2.0, 3.0], outcomes=['ham', 'spam'])
        """
        return find_posterior(self.core, column, label)

    @property
    def selected_forms(self) -> dict[str | int, str]:
        """The form selected from the data for each column: {column: "Gaussian" or "Histogram, 16 bins"}."""
        return self.core.choices()

    def with_options(
        self,
        *,
        estimate: str | None = None,
        class_prior: Any = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        priors: Mapping[Any, Any] | None = None,
        variance: str | None = None,
        covariance: str | None = None,
        shrinkage: float | str | None = None,
        toward: str | None = None,
    ) -> Model:
        """Return a model with the same statistics and different options, without another pass over the data.

        Parameters
        ----------
        estimate : "mle", "smoothed", "map", "mean" or "predictive", optional
        class_prior : optional
            As in `fit`.
        alpha : float or array ≥ 0, "evidence" or "shared evidence", optional
            Pseudo-count λ, as in `fit`: a scalar, one value per column, or an array of shape (classes, 1) or (classes,
            columns). "evidence" chooses for each column the λ in [0.001, 1] that maximises the marginal likelihood;
            "shared evidence" chooses one λ for all columns. Columns whose prior is not a pseudo-count (real columns,
            Poisson) get λ = 1. The chosen values are kept when rows are added.
        priors : {name, pattern, position or tuple of those: likelihood or its name}, optional
            Other likelihoods for some columns, as in `fit`, if the statistics suffice for them: another prior or
            option of the same likelihood, or Gaussian or Histogram instead of Numeric.
        variance : "own" or "shared", optional
            Variance of Gaussian columns: one per class, or one shared by all classes.
        covariance : "full", "shared" or "diagonal", optional
            Covariance of MultivariateGaussian columns: one matrix per class (QDA), one shared matrix (LDA), or no
            correlations.
        shrinkage, toward : optional
            As in MultivariateGaussian; shrinkage=0 turns it off.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Categorical
        >>> model = fit(np.array([[0], [1], [1]]), ["a", "b", "b"], columns=Categorical())
        >>> model.with_options(estimate="mle").predict_proba(np.array([[0]]))
        array([[1., 0.]])
        >>> model.with_options(priors={0: Categorical(alpha=0.5)}).schema
        1 column
          0: Categorical(alpha=0.5)
        """
        known = self.core
        if priors is not None:
            known = change_columns(known, priors)
        gaussian = {"variance": variance, "covariance": covariance, "shrinkage": shrinkage, "toward": toward}
        known = change_options(known, **gaussian)
        reading = known.reading
        if estimate is not None or alpha is not None:
            if isinstance(alpha, str):
                alpha = smoothing_by_evidence(known, shared=option("alpha", alpha, (EVIDENCE, SHARED)) == SHARED)
            reading = reading_of(reading.estimate if estimate is None else estimate, alpha, known.schema.width)
        prior = known.class_prior if class_prior is None else ClassPrior.of(class_prior)
        changed = replace(self, core=known.read(reading, prior))
        others = estimate, alpha, priors, *gaussian.values()
        if all(given is None for given in others):
            return changed
        return drop_calibration(changed, "the model was changed to another estimate or prior", self)

    def update(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: npt.ArrayLike | str | int | None = None,
        progress: OnProgress | None = None,
    ) -> Model:
        """Return the model with these rows added, as if they had been in the training data; new classes may appear.

        A warning lists new classes, and files that the model was already fitted on. A calibration is kept: the new
        rows are scored before they are added, and refine it. The novelty reference is dropped with a warning. For
        files, target and weights default to the columns used when the model was fitted.
        """
        kept = None if self.calibration is None else CrossFitting()
        rows = self._count(data, target, weights, progress, kept)
        warn_unseen_classes(rows.core.tally, self.core.classes, _undo_with_forget)
        both = self._with_rows(rows)
        calibrated = None if kept is None else update_calibrated(self, both, kept)
        return keep_calibration(both, calibrated, "the model was updated with more rows", self, rows)

    def forget(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: npt.ArrayLike | str | int | None = None,
        calibration: str = "keep",
        progress: OnProgress | None = None,
    ) -> Model:
        """Return the model without these rows, as if they had never been added; rows that were not added are an error.

        The statistics have no trace of the rows. By default the calibration is kept and their
        contribution to it is subtracted, but they have influenced its weights. calibration="drop" removes it, for
        erasure: calibrate the model again on the remaining rows.
        """
        drop = option("calibration", calibration, ("keep", "drop")) == "drop"
        kept = None if drop or self.calibration is None else CrossFitting()
        rows = self._count(data, target, weights, progress, kept)
        rest = Model(subtract_rows(self.core, rows.core), self.provenance - rows.provenance)
        calibrated = None if kept is None else forget_calibrated(self, rest, kept)
        return keep_calibration(rest, calibrated, "the model was changed by removing rows", self, rows)

    def scale(self, w: float) -> Model:
        """Return the model with the weight of every row multiplied by w."""
        return drop_calibration(replace(self, core=self.core.scale(w)), "the model was scaled", self)

    def prune(self, min_count: float) -> Model:
        """Return the model without levels and counts whose total weight is below `min_count`.

        A level of a categorical column is dropped as if its cells had been missing, a combination of a joint block
        becomes unseen, and a count column (multinomial, Poisson, Bernoulli) is removed from the schema, which records
        the reason. Levels given with `levels=`, real columns and classes are kept. A dropped level is counted again if
        it occurs in later rows; rows that contained it can no longer be removed. After pruning, `log_evidence` omits
        multinomial coefficients and ln x!: the likelihoods are set to coefficients=False and factorials=False.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Categorical
        >>> model = fit([["red"], ["red"], ["blu"]], ["a", "b", "b"], columns=Categorical())
        >>> [parameter.level for parameter in model.prune(2).parameters() if parameter.label == "a"]
        [None, 'red']
        """
        left = prune_model(self.core, min_count)
        if left is self.core:
            return self
        return drop_calibration(replace(self, core=left), "the model was pruned", self)

    def calibrate(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: npt.ArrayLike | str | None = None,
        new: bool = False,
        folds: int = 5,
        method: CalibrationMethod = "auto",
        seed: int = 0,
        progress: OnProgress | None = None,
    ) -> Model:
        """Return the model with calibrated probabilities; its statistics and log p(c, x) are unchanged.

        `fit` calibrates by default. Up to 100,000 of the rows are scored by models that were not fitted on them, and a
        scale, offsets and a weight of each column are estimated if the log loss supports them. The model also stores
        log p(x) of these rows for `novelty`. Both are independent of the class prior, which can still be changed. `+`,
        `-`, `update` and `forget` keep a calibration if possible and drop the novelty reference; `scale`,
        `prune` and another estimate drop both. A warning reports what was dropped.

        Parameters
        ----------
        data, target, weights
            As in `fit`: the rows that the model was fitted on, or other rows with new=True.
        new : bool
            Whether the rows were not used in training; the model itself then scores them. Otherwise each row is scored
            by the model of the other folds.
        folds : int ≥ 2
            The number of folds.
        method : "auto", "scale", "offsets" or "weights"
            "auto" selects the simplest calibration (none, a scale, a scale and offsets, or a weight for each column)
            that the log loss supports (`suffice.decisions.calibration`).
        seed : int
            Seed for the choice of rows and folds.
        progress : function of Progress, optional
            Called after each batch of a file, and once at the end.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> rng = np.random.default_rng(0)
        >>> y = rng.integers(0, 2, 400)
        >>> x = np.repeat(rng.normal(y, 1.0)[:, None], 8, axis=1)  # the same column eight times
        >>> sure = fit(x, y, columns=Gaussian(), calibrate=False)
        >>> sure.calibrate(x, y).calibration.scale < 0.2
        True
        """
        with rows_from(data, target, weights, like=self.like, progress=progress) as source:
            if new:
                warn_of_training_files(self.provenance, source, "these rows are not new", _leave_out_new)
            return calibrate_model(self, source, method, new=new, folds=folds, seed=seed)

    def predict(self, data: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; ties go to the first class."""
        return labels_of(np.argmax(self._scores(data, "log_posterior"), axis=1), self.core.classes)

    def predict_proba(self, data: Any) -> FloatArray:
        """Return p(c | x), rows × classes.

        Rows with probability 0 under every class get the class prior; a warning reports how many.
        """
        return self._scores(data, "posterior")

    def predict_log_proba(self, data: Any) -> FloatArray:
        """Return log p(c | x), rows × classes."""
        return self._scores(data, "log_posterior")

    def log_joint(self, data: Any) -> FloatArray:
        """Return log p(c, x), rows × classes, with all constants and coefficients; −inf if a class is impossible."""
        return self._scores(data, "joint")

    def log_density(self, data: Any) -> FloatArray:
        """Return log p(x) of each row.

        Raises ParameterError for Words(model="complement"), which has no density.
        """
        return self._scores(data, "density")

    def llr(self, data: Any, *, positive: Any = None, against: Any = None) -> LogLikelihoodRatio:
        """Return log p(x | positive) − log p(x | against) of each row, in nats, independent of the class prior.

        The likelihoods are those of `log_joint`, which calibration does not change. In an uncalibrated model, the
        log-odds of `predict_proba` are llr + ln(π/(1 − π)).

        Parameters
        ----------
        data : as in `predict`
        positive : label, optional
            By default the rarer of two classes.
        against : label, optional
            The class to compare with. By default all other classes, mixed according to the class prior.

        Returns
        -------
        LogLikelihoodRatio
            An array of the ratios. If they are linear, `b` lists the weight of each column, level or word.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Multinomial
        >>> counts = np.array([[6, 1], [8, 0], [2, 9], [1, 6]])
        >>> model = fit(counts, ["C", "C", "Python", "Python"], columns=Multinomial(), estimate="mle")
        >>> ratio = model.llr([[3, 1]], positive="C")
        >>> ratio.values.round(3), [round(weight.b, 3) for weight in ratio.b]
        (array([2.643]), [1.723, -2.526])
        """
        at, other = ratio_classes(self.core, positive, against)
        likelihood = scored(replace(self, calibration=None), data, "likelihood", impossible=False)
        return log_likelihood_ratio(self.core, likelihood, at, other, frame_library(data))

    def log_likelihood(self, data: Any, target: Any = None, *, weights: Any = None) -> float:
        """Return the log-likelihood Σ_i w_i log p(y_i, x_i) of labelled rows under the estimated parameters, in nats.

        −inf if a row is impossible or has a class that the model does not know. `log_evidence` integrates the
        parameters out instead.

        Parameters
        ----------
        data, target, weights : as in `fit`

        Examples
        --------
        >>> from suffice.api import fit
        >>> fur, sex = ["black", "black", "white"], ["f", "f", "m"]
        >>> round(fit({"fur": fur}, sex, estimate="mle").log_likelihood({"fur": fur}, sex), 4)
        -1.9095
        """
        known, total = self.core, 0.0
        with rows_from(data, target, weights, like=self.like) as source:
            for batch in map(Batch.labelled, source):
                total += sum_log_joint(known, batch)
        return total

    @property
    def n_parameters(self) -> int:
        """The number of free parameters of the class prior and the likelihoods.

        These are C − 1 for the class prior, and for each class K − 1 per distribution over K outcomes. A uniform
        or given class prior has no free parameters; a Gaussian column has two for each class.

        Examples
        --------
        >>> from suffice.api import fit
        >>> fit({"fur": ["black", "white", "red"]}, ["f", "f", "m"]).n_parameters
        5
        """
        return self.core.n_parameters()

    def decide(
        self,
        data: Any,
        costs: Any = None,
        *,
        class_prior: Any = None,
        threshold: Any = None,
        positive: Any = None,
        unit: str = "nats",
    ) -> Decisions:
        """Return the action with the least expected cost Σ_c L[a, c] p(c | x) for each row.

        Parameters
        ----------
        data : as in `predict`
        costs : Costs or mapping {action: {class: cost}}, optional
            A single number instead of {class: cost} is the cost in every class, e.g. for the action "refer". By default
            the action is the most probable class, and the expected cost is the probability of error.
        class_prior : optional
            As in `fit`: the class prior of the population that these rows come from; "estimate" estimates it from the
            rows (`prior_shift`). By default that of the model.
        threshold : float or Threshold, optional
            Instead of costs, for two classes: choose the positive class if its log-odds, in `unit`, exceed the
            threshold.
        positive : label, optional
            The positive class of a `threshold`; by default the rarer of the two.
        unit : "nats", "bits" or "decibans"
            Unit of log-odds and log-likelihood ratios.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"paid": ["card", "card", "cash", "cash"]}, ["fraud", "ok", "ok", "ok"])
        >>> costs = {"pass": {"ok": 0, "fraud": 100}, "block": {"ok": 10, "fraud": 0}, "ask": 5}
        >>> model.decide({"paid": ["card", "cash"]}, costs, class_prior={"ok": 0.95, "fraud": 0.05}).action
        array(['ask', 'pass'], dtype='<U5')
        """
        return decide_rows(self, data, costs, class_prior, threshold, unit, positive)

    def prior_shift(self, data: Any) -> PriorShift:
        """Return an estimate of the class prior of unlabelled rows, by EM (Saerens et al. 2002).

        `after` is the maximum likelihood estimate of the class prior, `p_value` tests the hypothesis of no change, and
        `class_prior` can be passed to `with_options` and `decide`. The estimate assumes calibrated probabilities, which
        `fit` gives by default. If rows × classes exceeds 2²⁴, a random
        sample of the rows is used.
        """
        return estimate_prior_shift(self, data)

    def threshold(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: Any = None,
        positive: Any = None,
        class_prior: Any = None,
        precision: float | None = None,
        recall: float | None = None,
        alerts: float | None = None,
        alert_rate: float | None = None,
        costs: Any = None,
        value: float | None = None,
    ) -> Threshold:
        """Return the threshold on the log-odds of the positive class that meets a requirement.

        Parameters
        ----------
        data, target, weights : as in `fit`
            Rows that were not used in training. `alerts`, `alert_rate` and `value` need no target.
        positive : label, optional
            The positive class; by default the rarer of the two.
        class_prior : optional
            As in `decide`, without "estimate".
        precision, recall, alerts, alert_rate, costs, value : exactly one
            At least this precision or recall; at most this many alerts, or this fraction of the rows; the least cost
            on these rows; or this threshold, in nats.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> x, y = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]), ["no", "no", "yes", "no", "yes", "yes"]
        >>> found = fit(x, y).threshold(x, y, recall=1)
        >>> found.alerts, found.precision
        (4.0, 0.75)
        """
        rule = {"precision": precision, "recall": recall, "alerts": alerts, "alert_rate": alert_rate, "costs": costs}
        return choose_model_threshold(self, data, target, weights, positive, class_prior, {**rule, "value": value})

    def log_evidence(self) -> float:
        """Return log p(D), the log marginal likelihood of the classes and cells of the training rows, in nats.

        The priors are those of the estimate (for "mle", which uses none, those of "mean"). The λ of
        `with_options(estimate="smoothed", alpha=λ)` with the greatest evidence is the one that the data support best.
        """
        return self.core.log_evidence()

    def parameters(self, *, credible: float = 0.95) -> RecordList[Parameter]:
        """Return every parameter estimate: class, column, level, name, estimate, value, lower, upper, count, n, edges.

        `lower` and `upper` are the ends of the equal-tailed credible interval with posterior mass `credible`; for the
        empirical class prior, that of Dir(1 + N). The estimate is computed from `count` of `n` observations, and a bin
        extends from `lower_edge` to `upper_edge`. A constant real column has no parameters. `.to_frame()` gives a data
        frame.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"fur": ["black", "white"]}, ["cat", "dog"])
        >>> model.parameters()[0].value
        0.5
        """
        return RecordList(self.core.parameters(credible))

    def show(self, top: int = 10) -> Shown:
        """Return the most informative columns, levels and words, computed from the statistics without another pass.

        The result prints as text and holds records: `columns` with the average evidence of each column, `levels[class]`
        and `words[class]` with the evidence for the class in nats; words with their counts.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], columns=Words())
        >>> [(word.token, word.occurrences) for word in model.show(1).words["spam"]]
        [('win', 2.0)]
        """
        return feature_importance(self.core).show(whole_number("top", top, 1))

    def explain(self, data: Any, *, positive: Any = None, against: Any = None, top: int | None = None) -> Explanations:
        """Explain the class of each row: the contributions of the prior and of each cell or word to the log-odds.

        Parameters
        ----------
        data : as in `predict`
        positive : label, optional
            The class to explain; by default the most probable class of each row.
        against : label or "rest", optional
            Class to compare with, or "rest" for all other classes together; default: the most probable other class.
        top : int, optional
            The number of entries to list, the largest first; the others are summed. By default all.

        Returns
        -------
        Explanations
            One Explanation for each row, which prints as bars: `prior`, `entries` and `others_nats` add up to `score`,
            the log-odds in nats of `predict_proba`. The effect of a calibration is an entry of its own. `to_frame` of
            one explanation, or of all, has one row per entry.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> texts, labels = ["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"]
        >>> model = fit(texts, labels, columns=Words(), estimate="mean")
        >>> print(model.explain(["lunch now", "win"])[1])
        row 1: 'spam' rather than 'ham', log-odds +1.504, p = 0.8182
          class prior    +0.6931               │██████████    share 0.667 in 'spam', 0.333 in 'ham'
          column 0: win  +0.8109               │████████████  2 of 4 in 'spam', 0 of 2 in 'ham'
        """
        library = frame_library(data)
        rows = self.explain_rows(data, positive=positive, against=against, top=top)
        return Explanations((replace(explanation, library=library) for explanation in rows), library)

    def explain_rows(
        self,
        data: Any,
        *,
        positive: Any = None,
        against: Any = None,
        top: int | None = None,
        rows: Collection[int] | None = None,
        progress: OnProgress | None = None,
    ) -> Iterator[Explanation]:
        """Yield the explanations of `explain` one by one, for all rows or for the given row numbers.

        Only one batch of a file is held in memory, and reading stops after the last requested row.
        """
        known = self.core
        rest = isinstance(against, str) and against == REST and against not in known.classes
        most = None if top is None else whole_number("top", top, 0)
        options = ExplanationOptions.of(known, positive, None if rest else against, rest=rest, top=most)
        wanted = None if rows is None else np.unique([whole_number("row", row, 0) for row in rows]).astype(np.int64)
        scoring_warnings = ScoringWarnings()
        first = 0
        with rows_from(data, like=self.like, needs_classes=False, progress=progress) as source:
            for batch in source:
                table = batch.table
                numbers = np.arange(first, first + table.rows, dtype=np.int64)
                if wanted is not None:
                    numbers = wanted[(wanted >= first) & (wanted < first + table.rows)]
                chosen = table if wanted is None else table.take(numbers - first)
                first += table.rows
                if len(numbers):
                    scores, offsets = weighed_scores(self, chosen)
                    scoring_warnings.add(scores)
                    yield from explanations(known, chosen, options, scores, numbers, self.calibration, offsets)
                if wanted is not None and not (wanted >= first).any():
                    break
        if wanted is not None and (wanted >= first).any():
            raise DataError(
                f"row {int(wanted[-1])} does not exist: the data have {counted(first, 'row')}, numbered from 0."
            )
        scoring_warnings.emit(impossible=True)

    def evaluate(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: Any = None,
        readings: Any = None,
        bootstrap: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        positive: Any = None,
        detection_prior: float = 0.5,
        cost_miss: float = 1.0,
        cost_false_alarm: float = 1.0,
        progress: OnProgress | None = None,
    ) -> Evaluation:
        """Return metrics of the model on rows that were not used in training; parameters as in `suffice.evaluate`.

        Metrics on training rows are optimistic: `suffice.evaluate` holds rows out. Files are read in batches.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"fur": ["black", "black", "white", "white"]}, ["cat", "cat", "dog", "dog"])
        >>> model.evaluate({"fur": ["black", "white", "white"]}, ["cat", "dog", "cat"], bootstrap=0).confusion
        array([[1., 1.],
               [0., 1.]])
        """
        detection = detection_prior, cost_miss, cost_false_alarm
        options = EvaluationOptions(bootstrap, seed, confidence, positive, *detection)
        known = self.core
        compared = readings_of(readings, known)
        scoring_warnings = ScoringWarnings()
        parts: list[Part] = []
        places: list[IntArray] = []
        posteriors: list[HeldOutPosterior] = []
        codes: list[tuple[IntArray, Axis]] = []
        row_weights: list[FloatArray] = []
        start = 0
        with rows_from(data, target, weights, like=self.like, progress=progress) as source:
            optimistic = "metrics on training rows are optimistic"
            warn_of_training_files(self.provenance, source, optimistic, "Use other rows, or hold rows out.")
            for batch in map(Batch.labelled, source):
                scores = asked_scores(self, batch.table, "log_posterior")
                scoring_warnings.add(scores)
                at = np.arange(start, start + batch.table.rows)
                start += batch.table.rows
                posteriors.append(posterior_of_scores(scores, known.log_prior))
                codes.append((batch.classes.codes.astype(np.int64, copy=False), batch.classes.classes))
                ones = np.ones(batch.table.rows)
                row_weights.append(ones if batch.weights is None else batch.weights.astype(np.float64))
                places.append(at)
                if compared.readings:  # they score the rows again
                    parts.append(Part(known, batch.table, at))
        if not places:
            raise DataError("there are no rows to evaluate on. Give rows and their classes.")
        scoring_warnings.emit(impossible=False)
        rows = LabelledRows("test set", *_join_codes(codes), np.concatenate(row_weights))
        tally = arrays.tally(rows.codes, rows.classes, weights=rows.weights)
        warn_unseen_classes(
            tally, known.classes, "The model cannot predict these classes, so the rows count as errors."
        )
        warn_one_class(tally)
        found = join_posteriors(posteriors, places)
        held_out, weight = ScoredParts(tuple(parts)), known.tally.weight
        evaluation = measure_rows(known.classes, found, rows, options, held_out, *compared, weight)
        return replace(evaluation, left_out=known.schema.left_out, library=frame_library(data))

    def interval(
        self,
        data: Any,
        *,
        credible: float = 0.95,
        draws: int = 1000,
        seed: int | np.random.Generator | None = 0,
    ) -> CredibleInterval:
        """Return credible intervals of p(c | x); they are wide when the model is fitted on few rows.

        Parameters are drawn from their posterior, the rows are scored with each draw, and the ends are quantiles of
        these probabilities. The interval reflects uncertainty of the parameters, not the assumption that columns are
        independent: see docs/uncertainty.md.

        Parameters
        ----------
        data : as in `predict_proba`
        credible : float between 0 and 1
            Posterior probability that the interval contains p(c | x) under the true parameters.
        draws : int
            The number of draws, at least 10/(1 − credible) and at most 1,000,000; each scores all rows once.
        seed : int ≥ 0, Generator or None
            The same seed gives the same draws; None uses a new seed on each call.

        Raises
        ------
        ParameterError
            If parameters have no posterior: alpha=0, Words(model="complement"), or a likelihood without one.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Bernoulli
        >>> x, y = np.array([[1], [1], [0], [0], [0]]), ["spam", "spam", "ham", "ham", "ham"]
        >>> few = fit(x, y, columns=Bernoulli()).interval([[1]])
        >>> many = fit(np.tile(x, (40, 1)), y * 40, columns=Bernoulli()).interval([[1]])
        >>> bool(few.lower[0, 1] < 0.45 < 0.9 < many.lower[0, 1] < many.probability[0, 1] < many.upper[0, 1])
        True
        """
        mass, number = proportion("credible", credible), whole_number("draws", draws, 1)
        if number > _MOST_DRAWS:
            raise ParameterError(
                f"draws must be at most {_MOST_DRAWS:,}: got {number:,}. Each draw scores all rows once."
            )
        least = int(np.ceil(round(2 * _IN_EACH_TAIL / (1 - mass), 6)))
        if number < least:
            raise ParameterError(
                f"an interval with credible={mass:g} needs at least {least} draws, {_IN_EACH_TAIL} in each tail",
                parameter="draws",
                got=number,
                advice="Increase draws, or decrease credible.",
            )
        entropy = int(generator(seed).integers(2**63))
        scoring_warnings = ScoringWarnings()
        parts: list[CredibleInterval] = []
        with rows_from(data, like=self.like, needs_classes=False) as source:
            for table in (batch.table for batch in source):
                scores = asked_scores(self, table, "posterior")
                scoring_warnings.add(scores)
                own = scores.values, mass, number, entropy, self.calibration
                parts.append(credible_interval(self.core, table, *own))
        scoring_warnings.emit(impossible=True)
        nothing = np.empty((0, len(self.classes)))
        lower, upper, probability = (
            np.concatenate([nothing, *(getattr(part, name) for part in parts)])
            for name in ("lower", "upper", "probability")
        )
        return CredibleInterval(lower, upper, probability, mass, self.classes, frame_library(data))

    def novelty(self, data: Any, *, reference: NoveltyReference | None = None) -> Novelty:
        """Return how unusual each row is compared with the training rows.

        Parameters
        ----------
        data : as in `predict_proba`
        reference : NoveltyReference, optional
            By default the reference stored by `fit` (for 20 rows or more) or `calibrate` (for any number of rows); or
            the result of `suffice.novelty_reference(model, data)`. A reference is valid only for the model's statistics
            and estimate; the class prior may differ.

        Returns
        -------
        Novelty
            `p_value` is the fraction of the reference rows with at most the same log p(x) per known cell: 0 for a row
            that is more unusual than all of them. `order()` sorts the rows, the most unusual first.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> x = np.random.default_rng(0).normal(size=(500, 2))
        >>> model = fit(x, x[:, 0] > 0, columns=Gaussian())
        >>> model.novelty([[0.5, 0.1], [9.0, 9.0]]).p_value.round(1)
        array([0.9, 0. ])
        """
        return novelty_of_rows(self, data, reference)

    def sample(
        self,
        n: int,
        *,
        seed: int | np.random.Generator | None = None,
        classes: Any = None,
        posterior: bool = False,
        length: npt.ArrayLike | None = None,
    ) -> Sample:
        """Return n rows drawn from the model, and their classes.

        Each class is drawn from the class prior and its cells from their likelihoods. With the predictive estimate,
        parameters are drawn anew for every row (Student-t, Pólya, negative binomial); otherwise the point estimates are
        used.

        Parameters
        ----------
        n : int ≥ 0
        seed : int ≥ 0 or Generator, optional
            The same seed gives the same rows.
        classes : label, sequence of n labels, or mapping {label: number of rows}, optional
            The classes of the rows, instead of random ones; a mapping returns its classes in order, one after the
            other.
        posterior : bool
            Draw the parameters once from their posterior and use them for all rows, so that repeated calls reflect
            parameter uncertainty. The class prior is drawn as well, unless it is fixed or uniform.
        length : int ≥ 0 or array of n, optional
            The total of each row of multinomial counts, or the number of words of each text, which the model does not
            determine. By default the mean of the row's class, rounded, at least 1.

        Returns
        -------
        Sample
            `data` is a 2-D array if the model was fitted on an array of numbers, with NaN in unused columns; otherwise
            a mapping {name: array} of the columns in use. Integer and boolean columns keep their type. `target` holds
            the classes. Cells are missing only in columns with missing="level" and in columns that were never observed.
            With unseen="mass", unseen levels are drawn as "(unseen)", or as the smallest unused integer in numeric
            columns.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], columns=Gaussian())
        >>> data, target = model.with_options(estimate="mle").sample(1000, seed=0)
        >>> data[target == "high"].mean().round(1)
        np.float64(8.5)
        """
        return sample_rows(self.core, n, seed, classes, length, posterior=posterior)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which `load` reads on any machine.

        The file holds the statistics, not only the parameters: counts, column names and levels, including rare ones
        (docs/model-file.md). Saving is atomic: the path always holds either the old file or the complete new one.
        Symbolic links are followed, and the permissions of an existing file are kept.

        Raises
        ------
        ModelFileError
            If the model has too many groups of columns (columns with the same likelihood form one group).
        OSError
            If the file cannot be written; an existing file is unchanged.

        Examples
        --------
        >>> import tempfile
        >>> from suffice.api import fit, load
        >>> model = fit({"fur": ["black", "white"]}, ["cat", "dog"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/pets.suffice")
        ...     load(f"{folder}/pets.suffice").classes
        ('cat', 'dog')
        """
        save_model(self.core, self.provenance, path, self.calibration, self.novelty_reference)

    def __add__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        both = self._with_rows(other)
        return keep_calibration(both, merge_calibrated(both, (self, other)), "the models were merged", self, other)

    def __sub__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        rest = Model(subtract_rows(self.core, other.core), self.provenance - other.provenance)
        calibrated = subtract_calibrated(self, other, rest)
        return keep_calibration(rest, calibrated, "the model was changed by removing rows", self, other)

    def _with_rows(self, other: Model) -> Model:
        both = Model(self.core + other.core, self.provenance + other.provenance)
        warn_of_shared_files(self.provenance, other.provenance)
        return both

    def __repr__(self) -> str:
        known = self.core
        weights = zip(known.classes, known.tally.weight, range(8), strict=False)
        shown = [f"{label!r} {format_total(weight)}" for label, weight, _ in weights]
        shown += ["…"] * (len(known.classes) > len(shown))
        forms = known.form_schema()
        schema = "\n".join(f"  {line}" for line in repr(forms).splitlines())
        likelihoods = {column: block.likelihood for block in known.schema.blocks for column in block.columns}
        same = {
            column
            for block in forms.blocks
            for column in block.columns
            if type(block.likelihood) is type(likelihoods[column])
        }
        forms_chosen = {name: form for name, form in self.selected_forms.items() if name in same}
        for kind, columns in _by_form(forms_chosen).items():
            schema += f"\n    modelled as {kind}: {columns}"
        reason = self.calibration_dropped_because
        calibration = str(self.calibration) if self.calibration else f"none: {reason}" if reason else "none"
        lines = [self._title(), f"  classes: {', '.join(shown)}", schema, f"  {self._options()}"]
        lines.append(f"  calibration: {calibration}")
        if self.novelty_reference is not None:
            lines.append(f"  novelty: {self.novelty_reference}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        blocks = self.core.form_schema().blocks
        columns = [(str(column), repr(block.likelihood)) for block in blocks for column in block.columns]
        names, likelihoods = zip(*columns, strict=True) if columns else ((), ())
        calibration = f"calibration: {self.calibration or 'none'}"
        return html_table(
            {"column": names, "likelihood": likelihoods}, f"{self._title()}; {self._options()}; {calibration}"
        )

    def _title(self) -> str:
        count, rows = len(self.classes), format_total(self.core.tally.weight)
        return f"Model: {count} class{'' if count == 1 else 'es'}, {rows} row{'' if rows == '1' else 's'}"

    def _options(self) -> str:
        known = self.core
        return f"estimate: {known.reading.estimate}, class prior: {known.class_prior}"

    def _count(
        self, data: Any, target: Any, weights: Any, progress: OnProgress | None, kept: CrossFitting | None = None
    ) -> Model:
        known = self.core
        empty = NaiveBayesModel.empty(known.schema, known.reading, known.class_prior)
        with rows_from(data, target, weights, like=self.like, progress=progress) as source:
            return Model(*count_rows(source, empty, kept))

    def _scores(self, data: Any, wanted: Wanted) -> FloatArray:
        return scored(self, data, wanted, impossible=wanted in ("posterior", "log_posterior"))

    @property
    def like(self) -> Like:
        """The settings with which further rows are read: columns, types and file format."""
        known, origin = self.core, self.provenance
        return Like(
            known.schema,
            origin.target,
            origin.weights,
            origin.dialect,
            lambda: _types_of(known),
            lambda: _type_of_labels(known.classes.labels),
            lambda: _texts_of(known.schema),
        )


def load(path: str | os.PathLike[str], *, likelihoods: Iterable[type[Likelihood]] = ()) -> Model:
    """Load a model saved with `Model.save`.

    Loading runs no code from the file: lengths, shapes, counts, labels and a checksum over all bytes are checked first.

    Parameters
    ----------
    path : str or PathLike
    likelihoods : classes of likelihoods, optional
        User-defined likelihood classes that the model may use. The file names them by import path, but nothing is
        imported.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or needs a newer version; the message states which.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "white"]}, ["cat", "dog"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder) / "pets.suffice")
    ...     again = load(Path(folder) / "pets.suffice")
    >>> again == model, again.provenance.rows
    (True, 2)
    """
    found = load_model(path, likelihoods)
    if found.old_reference:
        notify(
            DroppedCalibrationWarning,
            f"{os.fspath(path)!r} has a novelty reference in an older format, which was dropped. Calibrate the model "
            "again for novelty, and save it.",
        )
    return Model(found.model, found.provenance, found.calibration, found.reference)


def keep_calibration(changed: Model, calibrated: Model | None, why: str, *before: Model) -> Model:
    """Return a changed model with its calibration if it could be kept; a warning reports what was dropped.

    `before` are the models from which it was derived.
    """
    if calibrated is None:
        return drop_calibration(changed, why, *before)
    _warn_of_dropping(why, before, calibration=calibrated.calibration is None)
    return calibrated


def drop_calibration(model: Model, why: str, *before: Model) -> Model:
    """Return the model without calibration and novelty reference, with the reason, and warn.

    `before` are the models from which it was derived.
    """
    model = replace(model, novelty_reference=None)
    _warn_of_dropping(why, before, calibration=True)
    if not any(source.calibration is not None or source.calibration_dropped_because for source in before):
        return model
    return replace(model, calibration=None, calibration_dropped_because=why)


def _warn_of_dropping(why: str, before: Sequence[Model], *, calibration: bool) -> None:
    # The novelty reference is dropped, and the calibration if that is so.
    calibration = calibration and any(each.calibration is not None for each in before)
    dropped = ["calibration"] * calibration
    dropped += ["novelty reference"] * any(each.novelty_reference is not None for each in before)
    if dropped:
        were = " and the ".join(dropped) + (" were" if len(dropped) > 1 else " was")
        notify(
            DroppedCalibrationWarning,
            f"{why}, so the {were} dropped",
            advice=lambda words: (
                f"Calibrate the model again with {words.verb('calibrate')}."
                if calibration
                else f"To restore it, run {words.verb('calibrate')} on the training rows."
            ),
        )


def require_model(like: object) -> None:
    """Raise ParameterError if like= is not a model."""
    if not isinstance(like, Model):
        raise ParameterError(
            f"like must be a model: got {like!r}. Give a model returned by fit, load or Collector.model."
        )


def _leave_out_new(words: Wording) -> str:
    return f"Leave out {words.option('new')}, or calibrate on other rows."


def _undo_with_forget(words: Wording) -> str:
    return f"If that is not intended, remove the rows with {words.verb('forget')}."


def sum_log_joint(known: NaiveBayesModel, batch: Batch) -> float:
    """Return Σ_i w_i log p(y_i, x_i) of labelled rows; −inf for a class that the model does not know."""
    codes, classes, *_ = batch.classes
    joint = known.score(batch.table, "joint").values
    places = np.array([-1 if (at := known.classes.locate(label)) is None else at for label in classes], dtype=np.int64)
    at = places[codes.astype(np.int64, copy=False)]
    own = np.where(at >= 0, joint[np.arange(len(at)), at], -np.inf)
    if batch.weights is None:
        return float(own.sum())
    weights = batch.weights.astype(np.float64)
    return float((own[weights > 0] * weights[weights > 0]).sum())


def _join_codes(parts: list[tuple[IntArray, Axis]]) -> tuple[IntArray, Axis]:
    union = parts[0][1]
    for _, classes in parts[1:]:
        union = union.union(classes)[0]
    return np.concatenate([union.positions(classes)[codes] for codes, classes in parts]), union


def _by_form(forms: Mapping[str | int, str]) -> dict[str, str]:
    # {"Gaussian": "'age', 'height'"}: the columns of each form, the first few by name.
    columns: dict[str, list[str]] = {}
    for column, form in forms.items():
        if form.startswith("alpha "):  # a number, not another likelihood
            continue
        columns.setdefault(form.partition(", ")[0], []).append(repr(column))
    return {
        kind: ", ".join(names[:_SHOWN]) + f", … {len(names)} in all" * (len(names) > _SHOWN)
        for kind, names in sorted(columns.items())
    }


def _types_of(model: NaiveBayesModel) -> dict[str | int, Known]:
    # The type with which each column is read from a file, if it affects the model.
    types: dict[str | int, Known] = {}
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        what = block.likelihood.collect(block.columns).what
        if what == "tokens":
            types.update(dict.fromkeys(block.columns, "text"))
            continue
        if what not in ("levels", "joint"):
            types.update(dict.fromkeys(block.columns, "number"))
            continue
        own = parts[-len(block.columns) :]
        for name, counts in zip(block.columns, own, strict=True):
            assert isinstance(counts, Counts)
            kind = _type_of_labels(counts.levels.labels)
            if kind is not None:
                types[name] = kind
    return types


def _type_of_labels(labels: tuple[Any, ...]) -> Known | None:
    kinds: set[type] = {type(label) for label in labels if label is not None}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "bool"
    return "float" if kinds and kinds <= {int, float} and float in kinds else None


def _texts_of(schema: Schema) -> tuple[str | int, ...]:
    blocks = (block for block in schema.blocks if block.likelihood.collect(block.columns).what == "tokens")
    return tuple(name for block in blocks for name in block.columns)
