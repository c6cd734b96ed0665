"""`suffice predict`: the class of every row, batch by batch, into a file or to stdout."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import file_options as of_files
from suffice.cli.completion import complete_class_prior, complete_column
from suffice.cli.estimate_prior import EstimatePrior, estimated_on, require_one_prior, say_shift, shift_record
from suffice.cli.failures import guarded
from suffice.cli.model_argument import ModelPath
from suffice.cli.rows_out import STDOUT, rows_out
from suffice.cli.unit_argument import UnitName, unit_of

__all__ = ["predict"]


@guarded
def predict(
    model: ModelPath,
    data: of_files.Data,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", help="A .csv, .tsv, .ndjson or .parquet file, or - (stdout)."),
    ] = STDOUT,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    log_odds: Annotated[
        bool, typer.Option("--log-odds", help="Add the log-odds of each class against the others together.")
    ] = False,
    unit: UnitName = "nats",
    log_density: Annotated[
        bool, typer.Option("--log-density", help="Add log p(x): how usual the row is, whatever its class.")
    ] = False,
    novelty: Annotated[
        bool,
        typer.Option(
            "--novelty", help="Add the share of the training rows that are no more probable: 0 is odder than all."
        ),
    ] = False,
    class_prior: Annotated[
        str | None,
        typer.Option(
            "--class-prior",
            metavar="PRIOR",
            help="The classes as frequent as they are where you predict: uniform, or spam=0.2,ham=0.8.",
            autocompletion=complete_class_prior,
        ),
    ] = None,
    estimate_prior: EstimatePrior = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COL",
            help="Copy a column of the data by its name or place; '*' is all of them. Repeatable.",
            autocompletion=complete_column,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="NAME", help="csv, tsv, ndjson or parquet, where the name of OUT does not say it."
        ),
    ] = None,
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
    """Predict the class of every row of some files.

    The rows stream through, so a file may be larger than the memory. Columns are
    matched by name; what is missing or unknown is left out. The output has the
    columns of --keep, then "predicted", then what else is asked for, a row for
    each row of the data.

    For example:

    \b
        suffice predict model.suffice new.csv
        suffice predict model.suffice new.csv -o scored.csv --proba --keep customer
        suffice predict model.suffice new.csv -o scored.parquet --class-prior yes=0.1,no=0.9
        suffice predict model.suffice new.csv -o scored.csv --estimate-prior --log-odds --unit decibans
        suffice predict model.suffice new.csv -o scored.csv --novelty --keep customer
        cat new.csv | suffice predict model.suffice - --format csv
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.api.novelty import require_reference
    from suffice.api.predictions import encodable, predicted_columns
    from suffice.cli.class_prior_argument import class_prior_of
    from suffice.cli.output import capped, counted, emit, listed, say, table
    from suffice.cli.places import require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.schema_table import calibration_of

    if json and output == STDOUT:
        raise typer.BadParameter(
            "the predictions would stand between its lines. Send them to a file with -o, or print them as lines of "
            "JSON with --to ndjson.",
            param_hint="--json",
        )
    chosen = unit_of(unit)
    require_one_prior(class_prior, data, estimate=estimate_prior)
    prior = None if class_prior is None else class_prior_of(class_prior)
    known = load(model)
    if novelty:
        require_reference(known)
    if prior is not None:
        known = known.read(class_prior=prior.of(known))
    if output != STDOUT:
        require_place(Path(output), [*data, model])
    files = of_files.files_of(
        data,
        format=format,
        delimiter=delimiter,
        header=header,
        no_quote=no_quote,
        encoding=encoding,
        null=null,
        types=types,
        skip_bad_lines=skip_bad_lines,
    )
    shift = estimated_on(known, files) if estimate_prior else None
    if shift is not None:
        known = known.read(class_prior=shift.class_prior)
    wanted: dict[str, Any] = {"proba": proba, "odds": log_odds, "density": log_density, "novelty": novelty}
    wanted |= {"unit": chosen, "keep": tuple(keep or ())}
    found: Counter[Any] = Counter()
    ignored: list[Any] = []
    with rows_out(output, to) as writer, Reporter("predicting") as report:
        for columns in predicted_columns(known, files, **wanted, progress=report, ignored=ignored.extend):
            writer.write(columns)
            found.update(map(str, columns[_name(columns)]))
    if output == STDOUT:
        return
    rows = [(label, found[encodable(str(label))]) for label in known.classes]
    if json:
        record = {"output": output, "rows": report.rows, "seconds": report.seconds, "rows_per_second": report.rate}
        counts = [{"label": label, "rows": number} for label, number in rows]
        record |= {"predicted": counts, "prior_shift": shift_record(shift), "skipped_lines": report.skipped}
        emit({**record, "calibration": calibration_of(known), "ignored_columns": ignored})
        return
    if shift is not None:
        say_shift(shift)
    shown = [[str(label), f"{number:,}"] for label, number in rows if number]
    table(capped(shown), right=(1,))
    if ignored:
        say(f"{counted(len(ignored), 'column')} of the data not used: {listed(ignored)}")
    say(f"{counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s; {output}")


def _name(columns: dict[str, Any]) -> str:
    # A kept column of the same name makes it "predicted_", and so on.
    return max((name for name in columns if name.rstrip("_") == "predicted"), key=len)
