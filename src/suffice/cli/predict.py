"""`suffice predict`: the class of every row, batch by batch, into a file or to stdout."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli.arguments import (
    STDOUT,
    ClassPriorHere,
    DataOptions,
    EstimatePrior,
    Json,
    Keep,
    ModelPath,
    RowsFormat,
    RowsOut,
    UnitName,
    class_prior_of,
    command,
    estimated_on,
    require_one_prior,
    unit_of,
)

__all__ = ["predict"]


@command
def predict(
    *,
    model: ModelPath,
    output: RowsOut = STDOUT,
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
    class_prior: ClassPriorHere = None,
    estimate_prior: EstimatePrior = False,
    keep: Keep = None,
    to: RowsFormat = None,
    data: DataOptions,
    json: Json = False,
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
    from suffice.cli.output import (
        calibration_of,
        capped,
        counted,
        emit,
        listed,
        require_place,
        rows_out,
        say,
        say_shift,
        shift_record,
        table,
    )
    from suffice.cli.progress import Reporter

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
        known = known.with_options(class_prior=prior.of(known))
    if output != STDOUT:
        require_place(Path(output), [*data.paths, model])
    files = data.files()
    shift = estimated_on(known, files) if estimate_prior else None
    if shift is not None:
        known = known.with_options(class_prior=shift.class_prior)
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
