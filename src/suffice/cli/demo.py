"""`suffice demo`: sample data, models and predictions in a folder, and commands to try there."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from operator import eq
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import Json, command
from suffice.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    from suffice.api import Model

__all__ = ["TARGET", "demo_command", "make_mail", "subscribers", "write_demo_files", "write_rows"]

TARGET = "churned"
_TRAINING, _NEW, _TUESDAY, _MAILS = 1000, 500, 200, 80
_SEED = 20261115
_LEFT = 0.27
_MISSING = 0.04
_PLANS = {
    "no": {"basic": 0.35, "family": 0.40, "unlimited": 0.25},
    "yes": {"basic": 0.62, "family": 0.13, "unlimited": 0.25},
}
_PAYMENT = {"no": {"card": 0.45, "debit": 0.45, "invoice": 0.10}, "yes": {"card": 0.40, "debit": 0.18, "invoice": 0.42}}
_REGIONS = ("north", "east", "south", "west")
_COSTS = "action,no,yes\nleave,0,100\ncall,5,40\n"
_SPAM = 0.4
_WORDS = {
    "ham": "meeting notes lunch report team project draft review Monday thanks agenda budget room call",
    "spam": "win prize cash free claim offer urgent winner bonus click limited exclusive money guaranteed",
    "both": "the a of to you your now please and is this for today with we new our",
}
_FILES = {
    "train.csv": f"{_TRAINING:,} customers of a phone company, with the class {TARGET} (whether they left)",
    "new.csv": f"{_NEW:,} more customers",
    "tuesday.csv": f"{_TUESDAY:,} more, to update the model with; logs/ has them without a header",
    "one_customer.csv": "one customer of train.csv, for suffice forget",
    "costs.csv": "costs of two actions, for suffice decide",
    "totals.csv": "plans and payments in train.csv, counted by class, for suffice fit --counts",
    "mail.csv": f"{_MAILS:,} messages, spam or ham; mail/ has them as text files",
    "model.suffice": "a model fitted on train.csv",
    "mail.suffice": "a model fitted on mail/",
    "scored.csv": "predictions for new.csv",
}


@command(writes=True)
def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to create.")] = Path("suffice-demo"),
    force: Annotated[bool, typer.Option("--force", help="Write into an existing folder.")] = False,
    json: Json = False,
) -> None:
    """Create sample data, fit a model to it, and predict.

    The data are synthetic: customers of a phone company, some of whom left
    ("churned"), with text, numbers, counts, booleans and missing values. The
    folder also contains the files used in the examples of all other commands.

    For example:

    \b
        suffice demo
        suffice demo elsewhere --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Files, fit
    from suffice.cli.output import emit

    if folder.exists() and not force:
        raise ParameterError(
            f"{str(folder)!r} already exists, and the demo does not overwrite files. Give another name, or --force."
        )
    write_demo_files(folder)
    model = fit(Files(folder / "train.csv"), TARGET)
    model.save(folder / "model.suffice")
    fit(Files(folder / "mail")).save(folder / "mail.suffice")
    correct, rows, majority = _predict_new(model, folder)
    if json:
        named = {"train": "train.csv", "new": "new.csv", "model": "model.suffice", "predictions": "scored.csv"}
        files = {key: folder / name for key, name in named.items()}
        accuracy = {"accuracy": correct / rows, "majority_accuracy": majority / rows}
        emit({**files, "rows": model.provenance.rows, "predicted_rows": rows, **accuracy})
    else:
        _print_demo(model, folder, correct / rows, majority / rows, rows)


def _predict_new(model: Model, folder: Path) -> tuple[int, int, int]:
    from suffice.api import Files
    from suffice.api.predictions import predicted_columns
    from suffice.cli.output import rows_out

    correct = rows = frequent = 0
    majority = _majority(model)
    with rows_out(str(folder / "scored.csv"), None) as writer:
        for columns in predicted_columns(model, Files(folder / "new.csv"), proba=True, keep=("customer", TARGET)):
            writer.write(columns)
            correct += sum(map(eq, columns[TARGET], columns["predicted"]))
            frequent += sum(label == majority for label in columns[TARGET])
            rows += len(columns["predicted"])
    return correct, rows, frequent


def _majority(model: Model) -> Any:
    return model.classes[int(model.core.tally.weight.argmax())]


def _print_demo(model: Model, folder: Path, accuracy: float, majority: float, rows: int) -> None:
    from suffice.cli.model_tables import print_evidence
    from suffice.cli.terminal import heading, label_text, percent, print_table, say
    from suffice.evidence import feature_importance

    say(f"files in {folder}", "bold")
    print_table([[name, contents] for name, contents in _FILES.items()], ("file", "contents"), wrap=1)
    print_evidence(model, feature_importance(model.core), 5)
    baseline = f"{percent(majority)} by always predicting {label_text(_majority(model))!r}"
    say()
    say(f"{rows:,} new customers predicted: {percent(accuracy)} correct ({baseline})")
    heading("try next")
    for command_line in (
        f"cd {quote(str(folder))}",
        "suffice explain model.suffice new.csv --row 0",
        f"suffice evaluate train.csv --target {TARGET}",
        "suffice show model.suffice --column plan",
        "suffice predict model.suffice new.csv --proba --keep customer | head",
        "suffice update model.suffice tuesday.csv",
        "suffice fit YOUR.csv --target COLUMN",
    ):
        say(f"  {command_line}", is_command=True)


def write_demo_files(folder: Path) -> None:
    """Write the data files of the demo: customers, costs and mail."""
    rows = subscribers(_TRAINING + _NEW + _TUESDAY)
    train, new, tuesday = rows[:_TRAINING], rows[_TRAINING : _TRAINING + _NEW], rows[_TRAINING + _NEW :]
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    write_rows(train, folder / "train.csv")
    write_rows(new, folder / "new.csv")
    write_rows(tuesday, folder / "tuesday.csv")
    write_rows(train[17:18], folder / "one_customer.csv")
    (folder / "costs.csv").write_text(_COSTS, encoding="utf-8")
    counted_cells = Counter((row[TARGET], column, row[column]) for column in ("plan", "payment") for row in train)
    totals = [{"class": c, "column": j, "level": k, "count": count} for (c, j, k), count in counted_cells.items()]
    write_rows(totals, folder / "totals.csv")
    for day, part in enumerate((tuesday[: _TUESDAY // 2], tuesday[_TUESDAY // 2 :]), start=1):
        with gzip.open(folder / "logs" / f"2026-11-0{day}.csv.gz", "wt", newline="", encoding="utf-8") as file:
            cells = ([("?" if cell is None else cell) for cell in row.values()] for row in part)
            csv.writer(file, lineterminator="\n").writerows(cells)
    mails = make_mail(_MAILS)
    write_rows([{"label": label, "body": body} for label, body in mails], folder / "mail.csv")
    for at, (label, body) in enumerate(mails):
        (folder / "mail" / label).mkdir(parents=True, exist_ok=True)
        (folder / "mail" / label / f"{at:02}.txt").write_text(f"{body}\n", encoding="utf-8")


def make_mail(number: int) -> list[tuple[str, str]]:
    """Return (class, text) of made-up messages, the same ones every time."""
    import numpy as np

    rng = np.random.default_rng(_SEED)
    words = {name: text.split() for name, text in _WORDS.items()}
    mails: list[tuple[str, str]] = []
    for _ in range(number):
        label = "spam" if rng.random() < _SPAM else "ham"
        kinds = rng.choice(
            [label, "both", *({"ham", "spam"} - {label})], size=int(rng.integers(6, 14)), p=[0.4, 0.5, 0.1]
        )
        mails.append((label, " ".join(str(rng.choice(words[kind])) for kind in kinds)))
    return mails


def subscribers(rows: int) -> list[dict[str, Any]]:
    """Return made-up customers of a phone company, the same ones every time; None is a missing value.

    The class is drawn first, then each column independently given the class. The classes overlap, so no model predicts
    every row correctly.
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
            "plan": _draw_one(rng, _PLANS[churned]),
            "payment": _draw_one(rng, _PAYMENT[churned]),
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


def _draw_one(rng: np.random.Generator, chances: dict[str, float]) -> str:
    return str(rng.choice(list(chances), p=list(chances.values())))
