"""What actions cost, as --costs FILE and --cost take it.

    costs.csv                   costs.json                                          --cost
    action,ok,fraud             {"pass":  {"ok": 0, "fraud": 100},                  --cost pass,fraud=100
    pass,0,100                   "block": {"ok": 5, "fraud": 0},                    --cost block,ok=5
    block,5,0                    "refer": 2}                                        --cost refer=2
    refer,2,2

A table in a file is the form to keep: every cost is written down, a spreadsheet opens it, and a cell that is forgotten
is an error. --cost is for trying: what is not said costs 0. Of actions that cost the same the first is taken.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from suffice.cli.arguments import label_of
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Costs, Model

__all__ = ["CostOptions"]

_FILE, _ONE = "--costs", "--cost"


@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """What actions cost."""

    costs: Annotated[
        Path | None,
        typer.Option("--costs", metavar="FILE", help="A CSV table of actions × classes, or the same as JSON."),
    ] = None
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="ACTION,CLASS=COST",
            help="One cost, as block,no=5, or refer=2 for every class. What is not said costs 0. Repeatable.",
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The options that are used."""
        return [name for name, value in ((_FILE, self.costs), (_ONE, self.cost)) if value]

    def of(self, model: Model) -> Costs | None:
        """Return the costs of the classes of a model, from a file or from what stands after each --cost."""
        if self.costs is not None and self.cost:
            raise typer.BadParameter(
                f"give a file with {_FILE} or single costs with {_ONE}, not both.", param_hint=_ONE
            )
        if self.costs is not None:
            return _of_file(self.costs, model)
        return _of_options(self.cost, model) if self.cost else None


def _of_options(each: list[str], model: Model) -> Costs:
    from suffice.api import Costs

    said: dict[str, dict[str | None, float]] = {}
    for text in each:
        left, sign, cost = text.rpartition("=")
        action, comma, label = left.partition(",")
        if not sign or not action or (comma and not label):
            raise _not_understood(text)
        of_action = said.setdefault(action, {})
        key = label if comma else None
        if key in of_action:
            raise typer.BadParameter(f"{left!r} is given twice. Say once what it costs.", param_hint=_ONE)
        of_action[key] = _number(cost, text)
    table: dict[str, dict[Any, float]] = {}
    for action, costs in said.items():
        table[action] = dict.fromkeys(model.classes, costs.get(None, 0.0))
        table[action].update({label_of(model, label): cost for label, cost in costs.items() if label is not None})
    return Costs(table)


def _number(cost: str, text: str) -> float:
    try:
        return float(cost)
    except ValueError:
        raise _not_understood(text) from None


def _not_understood(text: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"{text!r} is not ACTION,CLASS=COST. Write for example block,ok=5, or refer=2 for one cost in every class.",
        param_hint=_ONE,
    )


def _of_file(path: Path, model: Model) -> Costs:
    from suffice.api import Costs

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(
            f"{path} is not text in UTF-8. Give a CSV table of actions × classes, or the same as JSON."
        ) from None
    if path.suffix.lower() == ".json":
        return Costs(_of_json(path, text, model))
    return Costs(_of_table(path, text, model))


def _of_json(path: Path, text: str, model: Model) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=lambda pairs: _once(path, pairs))
    except json.JSONDecodeError as problem:
        raise ParameterError(f"this is not JSON: {problem.msg}", file=str(path), line=problem.lineno) from None
    except RecursionError:
        raise ParameterError(
            f"{path} is nested too deeply. Give one object of actions, each a number or an object of classes."
        ) from None
    if not isinstance(found, dict):
        raise ParameterError(
            f'{path} must hold one object, as {{"block": {{"ok": 5, "fraud": 0}}, "refer": 2}}: got '
            f"{type(cast('object', found)).__name__}."
        )
    table: dict[str, Any] = {}
    for action, costs in cast("dict[str, Any]", found).items():
        if isinstance(costs, dict):
            by_text = cast("dict[str, Any]", costs)
            table[action] = {label_of(model, label): cost for label, cost in by_text.items()}
        else:
            table[action] = costs
    return table


def _once(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ParameterError(f"{path} has the key {key!r} twice. Keep one of them.")
        found[key] = value
    return found


def _of_table(path: Path, text: str, model: Model) -> dict[str, dict[Any, float]]:
    lines = text.splitlines()
    first = lines[0] if lines else ""
    rows = list(csv.reader(lines, delimiter=max(",\t;|", key=first.count)))
    head = [cell.strip() for cell in rows[0]] if rows else []
    if len(head) < 2:
        raise ParameterError(
            f"{path} must be a table: a line 'action,class,class,…', then a line with the costs of each action."
        )
    labels = [label_of(model, cell) for cell in head[1:]]
    table: dict[str, dict[Any, float]] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [cell.strip() for cell in row]
        if len(cells) != len(head):
            problem = f"{len(cells)} cells, and there are {len(head)} columns"
            raise ParameterError(problem, file=str(path), line=number)
        if cells[0] in table:
            problem = f"action {cells[0]!r} is there twice"
            raise ParameterError(problem, file=str(path), line=number, advice="Keep one line of it.")
        table[cells[0]] = {
            label: _cell(path, number, name, cell)
            for label, name, cell in zip(labels, head[1:], cells[1:], strict=True)
        }
    return table


def _cell(path: Path, line: int, label: str, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ParameterError(
            f"the cost in class {label!r} must be a number",
            file=str(path),
            line=line,
            got=cell,
            advice="Write 0 if it costs nothing.",
        ) from None
