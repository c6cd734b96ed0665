"""`suffice show`: the columns, classes and evidence of a model, or the parameters of one column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import Json, ModelPath, command
from suffice.cli.completion import complete_model_column
from suffice.cli.failures import suggest
from suffice.cli.values import load_for_command
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suffice.api import Model
    from suffice.cli.terminal import Cell
    from suffice.evidence import ClassEvidence
    from suffice.evidence.feature_importance import ColumnEvidence
    from suffice.likelihoods import Parameter

__all__ = ["show_command"]

_MOST_VALUES = 20


@command
def show_command(
    model: ModelPath,
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            "-c",
            metavar="COL",
            help="Show the parameters and the evidence of one column.",
            autocompletion=complete_model_column,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Number of columns, values and words to show.")
    ] = 10,
    json: Json = False,
) -> None:
    """Show a model: its columns, its classes and what separates them.

    Columns are ranked by their average evidence per value in nats: 0.69 doubles
    the odds of a class, 2.3 multiplies them by ten. The column `bits` is the
    mutual information between the class and the column. A value is evidence for a
    class if it is more frequent there than in the other classes together. Values
    are ranked by their evidence times the difference of their frequencies, so a
    rare value with strong evidence ranks low. Words are shown with their counts
    and the evidence of each occurrence.

    For example:

    \b
        suffice show model.suffice
        suffice show model.suffice --column plan
        suffice show model.suffice --top 3 --json
        suffice show mail.suffice --top 20
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.model_tables import print_classes, print_columns, print_evidence
    from suffice.cli.output import emit
    from suffice.evidence import feature_importance

    known = load_for_command(model)
    found = feature_importance(known.core)
    if column is not None:
        _show_column(known, _find_column(known, column), found, top, json=json)
        return
    if json:
        emit(_model_record(known, model, found, top))
        return
    _print_summary(known, model)
    print_columns(known)
    print_classes(known)
    print_evidence(known, found, top)


def _print_summary(model: Model, path: Path) -> None:
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.terminal import counted, say, shorten_names, size_of

    known, origin = model.core, model.provenance
    say(f"{path}: {counted(origin.rows, 'row')}, {counted(len(model.classes), 'class')}, {size_of(path)}")
    if origin.sources:
        say(f"fitted on {shorten_names(origin.sources, 3)}; last change {origin.last}")
    say(f"estimate: {known.reading.estimate}, class prior: {known.class_prior}")
    say(calibration_sentence(model) or "not calibrated")


def _model_record(model: Model, path: Path, found: ClassEvidence, top: int) -> dict[str, Any]:
    from suffice.cli.model_tables import calibration_sentence, incomplete_rows, schema_record

    known, origin = model.core, model.provenance
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
        "calibration": calibration_sentence(model),
        "classes": [{"label": label, "weight": weight, "prior": share} for label, weight, share in classes],
        **schema_record(model),
        "incomplete_rows": [{"columns": columns, "weight": weight} for columns, weight in incomplete_rows(model)],
        "informative_columns": [
            {"column": each.column, "nats": each.evidence, "bits": each.bits} for each in found.columns(top)
        ],
        "value_evidence": [row._asdict() for label in model.classes for row in found.levels(label, top)],
        "word_evidence": [row._asdict() for label in model.classes for row in found.words(label, top)],
    }


def _show_column(model: Model, column: str | int, found: ClassEvidence, top: int, *, json: bool) -> None:
    from suffice.cli.model_tables import print_levels_and_words
    from suffice.cli.output import emit

    # A joint block has the names of all its columns.
    names = {column, *(name for name in found.by_column if isinstance(name, str) and str(column) in name.split(", "))}
    # A text may have millions of parameters: its words are shown instead, and `suffice export` writes all of them.
    is_text = bool({word.column for word in found.by_word} & names)
    chosen = {name for name in model.schema.names if name in names or any(str(name) in str(each) for each in names)}
    known = () if is_text else model.core.parameters(0.95, chosen)
    parameters = [row for row in known if row.column in names]
    evidence = [[row for row in found.columns_of(label) if row.column in names] for label in model.classes]
    if json:
        emit(
            {
                "column": column,
                "nats": [{"label": row.label, "nats": row.evidence} for rows in evidence for row in rows],
                "parameters": [row._asdict() for row in parameters],
                "value_evidence": [
                    row._asdict() for label in model.classes for row in found.levels(label, top, column)
                ],
                "word_evidence": [row._asdict() for label in model.classes for row in found.words(label, top, column)],
            }
        )
        return
    _print_parameters(model, column, parameters, is_text=is_text)
    _print_column_evidence(model, evidence)
    print_levels_and_words(model, found, top, column)


def _print_parameters(model: Model, column: str | int, parameters: list[Parameter], *, is_text: bool) -> None:
    from suffice.cli.model_tables import more_classes, places_to_show
    from suffice.cli.terminal import cut_rows, label_text, number, print_table, say

    say(f"{column}: {_describe_column(model, column)}")
    if not parameters and not is_text:
        say("  no evidence: the column is constant, or all its values are missing")
    by_class: list[list[list[Cell]]] = [[] for _ in model.classes]
    for row in parameters:
        by_class[model.core.classes.index(row.label)].append(
            [
                label_text(row.label),
                "" if row.level is None else label_text(row.level),
                row.name,
                number(row.value),
                "" if row.lower != row.lower else f"{number(row.lower)} … {number(row.upper)}",
            ]
        )
    shown: list[Sequence[Cell]] = []
    for at in places_to_show(model):
        shown += cut_rows(by_class[at], _MOST_VALUES, f"of {label_text(model.classes[at])}; see suffice export")
    shown += more_classes(model) if shown else []
    print_table(shown, ("class", "value", "parameter", "estimate", "95 % interval"), right=(3,))


def _print_column_evidence(model: Model, evidence: list[list[ColumnEvidence]]) -> None:
    from suffice.cli.model_tables import more_classes, places_to_show
    from suffice.cli.terminal import Bar, heading, label_text, number, print_table

    shown = [row for at in places_to_show(model) for row in evidence[at]]
    if not shown:
        return
    most = max(row.evidence for row in shown)
    rows: list[list[Cell]] = [[label_text(row.label), number(row.evidence), Bar(row.evidence, most)] for row in shown]
    heading("average evidence per value in rows of each class")
    print_table([*rows, *more_classes(model)], ("class", "nats"), right=(1,))


def _describe_column(model: Model, column: str | int) -> str:
    from suffice.cli.model_tables import schema_record

    record = schema_record(model)
    for each in record["columns"]:
        if each["name"] == column:
            return ", ".join(filter(None, (each["likelihood"], each["details"])))
    return next(f"left out, {each['reason']}" for each in record["left_out"] if each["name"] == column)


def _find_column(model: Model, text: str) -> str | int:
    names = {str(name): name for name in model.schema.names}
    if text in names:
        return names[text]
    raise ParameterError(f"the model has no column {text!r}. {suggest(text, names, 'Its columns are', quoted=True)}")
