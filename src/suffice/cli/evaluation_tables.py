"""An evaluation in the terminal: numbers with their intervals, classes, who is taken for whom, promises kept."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from suffice.cli.bars import bar

if TYPE_CHECKING:
    from suffice.evidence.evaluation import Evaluation, Metric

__all__ = ["evaluation_record", "shade", "show_evaluation"]

_MOST_CLASSES = 12
_MOST_READINGS = 20
_SHADES, _PLAIN_SHADES = " ░▒▓█", " .:+#"
_SAID = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "log_loss": "log loss, nats",
    "brier": "Brier score",
    "expected_calibration_error": "calibration error",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "minimum_detection_cost": "minimum detection cost",
    "actual_detection_cost": "actual detection cost",
}
_UNBOUNDED = ("log_loss", "actual_detection_cost")


def evaluation_record(found: Evaluation) -> dict[str, Any]:
    """Return the evaluation as what `--json` prints: everything but the rows themselves."""
    return {
        "how": found.how,
        "rows": len(found.codes),
        "weight": float(found.weights.sum()),
        "level": found.level,
        "impossible_rows": found.impossible,
        "metrics": found.records(),
        "classes": [
            {"label": each.label, "support": each.support, "predicted": each.predicted} for each in found.by_class
        ],
        "confusion": found.confusion.tolist(),
        "reliability": [each._asdict() for each in found.reliability],
        "readings": [each._asdict() for each in found.readings],
    }


def show_evaluation(found: Evaluation) -> None:
    """Print the evaluation as tables with bars."""
    from suffice.cli.output import counted, say

    say(found.how)
    if found.impossible:
        are = "is" if found.impossible == 1 else "are"
        say(f"{counted(found.impossible, 'row')} {are} impossible under every class and got the class prior")
    _show_metrics(found)
    _show_classes(found)
    _show_confusion(found)
    _show_reliability(found)
    _show_readings(found)


def shade(share: float) -> str:
    """Return a sign that is the darker the greater the share is, from 0 to 1: blank for none.

    Examples
    --------
    >>> [shade(share) for share in (0.0, 0.01, 0.4, 1.0)]
    [' ', '░', '▒', '█']
    """
    signs = _SHADES if _can_print(_SHADES) else _PLAIN_SHADES
    return signs[math.ceil(share * (len(signs) - 1))] if share > 0 else signs[0]


def _show_metrics(found: Evaluation) -> None:
    from suffice.cli.output import say, table

    say()
    rows = [
        [
            _SAID[each.name],
            f"{each.value:.4f}",
            _interval(each),
            "" if each.name in _UNBOUNDED else bar(each.value, 1.0),
        ]
        for each in found.metrics
    ]
    table(rows, right=(1,))
    if found.metrics and not math.isnan(found.metrics[0].lower):
        say(f"  intervals: {found.level:.0%} of the bootstrap")


def _show_classes(found: Evaluation) -> None:
    from suffice.cli.output import number, say, table

    say()
    say("classes")
    rows = [["", "rows", "precision", "recall", "F1", ""]]
    for each in found.by_class[:_MOST_CLASSES]:
        values = (each.precision.value, each.recall.value, each.f1.value)
        rows.append([str(each.label), number(each.support), *(f"{value:.3f}" for value in values), bar(values[2], 1.0)])
    table(rows, right=(1, 2, 3, 4))
    if len(found.by_class) > _MOST_CLASSES:
        say(f"  … {len(found.by_class):,} classes in all; --json has every one")


def _show_confusion(found: Evaluation) -> None:
    from suffice.cli.output import number, say, table

    if len(found.classes) > _MOST_CLASSES:
        return
    say()
    say("rows of a class (down), predicted as (across)")
    rows = [["", *(str(label) for label in found.classes)]]
    for label, cells in zip(found.classes, found.confusion.tolist(), strict=True):
        total = sum(cells) or 1.0
        rows.append([str(label), *(f"{number(cell)} {shade(cell / total) * 2}" for cell in cells)])
    table(rows, right=range(1, len(found.classes) + 1))


def _show_reliability(found: Evaluation) -> None:
    from suffice.cli.output import counted, say, share, table

    say()
    say("probability of the predicted class: what it promised, and how often it was right")
    rows = [
        [
            f"{each.lower:.2f} to {each.upper:.2f}",
            counted(each.weight, "row"),
            f"{share(each.confidence)} promised",
            f"{share(each.accuracy)} right",
            bar(each.accuracy, 1.0),
        ]
        for each in found.reliability
    ]
    table(rows, right=(1, 2, 3))


def _show_readings(found: Evaluation) -> None:
    from suffice.cli.output import say, table

    if not found.readings:
        return
    say()
    say("readings, that of the least log loss first")
    least = found.readings[0].log_loss
    rows = [
        [
            each.estimate,
            "" if each.alpha is None else f"{each.alpha:g}",
            each.class_prior,
            f"{each.log_loss:.4f}",
            f"{each.accuracy:.4f}",
            f"{each.expected_calibration_error:.4f}",
            bar(least, each.log_loss),
        ]
        for each in found.readings[:_MOST_READINGS]
    ]
    titles = ["estimate", "λ", "class prior", "log loss", "accuracy", "calibration error", ""]
    rows.insert(0, titles)
    table(rows, right=(1, 3, 4, 5))
    if len(found.readings) > _MOST_READINGS:
        say(f"  … {len(found.readings):,} readings in all; --json has every one")


def _interval(metric: Metric) -> str:
    return "" if math.isnan(metric.lower) else f"{metric.lower:.4f} … {metric.upper:.4f}"


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
