"""`suffice calibrate`: a second look at the rows, and the probabilities of a model file are worth acting on."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli.arguments import DataOptions, InPlace, Json, ModelPath, TargetAsFitted, WeightsAsFitted, command

__all__ = ["calibrate"]


@command
def calibrate(
    *,
    model: ModelPath,
    output: InPlace = None,
    target: TargetAsFitted = None,
    weights: WeightsAsFitted = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="NAME", help="auto, scale, or offsets: a scale and offsets."),
    ] = "auto",
    new: Annotated[bool, typer.Option("--new", help="The rows are new to the model, which scores them.")] = False,
    folds: Annotated[
        int, typer.Option("--folds", metavar="K", help="How many folds of rows the model was fitted on.")
    ] = 5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the folds, and of the rows that are kept.")] = 0,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Calibrate the probabilities of a model on the rows that it was fitted on.

    `suffice fit` does this by default. Up to 100,000 rows are dealt into folds,
    each fold is scored by the model of all other rows, and a scale, or a scale
    and offsets, are learnt where the log loss supports it. Counts, merging and
    log p(x) stay as they are. The model also keeps how probable these rows are,
    which is what predict --novelty compares others with. With --new the rows
    are others than those of the model.

    For example:

    \b
        suffice calibrate model.suffice train.csv
        suffice calibrate model.suffice tuesday.csv --new --method scale
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.output import calibration_of, emit, require_place, say, undisturbed
    from suffice.cli.progress import Reporter
    from suffice.decisions.calibration import METHODS

    if method not in METHODS:
        raise typer.BadParameter(f"there is no {method!r}. Use auto, scale or offsets.", param_hint="--method")
    goes_to = output or model
    with undisturbed(goes_to, [model]):
        known = load(model)
        require_place(goes_to, data.paths)
        files = data.files()
        with Reporter("calibrating") as report:
            found = known.calibrate(
                files,
                target,
                weights=weights,
                new=new,
                folds=folds,
                method=method,  # pyright: ignore[reportArgumentType]
                seed=seed,
                progress=report,
            )
        found.save(goes_to)
    learnt, reason = found.calibration, found.lost
    if json:
        record = {"model": goes_to, "calibration": calibration_of(found), "not_calibrated": reason or None}
        if learnt is not None:
            record |= {"method": learnt.kind, "scale": learnt.scale, "offsets": learnt.offsets.tolist()}
            record |= {"class_frequencies": learnt.frequencies.tolist(), "rows": learnt.rows}
            record |= {
                "learnt_from": learnt.learnt_from,
                "log_loss": learnt.loss,
                "log_loss_before": learnt.loss_before,
            }
        emit({**record, "novelty_rows": None if found.reference is None else found.reference.rows})
        return
    if learnt is None:
        say(f"not calibrated: {reason}; {goes_to}")
        return
    say(f"{learnt}")
    say(f"log loss {learnt.loss_before:.4f} before, {learnt.loss:.4f} now; {goes_to}")
