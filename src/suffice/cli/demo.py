"""`suffice demo`: a small data set that it makes itself, a model, predictions, and what to try next."""

from __future__ import annotations

import csv
from operator import eq
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import Json, command
from suffice.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["TARGET", "demo", "subscribers", "write_rows"]

_ROWS, _TRAINING = 1500, 1000
TARGET = "churned"
_SEED = 20261115
_LEFT = 0.27
_MISSING = 0.04
_PLANS = {
    "no": {"basic": 0.35, "family": 0.40, "unlimited": 0.25},
    "yes": {"basic": 0.62, "family": 0.13, "unlimited": 0.25},
}
_PAYMENT = {"no": {"card": 0.45, "debit": 0.45, "invoice": 0.10}, "yes": {"card": 0.40, "debit": 0.18, "invoice": 0.42}}
_REGIONS = ("north", "east", "south", "west")


@command
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go; it is made.")] = Path(
        "suffice-demo"
    ),
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is already there.")] = False,
    json: Json = False,
) -> None:
    """Make a small data set, fit a model to it, predict, and show what it learnt.

    The rows are made up: customers of a phone company, of whom some left
    ("churned"), with text, numbers, counts, truth values and missing cells.

    For example:

    \b
        suffice demo
        suffice demo elsewhere --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Files
    from suffice.api import fit as fitted
    from suffice.api.predictions import predicted_columns
    from suffice.cli.output import emit, rows_out, say, share
    from suffice.cli.show import show_telling
    from suffice.evidence import telling

    if folder.exists() and not force:
        raise ParameterError(
            f"{str(folder)!r} is there already, and the demo overwrites nothing. Give another name, or --force."
        )
    folder.mkdir(parents=True, exist_ok=True)
    train, new, model_path, out = (folder / name for name in ("train.csv", "new.csv", "model.suffice", "scored.csv"))
    rows_made = subscribers(_ROWS)
    write_rows(rows_made[:_TRAINING], train)
    write_rows(rows_made[_TRAINING:], new)
    model = fitted(Files(train), TARGET)
    model.save(model_path)
    right = rows = 0
    with rows_out(str(out), None) as writer:
        for columns in predicted_columns(model, Files(new), proba=True, keep=("customer", TARGET)):
            writer.write(columns)
            right += sum(map(eq, columns[TARGET], columns["predicted"]))
            rows += len(columns["predicted"])
    if json:
        files = {"train": train, "new": new, "model": model_path, "predictions": out}
        emit({**files, "rows": model.provenance.rows, "predicted_rows": rows, "accuracy": right / rows})
        return
    say(f"{train}: {model.provenance.rows:,} customers of a phone company, made up; did they leave ({TARGET})?")
    say(f"{model_path}: what one pass over them saw")
    show_telling(model, telling(model.naive_bayes), 5)
    say()
    say(f"{out}: {rows:,} others predicted, {share(right / rows)} rightly")
    say()
    say("try next")
    path, more = quote(str(model_path)), quote(str(new))
    say(f"  suffice show {path} --column plan")
    say(f"  suffice predict {path} {more} --proba --class-prior no=0.95,yes=0.05 | head")
    say(f"  suffice update {path} {more}")
    say("  suffice fit YOUR.csv --target COLUMN -o your.suffice")


def subscribers(rows: int) -> list[dict[str, Any]]:
    """Return customers of a phone company, made up the same way every time; None where a cell is missing.

    Whether somebody left is drawn first; all else is drawn given that, each column by itself. The classes overlap as
    they do in life, so nobody predicts every row rightly.
    """
    import numpy as np

    rng = np.random.default_rng(_SEED)
    found: list[dict[str, Any]] = []
    for at in range(rows):
        churned = "yes" if rng.random() < _LEFT else "no"
        left = churned == "yes"
        minutes = float(rng.gamma(2.0, 45.0 if left else 80.0))
        row: dict[str, Any] = {
            "customer": f"C{10_000 + 7 * at}",
            "plan": _drawn(rng, _PLANS[churned]),
            "payment": _drawn(rng, _PAYMENT[churned]),
            "region": _REGIONS[int(rng.integers(len(_REGIONS)))],
            "months": int(rng.geometric(1 / 9 if left else 1 / 30)),
            "minutes": round(minutes, 1),
            "monthly_fee": round(float(rng.normal(34.0 if left else 29.5, 6.0)), 2),
            "support_calls": int(rng.poisson(2.1 if left else 0.8)),
            "paperless": "true" if rng.random() < (0.55 if left else 0.7) else "false",
        }
        for name in ("payment", "minutes", "monthly_fee", "support_calls"):
            if rng.random() < _MISSING:
                row[name] = None
        found.append({**row, TARGET: churned})
    return found


def write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _drawn(rng: np.random.Generator, chances: dict[str, float]) -> str:
    return str(rng.choice(list(chances), p=list(chances.values())))
