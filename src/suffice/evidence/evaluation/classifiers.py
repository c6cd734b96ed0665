"""Other classifiers on the held-out rows of an evaluation: any classifier of scikit-learn, with the same metrics.

A classifier is fitted on the training rows of each fold and scores the others. Rows are encoded for it inside the fold:

    numbers       (x − mean)/sd of the training rows; missing cells become 0, unless the classifier supports NaN
    categories    one column of 0 and 1 for each category and for missing
    text          tf-idf of words; the 1,000 most frequent words if the classifier does not support sparse matrices

For a numeric matrix only the first rule applies, for a sparse matrix none. A Pipeline receives the original rows: an
array, a list of texts or a data frame. The baseline "majority class" predicts the class frequencies of the test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import ParameterError
from suffice.evidence.evaluation.evaluation import EvaluationOptions, LabelledRows
from suffice.evidence.evaluation.held_out import HeldOutPosterior, Predictions, ratios
from suffice.evidence.evaluation.metrics import NAMES, Metrics
from suffice.models import Schema
from suffice.records import make_frame
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.labels import label_text

__all__ = [
    "CLASSIFIERS",
    "MAJORITY",
    "ClassifierMeasured",
    "FoldSplit",
    "NamedClassifier",
    "TrainingRows",
    "classifiers_of",
    "measure_classifiers",
]

MAJORITY = "majority class"
CLASSIFIERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "logistic-regression": ("linear_model", "LogisticRegression", {"max_iter": 1000}),
    "gradient-boosting": ("ensemble", "HistGradientBoostingClassifier", {"random_state": 0}),
    "random-forest": ("ensemble", "RandomForestClassifier", {"random_state": 0}),
    "decision-tree": ("tree", "DecisionTreeClassifier", {"random_state": 0}),
    "nearest-neighbors": ("neighbors", "KNeighborsClassifier", {}),
}
_MOST_DENSE_WORDS = 1000


class ClassifierMeasured(NamedTuple):
    """Metrics of one classifier on the held-out rows; None if a metric is undefined for these rows."""

    name: str
    accuracy: float | None
    balanced_accuracy: float | None
    log_loss: float | None
    brier: float | None
    expected_calibration_error: float | None
    roc_auc: float | None
    average_precision: float | None
    minimum_detection_cost: float | None
    actual_detection_cost: float | None

    @classmethod
    def of(cls, name: str, values: dict[str, float]) -> ClassifierMeasured:
        """Return the record of metrics by name; NaN means undefined."""
        known = {each: value for each, value in values.items() if value == value}
        return cls(name, *(known.get(each) for each in NAMES))


class NamedClassifier(NamedTuple):
    """A classifier and its display name."""

    name: str
    estimator: Any


class FoldSplit(NamedTuple):
    """The training rows of a classifier, and the test rows that it then scores."""

    train: IntArray
    score: IntArray
    places: IntArray


def classifiers_of(given: Any) -> list[NamedClassifier]:
    """Return the classifiers of compare=: scikit-learn classifiers, or names of CLASSIFIERS, one or several."""
    if given is None:
        return []
    several: Iterable[Any] = cast("Any", given) if isinstance(given, (list, tuple)) else [given]
    found: list[NamedClassifier] = []
    for each in several:
        name, estimator = (each, _by_name(each)) if isinstance(each, str) else (_name(each), each)
        if not callable(getattr(estimator, "fit", None)) or not hasattr(estimator, "predict_proba"):
            raise ParameterError(
                "compare must contain scikit-learn classifiers with predict_proba",
                parameter="compare",
                got=each,
                advice=f"Or give names: {', '.join(CLASSIFIERS)}.",
            )
        taken = {other.name for other in found}
        number = next(k for k in range(1, len(found) + 2) if (name if k == 1 else f"{name} {k}") not in taken)
        found.append(NamedClassifier(name if number == 1 else f"{name} {number}", estimator))
    return found


def _by_name(name: str) -> Any:
    if name not in CLASSIFIERS:
        problem = f"compare must be scikit-learn classifiers, or names: {', '.join(CLASSIFIERS)}"
        raise ParameterError(problem, kind="not_an_option", parameter="compare", got=name)
    module, kind, settings = CLASSIFIERS[name]
    return getattr(_sklearn(module), kind)(**settings)


def _sklearn(module: str) -> Any:
    return import_module(f"sklearn.{module}")  # imported here, because few calls need it


def _name(estimator: Any) -> str:
    if _is_pipeline(estimator) and hasattr(estimator, "steps"):
        return f"Pipeline({type(estimator.steps[-1][1]).__name__})"
    return type(estimator).__name__


def _is_pipeline(estimator: Any) -> bool:
    inner = getattr(estimator, "estimator", estimator)  # the estimator of a search over parameters
    return hasattr(inner, "steps")


@final
@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Rows in the form of classifiers: numbers (n, d) or a sparse matrix, categories and texts (n) by column.

    `codes` are positions in `classes`, −1 for any other class.
    """

    numbers: Any
    categories: tuple[npt.NDArray[Any], ...]
    texts: tuple[npt.NDArray[Any], ...]
    native: Callable[[IntArray], Any]
    codes: IntArray
    weights: FloatArray | None

    @classmethod
    def of(
        cls, tables: Sequence[Table], schema: Schema, codes: IntArray, weights: FloatArray | None, library: str | None
    ) -> TrainingRows:
        """Return the rows of tables with the columns of the schema, concatenated."""
        first = tables[0]
        used = [(block, block.likelihood.collect(block.columns).what) for block in schema.blocks]
        whole = first.joined(tables[1:]) if len({str(table.storage) for table in tables}) == 1 else None
        if isinstance(whole, Matrix):
            x = whole.x
            return cls(x, (), (), lambda at: x[at], codes, weights)
        numbers: list[FloatArray] = []
        categories: dict[str | int, npt.NDArray[Any]] = {}
        texts: dict[str | int, npt.NDArray[Any]] = {}
        columns: dict[str, npt.NDArray[Any]] = {}
        for block, what in used:
            for name in block.columns:
                if what in ("levels", "joint", "tokens"):
                    cells = np.concatenate([_label_column(table, name) for table in tables])
                    (texts if what == "tokens" else categories)[name] = cells
                    columns[str(name)] = cells
                else:
                    values = np.concatenate([_float_column(table, name) for table in tables])
                    numbers.append(values)
                    columns[str(name)] = values

        def native(at: IntArray) -> Any:
            if len(columns) == len(texts) == 1:
                (only,) = texts.values()
                return ["" if text is None else text for text in only[at].tolist()]
            some = {name: cells[at] for name, cells in columns.items()}
            return make_frame(some, library)

        rows = sum(table.rows for table in tables)
        x = np.stack(numbers, axis=1) if numbers else np.zeros((rows, 0))
        return cls(x, tuple(categories.values()), tuple(texts.values()), native, codes, weights)

    def encode(self, estimator: Any, split: FoldSplit) -> tuple[Any, Any]:
        """Return the training rows and the rows to score in the form that the estimator accepts."""
        if _is_pipeline(estimator):
            return self.native(split.train), self.native(split.score)
        tags = _tags(estimator)
        x, sparse = self.numbers, hasattr(self.numbers, "tocsr")
        if sparse:
            return x[split.train], x[split.score]
        # Forests support NaN in dense matrices only.
        nan = tags.allow_nan and not (tags.sparse and (self.categories or self.texts))
        blocks = [_scale_numbers(x, split, nan=nan)] if x.shape[1] else []
        blocks += [_one_hot(cells, split) for cells in self.categories]
        most = None if tags.sparse else _MOST_DENSE_WORDS
        blocks += [_tf_idf(cells, split, most) for cells in self.texts]
        if not blocks:
            return np.zeros((len(split.train), 1)), np.zeros((len(split.score), 1))
        train, score = ([block[k] for block in blocks] for k in (0, 1))
        return _side_by_side(train, sparse=tags.sparse), _side_by_side(score, sparse=tags.sparse)


def _label_column(table: Table, name: str | int) -> npt.NDArray[Any]:
    codes, labels = table.column(name).coded()
    texts = np.array([*(None if label is None else label_text(label) for label in labels), None], dtype=object)
    return texts[codes]


def _float_column(table: Table, name: str | int) -> FloatArray:
    rows = table.numbers((name,))
    (column,), valid = rows.columns(), rows.valid
    values = np.array(column, dtype=np.float64)
    if valid is not None and valid[0] is not None:
        values[~np.unpackbits(valid[0], count=len(values), bitorder="little").view(np.bool_)] = np.nan
    return values


def _scale_numbers(x: Any, split: FoldSplit, *, nan: bool) -> tuple[FloatArray, FloatArray]:
    train, score = (np.asarray(x[at], dtype=np.float64) for at in (split.train, split.score))
    known = ~np.isnan(train)
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, train, 0.0).sum(axis=0) / number
    sd = np.sqrt((np.where(known, train - mean, 0.0) ** 2).sum(axis=0) / number)
    scaled = [(each - mean) / np.where(sd > 0, sd, 1.0) for each in (train, score)]
    return tuple(each if nan else np.nan_to_num(each, nan=0.0) for each in scaled)  # pyright: ignore[reportReturnType]


def _one_hot(cells: npt.NDArray[Any], split: FoldSplit) -> tuple[Any, Any]:
    from scipy import sparse

    place = {label: at for at, label in enumerate(dict.fromkeys(cells[split.train].tolist()))}

    def encoded(at: IntArray) -> Any:
        places = np.array([place.get(label, -1) for label in cells[at].tolist()], dtype=np.int64)
        rows = np.flatnonzero(places >= 0)
        ones = np.ones(len(rows))
        return cast("Any", sparse).csr_matrix((ones, (rows, places[rows])), shape=(len(at), len(place)))

    return encoded(split.train), encoded(split.score)


def _tf_idf(cells: npt.NDArray[Any], split: FoldSplit, most: int | None) -> tuple[Any, Any]:
    vectorizer = _sklearn("feature_extraction.text").TfidfVectorizer(max_features=most)
    train, score = (["" if text is None else text for text in cells[at].tolist()] for at in (split.train, split.score))
    return vectorizer.fit_transform(train), vectorizer.transform(score)


def _side_by_side(blocks: Sequence[Any], *, sparse: bool) -> Any:
    from scipy import sparse as matrices

    if not any(hasattr(block, "tocsr") for block in blocks):
        return np.concatenate(blocks, axis=1)
    whole: Any = cast("Any", matrices).hstack(list(blocks), format="csr")
    return whole if sparse else whole.toarray()


def _tags(estimator: Any) -> Any:
    return _sklearn("utils").get_tags(estimator).input_tags


def measure_classifiers(
    classifiers: Sequence[NamedClassifier],
    rows: TrainingRows,
    splits: Sequence[FoldSplit],
    held: LabelledRows,
    known: Axis,
    asked: EvaluationOptions,
    class_weight: FloatArray | None = None,
) -> Iterator[ClassifierMeasured]:
    """Yield each classifier on the rows of `held`, and the majority-class baseline last.

    Parameters
    ----------
    rows : TrainingRows
        All rows, with codes on the axis `known`.
    splits : sequence of FoldSplit
        Together they score every row of `held` once.
    """
    log_prior = np.full((len(held.codes), len(known)), -np.inf)
    for split in splits:
        log_prior[split.places] = _log_frequencies(rows, split, len(known))
    for name, estimator in classifiers:
        values = np.full((len(held.codes), len(known)), -np.inf)
        for split in splits:
            values[split.places] = _score(name, estimator, rows, split, len(known))
        yield _measure(name, values, log_prior, held, known, asked, class_weight)
    total = np.bincount(held.codes, held.weights, len(known))
    with np.errstate(divide="ignore"):
        log_prior = np.tile(np.log(total / total.sum()), (len(held.codes), 1))
    yield _measure(MAJORITY, log_prior.copy(), log_prior, held, known, asked, class_weight)


def _log_frequencies(rows: TrainingRows, split: FoldSplit, classes: int) -> FloatArray:
    weights = None if rows.weights is None else rows.weights[split.train]
    total = np.bincount(rows.codes[split.train], weights, classes)
    with np.errstate(divide="ignore"):
        return np.log(total / total.sum())


def _score(name: str, estimator: Any, rows: TrainingRows, split: FoldSplit, classes: int) -> FloatArray:
    copy = _sklearn("base").clone(estimator)
    train, score = rows.encode(copy, split)
    codes = rows.codes[split.train]
    values = np.full((len(split.score), classes), -np.inf)
    seen: IntArray = np.unique(codes)
    if len(seen) == 1:  # many classifiers reject a single class
        values[:, seen] = 0.0
        return values
    try:
        copy.fit(train, codes, **_weights_of(copy, rows, split))
        probabilities: FloatArray = np.asarray(copy.predict_proba(score), dtype=np.float64)
    except (ValueError, TypeError, AttributeError) as reason:
        raise ParameterError(f"{name} in compare failed: {reason}", parameter="compare") from reason
    with np.errstate(divide="ignore"):
        values[:, np.asarray(copy.classes_, dtype=np.int64)] = np.log(probabilities)
    return values


def _weights_of(estimator: Any, rows: TrainingRows, split: FoldSplit) -> dict[str, Any]:
    if rows.weights is None:
        return {}
    last, prefix = (
        (estimator.steps[-1][1], f"{estimator.steps[-1][0]}__") if hasattr(estimator, "steps") else (estimator, "")
    )
    if not _sklearn("utils.validation").has_fit_parameter(last, "sample_weight"):
        raise ParameterError(
            f"{type(last).__name__} does not support sample weights. Remove it from compare, or evaluate "
            "without weights.",
            parameter="compare",
        )
    return {f"{prefix}sample_weight": rows.weights[split.train]}


def _measure(
    name: str,
    values: FloatArray,
    log_prior: FloatArray,
    held: LabelledRows,
    known: Axis,
    asked: EvaluationOptions,
    class_weight: FloatArray | None,
) -> ClassifierMeasured:
    nothing: Any = np.isneginf(values).all(axis=1)
    values[nothing] = log_prior[nothing]
    posterior = HeldOutPosterior(values, ratios(values, log_prior), int(nothing.sum()))
    rows = held.classes, held.codes, held.weights, asked.positive, held.units, class_weight
    predictions = Predictions.of(known, posterior, *rows)
    measured = Metrics(predictions, asked.costs, asked.bins)(predictions.weights)
    return ClassifierMeasured.of(name, dict(zip(NAMES, measured.values.tolist(), strict=True)))
