"""--estimate-prior: how frequent the classes are in the data itself, found in a pass before the one that writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from suffice.api import Files, Model, PriorShift

__all__ = ["EstimatePrior", "estimated_on", "require_one_prior", "say_shift", "shift_record"]

_OPTION = "--estimate-prior"
_MOST_CLASSES = 12

EstimatePrior = Annotated[
    bool,
    typer.Option(
        "--estimate-prior", help="Take how frequent the classes are from the data itself, which is read twice."
    ),
]


def require_one_prior(class_prior: str | None, data: list[str], *, estimate: bool) -> None:
    """Complain of two priors at once, and of data that cannot be read twice."""
    if not estimate:
        return
    if class_prior is not None:
        raise typer.BadParameter("give --class-prior or --estimate-prior, not both.", param_hint=_OPTION)
    once = [each for each in data if each == "-" or Path(each).is_fifo()]
    if once:
        raise typer.BadParameter(
            f"it reads the data twice, and {once[0]} can be read once. Save it in a file first, or give --class-prior.",
            param_hint=_OPTION,
        )


def estimated_on(model: Model, files: Files) -> PriorShift:
    """Return the class prior of the rows of files."""
    from suffice.api.deciding import shifted_prior
    from suffice.cli.progress import Reporter

    with Reporter("estimating the class prior") as report:
        return shifted_prior(model, files, report)


def say_shift(shift: PriorShift) -> None:
    """Print the classes with how frequent they were believed to be and how frequent they are."""
    from suffice.cli.bars import bar
    from suffice.cli.output import counted, say, share, table

    say(f"class prior estimated from {counted(shift.rows, 'row')}, p = {shift.p_value:.2g} if it had not changed")
    each = list(zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True))
    most = max(shift.after.tolist())
    rows = [[str(label), share(before), "→", share(after), bar(after, most)] for label, before, after in each]
    table(rows[:_MOST_CLASSES] + [["…", f"{len(each):,} in all"]] * (len(each) > _MOST_CLASSES), right=(1, 3))


def shift_record(shift: PriorShift | None) -> dict[str, Any] | None:
    """Return the same for scripts."""
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
