"""`suffice update` and `suffice forget`: rows put into a model file, or taken out of it again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import file_options as of_files
from suffice.cli.completion import complete_column
from suffice.cli.failures import guarded
from suffice.cli.model_argument import InPlace, ModelPath

__all__ = ["forget", "update"]

Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="The column that holds the class. [default: as when the model was fitted]",
        autocompletion=complete_column,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COL",
        help="The weight of each row. [default: as when the model was fitted]",
        autocompletion=complete_column,
    ),
]


@guarded
def update(
    model: ModelPath,
    data: of_files.Data,
    output: InPlace = None,
    target: Target = None,
    weights: Weights = None,
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
    """Let a model see more rows, as if they had been there from the start.

    New classes and levels may appear. The file is replaced in one step when the
    result is all written: after a crash there is the old model or the new one.

    For example:

    \b
        suffice update model.suffice tuesday.csv
        suffice update model.suffice tuesday.csv -o week.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    options = {"delimiter": delimiter, "header": header, "no_quote": no_quote, "null": null, "encoding": encoding}
    options |= {"types": types, "skip_bad_lines": skip_bad_lines, "format": format}
    _change("update", model, data, output, target, weights, options, json=json)


@guarded
def forget(
    model: ModelPath,
    data: of_files.Data,
    output: InPlace = None,
    target: Target = None,
    weights: Weights = None,
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
    """Let a model forget rows, as if it had never seen them.

    Only rows that it has seen can be forgotten; taking out more than was put in
    is an error, and the model stays as it is.

    For example:

    \b
        suffice forget model.suffice tuesday.csv
        suffice forget model.suffice one_customer.csv -o without.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    options = {"delimiter": delimiter, "header": header, "no_quote": no_quote, "null": null, "encoding": encoding}
    options |= {"types": types, "skip_bad_lines": skip_bad_lines, "format": format}
    _change("forget", model, data, output, target, weights, options, json=json)


def _change(
    doing: str,
    path: Path,
    data: list[str],
    output: Path | None,
    target: str | None,
    weights: str | None,
    options: dict[str, Any],
    *,
    json: bool,
) -> None:
    from suffice.api import load
    from suffice.cli.output import counted, emit, say
    from suffice.cli.places import require_place, undisturbed
    from suffice.cli.progress import Reporter
    from suffice.cli.schema_table import calibration_of

    goes_to = output or path
    with undisturbed(goes_to, [path]):
        known = load(path)
        require_place(goes_to, data)
        files = of_files.files_of(data, **options)
        change = known.update if doing == "update" else known.forget
        with Reporter("reading") as report:
            changed = change(
                files,
                target=target,
                weights=weights,
                progress=report,
            )
        changed.save(goes_to)
    before, after = known.provenance.rows, changed.provenance.rows
    if json:
        record = {"model": goes_to, "rows_before": before, "rows": after, "classes": changed.classes}
        record |= {"calibration": calibration_of(changed)}
        record |= {"seconds": report.seconds, "rows_per_second": report.rate, "skipped_lines": report.skipped}
        emit(record)
        return
    rate = f"{counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s"
    say(f"{rate}; {goes_to}: {counted(before, 'row')} before, {after:,} now")
