"""Fuzz sparse matrices: `python -m tests.attacks.fuzz_sparse --seconds 600`, from the root.

Sound and damaged matrices of every format of SciPy, with index arrays and values of every dtype, go to every likelihood
through `fit`, the methods of a model, the functions that hold rows out, and the scikit-learn estimators. A sound matrix
must give the answers of the same numbers in a dense array, or be refused. A damaged one (an index outside the
shape, row pointers that fall, arrays of unequal length) must be refused by every call, with a SufficeError.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import suffice as sf
from tests.attacks.fuzzing import FoundError, Trial, main

WIDTH = 4
FORMATS = ["csr", "csr", "csr", "csc", "csc", "coo", "coo", "bsr", "dia", "lil", "dok"]
DTYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "f", "d", "d", "d"]
ODD_DTYPES = ["e", "g", "F", "D", ">f8", ">i4", "O", "U3", "M8[s]", "S2", "V4"]
ODD_VALUES = [np.nan, np.inf, -np.inf, -1.0, 0.5, 1e300, 1.7e308, 5e-324, 2.0**53, -0.0, 0.0, 7.0, 1e15]
ESTIMATES = ["predictive", "predictive", "mean", "map", "smoothed", "mle"]
COUNTS, BITS, REALS = "counts", "bits", "reals"

LIKELIHOODS: dict[str, tuple[str, Callable[[], Any]]] = {
    "Bernoulli": (BITS, sf.Bernoulli),
    "Bernoulli, threshold": (REALS, lambda: sf.Bernoulli(threshold=0.25)),
    "Categorical": (COUNTS, sf.Categorical),
    "Categorical, levels": (COUNTS, lambda: sf.Categorical(levels=6, unseen="mass", missing="level")),
    "Multinomial": (COUNTS, sf.Multinomial),
    "Multinomial, draws": (COUNTS, lambda: sf.Multinomial(coefficients=False)),
    "Gaussian": (REALS, sf.Gaussian),
    "Gaussian, missing": (REALS, lambda: sf.Gaussian(missing="level")),
    "Gaussian, shared variance": (REALS, lambda: sf.Gaussian(variance="shared")),
    "Gaussian, full": (REALS, lambda: sf.MultivariateGaussian(covariance="full")),
    "Gaussian, shared": (REALS, lambda: sf.MultivariateGaussian(covariance="shared", shrinkage=0.25)),
    "Gaussian, diagonal": (REALS, lambda: sf.MultivariateGaussian(covariance="diagonal")),
    "Histogram": (REALS, lambda: sf.Histogram(4)),
    "Numeric": (REALS, sf.Numeric),
    "Poisson": (COUNTS, sf.Poisson),
    "Joint": (COUNTS, sf.Joint),
    "inferred": (COUNTS, lambda: None),
    "inferred reals": (REALS, lambda: None),
    "some columns": (COUNTS, lambda: {(0, 1): sf.Multinomial(), 2: sf.Categorical(), 3: None}),
    "each by itself": (
        COUNTS,
        lambda: {0: sf.Poisson(), 1: sf.Gaussian(), 2: sf.Bernoulli(), 3: sf.Histogram()},
    ),
}

ESTIMATORS: dict[str, tuple[str, Callable[[], Any]]] = {
    "NaiveBayes": (COUNTS, sf.NaiveBayes),
    "NaiveBayes, Gaussian": (REALS, lambda: sf.NaiveBayes(sf.Gaussian())),
    "GaussianNB": (REALS, sf.GaussianNB),
    "BernoulliNB": (BITS, sf.BernoulliNB),
    "CategoricalNB": (COUNTS, sf.CategoricalNB),
    "MultinomialNB": (COUNTS, sf.MultinomialNB),
    "ComplementNB": (COUNTS, sf.ComplementNB),
    "LinearDiscriminant": (REALS, sf.LinearDiscriminant),
    "QuadraticDiscriminant": (REALS, sf.QuadraticDiscriminant),
}

# What may be done with rows by a model, and with rows and their classes by it.
ROWS: dict[str, Callable[[sf.Model, Any], Any]] = {
    "predict": lambda model, x: model.predict(x),
    "predict_proba": lambda model, x: model.predict_proba(x),
    "predict_log_proba": lambda model, x: model.predict_log_proba(x),
    "log_joint": lambda model, x: model.log_joint(x),
    "log_density": lambda model, x: model.log_density(x),
    "explain": lambda model, x: model.explain(x),
    "decide": lambda model, x: model.decide(x),
    "interval": lambda model, x: model.interval(x, credible=0.5, draws=20, seed=0).lower,
    "prior_shift": lambda model, x: model.prior_shift(x).after,
    "novelty_reference": sf.novelty_reference,
}
LABELLED: dict[str, Callable[[sf.Model, Any, Any], Any]] = {
    "update": lambda model, x, y: model.update(x, y),
    "forget": lambda model, x, y: model.forget(x, y),
    "evaluate": lambda model, x, y: measures(model.evaluate(x, y, bootstrap=0)),
    "threshold": lambda model, x, y: model.threshold(x, y, recall=0.5),
    "calibrate": sf.Model.calibrate,
    "calibrate in folds": lambda model, x, y: model.calibrate(x, y, folds=3),
    "calibrate on new rows": lambda model, x, y: model.calibrate(x, y, new=True),
    "fit like": lambda model, x, y: sf.fit(x, y, like=model),
    "evaluate on a test": lambda model, x, y: measures(sf.evaluate(GOOD[COUNTS], y_of(30), test=(x, y), bootstrap=0)),
}
FITTED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "fit, calibrated": lambda x, y, how: sf.fit(x, y, columns=how, calibrate="auto"),
    "evaluate": lambda x, y, how: measures(sf.evaluate(x, y, columns=how, folds=3, bootstrap=0)),
    "evaluate, one out": lambda x, y, how: measures(sf.evaluate(x, y, columns=how, loo=True, bootstrap=0)),
    "screen": lambda x, y, how: sf.screen(x, y, columns=how, folds=2).kept,
    "concepts_from": lambda x, y, how: sf.concepts.concepts_from(x),
}


def measures(evaluation: sf.Evaluation) -> dict[str, float]:
    """Return the metrics without their intervals, which need a bootstrap."""
    return {metric.name: metric.value for metric in evaluation.metrics}


def y_of(rows: int) -> Any:
    return np.array(["a", "b", "b"])[np.arange(rows) % 3]


def cells(taste: str, rng: np.random.Generator, rows: int, width: int = WIDTH) -> Any:
    """Return an array with many zeros."""
    there = rng.random((rows, width)) < 0.5
    if taste == BITS:
        return there.astype(float)
    if taste == COUNTS:
        return there * rng.integers(1, 5, (rows, width)).astype(float)
    return there * rng.normal(size=(rows, width))


GOOD = {taste: cells(taste, np.random.default_rng(0), 30) for taste in (COUNTS, BITS, REALS)}


# Damage. Each function changes a matrix in place or returns another, and says whether the result is sound: True, False,
# or None where both an answer and a refusal are right.


def index_outside(x: Any, trial: Trial) -> Any:
    at, width = indices_of(x, trial)
    if not used(x):
        return x, True
    at[trial.chance.randrange(used(x))] = trial.chance.choice([width, width + 1, 10**6, 2**31 - 1, -1, -2, -(2**31)])
    return x, False


def pointer_changed(x: Any, trial: Trial) -> Any:
    chance, last = trial.chance, len(x.indptr) - 1
    if last < 2:
        return x, True
    k, end = chance.randrange(1, last), int(x.indptr[-1])
    x.indptr[k] = chance.choice([-1, -(2**31), end + 1, end + 10**6, 2**31 - 1, int(x.indptr[k + 1]) + 1])
    return x, False


def pointer_start(x: Any, trial: Trial) -> Any:
    x.indptr[0] = trial.chance.choice([1, -1, 5, 2**31 - 1, -(2**31)])
    return x, False


def pointer_end(x: Any, trial: Trial) -> Any:
    if len(x.indptr) < 2:
        return x, True
    end, before = int(x.indptr[-1]), int(x.indptr[-2])
    x.indptr[-1] = trial.chance.choice([end + 1, end + 10**6, 2**31 - 1, -1, before - 1])
    return x, False


def pointer_length(x: Any, trial: Trial) -> Any:
    last, length = x.indptr[-1], len(x.indptr)
    others = [x.indptr[:-1], x.indptr[:0], x.indptr[:1], np.append(x.indptr, last), np.append(x.indptr, 10**6)]
    x.indptr = trial.chance.choice(others).astype(x.indptr.dtype)
    return x, len(x.indptr) == length


def data_short(x: Any, trial: Trial) -> Any:
    if not used(x):
        return x, True
    x.data = x.data[: trial.chance.randrange(used(x))]
    return x, False


def indices_short(x: Any, trial: Trial) -> Any:
    if not used(x):
        return x, True
    short = trial.chance.randrange(used(x))
    if x.format == "coo":
        k = trial.chance.randrange(2)
        x.coords = tuple(part[:short] if j == k else part for j, part in enumerate(x.coords))
    else:
        x.indices = x.indices[:short]
    return x, False


def spare_room(x: Any, trial: Trial) -> Any:
    """Leave room behind the last cell; SciPy allows it if both arrays have it."""
    x.data = np.append(x.data, x.data[:1] if x.data.ndim == 1 else x.data[:0], axis=0)
    if trial.chance.random() < 0.5 and x.format != "coo":
        x.indices = np.append(x.indices, x.indices[:1]).astype(x.indices.dtype)
    return x, None


def unsorted(x: Any, trial: Trial) -> Any:
    if x.format == "coo":
        order = trial.rng.permutation(x.nnz)
        x.coords, x.data = tuple(part[order] for part in x.coords), x.data[order]
        return x, True
    for start, end in zip(x.indptr[:-1], x.indptr[1:], strict=True):
        order = start + trial.rng.permutation(end - start)
        x.indices[start:end], x.data[start:end] = x.indices[order], x.data[order]
    x.has_sorted_indices = False
    x.has_canonical_format = False
    return x, True


def duplicates(x: Any, trial: Trial) -> Any:
    if x.format == "coo":
        x.coords, x.data = (
            tuple(np.tile(part, 2) for part in x.coords),
            np.tile(x.data, (2,) + (1,) * (x.data.ndim - 1)),
        )
        x.has_canonical_format = False
    else:
        x.indptr, x.indices, x.data = x.indptr * 2, np.repeat(x.indices, 2), np.repeat(x.data, 2, axis=0)
        x.has_canonical_format = False
    return x, x.data.dtype.kind in "f" or None  # what two bools or two small integers add up to is SciPy's choice


def canonical_lie(x: Any, trial: Trial) -> Any:
    x, _ = duplicates(unsorted(x, trial)[0], trial)
    x.has_canonical_format = True
    if x.format != "coo":
        x.has_sorted_indices = True
    return x, None


def index_type(x: Any, trial: Trial) -> Any:
    kind = trial.chance.choice(["i1", "u1", "i2", "u2", "u4", "u8", "f4", "f8", "?", "O", "c16", ">i4", ">i8", "U4"])
    if x.format == "coo":
        k = trial.chance.randrange(2)
        x.coords = tuple(part.astype(kind) if j == k else part for j, part in enumerate(x.coords))
    elif trial.chance.random() < 0.5:
        x.indices = x.indices.astype(kind)
    else:
        x.indptr = x.indptr.astype(kind)
    return x, None


def index_layout(x: Any, trial: Trial) -> Any:
    if x.format == "coo":
        x.coords = tuple(laid_out(part, trial) for part in x.coords)
    else:
        name = trial.chance.choice(["indices", "indptr"])
        setattr(x, name, laid_out(getattr(x, name), trial))
    return x, None


def index_mixed(x: Any, trial: Trial) -> Any:
    if x.format == "coo":
        x.coords = (x.coords[0].astype(np.int32), x.coords[1].astype(np.int64))
    else:
        x.indices, x.indptr = (part.astype(trial.chance.choice([np.int32, np.int64])) for part in (x.indices, x.indptr))
    return x, True


def data_layout(x: Any, trial: Trial) -> Any:
    x.data = laid_out(x.data, trial)
    return x, None


def laid_out(array: Any, trial: Trial) -> Any:
    """Return another layout, kind or dimension of an array."""
    match trial.chance.randrange(8):
        case 0:
            return np.repeat(array, 2, axis=0)[::2]
        case 1:
            array = array.copy()
            array.setflags(write=False)
            return array
        case 2:
            return array[::-1].copy()[::-1]
        case 3:
            return array.reshape(-1, 1)
        case 4:
            return array.tolist()
        case 5:
            return None
        case 6:
            return np.ma.masked_array(array, mask=trial.rng.random(array.shape) < 0.2)
        case _:
            return array.reshape(-1)[0] if array.size else array


def shape_changed(x: Any, trial: Trial) -> Any:
    rows, width = x.shape
    shapes = [(rows, 2), (rows, 0), (rows + 3, width), (max(rows - 2, 0), width), (rows, width + 1), (2, 10**9)]
    shapes += [(-1, width), (rows, -1), (rows,), (rows, width, 2), (rows, 2**40), (2**40, width), ()]
    x._shape = trial.chance.choice(shapes)
    return x, None


def values_odd(x: Any, trial: Trial) -> Any:
    """Put a value that is missing, infinite, huge or negative somewhere: the dense array has it too."""
    if x.data.dtype.kind == "f" and used(x):
        with np.errstate(all="ignore"):
            x.data.reshape(-1)[trial.chance.randrange(used(x))] = trial.chance.choice(ODD_VALUES)
    return x, True


def dtype_odd(x: Any, trial: Trial) -> Any:
    try:
        with np.errstate(all="ignore"):
            x.data = x.data.astype(trial.chance.choice(ODD_DTYPES))
    except (TypeError, ValueError):
        return x, True
    return x, None if x.data.dtype.kind in "fiO" else False


def nothing(x: Any, trial: Trial) -> Any:
    return x, True


def attribute_gone(x: Any, trial: Trial) -> Any:
    name = trial.chance.choice(["data", "coords" if x.format == "coo" else "indices"])
    if trial.chance.random() < 0.5:
        delattr(x, name)
    else:
        setattr(x, name, None)
    return x, False


def list_rows(x: Any, trial: Trial) -> Any:
    """Damage a row of a LIL matrix: lists of columns and of values."""
    if not x.shape[0] or not x.shape[1]:
        return x, True
    row, chance = trial.chance.randrange(x.shape[0]), trial.chance
    match chance.randrange(7):
        case 0:
            x.rows[row] = [chance.choice([x.shape[1], -1, 2**31 - 1, 2**40, -(2**33)])]
            x.data[row] = [1.0]
            return x, False
        case 1:
            x.data[row] = [*x.data[row], 1.0]
            return x, False
        case 2:
            x.rows[row] = [*x.rows[row], 0]
            return x, False
        case 3:
            x.rows[row], x.data[row] = [0], ["text"]
            return x, None if x.dtype.kind == "b" else False
        case 4:
            x.rows[row], x.data[row] = [chance.choice([0.5, "a", None, [0]])], [1.0]
            return x, None
        case 5:
            x.rows[row] = chance.choice([None, 3, "ab"])
            return x, None
        case _:
            x.rows[row], x.data[row] = [1, 0, 1], [1.0, 2.0, 3.0]
            return x, None


def keys_odd(x: Any, trial: Trial) -> Any:
    """Damage the dictionary of a DOK matrix."""
    key = trial.chance.choice(
        [(0, x.shape[1]), (-1, 0), (2**31, 0), (x.shape[0], 0), (0, 2**40), (0,), 3, "ab", (0, 0.5)]
    )
    x._dict[key] = 1.0
    return x, False if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], int) else None


def diagonals_odd(x: Any, trial: Trial) -> Any:
    match trial.chance.randrange(4):
        case 0:
            x.offsets = x.offsets[:-1]
        case 1:
            x.data = x.data[:-1]
        case 2:
            x.offsets = np.append(x.offsets[:-1], trial.chance.choice([10**6, -(10**6), 2**31 - 1, -(2**31)])).astype(
                x.offsets.dtype
            )
        case _:
            x.data = x.data[:, : trial.chance.randrange(2)]
    return x, None


def block_shape(x: Any, trial: Trial) -> Any:
    x.data = x.data[:, :, :1] if trial.chance.random() < 0.5 else np.concatenate([x.data] * 2, axis=2)
    return x, None


def another_dimension(x: Any, trial: Trial) -> Any:
    dense = np.ones(3)
    match trial.chance.randrange(3):
        case 0:
            return sp.coo_array(dense), False
        case 1:
            return sp.csr_array(dense), False
        case _:
            return sp.coo_array(np.ones((2, 3, 4))), False


SOUND = [nothing, nothing, nothing, values_odd, values_odd, dtype_odd, another_dimension]
LISTS = [unsorted, duplicates, canonical_lie, index_outside, data_short, indices_short, spare_room]
LISTS += [index_type, index_layout, index_mixed, data_layout, shape_changed, attribute_gone]
POINTERS = [pointer_changed, pointer_changed, pointer_start, pointer_end, pointer_length]
DAMAGES: dict[str, list[Callable[[Any, Trial], Any]]] = {
    "csr": [*SOUND, *LISTS, *POINTERS],
    "csc": [*SOUND, *LISTS, *POINTERS],
    "bsr": [*SOUND, *LISTS, *POINTERS, block_shape],
    "coo": [*SOUND, *LISTS],
    "dia": [*SOUND, diagonals_odd, diagonals_odd, shape_changed],
    "lil": [nothing, list_rows, list_rows, shape_changed],
    "dok": [nothing, keys_odd, keys_odd, shape_changed],
}


def used(x: Any) -> int:
    """Return the number of cells (blocks of BSR) in use."""
    return len(x.data)


def indices_of(x: Any, trial: Trial) -> tuple[Any, int]:
    if x.format == "coo":
        k = trial.chance.randrange(2)
        x.coords = tuple(np.array(part) for part in x.coords)
        return x.coords[k], x.shape[k]
    width = x.shape[0] if x.format == "csc" else x.shape[1]
    return x.indices, width // (x.blocksize[1] if x.format == "bsr" else 1)


def matrix(trial: Trial, taste: str) -> tuple[Any, bool | None, Any, str]:
    """Return a matrix, whether it is sound, the dense array if that can be compared, and what was done to it."""
    chance = trial.chance
    rows = chance.choice([0, 1, 2, 9, 12, 30])
    dense = cells(taste, trial.rng, rows, chance.choice([WIDTH, WIDTH, WIDTH, WIDTH, WIDTH, 0, 3]))
    dtype = chance.choice(DTYPES)
    form = chance.choice(FORMATS)
    with np.errstate(all="ignore"):
        dense = dense.astype(dtype)
    x = getattr(sp, f"{form}_{chance.choice(['matrix', 'array'])}")(dense)
    if form in ("csr", "csc", "bsr", "coo") and chance.random() < 0.3:  # SciPy takes 32 bits where they suffice
        if form == "coo":
            x.coords = tuple(part.astype(np.int64) for part in x.coords)
        else:
            x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    damage = chance.choice(DAMAGES[form])
    x, sound = damage(x, trial)
    expected = None
    if sound:
        expected = np.asarray(x.toarray())
    about = f"{type(x).__name__} of {dtype!r}, shape {rows, dense.shape[1]}, {damage.__name__}"
    return x, sound, expected, about


def by_sklearn(problem: BaseException) -> bool:
    """Say whether scikit-learn refused it in its own words, as its contract has it."""
    frames = traceback.extract_tb(problem.__traceback__)
    return isinstance(problem, (ValueError, TypeError)) and "/sklearn/" in frames[-1].filename


class Sparse:
    """The models that the cases use."""

    def __init__(self, _: Path) -> None:
        self.models: dict[str, sf.Model] = {}
        for name, (taste, how) in LIKELIHOODS.items():
            for estimate in dict.fromkeys(ESTIMATES):
                model = sf.fit(GOOD[taste], y_of(30), columns=how(), estimate=estimate)
                self.models[f"{name}, {estimate}"] = model
        self.estimators = {name: make().fit(GOOD[taste], y_of(30)) for name, (taste, make) in ESTIMATORS.items()}

    def __call__(self, trial: Trial) -> None:
        way = trial.chance.choice([self.fit, self.rows, self.rows, self.labelled, self.functions, self.estimator])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
            way(trial)

    def fit(self, trial: Trial) -> None:
        name = trial.chance.choice(list(LIKELIHOODS))
        taste, how = LIKELIHOODS[name]
        estimate, likelihood = trial.chance.choice(ESTIMATES), how()
        x, sound, dense, about = matrix(trial, taste)
        trial.describe("fit", likelihood=name, estimate=estimate, x=about)

        def answers(rows: Any) -> Any:
            model = sf.fit(rows, y_of(n_rows(rows)), columns=likelihood, estimate=estimate)
            return model.log_joint(np.zeros((2, rows.shape[1])))

        # Inference knows whether a matrix is sparse.
        self.compare(trial, "fit", answers, x, sound, None if likelihood is None else dense)

    def rows(self, trial: Trial) -> None:
        name, estimate = trial.chance.choice(list(LIKELIHOODS)), trial.chance.choice(ESTIMATES)
        method = trial.chance.choice(list(ROWS))
        x, sound, dense, about = matrix(trial, LIKELIHOODS[name][0])
        trial.describe(method, likelihood=name, estimate=estimate, x=about)
        model = self.models[f"{name}, {estimate}"]
        self.compare(trial, method, lambda rows: ROWS[method](model, rows), x, sound, dense)

    def labelled(self, trial: Trial) -> None:
        name, estimate = trial.chance.choice(list(LIKELIHOODS)), trial.chance.choice(ESTIMATES)
        method = trial.chance.choice(list(LABELLED))
        x, sound, dense, about = matrix(trial, LIKELIHOODS[name][0])
        trial.describe(f"model, {method}", likelihood=name, estimate=estimate, x=about)
        model = self.models[f"{name}, {estimate}"]
        self.compare(trial, method, lambda rows: LABELLED[method](model, rows, y_of(n_rows(rows))), x, sound, dense)

    def functions(self, trial: Trial) -> None:
        name = trial.chance.choice(list(LIKELIHOODS))
        taste, how = LIKELIHOODS[name]
        function, likelihood = trial.chance.choice(list(FITTED)), how()
        x, sound, dense, about = matrix(trial, taste)
        trial.describe(function, likelihood=name, x=about)
        self.compare(
            trial, function, lambda rows: FITTED[function](rows, y_of(n_rows(rows)), likelihood), x, sound, dense
        )

    def estimator(self, trial: Trial) -> None:
        name = trial.chance.choice(list(ESTIMATORS))
        taste, make = ESTIMATORS[name]
        x, sound, _, about = matrix(trial, taste)
        method = trial.chance.choice(["fit", "predict_proba", "predict", "partial_fit"])
        trial.describe(f"estimators, {method}", estimator=name, x=about)

        def answer(rows: Any) -> Any:
            if method == "fit":
                return make().fit(rows, y_of(n_rows(rows))).predict_proba(GOOD[taste][:2, : rows.shape[1]])
            if method == "partial_fit":
                made = make()
                if not hasattr(made, "partial_fit"):
                    return None
                return made.partial_fit(rows, y_of(n_rows(rows)), classes=["a", "b"]).predict_proba(GOOD[taste][:2])
            return getattr(self.estimators[name], method)(rows)

        # Dense and sparse differ by contract: half of the estimators take no sparse matrix.
        self.compare(trial, method, answer, x, sound, None, refuses=by_sklearn)

    @staticmethod
    def compare(
        trial: Trial, what: str, answer: Callable[[Any], Any], x: Any, sound: bool | None, dense: Any, **options: Any
    ) -> None:
        if sound is False:
            trial.must_refuse(what, lambda: answer(x), **options)
            return
        refused = trial.refused
        got = trial.ask(what, lambda: answer(x), **options)
        if dense is None:
            return
        if trial.refused > refused:  # levels and bins need a dense array
            return
        expected = trial.ask(f"{what} of the dense array", lambda: answer(dense))
        if trial.refused > refused:
            raise FoundError(f"{what}: only the dense array is refused")
        if isinstance(got, np.ndarray):
            trial.same(what, got, expected)


def n_rows(x: Any) -> int:
    shape = x.shape
    return shape[0] if isinstance(shape, tuple) and shape and isinstance(shape[0], int) and 0 <= shape[0] < 100 else 12


if __name__ == "__main__":
    main(Sparse, __doc__)
