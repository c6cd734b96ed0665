"""`suffice evaluate`: how good a model is on rows that it has not seen, as tables with bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import file_options as of_files
from suffice.cli import model_options as of_models
from suffice.cli.completion import (
    complete_column,
)
from suffice.cli.failures import guarded

if TYPE_CHECKING:
    from suffice.api import Files

__all__ = ["evaluate"]


@guarded
def evaluate(
    data: of_files.Data,
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
    column: of_models.Column = None,
    drop: of_models.Drop = None,
    weights: of_models.Weights = None,
    class_prior: of_models.ClassPrior = None,
    estimate: of_models.Estimate = None,
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
    max_levels: of_models.MaxLevels = 10_000,
    delimiter: of_files.Delimiter = None,
    header: of_files.Header = None,
    no_quote: of_files.NoQuote = False,
    null: of_files.Null = None,
    encoding: of_files.Encoding = None,
    types: of_files.Types = None,
    skip_bad_lines: of_files.SkipBadLines = False,
    format: of_files.Format = None,  # noqa: A002  the option's name
    json: of_files.Json = False,
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
    from suffice.cli.class_prior_argument import class_prior_of, label_of
    from suffice.cli.estimate_argument import estimate_of
    from suffice.cli.evaluation_tables import evaluation_record, show_evaluation
    from suffice.cli.likelihood_argument import column_key, columns_of
    from suffice.cli.output import counted, emit, say
    from suffice.cli.progress import Reporter
    from suffice.cli.schema_table import calibration_of

    _require_one_way({"--folds": folds, "--loo": loo or None, "--test": test, "--model": model}, group, order)
    if model is not None and (column or drop):
        raise typer.BadParameter("it knows its columns. Leave --column and --drop out.", param_hint="--model")
    if model is not None and not calibrate:
        raise typer.BadParameter("the model is calibrated or not, as it is. Leave it out.", param_hint="--no-calibrate")
    if model is None and target is None:
        of_files.require_target(data)

    def files_of(paths: list[str]) -> Files:
        return of_files.files_of(
            paths,
            format=format,
            delimiter=delimiter,
            header=header,
            no_quote=no_quote,
            encoding=encoding,
            null=null,
            types=types,
            skip_bad_lines=skip_bad_lines,
        )

    wanted, prior = estimate_of(estimate), class_prior_of(class_prior or "empirical")
    settings: dict[str, Any] = {"readings": readings or None, "bootstrap": bootstrap, "seed": seed}
    files = files_of(data)
    with Reporter("measuring") as report:
        if model is not None:
            known = load(model)
        elif positive is not None or prior.by_text is not None:
            # Which classes there are says only the data: one pass over that column, before the others are read.
            if "-" in data:
                raise typer.BadParameter("classes by name need data that can be read twice: give a file, not -.")
            known = fit(files, target, {"*": None})
        else:
            known = None
        if known is not None and positive is not None:
            settings["positive"] = label_of(known, positive)
        if model is not None and known is not None:
            known = known.read(wanted, None if class_prior is None else prior.of(known))
            found = known.evaluate(files, target, weights, progress=report, **settings)
        else:
            columns = columns_of(column or [])
            columns.update({column_key(name): None for name in drop or []})
            found = evaluated(
                files,
                target,
                columns or None,
                class_prior=prior.prior if known is None else prior.of(known),
                estimate=wanted or "predictive",
                weights=weights,
                folds=folds,
                loo=loo,
                test=None if test is None else (files_of([test]), target, weights),
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
