"""`suffice export`: every parameter of a model, with its interval, for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from suffice.cli.arguments import STDOUT, Json, ModelPath, command

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.likelihoods import Parameter

__all__ = ["export"]

_AT_ONCE = 10_000
_FIELDS = ("class", "column", "level", "name", "estimate", "value", "lower", "upper")


@command
def export(
    model: ModelPath,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="json or csv, or schema: its columns, as fit --schema takes them."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="A file, or - (stdout).")] = STDOUT,
    credible: Annotated[
        float, typer.Option("--credible", metavar="MASS", help="Posterior mass of the interval from lower to upper.")
    ] = 0.95,
    json: Json = False,
) -> None:
    """Export the parameters of a model as they are read.

    A row for each class, column and level: the value, and the interval that
    holds it with 95 % under its posterior. Unpaired surrogates in a name, which
    UTF-8 cannot encode, are written as escapes such as \\udc80.

    For example:

    \b
        suffice export model.suffice --to csv -o parameters.csv
        suffice export model.suffice --to json
        suffice export model.suffice --to schema -o columns.txt
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.columns import schema_lines
    from suffice.cli.output import counted, emit, require_place, say, size_of
    from suffice.storage import replacing

    if to not in ("json", "csv", "schema"):
        raise typer.BadParameter(f"{to!r} is not a format. Give json, csv or schema.", param_hint="--to")
    if json and output == STDOUT:
        raise typer.BadParameter("the parameters go to stdout already. Give -o, or --to json.", param_hint="--json")
    if output != STDOUT:
        require_place(Path(output), [model])
    known = load(model)
    rows = _Counted(() if to == "schema" else known.naive_bayes.parameters(credible))
    if to == "schema":
        texts: Iterable[str] = [f"{line}\n" for line in schema_lines(known)]
    else:
        texts = [_as_json(known, rows)] if to == "json" else _as_csv(rows)
    as_bytes = (text.encode("utf-8", "backslashreplace") for text in texts)
    if output == STDOUT:
        for text in as_bytes:
            typer.echo(text.decode(), nl=False)
        return
    with replacing(output) as file:
        for text in as_bytes:
            file.write(text)
    if json:
        emit({"output": output, "parameters": rows.number})
    else:
        what = counted(rows.number, "parameter") if rows.number else counted(len(known.schema.names), "column")
        say(f"{output}: {what}, {size_of(output)}")


@final
class _Counted:
    # Of text there are millions of parameters: they pass one by one, and are counted.

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._parameters = parameters
        self.number = 0

    def __iter__(self) -> Iterator[Parameter]:
        for row in self._parameters:
            self.number += 1
            yield row


def _as_json(model: Model, parameters: Iterable[Parameter]) -> str:
    from suffice.cli.output import as_json, schema_record

    known = model.naive_bayes
    rows = [dict(zip(_FIELDS, row, strict=True)) for row in parameters]
    record = {"classes": model.classes, "estimate": known.reading.estimate, "class_prior": str(known.class_prior)}
    return as_json({**record, **schema_record(model), "parameters": rows}, indent=1) + "\n"


def _as_csv(parameters: Iterable[Parameter]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    for some in _batched(parameters):
        writer.writerows([_cell(value) for value in row] for row in some)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def _batched(rows: Iterable[Parameter]) -> Iterator[list[Parameter]]:
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _cell(value: Any) -> Any:
    if value is None or value != value:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
