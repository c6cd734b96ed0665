"""`suffice evaluate`: how good a model is on rows that it has not seen, as tables with bars."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import (
    ClassPrior,
    ColumnOptions,
    DataOptions,
    Estimate,
    Json,
    MaxLevels,
    Weights,
    class_prior_of,
    command,
    estimate_of,
    label_of,
)
from suffice.cli.completion import complete_column

if TYPE_CHECKING:
    from suffice.evidence.evaluation import Evaluation, Metric

__all__ = ["evaluate", "evaluation_record", "shade", "show_evaluation"]

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


@command
def evaluate(
    *,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COL",
            help="The column that holds the class: its name, or its place (-1 is the last). Folders of texts and "
            "models say it.",
            autocompletion=complete_column,
        ),
    ] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="N", min=2, help="Split the rows into N folds. [default: 10]")
    ] = None,
    loo: Annotated[bool, typer.Option("--loo", help="Leave one row out at a time instead.")] = False,
    test: Annotated[
        str | None, typer.Option("--test", metavar="FILE", help="Fit on DATA, and measure on this file instead.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="MODEL", help="Measure this model on DATA; fit nothing.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="COL",
            help="Rows of one group, as of one customer, stay in one fold.",
            autocompletion=complete_column,
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="COL",
            help="Time: measure each block of rows by the model of those before it.",
            autocompletion=complete_column,
        ),
    ] = None,
    readings: Annotated[
        bool, typer.Option("--readings", help="Compare estimates, pseudo-counts and class priors on the same rows.")
    ] = False,
    columns: ColumnOptions,
    weights: Weights = None,
    class_prior: ClassPrior = None,
    estimate: Estimate = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate", help="Measure calibrated probabilities, as suffice fit makes them, or not."
        ),
    ] = True,
    positive: Annotated[
        str | None,
        typer.Option("--positive", metavar="CLASS", help="Which of two classes is to be found. [default: the second]"),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", metavar="N", min=0, help="How many draws the intervals come from; 0: none.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of folds and intervals.")] = 0,
    max_levels: MaxLevels = 10_000,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Measure how good a model is on rows that it has not seen.

    Each fold is scored by the model of the other folds, from one set of
    statistics; --order measures blocks of time by those before them. Every
    number has a 95 % interval from a bootstrap of the rows. Folds need the data
    in memory; with --test and --model it streams.

    For example:

    \b
        suffice evaluate train.csv --target churned
        suffice evaluate train.csv -t churned --test tuesday.csv --positive yes
        suffice evaluate tuesday.csv --model model.suffice
        suffice evaluate train.csv -t churned --folds 3 --group region --drop customer
        suffice evaluate train.csv -t churned --order customer --folds 4 --readings
        suffice evaluate train.csv -t churned --loo --estimate map --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import evaluate as evaluated
    from suffice.api import fit, load
    from suffice.cli.output import calibration_of, counted, emit, say
    from suffice.cli.progress import Reporter

    _require_one_way({"--folds": folds, "--loo": loo or None, "--test": test, "--model": model}, group, order)
    if model is not None and columns.given:
        raise typer.BadParameter("it knows its columns. Leave --column and --drop out.", param_hint="--model")
    if model is not None and not calibrate:
        raise typer.BadParameter("the model is calibrated or not, as it is. Leave it out.", param_hint="--no-calibrate")
    if model is None and target is None:
        data.require_target()
    wanted, prior = estimate_of(estimate), class_prior_of(class_prior or "empirical")
    settings: dict[str, Any] = {"readings": readings or None, "bootstrap": bootstrap, "seed": seed}
    files = data.files()
    with Reporter("measuring") as report:
        if model is not None:
            known = load(model)
        elif positive is not None or prior.by_text is not None:
            # Which classes there are says only the data: one pass over that column, before the others are read.
            if "-" in data.paths:
                raise typer.BadParameter("classes by name need data that can be read twice: give a file, not -.")
            known = fit(files, target, columns={"*": None}, calibrate=False)
        else:
            known = None
        if known is not None and positive is not None:
            settings["positive"] = label_of(known, positive)
        if model is not None and known is not None:
            known = known.with_options(estimate=wanted, class_prior=None if class_prior is None else prior.of(known))
            found = known.evaluate(files, target, weights=weights, progress=report, **settings)
        else:
            found = evaluated(
                files,
                target,
                columns=columns.likelihoods() or None,
                class_prior=prior.prior if known is None else prior.of(known),
                estimate=wanted or "predictive",
                weights=weights,
                folds=folds,
                loo=loo,
                test=None if test is None else (data.files(test), target, weights),
                groups=group,
                order=order,
                max_levels=max_levels,
                progress=report,
                calibrate=calibrate,
                **settings,
            )
    if json:
        record = {**evaluation_record(found), "seconds": report.seconds, "skipped_lines": report.skipped}
        if model is not None and known is not None:
            record["calibration"] = calibration_of(known)
        emit(record)
        return
    show_evaluation(found)
    if report.skipped:
        say()
        say(f"{counted(report.skipped, 'bad line')} left out")
    say()
    say(f"{counted(len(found.codes), 'row')} in {report.seconds:.2f} s")


def _require_one_way(ways: dict[str, object], group: str | None, order: str | None) -> None:
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise typer.BadParameter(f"rows are held out in one way, and {given[0]} is another.", param_hint=given[1])
    beside = [name for name, value in (("--group", group), ("--order", order)) if value is not None]
    if len(beside) > 1:
        raise typer.BadParameter("rows are split by groups or by order. Leave one of them out.", param_hint=beside[1])
    if beside and given and given[0] != "--folds":
        raise typer.BadParameter(f"it is about folds, and {given[0]} has none.", param_hint=beside[0])


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
    from suffice.cli.output import can_print

    signs = _SHADES if can_print(_SHADES) else _PLAIN_SHADES
    return signs[math.ceil(share * (len(signs) - 1))] if share > 0 else signs[0]


def _show_metrics(found: Evaluation) -> None:
    from suffice.cli.output import bar, say, table

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
    from suffice.cli.output import bar, number, say, table

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
    from suffice.cli.output import bar, counted, say, share, table

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
    from suffice.cli.output import bar, say, table

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
