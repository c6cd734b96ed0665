"""`suffice show`: what a model is and what it has learnt, as bars in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from suffice.cli.arguments import Json, ModelPath, command

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.evidence import LevelEvidence, Telling, WordEvidence
    from suffice.likelihoods import Parameter

__all__ = ["show", "show_telling"]

_MOST_CLASSES = 12
_MOST_PARAMETERS = 60


@command
def show(
    model: ModelPath,
    column: Annotated[
        str | None, typer.Option("--column", metavar="COL", help="The parameters of one column, and what it tells.")
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="How many of the most telling to show.")] = 10,
    json: Json = False,
) -> None:
    """Show what a model has learnt: its columns, its classes, what tells them apart.

    A column is as telling as what one of its cells says about the class on
    average, in nats: 0.69 doubles the odds, 2.3 makes them ten times what they
    were. A level speaks for a class where it is more frequent in it than in the
    other classes together, and so does a word of a text: it is shown with how
    often it occurs and with the nats that each time says. Bits are the mutual
    information of class and cell: how many yes-or-no questions about the class
    it answers on average.

    For example:

    \b
        suffice show model.suffice
        suffice show model.suffice --column plan
        suffice show model.suffice --top 3 --json
        suffice show mail.suffice --top 20
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.output import emit
    from suffice.evidence import telling

    known = load(model)
    if column is not None:
        _show_column(known, _column(known, column), top, json=json)
        return
    found = telling(known.naive_bayes)
    if json:
        emit(_record(known, model, found, top))
        return
    _show_model(known, model)
    show_telling(known, found, top)


def _record(model: Model, path: Path, found: Telling, top: int) -> dict[str, Any]:
    from suffice.cli.output import calibration_of, schema_record

    known, origin = model.naive_bayes, model.provenance
    prior = known.class_prior.probabilities(known.tally).tolist()
    classes = zip(model.classes, known.tally.weight.tolist(), prior, strict=True)
    return {
        "model": path,
        "bytes": path.stat().st_size,
        "rows": origin.rows,
        "sources": origin.sources,
        "first": origin.first,
        "last": origin.last,
        "target": origin.target,
        "estimate": known.reading.estimate,
        "class_prior": str(known.class_prior),
        "calibration": calibration_of(model),
        "classes": [{"label": label, "weight": weight, "prior": share} for label, weight, share in classes],
        **schema_record(model),
        "incomplete_rows": [{"columns": columns, "weight": weight} for columns, weight in _incomplete(model)],
        "telling_columns": [
            {"column": each.column, "nats": each.evidence, "bits": each.bits} for each in found.columns(top)
        ],
        "telling_levels": [row._asdict() for label in model.classes for row in found.levels(label, top)],
        "telling_words": [row._asdict() for label in model.classes for row in found.words(label, top)],
    }


def _show_model(model: Model, path: Path) -> None:
    from suffice.cli.output import bar, calibration_of, counted, number, say, schema_rows, share, size_of, table

    known, origin = model.naive_bayes, model.provenance
    say(f"{path}: {counted(origin.rows, 'row')}, {counted(len(model.classes), 'class')}, {size_of(path)}")
    if origin.sources:
        more = f" and {len(origin.sources) - 3:,} more" * (len(origin.sources) > 3)
        say(f"from {', '.join(origin.sources[:3])}{more}, last {origin.last}")
    say(f"estimate: {known.reading.estimate}, class prior: {known.class_prior}")
    say(calibration_of(model) or "not calibrated")
    say()
    say("columns")
    table(schema_rows(model))
    for columns, weight in _incomplete(model):
        say(f"left out of {columns}, which go together: {counted(weight, 'row')} with a missing cell")
    say()
    say("classes" if origin.target is None else f"classes ({origin.target})")
    prior: list[float] = known.class_prior.probabilities(known.tally).tolist()
    weights: list[float] = known.tally.weight.tolist()
    each = list(zip(model.classes, weights, prior, strict=True))
    rows = [[str(label), number(weight), share(p), bar(p, max(prior))] for label, weight, p in each[:_MOST_CLASSES]]
    table(rows + [["…", f"{len(each):,} in all"]] * (len(each) > _MOST_CLASSES), right=(1, 2))


def _incomplete(model: Model) -> list[tuple[str, float]]:
    from suffice.statistics import Scatter

    known = model.naive_bayes
    return [
        (", ".join(map(str, block.columns[:8])) + ", …" * (len(block.columns) > 8), float(parts[0].left_out.sum()))
        for block, parts in zip(known.schema.blocks, known.parts, strict=True)
        if isinstance(parts[0], Scatter) and parts[0].left_out.any()
    ]


def show_telling(model: Model, found: Telling, top: int) -> None:
    """Print the most telling columns as bars, and the most telling levels of each class."""
    from suffice.cli.output import bar, number, say, table

    columns = found.columns(top)
    if not columns:
        say()
        say("nothing tells classes apart: there are fewer than two, or no columns")
        return
    say()
    say("most telling columns, nats a cell")
    most = max(each.evidence for each in columns)
    table(
        [
            [
                str(each.column),
                number(each.evidence),
                "" if each.bits is None else f"{number(each.bits)} bits",
                bar(each.evidence, most),
            ]
            for each in columns
        ],
        right=(1, 2),
    )
    if any(each.bits is None for each in columns):
        say("  texts, and counts that are draws of one row, have no bits by themselves")
    some = model.classes[:_MOST_CLASSES]
    _show_by_class(model, {label: found.levels(label, top) for label in some})
    _show_words({label: found.words(label, top) for label in some})
    if len(model.classes) > _MOST_CLASSES:
        say()
        say(f"… {len(model.classes):,} classes in all; --json has every one")


def _show_by_class(model: Model, levels: dict[Any, list[LevelEvidence]]) -> None:
    from suffice.cli.output import say

    if len(model.classes) == 2:  # what speaks for one speaks against the other: once is enough
        levels = {label: rows for label, rows in levels.items() if label == model.classes[1]}
    for label, rows in levels.items():
        if rows:
            against = f"for {model.classes[0]}" if len(model.classes) == 2 else "against it"
            say()
            say(f"{label}: what speaks {against} (left), and for it (right)")
            _show_levels(rows)


def _show_words(words: dict[Any, list[WordEvidence]]) -> None:
    from suffice.cli.output import bar, number, say, table

    for label, rows in words.items():
        if not rows:
            continue
        say()
        say(f"{label}: the words that speak most for it, nats each time")
        most = max((row.evidence for row in rows if row.evidence != float("inf")), default=1.0)
        several = len({row.column for row in rows}) > 1
        table(
            [
                [
                    f"{row.column}: {_token(row.token)}" if several else _token(row.token),
                    f"{number(row.occurrences)} here",
                    f"{number(row.occurrences_elsewhere)} elsewhere",
                    f"{row.evidence:+.2f}",
                    bar(min(row.evidence, most), most),
                ]
                for row in rows
            ],
            right=(1, 2, 3),
        )


def _token(token: str | int) -> str:
    # Spaces at the ends of a token, and signs that no terminal shows, are part of what it is.
    text = str(token)
    return text if text.isprintable() and text == text.strip() else repr(token)


def _show_levels(levels: list[LevelEvidence]) -> None:
    from suffice.cli.output import share, signed_bar, table

    finite = [abs(row.evidence) for row in levels if abs(row.evidence) != float("inf")]
    most = max(finite, default=1.0) or 1.0
    table(
        [
            [
                str(row.column) if row.level is None else f"{row.column} = {_level(row.level)}",
                f"{share(row.here)} here",
                f"{share(row.elsewhere)} elsewhere",
                signed_bar(row.evidence, most),
            ]
            for row in levels
        ],
        right=(1, 2),
    )


def _show_column(model: Model, column: str | int, top: int, *, json: bool) -> None:
    from suffice.cli.output import bar, emit, number, say, table
    from suffice.evidence import telling

    found = telling(model.naive_bayes)
    # A joint block goes by the names of all its columns.
    names = {column, *(name for name in found.by_column if isinstance(name, str) and str(column) in name.split(", "))}
    # Of a text there may be millions of parameters: its words say more, and `suffice export` has them all.
    spoken = {word.column for word in found.by_word} & names
    chosen = {name for name in model.schema.names if name in names or any(str(name) in str(each) for each in names)}
    known = () if spoken else model.naive_bayes.parameters(0.95, chosen)
    parameters = [row for row in known if row.column in names]
    levels = {label: found.levels(label, top, column) for label in model.classes}
    words = {label: found.words(label, top, column) for label in model.classes}
    if json:
        nats = [row for label in model.classes for row in found.columns_of(label) if row.column in names]
        emit(
            {
                "column": column,
                "nats": [{"label": row.label, "nats": row.evidence} for row in nats],
                "parameters": [row._asdict() for row in parameters],
                "telling_levels": [row._asdict() for rows in levels.values() for row in rows],
                "telling_words": [row._asdict() for rows in words.values() for row in rows],
            }
        )
        return
    say(f"{column}: {_taken_for(model, column)}")
    shown = [
        [str(row.label), "" if row.level is None else _level(row.level), row.name, number(row.value), _interval(row)]
        for row in parameters
    ]
    if not shown and not spoken:
        say("  it is the same in every row, or no cell of it is known: it says nothing")
    table(
        [
            *shown[:_MOST_PARAMETERS],
            *[["…", f"{len(shown):,} in all; see suffice export"]] * (len(shown) > _MOST_PARAMETERS),
        ]
    )
    said = [row for label in model.classes for row in found.columns_of(label) if row.column in names]
    if said:
        say()
        say("what a cell says in rows of each class, nats")
        most = max(row.evidence for row in said)
        table([[str(row.label), number(row.evidence), bar(row.evidence, most)] for row in said], right=(1,))
    _show_by_class(model, levels)
    _show_words(words)


def _taken_for(model: Model, column: str | int) -> str:
    from suffice.cli.output import schema_record

    record = schema_record(model)
    for each in record["columns"]:
        if each["name"] == column:
            chosen = each["read_as"] or ""
            chosen = chosen if not chosen or chosen.startswith("alpha ") else f"read as {chosen}"
            return ", ".join(filter(None, (each["likelihood"], chosen)))
    return next(f"left out, {each['reason']}" for each in record["left_out"] if each["name"] == column)


def _interval(row: Parameter) -> str:
    from suffice.cli.output import number

    return "" if row.lower != row.lower else f"{number(row.lower)} … {number(row.upper)}"


def _column(model: Model, text: str) -> str | int:
    names = {str(name): name for name in model.schema.names}
    if text in names:
        return names[text]
    from difflib import get_close_matches

    from suffice.errors import ParameterError

    close = get_close_matches(text, names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Its columns are {', '.join(map(repr, [*names][:8]))}."
    raise ParameterError(f"the model has no column {text!r}. {hint}")


def _level(level: Any) -> str:
    return ", ".join(map(str, cast("tuple[Any, ...]", level))) if isinstance(level, tuple) else str(level)
