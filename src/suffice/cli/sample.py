"""`suffice sample`: rows drawn from a model, for tests and for people who may not see the data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from suffice.cli.arguments import STDOUT, Json, ModelPath, command, label_of

__all__ = ["sample"]

_AT_ONCE = 100_000


@command
def sample(
    model: ModelPath,
    number: Annotated[int, typer.Option("-n", "--number", metavar="N", min=0, help="How many rows.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="A .csv, .ndjson or .parquet file, or - (stdout).")
    ] = STDOUT,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="NUMBER", min=0, help="The same seed gives the same rows.")
    ] = None,
    label: Annotated[str | None, typer.Option("--class", metavar="CLASS", help="Rows of this class alone.")] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="NAME", help="csv, ndjson or parquet, where OUT does not say it.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw rows from a model: what it believes its data look like.

    For example:

    \b
        suffice sample model.suffice -n 1000 -o rows.csv
        suffice sample model.suffice -n 5 --seed 1 --class yes
    """  # noqa: D301  \b keeps the lines of the example apart
    import numpy as np

    from suffice.api import load
    from suffice.api.predictions import encodable
    from suffice.cli.output import counted, emit, require_place, rows_out, say, size_of

    if json and output == STDOUT:
        raise typer.BadParameter("the rows go to stdout already. Give -o, or --to ndjson.", param_hint="--json")
    known = load(model)
    wanted = None if label is None else label_of(known, label)
    if output != STDOUT:
        require_place(Path(output), [model])
    target = known.provenance.target
    name = encodable(str(target)) if target is not None else "class"
    rng = np.random.default_rng(seed)
    with rows_out(output, to) as writer:
        for start in range(0, max(number, 1), _AT_ONCE):
            drawn = known.sample(min(_AT_ONCE, number - start), seed=rng, classes=wanted)
            writer.write({**_columns(known.schema.names, drawn.data), name: _cells(drawn.target)})
    if output == STDOUT:
        return
    if json:
        emit({"output": output, "rows": number})
    else:
        say(f"{output}: {counted(number, 'row')}, {size_of(output)}")


def _columns(names: tuple[str | int, ...], data: Any) -> dict[str, Any]:
    from suffice.api.predictions import encodable

    if isinstance(data, dict):
        cells = cast("dict[str | int, Any]", data)
        return {encodable(str(column)): _cells(values) for column, values in cells.items()}
    return {encodable(str(column)): data[:, at] for at, column in enumerate(names)}


def _cells(values: Any) -> Any:
    # A column of a file has one type: levels of several are written as text.
    from suffice.api.predictions import column_of_labels

    if values.dtype.kind not in "OU":
        return values
    found: list[Any] = values.tolist()
    distinct = [each for each in dict.fromkeys(zip(map(type, found), found, strict=True)) if each[1] is not None]
    if not distinct:
        return found
    written = dict(zip(distinct, column_of_labels([label for _, label in distinct]), strict=True))
    return [None if each is None else written[type(each), each] for each in found]
