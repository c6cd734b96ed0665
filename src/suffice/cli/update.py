"""`suffice update` and `suffice forget`: rows put into a model file, or taken out of it again."""

from __future__ import annotations

from pathlib import Path

from suffice.cli.arguments import DataOptions, InPlace, Json, ModelPath, TargetAsFitted, WeightsAsFitted, command

__all__ = ["forget", "update"]


@command
def update(
    *,
    model: ModelPath,
    output: InPlace = None,
    target: TargetAsFitted = None,
    weights: WeightsAsFitted = None,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Let a model see more rows, as if they had been there from the start.

    New classes and levels may appear. The file is replaced in one step when the
    result is all written: after a crash there is the old model or the new one.

    For example:

    \b
        suffice update model.suffice tuesday.csv
        suffice update model.suffice tuesday.csv -o week.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    _change("update", model, data, output, target, weights, json=json)


@command
def forget(
    *,
    model: ModelPath,
    output: InPlace = None,
    target: TargetAsFitted = None,
    weights: WeightsAsFitted = None,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Let a model forget rows, as if it had never seen them.

    Only rows that it has seen can be forgotten; taking out more than was put in
    is an error, and the model stays as it is.

    For example:

    \b
        suffice forget model.suffice tuesday.csv
        suffice forget model.suffice one_customer.csv -o without.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    _change("forget", model, data, output, target, weights, json=json)


def _change(
    doing: str,
    path: Path,
    data: DataOptions,
    output: Path | None,
    target: str | None,
    weights: str | None,
    *,
    json: bool,
) -> None:
    from suffice.api import load
    from suffice.cli.output import calibration_of, counted, emit, require_place, say, undisturbed
    from suffice.cli.progress import Reporter

    goes_to = output or path
    with undisturbed(goes_to, [path]):
        known = load(path)
        require_place(goes_to, data.paths)
        change = known.update if doing == "update" else known.forget
        with Reporter("reading") as report:
            changed = change(data.files(), target=target, weights=weights, progress=report)
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
