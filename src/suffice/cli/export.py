"""`suffice export` and `suffice sample`: the parameters of a model, and rows drawn from it, for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, final

import typer

from suffice.cli.arguments import STDOUT, Json, ModelPath, command, refuse_json_to_stdout
from suffice.cli.values import find_label, load_for_command

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.likelihoods import Parameter

__all__ = ["export_command", "sample_command"]

_AT_ONCE = 10_000  # parameters
_ROWS_AT_ONCE = 100_000
_EVERY_DIGIT = 17
_FIELDS = (
    *("class", "column", "level", "name", "estimate", "value", "lower", "upper"),
    *("count", "n", "lower_edge", "upper_edge"),
)


@command(writes=True)
def export_command(
    model: ModelPath,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="json, csv, or schema (the columns, for fit --schema)."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Output file, or - for stdout.")
    ] = STDOUT,
    credible: Annotated[
        float,
        typer.Option(
            "--credible",
            metavar="MASS",
            help="Posterior probability of the credible interval (columns `lower` and `upper`).",
        ),
    ] = 0.95,
    json: Json = False,
) -> None:
    """Export the parameters of a model.

    The output has one row for each class, column and category, with the
    estimate, its 95 % credible interval, the count of the category, the number n
    of known values and, for a histogram, the edges of the bin. Names
    with unpaired surrogates, which UTF-8 cannot encode, are written with escapes
    such as \\udc80.

    For example:

    \b
        suffice export model.suffice --to csv -o parameters.csv
        suffice export model.suffice --to json
        suffice export model.suffice --to schema -o columns.txt
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.columns import schema_lines
    from suffice.cli.output import emit, require_place
    from suffice.cli.terminal import counted, say, size_of
    from suffice.storage import replacing

    if to not in ("json", "csv", "schema"):
        raise typer.BadParameter(f"unknown format {to!r}. Give json, csv or schema.", param_hint="--to")
    if json and output == STDOUT:
        raise typer.BadParameter(
            "--json needs -o FILE, because the parameters go to stdout. For parameters as JSON, give --to json.",
            param_hint="--json",
        )
    if output != STDOUT:
        require_place(Path(output), [model])
    known = load_for_command(model)
    rows = _Counted(() if to == "schema" else known.core.parameters(credible))
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
        say(f"wrote {output}: {what}, {size_of(output)}")


@final
class _Counted:
    # A text may have millions of parameters, so they are not held in a list.

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._parameters = parameters
        self.number = 0

    def __iter__(self) -> Iterator[Parameter]:
        for row in self._parameters:
            self.number += 1
            yield row


def _as_json(model: Model, parameters: Iterable[Parameter]) -> str:
    from suffice.cli.model_tables import schema_record
    from suffice.cli.output import as_json

    known = model.core
    rows = [dict(zip(_FIELDS, row, strict=True)) for row in parameters]
    record = {"classes": model.classes, "estimate": known.reading.estimate, "class_prior": str(known.class_prior)}
    return as_json({**record, **schema_record(model), "parameters": rows}, indent=1) + "\n"


def _as_csv(parameters: Iterable[Parameter]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    for some in _batched(parameters):
        writer.writerows([_csv_cell(value) for value in row] for row in some)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def _batched(rows: Iterable[Parameter]) -> Iterator[list[Parameter]]:
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _csv_cell(value: Any) -> Any:
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, tuple)):
        from suffice.statistics.labels import label_text

        return label_text(cast("Any", value))
    return value


@command(writes=True)
def sample_command(
    model: ModelPath,
    number: Annotated[int, typer.Option("-n", "--number", metavar="N", min=0, help="Number of rows.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", help="A .csv, .tsv, .ndjson or .parquet file, or - for stdout."),
    ] = STDOUT,
    seed: Annotated[int | None, typer.Option("--seed", metavar="NUMBER", min=0, help="Random seed.")] = None,
    label: Annotated[str | None, typer.Option("--class", metavar="CLASS", help="Draw rows of this class only.")] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="csv, tsv, ndjson or parquet. [default: from the name of OUT]"),
    ] = None,
    json: Json = False,
) -> None:
    """Draw rows from the distribution of a fitted model.

    For example:

    \b
        suffice sample model.suffice -n 1000 -o rows.csv
        suffice sample model.suffice -n 5 --seed 1 --class yes
    """  # noqa: D301  \b keeps the lines of the example apart
    import numpy as np

    from suffice.api.predictions import encodable
    from suffice.cli.output import emit, require_place, rows_out
    from suffice.cli.terminal import counted, say, size_of

    refuse_json_to_stdout(output, json=json)
    known = load_for_command(model)
    wanted = None if label is None else find_label(known, label)
    if output != STDOUT:
        require_place(Path(output), [model])
    target = known.provenance.target
    name = encodable(str(target)) if target is not None else "class"
    rng = np.random.default_rng(seed)
    with rows_out(output, to, _EVERY_DIGIT) as writer:
        for start in range(0, max(number, 1), _ROWS_AT_ONCE):
            drawn = known.sample(min(_ROWS_AT_ONCE, number - start), seed=rng, classes=wanted)
            writer.write({**_drawn_columns(known.schema.names, drawn.data), name: _drawn_cells(drawn.target)})
    if output == STDOUT:
        return
    if json:
        emit({"output": output, "rows": number})
    else:
        say(f"wrote {output}: {counted(number, 'row')}, {size_of(output)}")


def _drawn_columns(names: tuple[str | int, ...], data: Any) -> dict[str, Any]:
    from suffice.api.predictions import encodable

    if isinstance(data, dict):
        cells = cast("dict[str | int, Any]", data)
        return {encodable(str(column)): _drawn_cells(values) for column, values in cells.items()}
    return {encodable(str(column)): data[:, at] for at, column in enumerate(names)}


def _drawn_cells(values: Any) -> Any:
    # A column of a file has one type: categories of several types are written as text.
    from suffice.api.predictions import column_of_labels

    if values.dtype.kind not in "OU":
        return values
    found: list[Any] = values.tolist()
    distinct = [each for each in dict.fromkeys(zip(map(type, found), found, strict=True)) if each[1] is not None]
    if not distinct:
        return found
    written = dict(zip(distinct, column_of_labels([label for _, label in distinct]), strict=True))
    return [None if each is None else written[type(each), each] for each in found]
