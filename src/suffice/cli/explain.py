"""`suffice explain`: why rows are taken for their class, as bars or as lines of JSON, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import STDOUT, DataOptions, ModelPath, command, label_of

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.evidence import Explanation

__all__ = ["explain"]

_TOP = 10


@command
def explain(
    *,
    model: ModelPath,
    row: Annotated[
        list[int] | None,
        typer.Option("--row", metavar="N", min=0, help="The number of a row, from 0. Repeatable. [default: every row]"),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--class", metavar="C", help="The class to explain. [default: the most probable one]"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="C",
            help="The class to compare with, or rest for all others together. [default: the most probable other]",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many cells and words to list.")] = _TOP,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="An .ndjson file, an object a row; or - (stdout).")
    ] = STDOUT,
    data: DataOptions,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for scripts: an object on a line for each row.")
    ] = False,
) -> None:
    """Explain why rows are taken for their class.

    The log-odds of the class against another are a sum: what the class prior
    adds, and what each cell or word does, in nats. 0.69 doubles the odds, 2.3
    makes them ten times what they were. Beside each stands what it rests on: how
    often the level or the word was seen in either class, the means of numbers.
    In a calibrated model, what the calibration takes back stands among them.
    The rows stream through, so a file may be larger than the memory.

    For example:

    \b
        suffice explain model.suffice new.csv --row 0
        suffice explain model.suffice new.csv --row 3 --row 7 --class yes --top 3
        suffice explain mail.suffice mail/ --against rest --json
        suffice explain model.suffice new.csv -o why.ndjson --top 5
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.api.explaining import explained
    from suffice.cli.output import as_json, counted, emit, require_place, say, signed_bar
    from suffice.cli.progress import Reporter

    known = load(model)
    both = None if label is None else label_of(known, label), _against(known, against)
    files = data.files()
    if output == STDOUT:
        for at, each in enumerate(explained(known, files, *both, top, row or None)):
            if json:
                typer.echo(as_json(each.as_record()))
                continue
            if at:
                say()
            for line in each.lines(signed_bar):
                say(line)
        return
    if Path(output).suffix.lower() not in (".ndjson", ".jsonl"):
        raise typer.BadParameter(
            f"explanations are written as lines of JSON: got {output}. Give a name that ends in .ndjson.",
            param_hint="-o",
        )
    require_place(Path(output), [*data.paths, model])
    with Reporter("explaining") as report:
        number = _written(output, explained(known, files, *both, top, row or None, report))
    if json:
        emit({"output": output, "rows": number, "seconds": report.seconds, "skipped_lines": report.skipped})
        return
    say(f"{counted(number, 'row')} in {report.seconds:.2f} s; {output}")


def _written(path: str, found: Iterator[Explanation]) -> int:
    from suffice.cli.output import as_json
    from suffice.storage import replacing

    number = 0
    with replacing(path) as file:
        for each in found:
            file.write(f"{as_json(each.as_record())}\n".encode())
            number += 1
    return number


def _against(model: Model, text: str | None) -> Any:
    from suffice.api.explaining import REST

    if text is None or (text == REST and text not in map(str, model.classes)):
        return text
    return label_of(model, text)
