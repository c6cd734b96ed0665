"""The base class of the scikit-learn estimators, and the validation of X, y and sample_weight.

`fit` is one call of `suffice.fit`; `partial_fit` adds the model of the batch to the existing one; every prediction is
one call of the model. An estimator defines only the likelihood of its columns, the options that its parameters
represent, and its scores.

NumPy arrays and CSR matrices of numbers are passed to the native core unchanged, at no cost: the core finds infinite
and negative cells in the pass it makes anyway, and reports their row and column. All other input (data frames, lists,
objects, column vectors, wrong widths) goes through scikit-learn's validation, with its conversions and messages. Like
scikit-learn, the estimators reject infinite cells in `predict` too.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.api import Model, fit
from suffice.api.scoring import asked_scores
from suffice.errors import DataError, MergeError, ParameterError, SufficeWarning, counted
from suffice.estimators.contract import (
    SklearnClassifier,
    assert_all_finite,
    check_classification_targets,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)
from suffice.likelihoods import Likelihood
from suffice.models.linear import LinearScore, linear_score
from suffice.sources.in_memory import is_frame, is_texts, table_of
from suffice.sources.source import aligned_table
from suffice.sources.sparse import sound_csr
from suffice.sources.table import Frame, Matrix, Table
from suffice.sources.target import Target, target_of
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import columns_of
from suffice.warnings import batch_of_more, notify

if TYPE_CHECKING:
    from typing import Self

__all__ = [
    "Classifier",
    "CountingClassifier",
    "GaussianClassifier",
    "LikelihoodClassifier",
    "ScoreName",
    "check_labels",
    "check_prediction_rows",
    "check_training_rows",
    "encode_labels",
    "label_array",
    "prediction_table",
    "read_class_prior",
    "require_finite",
    "require_not_negative",
    "row_weights",
    "score_rows",
    "training_table",
]


_KINDS = {"b": "bools", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text", "S": "bytes", "O": "objects"}


def encode_labels(y: npt.NDArray[Any], classes: npt.NDArray[Any] | None) -> Target:
    """Return the class codes of the rows; all classes of y and of `classes` are declared.

    Declared classes are kept: scikit-learn keeps a class whose rows all have weight 0.
    """
    target = target_of(y, len(y))
    axis = target.classes.declare()
    if classes is None:
        return target._replace(classes=axis)
    expected = Axis.of(dict.fromkeys(classes.tolist()), declared=True)
    axis, positions, _ = axis.union(expected)
    return Target(positions[target.codes], axis, target.missing)


def label_array(names: Sequence[Any], *types: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the labels as an array of a common dtype of the given ones; raise DataError if no common dtype exists."""
    kinds = list(dict.fromkeys(_KINDS.get(dtype.kind, dtype.kind) for dtype in types))
    if len(kinds) > 1 and set(kinds) != {"text", "objects"}:
        raise DataError(
            f"the classes of all batches must have the same type: got {kinds[1]} after {kinds[0]}. Convert y, "
            "for example with y.astype(str)."
        )
    if kinds[0] in ("text", "objects"):
        return np.array(names)  # as wide as the longest string, also for object arrays, like scikit-learn
    return np.array(names, dtype=np.result_type(*types))


def training_table(estimator: Any, x: Any) -> Table:
    """Return training rows as a table; columns have the names of the data frame, or else their positions."""
    names = estimator.__dict__.get("feature_names_in_")
    table = table_of(x)
    if isinstance(table, Frame):
        return table
    if names is None or len(set(names)) < len(names):
        return table
    return table.aligned(columns_of(names.tolist())).table


def prediction_table(model: Model, x: Any) -> Table:
    """Return rows to score as a table. Duplicate entries of a CSR matrix are summed."""
    names = model.schema.names
    if isinstance(x, Table):
        return aligned_table(x, model.schema)
    return table_of(x).aligned(names).table if hasattr(x, "indptr") else Matrix(x, names)


_FEW = 10_000

ScoreName: TypeAlias = Literal["joint", "log_posterior", "posterior"]


def score_rows(model: Model, x: Any, asked: ScoreName, *, finite: bool = False) -> FloatArray:
    """Return the log joint, log posterior or posterior of every row, with the warnings of the model.

    A row of probability 0 under every class gets the class prior, unless it has an infinite cell, which is an error;
    rows are searched for infinite cells only in that case. With `finite`, an infinite cell that was counted as present
    or absent is also an error: the native core has reported it.
    """
    rows = prediction_table(model, x)
    values, impossible, unseen, infinite = asked_scores(model, rows, asked)
    if not impossible and not unseen and not (finite and infinite):
        return values
    require_finite(x)
    if asked == "joint":
        return model.log_joint(rows)
    return model.predict_proba(rows) if asked == "posterior" else model.predict_log_proba(rows)


def require_finite(x: Any) -> None:
    """Raise DataError if a cell is infinite; NaN is missing and allowed."""
    if isinstance(x, Table):  # likelihoods that require finite cells check them in fit
        return
    values = x.data if hasattr(x, "tocsr") else x
    if values.dtype.kind != "f":
        return
    if values.size > _FEW:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.add.reduce(values, axis=None)):  # one pass without a copy; NaN needs the check below
                return
    infinite = np.isinf(values)
    if not infinite.any():
        return
    index = np.unravel_index(int(np.argmax(infinite)), infinite.shape)
    value = float(values[index])
    if hasattr(x, "tocsr"):
        index = int(np.searchsorted(x.indptr, index[0], side="right")) - 1, int(x.indices[index[0]])
    raise DataError(
        f"Input X contains infinity: row {int(index[0])}, column {int(index[1])} has {value!r}. "
        "Replace it, or use NaN for a missing cell."
    )


_NUMBERS = frozenset("?bBhHiIlLqQfd")


def check_training_rows(estimator: Any, x: Any, y: Any, *, sparse: bool, frames: bool) -> Any:
    """Validate training rows, and set n_features_in_ and feature_names_in_ of the estimator.

    The result is an array or CSR matrix, or with `frames` a table for a data frame or a matrix that contains text.
    """
    if y is None:
        name = type(estimator).__name__
        raise DataError(f"This {name} estimator requires y to be passed, but the target y is None.")
    if hasattr(x, "tocsr"):
        x = sound_csr(x)  # before scikit-learn validates it
    if _is_plain(x, sparse=sparse):
        estimator.n_features_in_ = x.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        return x
    if frames and _has_columns(x):
        table = table_of(x)
        estimator.n_features_in_ = table.width
        estimator.__dict__.pop("feature_names_in_", None)
        if table.width and all(isinstance(name, str) for name in table.names):
            estimator.feature_names_in_ = np.array(table.names, dtype=object)
        return table
    return _validate(estimator, x, sparse=sparse, reset=True)


def check_prediction_rows(estimator: Any, x: Any, *, sparse: bool, frames: bool) -> Any:
    """Validate rows to predict: same width and names as in fit; the columns of a table are matched by name."""
    known: dict[str, Any] = estimator.__dict__
    if hasattr(x, "tocsr"):
        x = sound_csr(x)
    if _is_plain(x, sparse=sparse) and x.shape[1] == known["n_features_in_"] and "feature_names_in_" not in known:
        return x
    if frames and _has_columns(x):
        return table_of(x)
    return _validate(estimator, x, sparse=sparse, reset=False)


def check_labels(y: Any, x: Any) -> npt.NDArray[Any]:
    """Return the class labels as a 1-D array without missing values."""
    rows = x.shape[0]
    if not _are_labels(y, rows):
        y = column_or_1d(y, warn=True)
    if not _are_labels(y, rows):
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(x, y)
    return cast("npt.NDArray[Any]", y)


def _are_labels(y: Any, rows: int) -> bool:
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU" and len(y) == rows


def row_weights(sample_weight: Any, x: Any) -> npt.NDArray[Any] | None:
    """Return one weight per row, or None; a scalar applies to all rows."""
    if sample_weight is None:
        return None
    weights: npt.NDArray[Any] = np.asarray(sample_weight)
    if not weights.ndim:
        return np.full(int(x.shape[0]), float(weights))
    if weights.shape != (x.shape[0],):
        raise DataError(
            f"sample_weight must have one number for each row: got shape {weights.shape} for "
            f"{counted(x.shape[0], 'row')}. Pass shape ({x.shape[0]},), or one number for all rows."
        )
    return weights


def require_not_negative(name: str, x: Any, error: DataError) -> None:
    """Raise the error in scikit-learn's wording, on which its users' tests rely, if a cell is negative."""
    values = x.data if hasattr(x, "tocsr") else x
    if (values < 0).any():
        problem = f"Negative values in data passed to {name} (input X): {error.problem}"
        raise error.located(problem=problem) from None


def _is_plain(x: Any, *, sparse: bool) -> bool:
    if type(x) is not np.ndarray and not (sparse and getattr(x, "format", "") == "csr"):
        return False
    return x.ndim == 2 and x.dtype.char in _NUMBERS and x.dtype.isnative and 0 not in x.shape


def _has_columns(x: Any) -> bool:
    # A data frame, texts, or a matrix that contains text, which scikit-learn would convert or reject.
    if is_texts(x):
        return True
    if isinstance(x, np.ndarray):
        matrix = cast("npt.NDArray[Any]", x)
        return matrix.ndim == 2 and matrix.dtype.kind in "OU" and any(isinstance(cell, str) for cell in matrix.flat)
    return is_frame(x)


def _validate(estimator: Any, x: Any, *, sparse: bool, reset: bool) -> Any:
    if isinstance(x, np.ma.MaskedArray):  # masked cells are missing; scikit-learn would ignore the mask
        masked: Any = x  # pyright: ignore[reportUnknownVariableType]
        x = masked.astype(np.float64).filled(np.nan)
    accepted = "csr" if sparse else False
    rows = validate_data(estimator, x, reset=reset, accept_sparse=accepted, ensure_all_finite="allow-nan")
    return rows if _is_plain(rows, sparse=sparse) else rows.astype(np.float64)  # float16, longdouble, foreign bytes


class Classifier(SklearnClassifier, metaclass=ABCMeta):
    """A scikit-learn classifier over a Model. Subclasses are final and implement the abstract methods."""

    model_: Model
    classes_: npt.NDArray[Any]
    n_features_in_: int
    _frames: ClassVar[bool] = False  # whether data frames and text are accepted, column by column
    _sparse: ClassVar[bool] = True  # whether sparse matrices are accepted

    @abstractmethod
    def _fit_batch(self, x: Any, target: Target, weights: Any, known: Model | None, /) -> Model:
        """Fit only these rows with one call of `suffice.fit`, before the options of the estimator are applied.

        `known` is the model to which the result will be added, if any.
        """

    @abstractmethod
    def _estimate(self, model: Model) -> Model:
        """Return the model with the options of the estimator; invalid ones must raise ParameterError here."""

    def _scores(self, x: Any, asked: ScoreName) -> FloatArray:
        """Return the log joint, log posterior or posterior of validated rows, shape (rows, classes)."""
        return score_rows(self.model_, x, asked)

    @property
    def class_count_(self) -> FloatArray:
        """Row weight of each class, shape (classes,)."""
        return self.model_.core.tally.weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model from scratch.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, columns)
            NaN is missing and ignored. NumPy arrays and CSR matrices are not copied.
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,) or number, optional
            Row weights ≥ 0; a row with weight 2 counts as two rows.
        """
        x = check_training_rows(self, X, y, sparse=self._sparse, frames=self._frames)
        return self._learn(x, y, None, sample_weight, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add a batch of rows; batches in any split and order give the same model as a single `fit`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            Classes that later batches may contain, so that `predict_proba` has columns for them already. Batches may
            also contain other new classes.
        """
        known = vars(self).get("model_")
        if known is None:
            x = check_training_rows(self, X, y, sparse=self._sparse, frames=self._frames)
        else:
            x = check_prediction_rows(self, X, sparse=self._sparse, frames=self._frames)
        with batch_of_more():
            return self._learn(x, y, classes, sample_weight, known)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; ties go to the first class."""
        codes = np.argmax(self._scores(self._rows(X), "log_posterior"), axis=1)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return p(c | x), shape (rows, classes), in the order of `classes_`."""
        return self._scores(self._rows(X), "posterior")

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return log p(c | x), shape (rows, classes), in the order of `classes_`."""
        return self._scores(self._rows(X), "log_posterior")

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return log p(c, x), shape (rows, classes), up to a constant that is the same for all classes of a row."""
        return self._scores(self._rows(X), "joint")

    @property
    def coef_(self) -> FloatArray:
        """Weights of a linear model, shape (classes, features); for two classes their difference, shape (1, features).

        A feature is a column (of 0 and 1 for Bernoulli), or a level or word of a column: `coef_features_` lists them.
        AttributeError if the model is not linear, such as a Gaussian with a variance for each class.
        """
        coef = self._linear_score().weight.T
        return coef[1:] - coef[:1] if len(coef) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        """Constant of each linear score, shape (classes,), with the log prior; for two classes their difference."""
        intercept = self._linear_score().start
        return intercept[1:] - intercept[:1] if len(intercept) == 2 else intercept

    @property
    def coef_features_(self) -> list[tuple[str | int, Any]]:
        """(column, level) of each weight in `coef_`; the level is None for the value of a column."""
        return list(self._linear_score().features)

    def _linear_score(self) -> LinearScore:
        # With the log prior in `start`.
        model = self.model_.core
        score = linear_score(model)
        if score is None:
            raise AttributeError(
                f"coef_ and intercept_ exist only for linear models, and this {type(self).__name__} is not linear: "
                "it has class-specific variances or histograms, or uses estimate='predictive' for counts or real "
                "columns."
            )
        start, weight = score.start + model.log_prior, score.by_column(model.schema.names)
        if weight is None:
            return replace(score, start=start)
        levels = dict(score.features)
        return LinearScore(tuple((name, levels.get(name)) for name in model.schema.names), weight, start)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._sparse
        return tags

    def _rows(self, x: Any) -> Any:
        if "model_" not in vars(self):
            check_is_fitted(self)
        return check_prediction_rows(self, x, sparse=self._sparse, frames=self._frames)

    def _learn(self, x: Any, y: Any, classes: Any, sample_weight: Any, known: Model | None) -> Self:
        y = check_labels(y, x)
        weights = row_weights(sample_weight, x)
        expected = None if classes is None else column_or_1d(classes)
        labels = vars(self).get("classes_") if known else None, y, expected
        types = [array.dtype for array in labels if array is not None]
        batch = self._fit_batch(x, encode_labels(y, expected), weights, known)
        model = batch if known is None else _add_batch(known, batch)
        if not model.core.tally.weight.any():
            raise DataError("all sample weights are zero. Pass a positive sample_weight for at least one row.")
        class_labels, estimated = label_array(model.classes, *types), self._estimate(model)
        _ = estimated.core.log_prior  # raises here if the class prior does not match the classes
        self.model_, self.classes_ = estimated, class_labels
        return self

    def _prior_probabilities(self) -> FloatArray:
        known = self.model_.core
        return known.class_prior.probabilities(known.tally)


def _add_batch(known: Model, batch: Model) -> Model:
    # Parameters may have changed since the last batch, as long as they collect the same statistics.
    before, now = known.core, batch.core
    if before.schema.plan() != now.schema.plan():
        raise MergeError(
            "partial_fit cannot continue with parameters that need other statistics than before.\n"
            f"before: {before.schema!r}\nnow:    {now.schema!r}\nCall fit, or restore the parameters."
        )
    schema = replace(now.schema, integers=now.schema.integers & before.schema.integers)
    aligned = replace(before, schema=schema, reading=now.reading, class_prior=now.class_prior)
    return replace(known, core=aligned) + batch


# scikit-learn uses numpy.isclose for the sum, so thirds with five digits are accepted.
_TOLERANCE = 1e-5


def read_class_prior(name: str, given: Any, classes: Sequence[object], otherwise: str = "empirical") -> Any:
    """Return the class prior of the parameter with this name, or `otherwise` if it is None.

    Parameters
    ----------
    given : None, array-like with one probability per class in sorted order, or {class: probability}
    """
    if given is None:
        return otherwise
    if isinstance(given, Mapping):
        return given  # pyright: ignore[reportUnknownVariableType]
    try:
        values: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values >= 0)).all():
        raise ParameterError(f"{name} must have one probability ≥ 0 for each class: got {given!r}.")
    if len(values) != len(classes):
        raise ParameterError(
            f"{name} must have one probability for each of the {len(classes)} classes: got {len(values)}. "
            f"The classes are {list(classes)[:12]!r}."
        )
    total = float(values.sum())
    if abs(total - 1) > _TOLERANCE:
        raise ParameterError(f"{name} must sum to 1: got a sum of {total!r}. Divide it by its sum.")
    return values / total


_LEAST_ALPHA = 1e-10


class LikelihoodClassifier(Classifier):
    """A classifier with the same likelihood for all columns."""

    @abstractmethod
    def _likelihood(self) -> Likelihood:
        """Return the likelihood for the parameters of the estimator, or raise ParameterError."""

    def _fit_batch(self, x: Any, target: Target, weights: Any, _known: Model | None, /) -> Model:
        rows, columns = training_table(self, x), self._likelihood()
        return fit(rows, target, columns=columns, estimate="mle", weights=weights, calibrate=False)


class GaussianClassifier(LikelihoodClassifier):
    """A classifier over Gaussian columns, with maximum-likelihood parameters and `priors` for the classes."""

    priors: Any

    def _estimate(self, model: Model) -> Model:
        return model.with_options(estimate="mle", class_prior=read_class_prior("priors", self.priors, model.classes))


class CountingClassifier(LikelihoodClassifier):
    """A classifier over counts with pseudo-counts (the smoothed estimate)."""

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    @abstractmethod
    def feature_log_prob_(self) -> Any:
        """Estimated log probabilities."""

    @property
    def class_log_prior_(self) -> FloatArray:
        """Log prior probability of each class, shape (classes,); −inf for a class without rows."""
        return self.model_.core.log_prior

    def _estimate(self, model: Model) -> Model:
        otherwise = "empirical" if _flag("fit_prior", self.fit_prior) else "uniform"
        prior = read_class_prior("class_prior", self.class_prior, model.classes, otherwise)
        return model.with_options(estimate="smoothed", class_prior=prior, alpha=self._pseudo_counts())

    def _pseudo_counts(self) -> npt.NDArray[Any]:
        given = self.alpha
        try:
            alpha: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.full((), np.nan)
        if not (np.isfinite(alpha) & (alpha >= 0)).all() or isinstance(given, (bool, str)):
            raise ParameterError(f"alpha must be a number ≥ 0, or one for each column: got {given!r}.")
        if _flag("force_alpha", self.force_alpha) or not (alpha < _LEAST_ALPHA).any():
            return alpha
        notify(
            SufficeWarning,
            f"alpha is below {_LEAST_ALPHA} and was raised to it. Use force_alpha=True to keep a smaller alpha.",
        )
        return np.maximum(alpha, _LEAST_ALPHA)


def _flag(name: str, given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False: got {given!r}.")
    return bool(given)  # pyright: ignore[reportUnknownArgumentType]
