"""`suffice predict`: the class of every row, batch by batch, into a file or to stdout."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import STDOUT, DataOptions, Json, ModelPath, PriorOptions, RowOptions, command
from suffice.cli.values import load_for_command, parse_unit

if TYPE_CHECKING:
    from suffice.cli.progress import Reporter

__all__ = ["predict_command", "print_written"]

_MOST_CLASSES = 20


@command(writes=True)
def predict_command(
    *,
    model: ModelPath,
    rows: RowOptions,
    log_density: Annotated[
        bool, typer.Option("--log-density", help="Add log p(x), the log density of the row under the model, in nats.")
    ] = False,
    novelty: Annotated[
        bool,
        typer.Option(
            "--novelty",
            help="Add a novelty p-value: the fraction of training rows that are at least as unusual. Small values mark "
            "unusual rows; 0 is more unusual than every training row.",
        ),
    ] = False,
    prior: PriorOptions,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Predict the class of every row.

    The output has one row for each row of DATA: the columns of --keep, then
    "predicted", then the columns that options add. Columns are matched by name;
    missing columns and unknown values are treated as missing. Rows are streamed,
    so files may be larger than memory.

    For example:

    \b
        suffice predict model.suffice new.csv
        suffice predict model.suffice new.csv --proba --keep customer -o out.csv
        suffice predict model.suffice new.csv --class-prior yes=0.1,no=0.9
        suffice predict model.suffice new.csv --estimate-prior -o scored.parquet
        suffice predict model.suffice new.csv --log-odds --unit decibans
        suffice predict model.suffice new.csv --novelty --keep customer
        cat new.csv | suffice predict model.suffice - --format csv --digits 3
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api.novelty import require_reference
    from suffice.api.predictions import predicted_columns
    from suffice.cli.model_tables import calibration_sentence, print_shift, shift_record
    from suffice.cli.output import emit, find_computed, rows_out
    from suffice.cli.progress import Reporter
    from suffice.cli.terminal import cut_rows, label_text, print_table
    from suffice.records import column_of_labels

    prior.require_one(data)
    wanted: dict[str, Any] = {**rows.columns, "unit": parse_unit(rows.unit), "density": log_density, "novelty": novelty}
    known = load_for_command(model, *data.paths)
    if novelty:
        require_reference(known)
    rows.require_place([*data.paths, model], json=json)
    files = data.files()
    found: Counter[Any] = Counter()
    ignored: list[Any] = []
    with Reporter("predicting") as report:
        here, shift = prior.of(known, files, report)
        if here is not None:
            known = known.with_options(class_prior=here)
        report.begin("predicting")
        with rows_out(rows.output, rows.to, rows.digits) as writer:
            for columns in predicted_columns(known, files, **wanted, progress=report, ignored=ignored.extend):
                writer.write(columns)
                found.update(find_computed(columns, "predicted"))
    if rows.output == STDOUT:
        return
    counts = [(label, found[cell]) for label, cell in zip(known.classes, column_of_labels(known.classes), strict=True)]
    if json:
        record = {"output": rows.output, "rows": report.rows, "seconds": report.seconds, "rows_per_second": report.rate}
        record |= {"predicted": [{"label": label, "rows": number} for label, number in counts]}
        record |= {"prior_shift": shift_record(shift), "skipped_lines": report.skipped}
        emit({**record, "calibration": calibration_sentence(known), "ignored_columns": ignored})
        return
    if shift is not None:
        print_shift(shift)
    shown = [[label_text(label), f"{number:,}"] for label, number in counts if number]
    print_table(cut_rows(shown, _MOST_CLASSES, "classes"), ("predicted", "rows"), right=(1,))
    print_written(rows.output, report, ignored)


def print_written(output: str, report: Reporter, ignored: list[Any]) -> None:
    """Print the ignored columns, the output file, and the time."""
    from suffice.cli.terminal import counted, say, shorten_names

    if ignored:
        say(f"{counted(len(ignored), 'column')} of the data ignored: {shorten_names(ignored)}")
    if report.skipped:
        say(f"{counted(report.skipped, 'bad line')} skipped")
    say(f"wrote {output}: {counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s")
