"""A model in words: what each column is taken for, why some are left out, and whether it is calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from suffice.cli.wording import in_commands

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["calibration_of", "schema_record", "schema_rows"]

_SHOWN = 40


def calibration_of(model: Model) -> str | None:
    """Return how the probabilities of the model are calibrated, or None where they are not."""
    learnt = model.calibration
    if learnt is None:
        return None
    return f"calibrated: {learnt}; log loss {learnt.loss_before:.4f} before, {learnt.loss:.4f} now"


def schema_rows(model: Model, most: int = _SHOWN) -> list[list[str]]:
    """Return a row for each column: its name, its likelihood, and what the statistics chose."""
    rows = [[str(each["name"]), each["likelihood"], each["read_as"] or ""] for each in _columns(model)]
    if len(rows) > most:
        rows = [*rows[:most], ["…", f"{len(rows):,} columns in all", ""]]
    left_out = [[str(name), "left out", reason] for name, reason in _left_out(model).items()]
    if len(left_out) > most:
        left_out = [*left_out[:most], ["…", f"{len(left_out):,} left out in all", ""]]
    return rows + left_out


def schema_record(model: Model) -> dict[str, Any]:
    """Return the columns and those that are left out."""
    left_out = [{"name": name, "reason": reason} for name, reason in _left_out(model).items()]
    return {"columns": _columns(model), "left_out": left_out}


def _columns(model: Model) -> list[dict[str, Any]]:
    schema, choices = model.schema, model.choices
    likelihood = {name: repr(block.likelihood) for block in schema.blocks for name in block.columns}
    return [
        {"name": name, "likelihood": likelihood[name], "read_as": choices.get(name)}
        for name in schema.names
        if name in likelihood
    ]


def _left_out(model: Model) -> dict[str | int, str]:
    said = dict(model.schema.left_out)
    return {name: in_commands(said.get(name, "as asked")) for name in model.schema.unused}
