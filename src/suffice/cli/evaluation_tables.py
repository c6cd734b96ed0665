"""An evaluation and a screening as tables, and as records for --json."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from suffice.cli.terminal import (
    Bar,
    Cell,
    Strip,
    Styled,
    counted,
    cut_rows,
    heading,
    label_text,
    number,
    percent,
    print_table,
    say,
    shade,
    shorten_names,
)

if TYPE_CHECKING:
    from suffice.api import Screening
    from suffice.cli.progress import Reporter
    from suffice.evidence.evaluation import Evaluation, Metric

__all__ = ["evaluation_record", "print_evaluation", "print_screening", "screening_record"]

_MOST_CLASSES = 12
_MOST_READINGS = 20
_MOST_COLUMNS = 20
_METRICS = {  # displayed names that differ from the field
    "log_loss": "log loss (nats)",
    "brier": "Brier score",
    "expected_calibration_error": "calibration error",
    "roc_auc": "ROC AUC",
}
_OF_POSITIVE = ("average_precision", "minimum_detection_cost", "actual_detection_cost")
_MOST_CONFUSIONS = 10


def evaluation_record(found: Evaluation) -> dict[str, Any]:
    """Return the evaluation for --json: everything but the rows themselves."""
    return {
        "how": found.how,
        "rows": len(found.codes),
        "weight": float(found.weights.sum()),
        "confidence": found.confidence,
        "positive": found.positive,
        "impossible_rows": found.impossible,
        "metrics": found.records(),
        "baseline": found.baseline,
        "classes": [
            {"label": each.label, "support": each.support, "predicted": each.predicted} for each in found.by_class
        ],
        "confusion": found.confusion.tolist(),
        "reliability": [each._asdict() for each in found.reliability],
        "criteria": None if found.criteria is None else found.criteria._asdict(),
        "compared": [each._asdict() for each in found.compared],
        "readings": [each._asdict() for each in found.readings],
        "left_out": [{"name": name, "reason": reason} for name, reason in found.left_out],
    }


def print_evaluation(found: Evaluation, report: Reporter) -> None:
    """Print the metrics, the classes, the confusion matrix and the reliability table."""
    say(f"{counted(len(found.codes), 'row')}, {found.how}")
    if found.impossible:
        are = "is" if found.impossible == 1 else "are"
        say(f"{counted(found.impossible, 'row')} {are} impossible under every class and got the class prior")
    _print_metrics(found)
    _print_compared(found)
    _print_left_out(found)
    _print_classes(found)
    _print_confusion(found)
    _print_reliability(found)
    _print_readings(found)
    say()
    if report.skipped:
        say(f"{counted(report.skipped, 'bad line')} skipped")
    say(f"{counted(len(found.codes), 'row')} in {report.seconds:.2f} s")


def _print_metrics(found: Evaluation) -> None:
    baseline = found.baseline
    rows: list[list[Cell]] = []
    for each in found.metrics:
        name = _METRICS.get(each.name, each.name.replace("_", " "))
        beside = f"{baseline[each.name]:.4f}" if each.name in baseline else ""
        better = "higher" if each.higher_is_better else "lower"
        rows.append([name, Styled(f"{each.value:.4f}", "bold"), _interval(each), beside, better])
    heading("metrics")
    interval = f"{100 * found.confidence:g} % interval" if any(map(_interval, found.metrics)) else ""
    print_table(rows, ("metric", "value", interval, "baseline", "better"), right=(1, 3))
    if baseline:
        support = max(found.by_class, key=lambda each: each.support)
        say(
            "  baseline: predicts the class frequencies for every row, and therefore always the class "
            f"{label_text(support.label)!r}"
        )
    if any(each.name in _OF_POSITIVE for each in found.metrics) and found.positive is not None:
        say(f"  average precision and detection costs: {label_text(found.positive)!r} is the positive class")
        say("  detection cost: normalised cost of misses and false alarms (prior 0.5, both cost 1) at the best")
        say("  threshold (minimum) and at the threshold that the prior and the costs imply (actual)")


def _print_compared(found: Evaluation) -> None:
    if found.criteria is not None:
        k, log_likelihood, aic, bic = found.criteria
        heading("maximum likelihood fit to all rows")
        say(f"  {counted(k, 'parameter')}, log-likelihood {log_likelihood:.6g}, AIC {aic:.6g}, BIC {bic:.6g}")
    if not found.compared:
        return
    names = ("log_loss", "accuracy", "roc_auc", "average_precision", "expected_calibration_error")
    rows: list[list[Cell]] = []
    for each in found.compared:
        values = (getattr(each, name) for name in names)
        cells = ("" if value is None else f"{value:.4f}" for value in values)
        rows.append([Styled(each.name, "bold") if each.name == "suffice" else each.name, *cells])
    heading("classifiers on the same rows, sorted by log loss")
    titles = ("classifier", "log loss", "accuracy", "ROC AUC", "avg. precision", "calib. error")
    print_table(rows, titles, right=(1, 2, 3, 4, 5))


def _print_left_out(found: Evaluation) -> None:
    if found.left_out:
        heading("columns left out")
        rows: list[list[Cell]] = [[str(name), reason] for name, reason in found.left_out]
        print_table(cut_rows(rows, _MOST_CLASSES, "columns; --json has all of them"), ("column", "reason"), wrap=1)


def _print_classes(found: Evaluation) -> None:
    rows: list[list[Cell]] = []
    for each in found.by_class:
        values = (each.precision.value, each.recall.value, each.f1.value)
        cells = (f"{value:.3f}" for value in values)
        rows.append([label_text(each.label), number(each.support), *cells, Bar(values[2], 1.0)])
    heading("classes")
    shown = cut_rows(rows, _MOST_CLASSES, "classes; --json has all of them")
    print_table(shown, ("class", "rows", "precision", "recall", "F1"), right=(1, 2, 3, 4))


def _print_confusion(found: Evaluation) -> None:
    if len(found.classes) > _MOST_CLASSES:
        _print_confusions(found)
        return
    heading("confusion matrix (rows: true class, columns: predicted class)")
    rows: list[list[Cell]] = []
    for label, cells in zip(found.classes, found.confusion.tolist(), strict=True):
        total = sum(cells) or 1.0
        rows.append([label_text(label), *(f"{number(cell)} {shade(cell / total) * 2}" for cell in cells)])
    print_table(rows, ("", *map(label_text, found.classes)), right=range(1, len(found.classes) + 1))


def _print_confusions(found: Evaluation) -> None:
    cells = [
        (weight, label, predicted)
        for label, row in zip(found.classes, found.confusion.tolist(), strict=True)
        for predicted, weight in zip(found.classes, row, strict=True)
        if weight and predicted != label
    ]
    cells.sort(key=lambda cell: -cell[0])
    most = cells[0][0] if cells else 0.0
    rows = [
        [label_text(label), label_text(predicted), number(weight), Bar(weight, most)]
        for weight, label, predicted in cells
    ]
    if rows:
        heading("most frequent confusions")
        shown = cut_rows(rows, _MOST_CONFUSIONS, "pairs of classes; --json has the confusion matrix")
        print_table(shown, ("true class", "predicted", "rows"), right=(2,))


def _print_reliability(found: Evaluation) -> None:
    rows = [
        [
            f"{each.lower:.2f} – {each.upper:.2f}",
            number(each.weight),
            percent(each.confidence),
            percent(each.accuracy),
            Bar(each.accuracy, 1.0),
        ]
        for each in found.reliability
    ]
    heading("reliability: probability of the predicted class, and observed accuracy")
    print_table(rows, ("probability", "rows", "predicted", "observed"), right=(1, 2, 3))


def _print_readings(found: Evaluation) -> None:
    if not found.readings:
        return
    rows = [
        [
            each.estimate,
            "" if each.alpha is None else f"{each.alpha:g}",
            each.class_prior,
            f"{each.log_loss:.4f}",
            f"{each.accuracy:.4f}",
            f"{each.expected_calibration_error:.4f}",
        ]
        for each in found.readings
    ]
    heading("estimators and class priors, sorted by log loss, not calibrated")
    titles = ("estimate", "alpha", "class prior", "log loss", "accuracy", "calib. error")
    print_table(cut_rows(rows, _MOST_READINGS, "; --json has all of them"), titles, right=(1, 3, 4, 5))


def _interval(metric: Metric) -> str:
    return "" if metric.lower is None else f"{metric.lower:.4f} … {metric.upper:.4f}"


def screening_record(found: Screening) -> dict[str, Any]:
    """Return the screening for --json."""
    return {
        "metric": found.metric,
        "positive": found.positive,
        "threshold": found.threshold,
        "kept": found.kept,
        "unscreened": found.unscreened,
        "columns": [each._asdict() for each in found.columns],
        "curve": [each._asdict() for each in found.curve],
        "later": None if found.later is None else found.later._asdict(),
        "redundant": [each._asdict() for each in found.redundant],
        "effective_columns": found.effective_columns,
    }


def print_screening(found: Screening, left_out: list[str]) -> None:
    """Print the similarity of the classes in each column, how many columns are kept and why, and redundant columns."""
    rows = [
        [
            str(each.column),
            f"{each.similarity:.4f}",
            "kept" if each.kept else Styled("dropped", "dim"),
            Bar(each.similarity, 1.0),
        ]
        for each in found.columns
    ]
    say("similarity of the classes in each column (0 to 1; lower is more informative)", "bold")
    shown = cut_rows(rows, _MOST_COLUMNS, "columns; --json has all of them")
    print_table(shown, ("column", "similarity", ""), right=(1,))
    if found.unscreened:
        say(f"  kept without screening: {shorten_names(found.unscreened)}")
    if left_out:
        say(f"  left out: {shorten_names(left_out)}")
    _print_curve(found)
    say()
    total, kept = len(found.columns), len(found.kept)
    below = f"those with a similarity below {number(found.threshold)}"
    say(f"all {total} columns kept" if kept == total else f"{kept} of {total} columns kept: {below}")
    if found.later is not None:
        screened, unscreened = (
            "undefined" if value is None else f"{value:.4f}" for value in (found.later.screened, found.later.unscreened)
        )
        later = counted(found.later.rows, "row")
        say(f"{_metric_name(found)} on the {later} that come later: {screened}; with all columns: {unscreened}")
    _print_redundant(found)


def _metric_name(found: Screening) -> str:
    of = f" of {label_text(found.positive)}" if found.metric == "average_precision" else ""
    return f"{found.metric.replace('_', ' ')}{of}"


def _print_curve(found: Screening) -> None:
    if not found.curve:
        return
    heading(f"{_metric_name(found)} on held-out rows, by number of columns kept")
    values = [point.value for point in found.curve]
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    # Half a step above the floor, so that the least is visible as well.
    strip = Strip(tuple(0.06 + 0.94 * _height(value, low, high) for value in values))
    print_table([[number(found.curve[0].columns), strip, number(found.curve[-1].columns)]])
    best = sorted(found.curve, key=lambda point: point.value, reverse=found.metric != "log_loss")[:3]
    chosen = [point for point in found.curve if point.threshold == found.threshold]
    rows = [
        [
            number(point.columns),
            "" if math.isinf(point.threshold) else f"< {number(point.threshold)}",
            f"{point.value:.4f}" + ("" if point.error is None else f" ± {point.error:.4f}"),
            "chosen" if point in chosen else "",
        ]
        for point in dict.fromkeys([*chosen[:1], *best, found.curve[-1]])
    ]
    print_table(rows, ("columns", "similarity", found.metric.replace("_", " "), ""), right=(0, 1))


def _height(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low))) if low < high else 1.0


def _print_redundant(found: Screening) -> None:
    say()
    total = len(found.columns)
    say(f"effective number of independent columns: {found.effective_columns:.1f} of {total}")
    rows = [
        [str(each.column), str(each.repeats), f"{each.correlation:.3f}", Bar(each.correlation, 1.0)]
        for each in found.redundant
    ]
    if rows:
        heading("redundant columns (pairs with correlated evidence)")
        print_table(cut_rows(rows, _MOST_COLUMNS, "pairs"), ("column", "repeats", "correlation"), right=(2,))
