"""The public model: an immutable value; each method is one call down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.calibrate import calibrate
from suffice.api.choosing import chosen_threshold
from suffice.api.counting import count_rows
from suffice.api.deciding import Decisions, decided, shifted_prior
from suffice.api.explaining import explained
from suffice.api.forgetting import without_rows_of
from suffice.api.measuring import measured_model
from suffice.api.novelty import novelty_of
from suffice.api.options import changed_columns, changed_covariance, reading_of
from suffice.api.sampling import Sample, sampled
from suffice.api.scoring import scored
from suffice.api.showing import Shown, shown_of
from suffice.api.uncertainty import interval_of
from suffice.conjugate.arguments import option
from suffice.decisions import NoveltyReference, PriorShift, Threshold
from suffice.decisions.calibration import Calibration, CalibrationMethod
from suffice.errors import DroppedCalibrationWarning, Wording
from suffice.evidence import CredibleInterval, Explanation, Novelty, telling
from suffice.evidence.evaluation import Asked, DetectionCosts, Evaluation
from suffice.evidence.smoothing import smoothing_by_evidence
from suffice.likelihoods import Likelihood, Parameter
from suffice.likelihoods.concentration import EVIDENCE, SHARED, EvidenceAlpha
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema, Wanted
from suffice.models.pruning import pruned_model
from suffice.sources import Like, OnProgress, rows_from
from suffice.sources.files.source import Known
from suffice.sources.target import labels_of
from suffice.statistics import Counts
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label
from suffice.statistics.totals import shown_total
from suffice.storage import save_model
from suffice.warnings import notify, unseen_classes

__all__ = ["Model", "unlearnt"]

_SHOWN = 12


@final
@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A fitted naive Bayes classifier: what was seen, and how it is read. `fit` makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Bernoulli
    >>> model = fit(np.array([[1, 0], [1, 1], [0, 1]]), ["spam", "spam", "ham"], columns=Bernoulli())
    >>> model.predict_proba(np.array([[1, 0]])).round(4)
    array([[0.129, 0.871]])
    >>> model
    Model of 2 classes, weight of rows 3
      classes: 'ham' 1, 'spam' 2
      2 columns
        0–1: Bernoulli()
      estimate: predictive, class prior: empirical
      calibration: none: fewer than 20 rows lie outside the most frequent class
    """

    naive_bayes: NaiveBayesModel
    provenance: Provenance = field(default=Provenance(), compare=False)
    calibration: Calibration | None = None
    reference: NoveltyReference | None = field(default=None, compare=False)
    """What log p(x) was for the rows that it was calibrated on, which `novelty` compares others with."""
    lost: str = field(default="", compare=False)
    """Why it is not calibrated, where that is not what was asked for."""

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels of the classes, sorted: the order of every array with an entry per class."""
        return self.naive_bayes.classes.labels

    @property
    def schema(self) -> Schema:
        """Which columns have which likelihood."""
        return self.naive_bayes.schema

    @property
    def choices(self) -> dict[str | int, str]:
        """What the statistics decided where it is left to them: {column: "Gaussian" or "Histogram, 16 cells"}."""
        return self.naive_bayes.choices()

    def with_options(
        self,
        *,
        estimate: str | None = None,
        class_prior: Any = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        priors: Mapping[Any, Likelihood] | None = None,
        covariance: str | None = None,
        shrinkage: float | str | None = None,
        toward: str | None = None,
    ) -> Model:
        """Return a model of the same statistics with other options; no data is touched.

        Parameters
        ----------
        estimate : "mle", "smoothed", "map", "mean" or "predictive", optional
        class_prior : optional
            As in `fit`.
        alpha : float or array ≥ 0, "evidence" or "shared evidence", optional
            λ of the smoothed estimate: one number, one per column, or of shape (classes, 1) or (classes, columns). A
            word takes the λ from 0.001 to 1 with the greatest evidence, for each column or one for all (1 where λ is
            no pseudo-count of outcomes): the model then has those numbers, whatever it sees later.
        priors : {name, pattern, position or tuple of those: likelihood}, optional
            Other likelihoods for some columns, as in `fit`, where the statistics hold what they need: another prior or
            option of the same likelihood, or Gaussian or Histogram instead of Numeric.
        covariance : "full", "shared", "diagonal" or "spherical", optional
            Of Gaussian columns that were collected together (QDA, LDA, naive Bayes, one variance).
        shrinkage, toward : optional
            As in Gaussian. shrinkage=0 is none.

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
        known = self.naive_bayes
        if priors is not None:
            known = changed_columns(known, priors)
        if covariance is not None or shrinkage is not None or toward is not None:
            known = changed_covariance(known, covariance, shrinkage, toward)
        reading = known.reading
        if estimate is not None or alpha is not None:
            if isinstance(alpha, str):
                alpha = smoothing_by_evidence(known, shared=option("alpha", alpha, (EVIDENCE, SHARED)) == SHARED)
            reading = reading_of(reading.estimate if estimate is None else estimate, alpha, known.schema.width)
        prior = known.class_prior if class_prior is None else ClassPrior.of(class_prior)
        changed = replace(self, naive_bayes=known.read(reading, prior))
        others = estimate, alpha, priors, covariance, shrinkage, toward
        if all(given is None for given in others):
            return changed
        return unlearnt(changed, "given another estimate or prior", self)

    def update(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: npt.ArrayLike | str | int | None = None,
        progress: OnProgress | None = None,
    ) -> Model:
        """Return the model that has seen these rows too; new classes and levels may appear.

        A warning names classes that are new. A calibration is dropped with a warning, here and by every change of what
        was seen: calibrate the result again. Of files, target and weights are by default the columns that they were
        when the model was fitted.
        """
        rows = self._count(data, target, weights, progress)
        unseen_classes(rows.naive_bayes.tally, self.naive_bayes.classes, _take_out_again)
        return self + rows

    def forget(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: npt.ArrayLike | str | int | None = None,
        progress: OnProgress | None = None,
    ) -> Model:
        """Return the model as if it had never seen these rows; taking out more than was put in is an error."""
        return self - self._count(data, target, weights, progress)

    def scale(self, w: float) -> Model:
        """Return the model of the same rows, each with w times its weight."""
        return unlearnt(replace(self, naive_bayes=self.naive_bayes.scale(w)), "scaled", self)

    def prune(self, min_count: float) -> Model:
        """Return the model without what weighs less than `min_count` over all classes.

        A level of a categorical column is dropped as if its cells had been missing, a combination of a joint block is
        one of the unseen, and a column of counts (multinomial, Poisson, Bernoulli) is left out of the schema, which
        says so. Declared levels and real columns stay, and so does every class. What later rows show of a dropped level
        counts again; rows that had it can no longer be forgotten. The evidence of the counts that are left is that of
        draws in their order (coefficients=False), and without ln x! (factorials=False).

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Categorical
        >>> model = fit([["red"], ["red"], ["blu"]], ["a", "b", "b"], columns=Categorical())
        >>> [parameter.level for parameter in model.prune(2).parameters() if parameter.label == "a"]
        [None, 'red']
        """
        left = pruned_model(self.naive_bayes, min_count)
        if left is self.naive_bayes:
            return self
        return unlearnt(replace(self, naive_bayes=left), "pruned", self)

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
        """Return the model with calibrated probabilities; its statistics, and log p(c, x), stay what they are.

        `fit` does it by default. Up to 100,000 of the rows are scored by models that have not seen them, and a scale,
        or a scale and offsets, are learnt from that where the log loss supports it. The model also keeps log p(x) of
        these rows for `novelty`. Both leave the class prior free: another one still enters as it should. They belong to
        these statistics and this estimate: `+`, `-`, `update`, `forget`, `scale`, `prune` and another estimate drop
        them with a warning.

        Parameters
        ----------
        data, target, weights
            As in `fit`: the rows that the model was fitted on, or others where they are `new`.
        new : bool
            The rows are new to the model and are scored by it. Otherwise each is scored by the model of the other
            folds.
        folds : int ≥ 2
            How many folds the rows are dealt into.
        method : "auto", "scale" or "offsets"
            "auto" is the simplest of none, a scale, a scale and offsets that the log loss supports
            (`suffice.decisions.calibration`).
        seed : int
            Of the rows that are kept, and of the folds.
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
        return calibrate(
            self,
            data,
            target,
            weights=weights,
            new=new,
            folds=folds,
            method=method,
            seed=seed,
            progress=progress,
        )

    def predict(self, data: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equals the first."""
        return labels_of(np.argmax(self._scores(data, "log_posterior"), axis=1), self.naive_bayes.classes)

    def predict_proba(self, data: Any) -> FloatArray:
        """Return p(c | x), rows × classes.

        A row that is impossible under every class gets the class prior, and a warning counts such rows.
        """
        return self._scores(data, "posterior")

    def predict_log_proba(self, data: Any) -> FloatArray:
        """Return log p(c | x), rows × classes."""
        return self._scores(data, "log_posterior")

    def log_joint(self, data: Any) -> FloatArray:
        """Return log p(c, x), rows × classes, constants and coefficients included; −inf for what cannot be."""
        return self._scores(data, "joint")

    def log_density(self, data: Any) -> FloatArray:
        """Return log p(x) of each row.

        Text that is read as Words(model="complement") has none, and a ParameterError says so.
        """
        return self._scores(data, "density")

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
        return decided(self, data, costs, class_prior, threshold, unit)

    def prior_shift(self, data: Any) -> PriorShift:
        """Return how frequent the classes are among rows whose class is not known, by EM (Saerens 2002).

        `after` is the class prior under which the rows are most probable, `p_value` that of no change, and
        `class_prior` what `with_options` and `decide` take. It relies on calibrated probabilities, which `fit` gives by
        default. Of over 2²⁴ scores a share of the rows stands for all.
        """
        return shifted_prior(self, data)

    def threshold(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: Any = None,
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
        return chosen_threshold(self, data, target, weights, label, class_prior, {**asked, "value": value})

    def log_evidence(self) -> float:
        """Return log p(D) of the rows it has seen, classes and cells, all parameters integrated out.

        The priors are those that the reading uses (for "mle", which uses none, those of "mean"), so the λ of
        `with_options(estimate="smoothed", alpha=λ)` with the greatest evidence is the one that the data speak for.
        """
        return self.naive_bayes.log_evidence()

    def parameters(self, *, credible: float = 0.95) -> list[Parameter]:
        """Return every parameter as it is read: class, column, level, name, estimate, value, lower, upper.

        The interval is the equal-tailed one that contains the mass `credible` of the parameter's posterior. The list of
        named tuples is what a frame library takes: `pandas.DataFrame(model.parameters())`. A constant real column has
        no rows.
        """
        return list(self.naive_bayes.parameters(credible))

    def show(self, top: int = 10) -> Shown:
        """Return what tells the classes apart, from the statistics alone: columns, levels and words, the loudest first.

        It prints as lines of text, and holds the same as records: `columns` with what each says on average,
        `levels[class]` and `words[class]` with what speaks for the class, in nats; words with their counts.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], columns=Words())
        >>> [(word.token, word.occurrences) for word in model.show(1).words["spam"]]
        [('win', 2.0)]
        """
        return shown_of(telling(self.naive_bayes), top)

    def explain(
        self, data: Any, *, label: Any = None, against: Any = None, top: int | None = None
    ) -> list[Explanation]:
        """Return for each row why it is taken for its class: what the prior and each cell or word add to the log-odds.

        Parameters
        ----------
        data : as in `predict`
        against : label or "rest", optional
            The class that it is compared with, or all others together; by default the most probable of the others.
        top : int, optional
            How many entries to list, the weightiest; what the others add is told in one number. By default all.
        label : label, optional
            The class that is explained; by default the most probable one of each row.

        Returns
        -------
        list of Explanation
            Each prints as bars; `prior`, `entries` and `others_nats` add up to `score`, the log-odds in nats of
            `predict_proba`, and `as_record()` is what JSON takes. What a calibration takes back or adds is an entry
            of its own.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> texts, labels = ["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"]
        >>> model = fit(texts, labels, columns=Words(), estimate="mean")
        >>> print(model.explain(["lunch now", "win"])[1])
        row 1: 'spam' rather than 'ham', log-odds +1.504, p = 0.8182
          class prior  +0.6931               │██████████    share 0.667 in 'spam', 0.333 in 'ham'
          0: win       +0.8109               │████████████  2 of 4 in 'spam', 0 of 2 in 'ham'
        """
        return list(explained(self, data, label, against, top))

    def evaluate(
        self,
        data: Any,
        target: Any = None,
        *,
        weights: Any = None,
        readings: Any = None,
        bootstrap: int = 1000,
        seed: int = 0,
        level: float = 0.95,
        positive: Any = None,
        detection_prior: float = 0.5,
        cost_miss: float = 1.0,
        cost_false_alarm: float = 1.0,
        progress: OnProgress | None = None,
    ) -> Evaluation:
        """Return how good the model is on rows that it has not seen; parameters as in `sf.evaluate`.

        On rows that it has seen the numbers flatter it: `sf.evaluate` holds rows out. Files are read a batch at a time.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"fur": ["black", "black", "white", "white"]}, ["cat", "cat", "dog", "dog"])
        >>> model.evaluate({"fur": ["black", "white", "white"]}, ["cat", "dog", "cat"], bootstrap=0).confusion
        array([[1., 1.],
               [0., 1.]])
        """
        costs = DetectionCosts(detection_prior, cost_miss, cost_false_alarm)
        asked = Asked(bootstrap, seed, level, positive=positive, costs=costs)
        return measured_model(self, data, target, weights, asked, readings, progress)

    def interval(
        self,
        data: Any,
        *,
        credible: float = 0.95,
        draws: int = 1000,
        seed: int | np.random.Generator | None = 0,
    ) -> CredibleInterval:
        """Return a credible interval of p(c | x), which is wide when the model has seen few rows.

        Parameters of all classes are drawn from their posterior, the rows are scored with each draw, and the ends are
        quantiles of these probabilities. The interval is about what the parameters are, not about whether columns are
        independent: see docs/uncertainty.md.

        Parameters
        ----------
        data : as in `predict_proba`
        credible : float between 0 and 1
            The posterior probability that p(c | x) of the true parameters lies inside.
        draws : int
            The number of draws, at least 10/(1 − credible) and at most 1,000,000; each scores all rows once.
        seed : int ≥ 0, Generator or None
            The same seed gives the same draws; None takes another one on each call.

        Raises
        ------
        ParameterError
            Where parameters have no posterior: alpha=0, Words(model="complement"), or a likelihood that does not say.

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
        return interval_of(self, data, credible, draws, seed)

    def novelty(self, data: Any, reference: NoveltyReference | None = None) -> Novelty:
        """Return how odd each row is beside those that the model has learnt from.

        Parameters
        ----------
        data : as in `predict_proba`
        reference : NoveltyReference, optional
            By default the one that `fit` keeps of 20 rows or more, and `calibrate` of any; else what
            `novelty_reference` makes of rows and this model. A model that has seen more or fewer rows since, or has
            another estimate, needs another; another class prior changes nothing.

        Returns
        -------
        Novelty
            `share` is the fraction of the reference rows with at most the same log p(x) per known cell: 0 for a row
            unlike all of them. `order()` has the most unusual rows first.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> x = np.random.default_rng(0).normal(size=(500, 2))
        >>> model = fit(x, x[:, 0] > 0, columns=Gaussian())
        >>> model.novelty([[0.5, 0.1], [9.0, 9.0]]).share.round(1)
        array([0.9, 0. ])
        """
        return novelty_of(self, data, reference)

    def sample(
        self,
        n: int,
        *,
        seed: int | np.random.Generator | None = None,
        classes: Any = None,
        posterior: bool = False,
        length: npt.ArrayLike | None = None,
    ) -> Sample:
        """Return n rows drawn from the model as it is read, and their classes.

        Each class is drawn from the class prior, and its cells from their likelihoods: under the predictive estimate
        with parameters of their own for every row (Student-t, Pólya, negative binomial), else with those that are read.

        Parameters
        ----------
        n : int ≥ 0
        seed : int ≥ 0 or Generator, optional
            The same seed gives the same rows.
        classes : label, sequence of n labels, or mapping {label: number of rows}, optional
            The classes of the rows, instead of a draw; of a mapping one class after the other.
        posterior : bool
            Draw the parameters once from their posterior, the class prior too unless it is given or uniform, and then
            all rows with these: calls differ by as much as the parameters are uncertain.
        length : int ≥ 0 or array of n, optional
            The total of each row of multinomial counts, or the number of words of each text, of which the model says
            nothing. By default the mean of the row's class, rounded, at least 1.

        Returns
        -------
        Sample
            `data` is a 2-D array of floats where the model is one of an array whose used columns hold numbers, NaN in
            the others; else a mapping {name: array} of the columns in use. The model takes either back. `target` holds
            the classes. No cell is missing, but of levels with missing="level" and of columns that were never observed.
            The mass of unseen levels (unseen="mass") is drawn as a level that the column does not have: "(unseen)", or
            the least whole number among numbers.

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
        return sampled(self.naive_bayes, n, seed, classes, length, posterior=posterior)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which `load` reads again on any machine.

        The file holds what was seen, not only what is read from it: counts, levels and names of columns, also rare ones
        (docs/model-file.md). It takes its place in one step, when all of it is on the disk: whatever happens, there is
        the old file or the new one. A link is followed, and the permissions of a file that was there are kept.

        Raises
        ------
        ModelFileError
            Where the model has a likelihood that is not one of the package's, or too many blocks.
        OSError
            Where nothing can be written there; what was there before is unchanged.

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
        save_model(self.naive_bayes, self.provenance, path, self.calibration, self.reference)

    def __add__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        both = Model(self.naive_bayes + other.naive_bayes, self.provenance + other.provenance)
        return unlearnt(both, "given more rows", self, other)

    def __sub__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        rest = Model(without_rows_of(self.naive_bayes, other.naive_bayes), self.provenance - other.provenance)
        return unlearnt(rest, "made to forget rows", self, other)

    def __repr__(self) -> str:
        known = self.naive_bayes
        each = zip(known.classes, known.tally.weight.tolist(), strict=True)
        shown = [f"{label!r} {weight:g}" for (label, weight), _ in zip(each, range(8), strict=False)]
        shown += ["…"] * (len(known.classes) > len(shown))
        forms = known.form_schema()
        schema = "\n".join(f"  {line}" for line in repr(forms).splitlines())
        asked = {column: block.likelihood for block in known.schema.blocks for column in block.columns}
        same = {column for block in forms.blocks for column in block.columns if block.likelihood is asked[column]}
        for kind, columns in _by_choice({name: it for name, it in self.choices.items() if name in same}).items():
            schema += f"\n    read as {kind}: {columns}"
        count = len(known.classes)
        return (
            f"Model of {count} class{'' if count == 1 else 'es'}, weight of rows {shown_total(known.tally.weight)}\n"
            f"  classes: {', '.join(shown)}\n{schema}\n"
            f"  estimate: {known.reading.estimate}, class prior: {known.class_prior}"
            f"\n  calibration: {self.calibration or (f'none: {self.lost}' if self.lost else 'none')}"
            + (f"\n  novelty: {self.reference}" if self.reference is not None else "")
        )

    def _count(self, data: Any, target: Any, weights: Any, progress: OnProgress | None) -> Model:
        known = self.naive_bayes
        with rows_from(data, target, weights, like=self.like, progress=progress) as source:
            return Model(*count_rows(source, known.schema, known.reading, known.class_prior))

    def _scores(self, data: Any, wanted: Wanted) -> FloatArray:
        return scored(self, data, wanted, impossible=wanted in ("posterior", "log_posterior"))

    @property
    def like(self) -> Like:
        """What decides how further rows are read: columns, types, and how the files were written."""
        known, told = self.naive_bayes, self.provenance
        return Like(
            known.schema,
            told.target,
            told.weights,
            told.dialect,
            lambda: _types_of(known),
            lambda: _type_of_labels(known.classes.labels),
            lambda: _texts_of(known.schema),
        )


def unlearnt(model: Model, what: str, *before: Model) -> Model:
    """Return the model without what a second pass learnt from the scores of those before it, and with the reason.

    A warning says that it was dropped.
    """
    model = replace(model, reference=None)
    calibrated = any(each.calibration is not None for each in before)
    if calibrated or any(each.reference is not None for each in before):
        gone = "its calibration, and the log p(x) of the rows that novelty compares with, were dropped"
        if not calibrated:
            gone = "the log p(x) of the rows that novelty compares with was dropped"
        notify(
            DroppedCalibrationWarning,
            f"the model was {what}, so {gone}",
            advice=lambda words: f"Calibrate it again with {words.verb('calibrate')}.",
        )
    if not any(each.calibration is not None or each.lost for each in before):
        return model
    return replace(model, calibration=None, lost=f"it was {what}")


def _take_out_again(words: Wording) -> str:
    return f"If that is not meant, take the rows out again with {words.verb('forget')}."


def _by_choice(choices: Mapping[str | int, str]) -> dict[str, str]:
    # {"Gaussian": "'age', 'height'"}: the columns of each kind, the first few by name.
    columns: dict[str, list[str]] = {}
    for column, choice in choices.items():
        if choice.startswith("alpha "):  # a number, and no other way to read it
            continue
        columns.setdefault(choice.partition(", ")[0], []).append(repr(column))
    return {
        kind: ", ".join(names[:_SHOWN]) + f", … {len(names)} in all" * (len(names) > _SHOWN)
        for kind, names in sorted(columns.items())
    }


def _types_of(model: NaiveBayesModel) -> dict[str | int, Known]:
    # What each column is to be read as in a file, where that makes a difference to the model.
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
