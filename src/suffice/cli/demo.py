"""`suffice demo`: a small data set that it makes itself, a model, predictions, and what to try next."""

from __future__ import annotations

from operator import eq
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from suffice.cli.failures import guarded
from suffice.cli.file_options import Json
from suffice.cli.rows_out import rows_out
from suffice.errors import ParameterError

__all__ = ["demo"]

_ROWS, _TRAINING = 1500, 1000


@guarded
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go; it is made.")] = Path(
        "suffice-demo"
    ),
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is already there.")] = False,
    json: Json = False,
) -> None:
    """Make a small data set, fit a model to it, predict, and show what it learnt.

    The rows are made up: customers of a phone company, of whom some left
    ("churned"), with text, numbers, counts, truth values and missing cells.

    For example:

    \b
        suffice demo
        suffice demo elsewhere --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Files
    from suffice.api import fit as fitted
    from suffice.api.predictions import predicted_columns
    from suffice.cli.demo_data import TARGET, subscribers, write_rows
    from suffice.cli.output import emit, say, share
    from suffice.cli.show import show_telling
    from suffice.evidence import telling

    if folder.exists() and not force:
        raise ParameterError(
            f"{str(folder)!r} is there already, and the demo overwrites nothing. Give another name, or --force."
        )
    folder.mkdir(parents=True, exist_ok=True)
    train, new, model_path, out = (folder / name for name in ("train.csv", "new.csv", "model.suffice", "scored.csv"))
    rows_made = subscribers(_ROWS)
    write_rows(rows_made[:_TRAINING], train)
    write_rows(rows_made[_TRAINING:], new)
    model = fitted(Files(train), TARGET)
    model.save(model_path)
    right = rows = 0
    with rows_out(str(out), None) as writer:
        for columns in predicted_columns(model, Files(new), proba=True, keep=("customer", TARGET)):
            writer.write(columns)
            right += sum(map(eq, columns[TARGET], columns["predicted"]))
            rows += len(columns["predicted"])
    if json:
        files = {"train": train, "new": new, "model": model_path, "predictions": out}
        emit({**files, "rows": model.provenance.rows, "predicted_rows": rows, "accuracy": right / rows})
        return
    say(f"{train}: {model.provenance.rows:,} customers of a phone company, made up; did they leave ({TARGET})?")
    say(f"{model_path}: what one pass over them saw")
    show_telling(model, telling(model.naive_bayes), 5)
    say()
    say(f"{out}: {rows:,} others predicted, {share(right / rows)} rightly")
    say()
    say("try next")
    path, more = quote(str(model_path)), quote(str(new))
    say(f"  suffice show {path} --column plan")
    say(f"  suffice predict {path} {more} --proba --class-prior no=0.95,yes=0.05 | head")
    say(f"  suffice update {path} {more}")
    say("  suffice fit YOUR.csv --target COLUMN -o your.suffice")
