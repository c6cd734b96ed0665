"""A line between two classes by what it is to reach, as --precision, --recall and --alerts ask for it.

precision and recall are shares of rows whose class is known, which --on names: rows that the model has not learnt from.
A budget of alerts needs no classes: it is kept on the data itself, which is then read twice, or on the rows of --on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from suffice.cli.arguments import DataOptions
from suffice.cli.completion import complete_column

if TYPE_CHECKING:
    from suffice.api import Files, Model, Threshold

__all__ = ["LineAsked", "ThresholdOptions", "chosen_on", "line_record", "say_line"]


class LineAsked(NamedTuple):
    """What the line is to reach: the keyword of `Model.threshold`, and its number."""

    by: str
    value: float

    @property
    def needs_classes(self) -> bool:
        """Whether only rows whose class is known can say it."""
        return self.by in ("precision", "recall")


@dataclass(frozen=True, kw_only=True)
class ThresholdOptions:
    """What a line between two classes is to reach, and on which rows it is drawn."""

    precision: Annotated[
        float | None,
        typer.Option("--precision", metavar="P", help="Of two classes: at least this share of the alerts is right."),
    ] = None
    recall: Annotated[
        float | None,
        typer.Option("--recall", metavar="R", help="Of two classes: at least this share of the class is found."),
    ] = None
    alerts: Annotated[
        str | None,
        typer.Option(
            "--alerts", metavar="N", help="Of two classes: at most so many alerts; 2% or 0.02 is a share of the rows."
        ),
    ] = None
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="FILE",
            help="Rows with their class, new to the model, on which the line is drawn. --alerts needs none.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            metavar="CLASS",
            help="Which of two classes is an alert. [default: the second]",
            show_default=False,
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COL",
            help="The column of --on that holds the class. [default: as when the model was fitted]",
            autocompletion=complete_column,
        ),
    ] = None

    def asked(self, data: DataOptions, others: list[str]) -> LineAsked | None:
        """Return what was asked for, or complain of what does not go together; `others` say the same by other means."""
        given = {"--precision": self.precision, "--recall": self.recall, "--alerts": self.alerts}
        asked = [name for name, value in given.items() if value is not None]
        if not asked:
            for name, value in (("--on", self.on), ("--positive", self.positive), ("--target", self.target)):
                if value is not None:
                    raise typer.BadParameter(
                        "it is for a line that is still to be drawn: give --precision, --recall or --alerts with it.",
                        param_hint=name,
                    )
            return None
        both = [*asked, *others]
        if len(both) > 1:
            raise typer.BadParameter(
                f"one of them says what to do: got {' and '.join(both)}. Leave the others out.", param_hint=both[0]
            )
        if self.alerts is not None:
            found = _budget(self.alerts)
        elif self.recall is not None:
            found = LineAsked("recall", _share("--recall", self.recall))
        else:
            found = LineAsked("precision", _share("--precision", self.precision))
        if found.needs_classes and self.on is None:
            raise typer.BadParameter(
                "it takes rows whose class is known, and which the model has not learnt from: give --on FILE with "
                f"--{found.by}.",
                param_hint=f"--{found.by}",
            )
        if self.on is None and data.read_once is not None:
            raise typer.BadParameter(
                f"it reads the data twice, and {data.read_once} can be read once. Save it in a file first, or give "
                "--on FILE.",
                param_hint="--alerts",
            )
        if self.on is not None and (self.on == "-" or Path(self.on).is_fifo()):
            raise typer.BadParameter(f"{self.on} is read for the data. Give a file.", param_hint="--on")
        return found


def chosen_on(model: Model, asked: LineAsked, files: Files, target: str | None, label: Any, prior: Any) -> Threshold:
    """Return the line, drawn on the rows of files."""
    from suffice.api.choosing import chosen_threshold
    from suffice.cli.progress import Reporter

    with Reporter("drawing the line") as report:
        wanted = {asked.by: asked.value}
        return chosen_threshold(
            model, files, target, None, label, prior, wanted, labelled=asked.needs_classes, progress=report
        )


def say_line(line: Threshold, unit: str, on: str) -> None:
    """Print where the line is, and what it reaches on the rows that it was drawn on."""
    from suffice.cli.output import counted, number, say, share

    each = (("precision", line.precision), ("recall", line.recall))
    reached = [f"{what} {value:.3f}" for what, value in each if value is not None]
    reached.append(f"{counted(line.alerts, 'alert')}, {share(line.share)} of the rows")
    say(f"{line.label}: above log-odds of {number(_in(line, unit))} {unit}; on {on} {', '.join(reached)}")


def line_record(line: Threshold | None, unit: str) -> dict[str, Any] | None:
    """Return the same for scripts."""
    if line is None:
        return None
    record = {"label": line.label, "log_odds": _in(line, unit), "unit": unit}
    return {**record, "precision": line.precision, "recall": line.recall, "alerts": line.alerts, "share": line.share}


def _in(line: Threshold, unit: str) -> float:
    from suffice.decisions.units import from_unit, unit_of

    return line.value / from_unit(1.0, unit_of(unit))


def _share(name: str, value: float | None) -> float:
    if value is None or not 0 < value <= 1:
        raise typer.BadParameter(f"it must be above 0 and at most 1: got {value:g}.", param_hint=name)
    return value


def _budget(text: str) -> LineAsked:
    number, percent = text.removesuffix("%"), text.endswith("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    # Below 1 there is no whole row, so it can only be a share.
    if percent or 0 < value < 1:
        if 0 <= value <= 1:
            return LineAsked("share", value)
    elif value >= 0 and value.is_integer():
        return LineAsked("alerts", value)
    raise typer.BadParameter(
        f"{text!r} is neither a number of alerts nor a share of the rows. Write for example 50, 2% or 0.02.",
        param_hint="--alerts",
    )
