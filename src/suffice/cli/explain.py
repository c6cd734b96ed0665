"""`suffice explain`: the evidence behind each prediction, value by value, as a table or as lines of JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import STDOUT, DataOptions, ModelPath, command
from suffice.cli.values import find_label, load_for_command

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.evidence.explanation import Entry, Explanation

__all__ = ["explain_command"]

_TOP = 10


@command(writes=True)
def explain_command(
    *,
    model: ModelPath,
    row: Annotated[
        list[int] | None,
        typer.Option("--row", metavar="N", min=0, help="Row number, starting at 0. Repeatable. [default: every row]"),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--class", metavar="C", help="Class to explain. [default: the most probable class]")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="C",
            help="Class to compare with, or `rest` for all others together. [default: the most probable other class]",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="Number of values and words to list.")] = _TOP,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", help="An .ndjson file with one object per row, or - (stdout)."),
    ] = STDOUT,
    data: DataOptions,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per row, for scripts.")] = False,
) -> None:
    """Explain predictions by the evidence of each value.

    The log-odds of a class against another are a sum of contributions in nats:
    the class prior, and one for each value or word. +0.69 doubles the odds, +2.3
    multiplies them by ten. Each contribution is shown with the counts, means or
    probabilities of both classes from which it is computed. In a calibrated
    model, the effect of the calibration is one of the contributions. Rows are
    streamed, so files may be larger than memory.

    For example:

    \b
        suffice explain model.suffice new.csv --row 0
        suffice explain model.suffice new.csv --row 3 --row 7 --class yes --top 3
        suffice explain mail.suffice mail/ --against rest --json
        suffice explain model.suffice new.csv -o why.ndjson --top 5
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.output import as_json, emit, require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.terminal import counted, quieted, say

    known = load_for_command(model, *data.paths)
    options: dict[str, Any] = {"positive": None if label is None else find_label(known, label), "top": top}
    options |= {"against": _parse_against(known, against), "rows": row or None}
    files = data.files()
    if output == STDOUT:
        for at, each in enumerate(known.explain_rows(files, **options)):
            if json:
                typer.echo(as_json(each.as_record()))
            else:
                with quieted(False):  # it is the result
                    _print_explanation(each, first=at == 0)
        return
    if Path(output).suffix.lower() not in (".ndjson", ".jsonl"):
        raise typer.BadParameter(
            f"explanations are written as lines of JSON: got {output}. Give a name that ends in .ndjson.",
            param_hint="-o",
        )
    require_place(Path(output), [*data.paths, model])
    with Reporter("explaining") as report:
        number = _write_explanations(output, known.explain_rows(files, **options, progress=report))
    if json:
        emit({"output": output, "rows": number, "seconds": report.seconds, "skipped_lines": report.skipped})
    else:
        say(f"wrote {output}: {counted(number, 'row')} in {report.seconds:.2f} s")


def _write_explanations(path: str, found: Iterator[Explanation]) -> int:
    from suffice.cli.output import as_json
    from suffice.storage import replacing

    number = 0
    with replacing(path) as file:
        for each in found:
            file.write(f"{as_json(each.as_record())}\n".encode())
            number += 1
    return number


def _parse_against(model: Model, text: str | None) -> Any:
    from suffice.api.model import REST

    if text is None or (text == REST and text not in map(str, model.classes)):
        return text
    return find_label(model, text)


def _print_explanation(found: Explanation, *, first: bool) -> None:
    from suffice.cli.model_tables import signed
    from suffice.cli.terminal import AGAINST, FOR, Cell, SignedBar, Styled, label_text, percent, print_table, say

    here, there = label_text(found.label), "the rest" if found.against is None else label_text(found.against)
    if not first:
        say()
    say(
        f"row {found.row}: {here}, {percent(found.probability)} (log-odds against {there}: {signed(found.score)} nats)",
        "bold",
    )
    if found.impossible:
        say("  probability 0 under both classes: the odds are those of the class prior")
    entries = [found.prior, *found.entries]
    greatest = max((abs(entry.nats) for entry in entries if math.isfinite(entry.nats)), default=0.0) or 1.0
    rows: list[list[Cell]] = []
    for entry in entries:
        nats = Styled(signed(entry.nats), FOR if entry.nats >= 0 else AGAINST)
        rows.append([entry.name, nats, SignedBar(entry.nats, greatest), *_behind(entry)])
    if found.others:
        rows.append([f"… {found.others:,} more", signed(found.others_nats)])
    print_table(rows, ("contribution", "nats", "", f"in {here}", f"in {there}"), right=(1,))


def _behind(entry: Entry) -> tuple[str, str]:
    from suffice.cli.terminal import percent

    name, here, there = entry.behind()
    if name == "share":
        (share,) = (each for each in entry.support if each.name == name)
        return percent(share.here), percent(share.there)
    return (f"≤ {here}", f"≤ {there}") if name == "maximum" else (here, there)
