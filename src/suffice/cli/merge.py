"""`suffice merge`: models of separate rows added up to the model of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suffice.cli.arguments import Json, Output, command

__all__ = ["merge"]


@command
def merge(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Two models or more.")],
    output: Output,
    json: Json = False,
) -> None:
    """Merge models of separate rows into the model of all the rows.

    They must agree on what their columns are: fit the others with --schema of
    the first. The result is what one fit of all the files would have given,
    not calibrated: calibrate it again.

    For example:

    \b
        suffice fit tuesday.csv --schema model.suffice --no-calibrate -o tuesday.suffice
        suffice merge model.suffice tuesday.suffice -o week.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.output import calibration_of, counted, emit, require_place, say, size_of, undisturbed
    from suffice.errors import MergeError

    require_place(output)
    with undisturbed(output, models):
        merged = load(models[0])
        for path in models[1:]:
            try:
                merged = merged + load(path)
            except MergeError as problem:
                raise problem.located(problem=f"{models[0]} and {path} do not merge: {problem.problem}") from None
        merged.save(output)
    if json:
        record = {"model": output, "merged": models, "rows": merged.provenance.rows, "classes": merged.classes}
        emit({**record, "calibration": calibration_of(merged)})
        return
    number = len(models)
    say(f"{counted(number, 'model')}, {counted(merged.provenance.rows, 'row')}; {output}: {size_of(output)}")
