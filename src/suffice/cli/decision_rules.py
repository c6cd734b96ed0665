"""How `suffice decide` chooses: by the costs of --costs and --cost, or by a threshold on the log-odds of two classes.

    costs.csv                   costs.json                                          --cost
    action,ok,fraud             {"pass":  {"ok": 0, "fraud": 100},                  --cost pass,fraud=100
    pass,0,100                   "block": {"ok": 5, "fraud": 0},                    --cost block,ok=5
    block,5,0                    "refer": 2}                                        --cost refer=2
    refer,2,2

A file has every cost, and a missing cell is an error; with --cost, costs that are not given are 0. Ties go to the first
action. Precision and recall are measured on labelled rows of --on, which the model was not fitted on. A limit on
the number of alerts needs no labels: it holds for the data itself, which is then read twice, or for the rows of --on.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from suffice.cli.arguments import STDOUT, DataOptions
from suffice.cli.completion import complete_column
from suffice.cli.values import find_label, parse_share
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Costs, Model, Threshold
    from suffice.cli.progress import Reporter

__all__ = ["CostOptions", "ThresholdOptions", "print_threshold", "threshold_record"]

_FILE, _ONE = "--costs", "--cost"


@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """Costs of actions."""

    costs: Annotated[
        Path | None,
        typer.Option("--costs", metavar="FILE", help="CSV table of actions × classes, or the same as JSON."),
    ] = None
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="ACTION,CLASS=COST",
            help="One cost, e.g. block,no=5, or refer=2 for every class. Others are 0. Repeatable.",
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The options that are used."""
        return [name for name, value in ((_FILE, self.costs), (_ONE, self.cost)) if value]

    def of(self, model: Model) -> Costs | None:
        """Return the costs for the classes of a model, from a file or from single costs."""
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
            raise typer.BadParameter(f"{left!r} is given twice. Give it once.", param_hint=_ONE)
        of_action[key] = _parse_cost(cost, text)
    table: dict[str, dict[Any, float]] = {}
    for action, costs in said.items():
        table[action] = dict.fromkeys(model.classes, costs.get(None, 0.0))
        table[action].update({find_label(model, label): cost for label, cost in costs.items() if label is not None})
    return Costs(table)


def _parse_cost(cost: str, text: str) -> float:
    try:
        return float(cost)
    except ValueError:
        raise _not_understood(text) from None


def _not_understood(text: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"{text!r} is not ACTION,CLASS=COST. Write for example block,ok=5, or refer=2 for every class.",
        param_hint=_ONE,
    )


def _of_file(path: Path, model: Model) -> Costs:
    from suffice.api import Costs

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(
            f"{path} is not UTF-8 text. Give a CSV table of actions × classes, or the same as JSON."
        ) from None
    if path.suffix.lower() == ".json":
        return Costs(_of_json(path, text, model))
    return Costs(_of_table(path, text, model))


def _of_json(path: Path, text: str, model: Model) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=lambda pairs: _once(path, pairs))
    except json.JSONDecodeError as problem:
        raise ParameterError(f"not valid JSON: {problem.msg}", file=str(path), line=problem.lineno) from None
    except RecursionError:
        raise ParameterError(
            f"{path} is nested too deeply. Give one object of actions, each a number or an object of classes."
        ) from None
    if not isinstance(found, dict):
        raise ParameterError(
            f'{path} must hold one object such as {{"block": {{"ok": 5, "fraud": 0}}, "refer": 2}}: got '
            f"{type(cast('object', found)).__name__}."
        )
    table: dict[str, Any] = {}
    for action, costs in cast("dict[str, Any]", found).items():
        if isinstance(costs, dict):
            by_text = cast("dict[str, Any]", costs)
            table[action] = {find_label(model, label): cost for label, cost in by_text.items()}
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
    labels = [find_label(model, cell) for cell in head[1:]]
    table: dict[str, dict[Any, float]] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [cell.strip() for cell in row]
        if len(cells) != len(head):
            problem = f"{len(cells)} fields, but the first line has {len(head)}"
            raise ParameterError(problem, file=str(path), line=number)
        if cells[0] in table:
            problem = f"action {cells[0]!r} is given twice"
            raise ParameterError(problem, file=str(path), line=number, advice="Keep one line for it.")
        table[cells[0]] = {
            label: _parse_cell(path, number, name, cell)
            for label, name, cell in zip(labels, head[1:], cells[1:], strict=True)
        }
    return table


def _parse_cell(path: Path, line: int, label: str, cell: str) -> float:
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


class _Goal(NamedTuple):
    # The requirement on a threshold: a keyword of `Model.threshold`, and its value.
    by: str
    value: float

    @property
    def needs_labels(self) -> bool:
        return self.by in ("precision", "recall")


@dataclass(frozen=True, kw_only=True)
class ThresholdOptions:
    """A threshold on the log-odds of two classes, or a requirement on it and the rows on which it is chosen."""

    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="NUMBER",
            help="Two classes: choose the positive class if its log-odds exceed this number.",
        ),
    ] = None
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="P",
            help="Two classes: choose the threshold so that at least this fraction of the alerts is correct.",
        ),
    ] = None
    recall: Annotated[
        str | None,
        typer.Option(
            "--recall",
            metavar="R",
            help="Two classes: choose the threshold so that at least this fraction of the positive class is found.",
        ),
    ] = None
    alerts: Annotated[
        str | None,
        typer.Option(
            "--alerts",
            metavar="N",
            help="Two classes: at most this many alerts, or this fraction of the rows, e.g. 2%.",
        ),
    ] = None
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="FILE",
            help="File of labelled rows, not used in training, on which the threshold is chosen. Optional with "
            "--alerts.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            metavar="CLASS",
            help="Positive class, whose predictions are alerts. [default: the rarer]",
            show_default=False,
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COL",
            help="Column of --on that holds the class. [default: the model's]",
            autocompletion=complete_column,
        ),
    ] = None

    def require_one(self, data: DataOptions, costs: list[str]) -> None:
        """Raise an error if the options contradict each other or the costs."""
        given = {"--precision": self.precision, "--recall": self.recall, "--alerts": self.alerts}
        goals = [name for name, value in given.items() if value is not None]
        ways = [*goals, *costs[:1], *["--threshold"] * (self.threshold is not None)]
        if len(ways) > 1:
            raise typer.BadParameter(f"give only one of {' and '.join(ways)}.", param_hint=ways[0])
        goal = self._goal()
        if goal is None:
            for name, value in (("--on", self.on), ("--positive", self.positive), ("--target", self.target)):
                if value is not None and (name != "--positive" or self.threshold is None):
                    raise typer.BadParameter("this option requires --precision, --recall or --alerts.", param_hint=name)
            return
        if goal.needs_labels and self.on is None:
            raise typer.BadParameter(
                f"this option requires labelled rows that were not used in training: give --on FILE with --{goal.by}.",
                param_hint=f"--{goal.by}",
            )
        if self.on is None and data.read_once is not None:
            raise typer.BadParameter(
                f"this option reads the data twice, but {data.read_once} can be read only once. Save it to a file "
                "first, or give --on FILE.",
                param_hint="--alerts",
            )
        if self.on is not None and (self.on == STDOUT or Path(self.on).is_fifo()):
            raise typer.BadParameter(
                f"must be a regular file, not standard input or a pipe: got {self.on}.", param_hint="--on"
            )

    def find_positive(self, model: Model) -> Any:
        """Return the positive class of --positive, or None for the default."""
        return None if self.positive is None else find_label(model, self.positive)

    def choose(self, model: Model, data: DataOptions, prior: Any, report: Reporter) -> Threshold | None:
        """Return the threshold, chosen on the rows of --on or on the data; None if not requested."""
        goal = self._goal()
        if goal is None:
            return None
        from suffice.api.deciding import choose_model_threshold

        positive, wanted = self.find_positive(model), {goal.by: goal.value}
        files = data.files() if self.on is None else data.files(self.on)
        report.begin("choosing the threshold")
        return choose_model_threshold(
            model, files, self.target, None, positive, prior, wanted, labelled=goal.needs_labels, progress=report
        )

    def _goal(self) -> _Goal | None:
        if self.alerts is not None:
            return _parse_alerts(self.alerts)
        if self.recall is not None:
            return _Goal("recall", parse_share(self.recall, "--recall"))
        if self.precision is not None:
            return _Goal("precision", parse_share(self.precision, "--precision"))
        return None


def _parse_alerts(text: str) -> _Goal:
    percent = text.endswith("%")
    try:
        value = float(text.removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    # A number below 1 is not a number of rows, so it is a fraction.
    if percent or 0 < value < 1:
        if 0 <= value <= 1:
            return _Goal("alert_rate", value)
    elif value >= 0 and value.is_integer():
        return _Goal("alerts", value)
    raise typer.BadParameter(
        f"{text!r} is neither a number of alerts nor a fraction of the rows. Write for example 50, 2% or 0.02.",
        param_hint="--alerts",
    )


def print_threshold(chosen: Threshold, unit: str, on: str) -> None:
    """Print the threshold and its performance on the rows on which it was chosen."""
    from suffice.cli.terminal import counted, label_text, number, percent, say

    each = (("precision", chosen.precision), ("recall", chosen.recall))
    reached = [f"{what} {value:.3f}" for what, value in each if value is not None]
    reached.append(f"{counted(chosen.alerts, 'alert')} ({percent(chosen.alert_rate)} of the rows)")
    say(f"threshold: {label_text(chosen.positive)} if its log-odds exceed {number(_in_unit(chosen, unit))} {unit}")
    say(f"  on {on}: {', '.join(reached)}")
    say()


def threshold_record(chosen: Threshold | None, unit: str) -> dict[str, Any] | None:
    """Return the threshold for --json."""
    if chosen is None:
        return None
    return {
        "positive": chosen.positive,
        "log_odds": _in_unit(chosen, unit),
        "unit": unit,
        "precision": chosen.precision,
        "recall": chosen.recall,
        "alerts": chosen.alerts,
        "alert_rate": chosen.alert_rate,
    }


def _in_unit(chosen: Threshold, unit: str) -> float:
    from suffice.decisions.odds import from_unit, unit_of

    return chosen.value / from_unit(1.0, unit_of(unit))
