"""The public model: an immutable value; each method is one call down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy.typing as npt

from suffice.api.accounts import Accounts
from suffice.api.covariance import with_covariance
from suffice.api.files import OnProgress, seen_files
from suffice.api.forgetting import without_rows_of
from suffice.api.notices import DroppedCalibrationWarning, ignored_columns, notify, unseen_classes
from suffice.api.reading import reading_of
from suffice.api.seen import rows_of, seen_model
from suffice.conjugate.arguments import option
from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import Calibration
from suffice.engines.files import Files
from suffice.engines.table import Frame
from suffice.errors import DataError
from suffice.evidence.smoothing import smoothing_by_evidence
from suffice.likelihoods.concentration import EVIDENCE, SHARED, EvidenceAlpha
from suffice.models import ClassPrior, NaiveBayesModel, Provenance, Schema
from suffice.models.pruning import pruned_model
from suffice.statistics.labels import Label
from suffice.statistics.totals import shown_total
from suffice.storage import save_model

__all__ = ["Model", "unlearnt"]

_SHOWN = 12


@final
@dataclass(frozen=True, slots=True, repr=False)
class Model(Accounts):
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
    reference: NoveltyReference | None = field(default=None, compare=False)
    """What log p(x) was for the rows that it was calibrated on, which `novelty` compares others with."""
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
        return unlearnt(read, "given another estimate or prior", self) if changed else read

    def update(
        self, data: Any, target: Any = None, weights: npt.ArrayLike | None = None, progress: OnProgress | None = None
    ) -> Model:
        """Return the model that has seen these rows too; new classes and levels may appear.

        A warning names classes that are new. A calibration is dropped with a warning, here and by every change of what
        was seen: calibrate the result again. Of files, target and weights are by default the columns that they were
        when the model was fitted.
        """
        rows = self._of(data, target, weights, progress)
        do = "If that is not meant, take the rows out again with model.forget(...)."
        unseen_classes(rows.naive_bayes.tally, self.naive_bayes.classes, do)
        return self + rows

    def forget(
        self, data: Any, target: Any = None, weights: npt.ArrayLike | None = None, progress: OnProgress | None = None
    ) -> Model:
        """Return the model as if it had never seen these rows; taking out more than was put in is an error."""
        return self - self._of(data, target, weights, progress)

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
        >>> model = fit([["red"], ["red"], ["blu"]], ["a", "b", "b"], Categorical())
        >>> [parameter.level for parameter in model.prune(2).parameters() if parameter.label == "a"]
        [None, 'red']
        """
        left = pruned_model(self.naive_bayes, min_count)
        if left is self.naive_bayes:
            return self
        return unlearnt(replace(self, naive_bayes=left), "pruned", self)

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
        schema = "\n".join(f"  {line}" for line in repr(known.schema).splitlines())
        for kind, columns in _by_choice(self.choices).items():
            schema += f"\n    read as {kind}: {columns}"
        count = len(known.classes)
        return (
            f"Model of {count} class{'' if count == 1 else 'es'}, weight of rows {shown_total(known.tally.weight)}\n"
            f"  classes: {', '.join(shown)}\n{schema}\n"
            f"  estimate: {known.reading.estimate}, class prior: {known.class_prior}"
            + (f"\n  calibration: {self.calibration}" if self.calibration is not None else "")
            + (f"\n  novelty: {self.reference}" if self.reference is not None else "")
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
        if isinstance(rows.table, Frame) and rows.table.named:
            ignored_columns(rows.table.names, known.schema.names)
        return Model(seen, Provenance(rows.known).at())

    def _model(self) -> Model:
        return self


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
            f"the model was {what}, so {gone}. Calibrate it again with calibrate(model, data, target).",
        )
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
