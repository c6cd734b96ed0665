"""The public model: an immutable value; each method is one call down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.api.choosing import chosen_threshold
from suffice.api.covariance import with_covariance
from suffice.api.deciding import Decisions, decided, shifted_prior
from suffice.api.explaining import explained
from suffice.api.files import OnProgress, seen_files
from suffice.api.measuring import measured_model
from suffice.api.novelty import novelty_of
from suffice.api.reading import reading_of
from suffice.api.sampling import Sample, sampled
from suffice.api.scoring import scored
from suffice.api.seen import rows_of, seen_model
from suffice.api.showing import Shown, shown_of
from suffice.api.target import labels_of
from suffice.api.uncertainty import interval_of
from suffice.conjugate.arguments import option
from suffice.decisions import PriorShift, Threshold
from suffice.decisions.calibration import Calibration
from suffice.engines.files import Files
from suffice.errors import DataError
from suffice.evidence import CredibleInterval, Explanation, Novelty, NoveltyReference, telling
from suffice.evidence.evaluation import Asked, DetectionCosts, Evaluation
from suffice.evidence.smoothing import smoothing_by_evidence
from suffice.likelihoods import Parameter
from suffice.likelihoods.concentration import EVIDENCE, SHARED, EvidenceAlpha
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema, Wanted
from suffice.models.pruning import pruned_model
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label
from suffice.storage import save_model

__all__ = ["Model"]

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
    >>> model = fit(np.array([[1, 0], [1, 1], [0, 1]]), ["spam", "spam", "ham"], Bernoulli())
    >>> model.predict_proba(np.array([[1, 0]])).round(4)
    array([[0.129, 0.871]])
    >>> model
    Model of 2 classes, weight of rows 3
      classes: 'ham' 1, 'spam' 2
      2 columns
        0–1: Bernoulli()
      estimate: predictive, class prior: empirical
    """

    naive_bayes: NaiveBayesModel
    provenance: Provenance = field(default=Provenance(), compare=False)
    calibration: Calibration | None = field(default=None, compare=False)
    lost: str = field(default="", compare=False)
    """Why it is no longer calibrated, where it was."""

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

    def predict(self, data: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equals the first."""
        return labels_of(np.argmax(self._scored(data, "log_posterior"), axis=1), self.naive_bayes.classes)

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
        return decided(self, data, costs, class_prior, threshold, unit)

    def prior_shift(self, data: Any) -> PriorShift:
        """Return how frequent the classes are among rows whose class is not known, by EM (Saerens 2002).

        `after` is the class prior under which the rows are most probable, `p_value` that of no change, and
        `class_prior` what `read(class_prior=…)` and `decide` take. The model must tell the classes apart with
        probabilities to be trusted: calibrate it first. Of over 2²⁴ scores a share of the rows stands for all.
        """
        return shifted_prior(self, data)

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
        return chosen_threshold(self, data, target, weights, label, class_prior, {**asked, "value": value})

    def log_evidence(self) -> float:
        """Return log p(D) of the rows it has seen, classes and cells, all parameters integrated out.

        The priors are those that the reading uses (for "mle", which uses none, those of "mean"), so the λ of
        `read(estimate="smoothed", alpha=λ)` with the greatest evidence is the one that the data speak for.
        """
        return self.naive_bayes.log_evidence()

    def parameters(self, level: float = 0.95) -> list[Parameter]:
        """Return every parameter as it is read: class, column, level, name, estimate, value, lower, upper.

        The interval of that level is the equal-tailed one of its posterior. The list of named tuples is what a frame
        library takes: `pandas.DataFrame(model.parameters())`. A constant real column has no rows.
        """
        return list(self.naive_bayes.parameters(level))

    def show(self, top: int = 10) -> Shown:
        """Return what tells the classes apart, from the statistics alone: columns, levels and words, the loudest first.

        It prints as lines of text, and holds the same as records: `columns` with what each says on average,
        `levels[class]` and `words[class]` with what speaks for the class, in nats; words with their counts.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], Words())
        >>> [(word.token, word.occurrences) for word in model.show(1).words["spam"]]
        [('win', 2.0)]
        """
        return shown_of(telling(self.naive_bayes), top)

    def explain(
        self, data: Any, against: Any = None, top: int | None = None, *, label: Any = None
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
            Each prints as bars; `prior`, `entries` and `others_nats` add up to `score`, the log-odds in nats, and
            `as_record()` is what JSON takes. They are of `log_joint`: a calibration, which changes what the
            probabilities are and not what speaks for which class, is left out of score and probability.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], Words(), estimate="mean")
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
        weights: Any = None,
        *,
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

    def read(
        self,
        estimate: str | None = None,
        class_prior: Any = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        *,
        covariance: str | None = None,
        shrinkage: float | str | None = None,
        toward: str | None = None,
    ) -> Model:
        """Return the same statistics read otherwise; no data is touched.

        Parameters
        ----------
        estimate : "mle", "smoothed", "map", "mean" or "predictive", optional
            By default the one it has.
        class_prior : optional
            As in `fit`; by default the one it has.
        alpha : float or array ≥ 0, "evidence" or "shared evidence", optional
            λ of the smoothed reading: one number, one per column, or of shape (classes, 1) or (classes, columns). A
            word takes the λ from 0.001 to 1 with the greatest evidence, for each column or one for all (1 where λ is
            no pseudo-count of outcomes): the model then has those numbers, whatever it sees later.
        covariance : "full", "shared", "diagonal" or "spherical", optional
            Of Gaussian columns that were collected together (QDA, LDA, naive Bayes, one variance); by default the one
            they have.
        shrinkage, toward : optional
            As in Gaussian; by default those they have. shrinkage=0 is none.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Categorical
        >>> model = fit(np.array([[0], [1], [1]]), ["a", "b", "b"], Categorical())
        >>> model.read("mle").predict_proba(np.array([[0]]))
        array([[1., 0.]])
        """
        known = self.naive_bayes
        reading = known.reading
        changed = any(given is not None for given in (estimate, alpha, covariance, shrinkage, toward))
        if estimate is not None or alpha is not None:
            if isinstance(alpha, str):
                alpha = smoothing_by_evidence(known, shared=option("alpha", alpha, (EVIDENCE, SHARED)) == SHARED)
            reading = reading_of(reading.estimate if estimate is None else estimate, alpha, known.schema.width)
        prior = known.class_prior if class_prior is None else ClassPrior.of(class_prior)
        if covariance is not None or shrinkage is not None or toward is not None:
            known = with_covariance(known, covariance, shrinkage, toward)
        read = replace(self, naive_bayes=known.read(reading, prior))
        return _uncalibrated(read, "read otherwise", self) if changed else read

    def update(
        self, data: Any, target: Any = None, weights: npt.ArrayLike | None = None, progress: OnProgress | None = None
    ) -> Model:
        """Return the model that has seen these rows too; new classes and levels may appear.

        Of files, target and weights are by default the columns that they were when the model was fitted.
        """
        return self + self._of(data, target, weights, progress)

    def forget(
        self, data: Any, target: Any = None, weights: npt.ArrayLike | None = None, progress: OnProgress | None = None
    ) -> Model:
        """Return the model as if it had never seen these rows; taking out more than was put in is an error."""
        return self - self._of(data, target, weights, progress)

    def scale(self, w: float) -> Model:
        """Return the model of the same rows, each with w times its weight."""
        return _uncalibrated(replace(self, naive_bayes=self.naive_bayes.scale(w)), "scaled", self)

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
        >>> model = fit([["red"], ["red"], ["blu"]], ["a", "b", "b"], Categorical())
        >>> [parameter.level for parameter in model.prune(2).parameters() if parameter.label == "a"]
        [None, 'red']
        """
        left = pruned_model(self.naive_bayes, min_count)
        if left is self.naive_bayes:
            return self
        return _uncalibrated(replace(self, naive_bayes=left), "pruned", self)

    def sample(
        self,
        n: int,
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
        >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], Gaussian())
        >>> data, target = model.read("mle").sample(1000, seed=0)
        >>> data[target == "high"].mean().round(1)
        np.float64(8.5)
        """
        return sampled(self.naive_bayes, n, seed, classes, length, posterior=posterior)

    def interval(
        self,
        data: Any,
        level: float = 0.95,
        method: str = "auto",
        draws: int = 1000,
        seed: int | np.random.Generator | None = None,
    ) -> CredibleInterval:
        """Return between what p(c | x) lies, given how few or many rows the model has seen.

        The parameters of every class have a posterior, and p(c | x) is a function of them: the interval is that of its
        log-odds. A probability from 5 rows has a wide one. It is about what the parameters are, not about whether
        columns are independent: see docs/uncertainty.md.

        Parameters
        ----------
        data : as in `predict_proba`
        level : float between 0 and 1
            The probability that p(c | x) of the true parameters lies inside, where these come from the prior.
        method : "auto", "delta" or "draws"
            "delta" takes mean, variance and skewness of the log-odds in closed form; "draws" draws parameters from
            their posterior and scores the rows with each. "auto" draws where a class has fewer than 30 rows, where
            columns go together or share a variance, and for rows whose log-odds are far from normal.
        draws : int
            How many draws, at least 10/(1 − level).
        seed : int ≥ 0 or Generator, optional
            The same seed gives the same draws.

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
        >>> few = fit(x, y, Bernoulli()).interval([[1]], seed=0)
        >>> many = fit(np.tile(x, (40, 1)), y * 40, Bernoulli()).interval([[1]], seed=0)
        >>> bool(few.lower[0, 1] < 0.45 < 0.9 < many.lower[0, 1] < many.probability[0, 1] < many.upper[0, 1])
        True
        """
        return interval_of(self, data, level, method, draws, seed)

    def novelty(self, data: Any, reference: NoveltyReference) -> Novelty:
        """Return how odd each row is beside those of a reference, which `novelty_reference` makes.

        Parameters
        ----------
        data : as in `predict_proba`
        reference : NoveltyReference
            Of this model; one that has seen more or fewer rows since, or is read otherwise, needs another.

        Returns
        -------
        Novelty
            `share` is the share of the rows of the reference that are no more probable: 0 for a row such as none of
            them. `order()` has the oddest rows first.
        """
        return novelty_of(self, data, reference)

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
        save_model(self.naive_bayes, self.provenance, path, self.calibration)

    def __add__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        both = Model(self.naive_bayes + other.naive_bayes, self.provenance + other.provenance)
        return _uncalibrated(both, "given more rows", self, other)

    def __sub__(self, other: Model) -> Model:
        if not isinstance(other, Model):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        rest = Model(self.naive_bayes - other.naive_bayes, self.provenance - other.provenance)
        return _uncalibrated(rest, "made to forget rows", self, other)

    def __repr__(self) -> str:
        known = self.naive_bayes
        each = zip(known.classes, known.tally.weight.tolist(), strict=True)
        shown = [f"{label!r} {weight:g}" for (label, weight), _ in zip(each, range(8), strict=False)]
        shown += ["…"] * (len(known.classes) > len(shown))
        schema = "\n".join(f"  {line}" for line in repr(known.schema).splitlines())
        for kind, columns in _by_choice(self.choices).items():
            schema += f"\n    read as {kind}: {columns}"
        count = len(known.classes)
        return (
            f"Model of {count} class{'' if count == 1 else 'es'}, weight of rows {known.tally.weight.sum():g}\n"
            f"  classes: {', '.join(shown)}\n{schema}\n"
            f"  estimate: {known.reading.estimate}, class prior: {known.class_prior}"
            + (f"\n  calibration: {self.calibration}" if self.calibration is not None else "")
            + (f"\n  calibration: {self.lost}" if self.lost else "")
        )

    def _of(self, data: Any, target: Any, weights: npt.ArrayLike | None, progress: OnProgress | None) -> Model:
        known = self.naive_bayes
        files = Files.of(data)
        if files is not None:
            return Model(*seen_files(self, files, target, weights, progress))
        if target is None:
            target = self.provenance.target
        if target is None:
            raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")
        rows = rows_of(data, target, weights)
        seen = seen_model(known.schema, known.reading, known.class_prior, rows)
        return Model(seen, Provenance(rows.known).at())

    def _scored(self, data: Any, wanted: Wanted) -> FloatArray:
        return scored(self, data, wanted, impossible=wanted in ("posterior", "log_posterior"))


def _uncalibrated(model: Model, what: str, *before: Model) -> Model:
    # What was learnt from the scores of other statistics is never used.
    if not any(each.calibration is not None or each.lost for each in before):
        return model
    lost = next((each.lost for each in before if each.lost), f"none: it was {what}. Calibrate it again")
    return replace(model, calibration=None, lost=lost)


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
