"""`suffice calibrate`: a second look at the rows, and the probabilities of a model file are worth acting on."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli import file_options as of_files
from suffice.cli.failures import guarded
from suffice.cli.model_argument import InPlace, ModelPath
from suffice.cli.update import Target, Weights

__all__ = ["calibrate"]


@guarded
def calibrate(
    model: ModelPath,
    data: of_files.Data,
    output: InPlace = None,
    target: Target = None,
    weights: Weights = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="NAME", help="auto, temperature, offsets, length, beta or isotonic."),
    ] = "auto",
    new: Annotated[
        bool, typer.Option("--new", help="The rows are new to the model, so none is left out of it.")
    ] = False,
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
    """Calibrate the probabilities of a model on the rows that it was fitted on.

    Each row is scored as if it had not been seen, without fitting again, and
    what the scores are worth is learnt from that. Counts, merging and log p(x)
    stay as they are. The model also keeps how probable these rows are, which is
    what predict --novelty compares others with. With --new the rows are others
    than those of the model.

    For example:

    \b
        suffice calibrate model.suffice train.csv
        suffice calibrate model.suffice tuesday.csv --new --method isotonic
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import calibrate as calibrated
    from suffice.api import load
    from suffice.cli.output import emit, say
    from suffice.cli.places import require_place, undisturbed
    from suffice.cli.progress import Reporter
    from suffice.cli.schema_table import calibration_of
    from suffice.decisions.calibration import CALIBRATORS

    if method not in ("auto", *CALIBRATORS):
        raise typer.BadParameter(
            f"there is no {method!r}. Use auto, {', '.join(CALIBRATORS[:-1])} or {CALIBRATORS[-1]}.",
            param_hint="--method",
        )
    goes_to = output or model
    with undisturbed(goes_to, [model]):
        known = load(model)
        require_place(goes_to, data)
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
        with Reporter("calibrating") as report:
            found = calibrated(
                known,
                files,
                target,
                weights,
                on="new" if new else "loo",
                method=method,  # pyright: ignore[reportArgumentType]
                progress=report,
            )
        found.save(goes_to)
    learnt = found.calibration
    assert learnt is not None
    if json:
        record = {"model": goes_to, "method": learnt.kind, "temperature": learnt.temperature, "fall": learnt.fall}
        record |= {"offsets": learnt.offsets.tolist(), "rows": learnt.rows, "learnt_from": learnt.learnt_from}
        record |= {"calibration": calibration_of(found), "log_loss": learnt.loss, "log_loss_before": learnt.loss_before}
        emit({**record, "novelty_rows": None if found.reference is None else found.reference.rows})
        return
    say(f"{learnt}")
    say(f"log loss {learnt.loss_before:.4f} before, {learnt.loss:.4f} now; {goes_to}")
