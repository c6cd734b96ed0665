"""`suffice export`: every parameter of a model, with its interval, for other programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.failures import guarded
from suffice.cli.file_options import Json
from suffice.cli.model_argument import ModelPath
from suffice.cli.rows_out import STDOUT

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["export"]

_FIELDS = ("class", "column", "level", "name", "estimate", "value", "lower", "upper")


@guarded
def export(
    model: ModelPath,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="json or csv, or schema: its columns, as fit --schema takes them."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="A file, or - (stdout).")] = STDOUT,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="The mass of the interval from lower to upper.")
    ] = 0.95,
    json: Json = False,
) -> None:
    """Export the parameters of a model as they are read.

    A row for each class, column and level: the value, and the interval that
    holds it with 95 % under its posterior.

    For example:

    \b
        suffice export model.suffice --to csv -o parameters.csv
        suffice export model.suffice --to json
        suffice export model.suffice --to schema -o columns.txt
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.output import emit, say, size_of
    from suffice.cli.places import require_place
    from suffice.cli.schema_file import schema_lines
    from suffice.storage import replacing

    if to not in ("json", "csv", "schema"):
        raise typer.BadParameter(f"{to!r} is not a format. Give json, csv or schema.", param_hint="--to")
    if json and output == STDOUT:
        raise typer.BadParameter("the parameters go to stdout already. Give -o, or --to json.", param_hint="--json")
    if output != STDOUT:
        require_place(Path(output), [model])
    known = load(model)
    rows = [] if to == "schema" else _rows(known, level)
    if to == "schema":
        text = "".join(f"{line}\n" for line in schema_lines(known))
    else:
        text = _as_json(known, rows) if to == "json" else _as_csv(rows)
    if output == STDOUT:
        typer.echo(text, nl=False)
        return
    with replacing(output) as file:
        file.write(text.encode("utf-8"))
    if json:
        emit({"output": output, "parameters": len(rows)})
    else:
        what = f"{len(rows):,} parameters" if rows else f"{len(known.schema.names):,} columns"
        say(f"{output}: {what}, {size_of(output)}")


def _rows(model: Model, level: float) -> list[dict[str, Any]]:
    return [dict(zip(_FIELDS, row, strict=True)) for row in model.parameters(level)]


def _as_json(model: Model, rows: list[dict[str, Any]]) -> str:
    from json import dumps

    from suffice.cli.output import plain
    from suffice.cli.schema_table import schema_record

    known = model.naive_bayes
    record = {"classes": model.classes, "estimate": known.reading.estimate, "class_prior": str(known.class_prior)}
    whole = plain({**record, **schema_record(model), "parameters": rows})
    return dumps(whole, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _as_csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows([_cell(row[field]) for field in _FIELDS] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None or value != value:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
