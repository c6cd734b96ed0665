"""A model as tables and as a record for --json: columns, classes and evidence of columns, values and words."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from suffice.cli.terminal import (
    AGAINST,
    FOR,
    Bar,
    Cell,
    SignedBar,
    Styled,
    counted,
    cut_rows,
    heading,
    label_text,
    number,
    percent,
    print_table,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suffice.api import Model, PriorShift
    from suffice.evidence import ClassEvidence, LevelEvidence, WordEvidence

__all__ = [
    "calibration_sentence",
    "incomplete_rows",
    "more_classes",
    "places_to_show",
    "print_classes",
    "print_columns",
    "print_evidence",
    "print_levels_and_words",
    "print_shift",
    "schema_record",
    "shift_record",
    "signed",
]

_MOST_COLUMNS = 20
_MOST_CLASSES = 12
_NOISE = 9  # decimals: rounding errors are not evidence
_ALIKE = 4  # columns in a row with the same likelihood are one line


def calibration_sentence(model: Model) -> str | None:
    """Return a description of the calibration, or None if the model is not calibrated."""
    learnt = model.calibration
    if learnt is None:
        return None
    return f"calibrated: {learnt}; log loss {learnt.loss_before:.4f} before, {learnt.loss:.4f} after (nats)"


def schema_record(model: Model) -> dict[str, Any]:
    """Return the columns of the model and those that it leaves out, for --json."""
    # A column whose form is selected from the data is shown with the selected form.
    asked, taken = (
        {name: block.likelihood for block in schema.blocks for name in block.columns}
        for schema in (model.schema, model.core.form_schema())
    )
    choices, reasons = model.selected_forms, dict(model.schema.left_out)
    weights = {} if model.calibration is None else model.calibration.weights_and_errors()
    return {
        "columns": [
            {
                "name": name,
                "likelihood": repr(taken[name]),
                "details": choices.get(name) if type(taken[name]) is type(asked[name]) else None,
                **({"weight": weights[name][0], "weight_error": weights[name][1]} if name in weights else {}),
            }
            for name in model.schema.names
            if name in taken
        ],
        "left_out": [{"name": name, "reason": reasons.get(name, "as asked")} for name in model.schema.unused],
    }


def print_columns(model: Model) -> None:
    """Print the columns with their likelihoods, and those that are left out with the reason."""
    record = schema_record(model)
    rows: list[list[Cell]] = []
    weighted = any("weight" in each for each in record["columns"])
    for (likelihood, chosen), group in groupby(record["columns"], lambda each: (each["likelihood"], each["details"])):
        columns = list(group)
        names = [str(each["name"]) for each in columns]
        if weighted:
            rows += [
                [name, f"{each['weight']:.2f} ± {each['weight_error']:.2f}", likelihood, chosen or ""]
                for name, each in zip(names, columns, strict=True)
            ]
            continue
        if len(names) >= _ALIKE:
            names = [f"{names[0]} … {names[-1]} ({len(names):,} columns)"]
        rows += [[name, likelihood, chosen or ""] for name in names]
    left_out = [[str(each["name"]), *[""] * weighted, "left out", each["reason"]] for each in record["left_out"]]
    heading("columns")
    shown = cut_rows(rows, _MOST_COLUMNS, "columns") + cut_rows(left_out, _MOST_COLUMNS, "left out")
    heads = ("column", *["weight"] * weighted, "likelihood", "details")
    print_table(shown, heads, wrap=len(heads) - 1)
    for columns, weight in incomplete_rows(model):
        say(f"  {counted(weight, 'row')} with a missing value not used for {columns}, which are modelled jointly")


def incomplete_rows(model: Model) -> list[tuple[str, float]]:
    """Return the columns that are modelled jointly, and the weight of the rows with a missing value in them."""
    from suffice.statistics import Scatter

    known = model.core
    return [
        (", ".join(map(str, block.columns[:8])) + ", …" * (len(block.columns) > 8), float(parts[0].left_out.sum()))
        for block, parts in zip(known.schema.blocks, known.parts, strict=True)
        if isinstance(parts[0], Scatter) and parts[0].left_out.any()
    ]


def places_to_show(model: Model) -> list[int]:
    """Return the positions of the classes that are printed: all, or the most frequent ones if there are many."""
    every = range(len(model.classes))
    if len(every) <= _MOST_CLASSES:
        return [*every]
    return sorted(every, key=lambda at: -float(model.core.tally.weight[at]))[:_MOST_CLASSES]


def print_classes(model: Model) -> None:
    """Print the classes with the weight of their rows and their prior, the most frequent ones if there are many."""
    known, target = model.core, model.provenance.target
    weights: list[float] = known.tally.weight.tolist()
    priors: list[float] = known.class_prior.probabilities(known.tally).tolist()
    most = max(priors, default=0.0)
    rows: list[list[Cell]] = [
        [label_text(model.classes[at]), number(weights[at]), percent(priors[at]), Bar(priors[at], most)]
        for at in places_to_show(model)
    ]
    heading("classes" if target is None else f"classes ({_column_text(target)})")
    print_table([*rows, *more_classes(model)], ("class", "rows", "prior"), right=(1, 2))


def more_classes(model: Model) -> list[list[Cell]]:
    """Return a row with the number of classes that are not printed; none if all of them are."""
    more = len(model.classes) - len(places_to_show(model))
    return [[f"… {more:,} more classes; --json has all of them"]] if more else []


def print_evidence(model: Model, found: ClassEvidence, top: int) -> None:
    """Print the most informative columns, and for each class its most characteristic values and words."""
    columns = found.columns(top)
    if not columns:
        say()
        say("no evidence to show: the model has fewer than two classes, or no columns")
        return
    heading("most informative columns: average evidence (nats), mutual information (bits)")
    most = max((each.evidence for each in columns if math.isfinite(each.evidence)), default=1.0)
    rows = [
        [
            str(each.column),
            number(round(each.evidence, _NOISE)),
            "–" if each.bits is None else number(round(each.bits, _NOISE)),
            Bar(round(each.evidence, _NOISE), most),
        ]
        for each in columns
    ]
    print_table(rows, ("column", "nats", "bits"), right=(1, 2))
    if any(each.bits is None for each in columns):
        say("  bits: mutual information is not defined for texts and multinomial counts")
    print_levels_and_words(model, found, top)


def print_levels_and_words(model: Model, found: ClassEvidence, top: int, column: str | int | None = None) -> None:
    """Print the values and words of each class with their evidence; for two classes the values of the second."""
    labels = [model.classes[at] for at in places_to_show(model)]
    two = len(model.classes) == 2
    for label in labels[1:] if two else labels:
        levels = found.levels(label, top, column)
        if levels:
            _print_levels(label, f"in {label_text(model.classes[0])}" if two else "in others", levels)
    for label in labels:
        words = found.words(label, top, column)
        if words:
            _print_words(label, words)
    for (more,) in more_classes(model):
        say()
        say(str(more))


def _print_levels(label: Any, others: str, levels: Sequence[LevelEvidence]) -> None:
    heading(f"evidence for {label_text(label)} (right) or against it (left), ranked by nats × difference in frequency")
    greatest = max((abs(row.evidence) for row in levels if math.isfinite(row.evidence)), default=0.0) or 1.0
    rows = [
        [
            _column_text(row.column) + ("" if row.level is None else f" = {label_text(row.level)}"),
            percent(row.here),
            percent(row.elsewhere),
            Styled(signed(row.evidence), FOR if row.evidence >= 0 else AGAINST),
            SignedBar(round(row.evidence, _NOISE), greatest),
        ]
        for row in levels
    ]
    print_table(rows, ("column = value", f"in {label_text(label)}", others, "nats"), right=(1, 2, 3))


def _print_words(label: Any, words: Sequence[WordEvidence]) -> None:
    heading(f"words that favour {label_text(label)} (occurrences, evidence of each occurrence)")
    greatest = max((row.evidence for row in words if math.isfinite(row.evidence)), default=1.0)
    several = len({row.column for row in words}) > 1
    rows = [
        [
            f"{_column_text(row.column)}: {_token_text(row.token)}" if several else _token_text(row.token),
            number(row.occurrences),
            number(row.occurrences_elsewhere),
            signed(row.evidence),
            Bar(row.evidence, greatest),
        ]
        for row in words
    ]
    print_table(rows, ("word", f"in {label_text(label)}", "in others", "nats"), right=(1, 2, 3))


def _column_text(column: str | int) -> str:
    return f"column {column}" if isinstance(column, int) else column


def signed(nats: float) -> str:
    """Return evidence with its sign."""
    return f"{nats:+.2f}" if math.isfinite(nats) else "+∞" if nats > 0 else "−∞"


def _token_text(token: str | int) -> str:
    # Leading and trailing spaces and invisible characters are part of a token.
    text = str(token)
    return text if text.isprintable() and text == text.strip() else repr(token)


def print_shift(shift: PriorShift) -> None:
    """Print the classes with their prior in the training rows and the one estimated from the data."""
    say(
        f"class prior estimated from {counted(shift.rows, 'row')} (test of no change from the training prior: "
        f"p = {shift.p_value:.2g})"
    )
    most = max(shift.after.tolist())
    rows = [
        [label_text(label), percent(before), percent(after), Bar(after, most)]
        for label, before, after in zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True)
    ]
    print_table(cut_rows(rows, _MOST_CLASSES, "classes"), ("class", "training", "estimated"), right=(1, 2))
    say()


def shift_record(shift: PriorShift | None) -> dict[str, Any] | None:
    """Return the estimated class prior for --json."""
    if shift is None:
        return None
    each = zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True)
    return {
        "classes": [{"label": label, "before": before, "after": after} for label, before, after in each],
        "rows": shift.rows,
        "silent": shift.silent,
        "iterations": shift.iterations,
        "converged": shift.converged,
        "log_likelihood_ratio": shift.log_likelihood_ratio,
        "p_value": shift.p_value,
    }
