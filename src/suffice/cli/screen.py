"""`suffice screen`: which columns tell the classes apart, as bars, and the model of those."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import ColumnOptions, DataOptions, Estimate, Json, Target, Weights, command, estimate_of
from suffice.cli.completion import complete_column

if TYPE_CHECKING:
    from suffice.api import Screening

__all__ = ["screen"]

_MOST = 40
_METRICS = ("average_precision", "balanced_accuracy", "log_loss")


def _complete_metric(incomplete: str) -> list[str]:
    return [name for name in _METRICS if name.startswith(incomplete)]


@command
def screen(
    *,
    target: Target = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="MODEL", help="Where the model of the kept columns goes.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="COL",
            help="The time of each row: choose on the first part, measure on the rest.",
            autocompletion=complete_column,
        ),
    ] = None,
    first: Annotated[
        float, typer.Option("--first", metavar="SHARE", help="How much of the rows the first part is, with --order.")
    ] = 0.7,
    folds: Annotated[int, typer.Option("--folds", metavar="K", help="How many parts are held out in turn.")] = 5,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="average_precision (the default of two classes), balanced_accuracy (of more) or log_loss.",
            autocompletion=_complete_metric,
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", metavar="CLASS", help="The class to find. [default: the rarer of two]")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", metavar="S", help="Drop columns of at least this similarity. [default: chosen]"),
    ] = None,
    bins: Annotated[
        int, typer.Option("--bins", metavar="N", help="The most cells of a real column while classes are compared.")
    ] = 16,
    redundant: Annotated[
        float, typer.Option("--redundant", metavar="R", help="Which correlation of what columns say is a repetition.")
    ] = 0.8,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of the folds and samples.")] = 0,
    columns: ColumnOptions,
    weights: Weights = None,
    estimate: Estimate = None,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Find the columns that tell the classes apart, and keep those.

    A column in which the classes look alike tells nothing and may harm. Its
    similarity is the cosine of what it looks like in each class: 1 is the same.
    Columns of at least some similarity are dropped, and the threshold is the one
    that does best on rows that are held out in turn. Then come the columns that
    repeat each other. The rows are held in memory.

    For example:

    \b
        suffice screen train.csv --target churned
        suffice screen train.csv -t churned --order months --metric log_loss
        suffice screen train.csv -t churned --drop customer -o screened.suffice
        suffice screen train.csv -t churned --threshold 0.99 --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import screen as screened_rows
    from suffice.cli.output import calibration_of, emit, listed, require_place, say, schema_record, size_of
    from suffice.cli.progress import Reporter

    if target is None:
        data.require_target()
    wanted = estimate_of(estimate)
    likelihoods = columns.likelihoods()
    if output is not None:
        require_place(output, data.paths)
    files = data.files()
    settings: dict[str, Any] = {} if wanted is None else {"estimate": wanted}
    with Reporter("reading") as report:
        found = screened_rows(
            files,
            target,
            columns=likelihoods or None,
            weights=weights,
            order=order,
            positive=positive,
            progress=report,
            metric=metric,
            folds=folds,
            threshold=threshold,
            bins=bins,
            first=first,
            redundant=redundant,
            seed=seed,
            **settings,
        )
    if output is not None:
        found.model.save(output)
    screened = {each.column for each in found.columns}
    left_out = [each for each in schema_record(found.model)["left_out"] if each["name"] not in screened]
    if json:
        record = {"rows": found.model.provenance.rows, "seconds": report.seconds, **_record(found), "model": output}
        emit({**record, "left_out": left_out, "calibration": calibration_of(found.model)})
        return
    _show(found)
    if left_out:
        say(f"left out: {listed([each['name'] for each in left_out])}")
    _show_redundant(found)
    if output is not None:
        say()
        say(f"{output}: {size_of(output)}")
        place = quote(str(output))
        say(f"not calibrated; to do so: suffice calibrate {place} DATA")
        say(f"next: suffice predict {place} NEW.csv    or: suffice show {place}")


def _record(found: Screening) -> dict[str, Any]:
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


def _show(found: Screening) -> None:
    from suffice.cli.output import bar, counted, number, say, strip, table

    name = found.metric.replace("_", " ")
    of = f" of {found.positive}" if found.metric == "average_precision" else ""
    say("similarity of the classes in each column: the shorter the bar, the more it tells")
    rows = [
        [str(each.column), f"{each.similarity:.4f}", bar(each.similarity, 1.0), "" if each.kept else "dropped"]
        for each in found.columns
    ]
    table(rows[:_MOST] + [["…", f"{len(rows):,} in all; --json has every one"]] * (len(rows) > _MOST), right=(1,))
    if found.unscreened:
        say(f"kept without screening: {', '.join(map(str, found.unscreened))}")
    if found.curve:
        say()
        say(f"{name}{of} on held-out rows, by the number of columns kept, from none to all")
        values = [point.value for point in found.curve]
        finite = [value for value in values if abs(value) != float("inf")]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        # Half a step above the floor, so that the least is seen as well.
        say(f"  {strip([0.06 + 0.94 * _height(value, low, high) for value in values])}")
        worth = sorted(found.curve, key=lambda point: point.value, reverse=found.metric != "log_loss")[:3]
        chosen = [point for point in found.curve if point.threshold == found.threshold]
        for point in dict.fromkeys([*chosen[:1], *worth, found.curve[-1]]):
            error = "" if point.error is None else f" ± {point.error:.4f}"
            said = "  ← chosen" if point in chosen else ""
            say(f"  {point.columns:>4} columns, similarity < {number(point.threshold)}: {point.value:.4f}{error}{said}")
    say()
    say(f"{len(found.kept)} of {len(found.columns)} columns kept: their similarity is below {number(found.threshold)}")
    if found.later is not None:
        screened, unscreened = (
            "undefined" if value is None else f"{value:.4f}" for value in (found.later.screened, found.later.unscreened)
        )
        say(
            f"{name}{of} on the {counted(found.later.rows, 'row')} that come later: {screened}; "
            f"with every column {unscreened}"
        )


def _height(value: float, low: float, high: float) -> float:
    if not low < high:
        return 1.0
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _show_redundant(found: Screening) -> None:
    from suffice.cli.output import bar, say, table

    number = len(found.columns)
    say()
    say(f"the {number} columns say as much as {found.effective_columns:.1f} that do not repeat each other")
    rows = [
        [str(each.column), f"repeats {each.repeats}", f"{each.correlation:.3f}", bar(each.correlation, 1.0)]
        for each in found.redundant
    ]
    table(rows[:_MOST] + [["…", f"{len(rows):,} pairs in all"]] * (len(rows) > _MOST), right=(2,))
