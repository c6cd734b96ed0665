"""Fuzz the command line: `python -m tests.attacks.fuzz_arguments --seconds 600`, from the root.

Each case runs a command on small good files with a few of its options, whose values are mutated examples; the options
come from the commands themselves. Tables of costs are fuzzed too. The exit code must be 0, 1 or 2, without a traceback.
Numbers of rows, folds and draws stay small: a large one is a long wait, and no defect.
"""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer

import suffice as sf
from suffice.cli.demo import TARGET, subscribers, write_rows
from suffice.cli.main import app
from tests.attacks.fuzzing import FoundError, Trial, main

COMMAND: Any = typer.main.get_command(app)
COMMANDS = {name: command for name, command in COMMAND.commands.items() if name != "demo"}  # which writes files
PATHS = {
    "MODEL": ["model.suffice", "text.suffice", "train.csv", "missing", "", "."],
    "MODEL…": ["model.suffice", "text.suffice"],
    "MODEL|FILE": ["model.suffice", "costs.json", "train.csv", "missing"],
    "FILE": ["costs.json", "costs.csv", "train.csv", "model.suffice", "missing", "."],
    "DATA…": [
        "train.csv",
        "train.csv",
        "train.csv",
        "mail.csv",
        "costs.json",
        "missing",
        "*.csv",
        "[",
        ".",
        "model.suffice",
    ],
    "OUT": ["out.csv", "out.ndjson", "out.parquet", "out.tsv", "out.suffice", "out", "-", ".", "missing/out.csv"],
}
LIKELIHOODS = [
    "gaussian",
    "Categorical(alpha=0.5)",
    "poisson",
    "Histogram(bins=4)",
    "Words(ngrams=(1, 2), min_df=2)",
    "none",
]
LIKELIHOODS += [
    "numeric",
    "Bernoulli(threshold=1)",
    "MultivariateGaussian(covariance='full')",
    "multinomial",
    "joint",
    "Chars(2)",
]
EXAMPLES: dict[str, list[str]] = {
    "COL": ["plan", "support_calls", "churned", "customer", "-1", "0", "*", "monthly_*", "3", "body", "label"],
    "NAME=LIKELIHOOD": [
        *(f"plan={each}" for each in LIKELIHOODS),
        *(f"monthly_fee={each}" for each in LIKELIHOODS),
        *(f"*={each}" for each in LIKELIHOODS),
        "plan,support_calls=joint",
        "body=Words(model='complement', alpha=0.1)",
    ],
    "PRIOR": ["uniform", "empirical", "dirichlet:1", "yes=0.2,no=0.8", "yes=1,no=0", "0.5,0.5", "yes=1e308,no=1e308"],
    "NUMBER": ["0", "0.5", "-1", "1e308", "nan", "inf", "evidence", "1e-320", "0x1p3", "1_0"],
    "N": ["0", "1", "2", "3", "20", "2%", "0.02", "-1", "1.5", "x"],
    "K": ["1", "2", "3", "0", "-1"],
    "P": ["0.5", "1", "0", "2", "nan", "-1"],
    "R": ["0.5", "1", "0", "-2", "nan"],
    "S": ["0.5", "0", "-1", "1", "nan", "inf"],
    "SHARE": ["0.5", "0.9", "0", "1", "-1", "nan"],
    "CLASS": ["yes", "no", "maybe", "spam"],
    "C": ["yes", "no", "rest", "maybe"],
    "ACTION,CLASS=COST": ["call=5", "leave,yes=100", "call,no=1e308", "refer=-1", "a,b=c", "leave,yes=nan", "=1"],
    "NAME=TYPE": ["plan=text", "support_calls=integer", "x=float", "plan=bool", "*=text", "churned=integer"],
    "A,B,C": ["a,b,c", "customer,plan,payment", "", ",", "a,a", "label,body"],
    "CHAR": [",", ";", "tab", "|", "\t", ",,", "a", "\n", '"'],
    "TEXT": ["?", "NA", "no", "yes", "0", ","],
    "NAME": [
        "predictive",
        "mle",
        "map",
        "mean",
        "smoothed",
        "nats",
        "bits",
        "decibans",
        "csv",
        "ndjson",
        "parquet",
        "ipc",
        "utf-8",
        "latin-1",
        "utf-16",
        "rot13",
        "log_loss",
        "average_precision",
        "isotonic",
        "beta",
        "strong",
        "texts",
    ],
    "FORMAT": ["schema", "parameters", "json", "csv", "parquet"],
    "FIRST-LAST": ["1-100", "0-5", "5-1", "-5--1", "1-2-3", "1"],
    "NUMBER…": ["16", "8", "2", "64", "-1", "1e3", "3.5", "ten"],
}
PIECES = [
    "=",
    ",",
    ":",
    "-",
    "*",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "\\",
    " ",
    "\n",
    "\0",
    "\ud800",
    "é",
    "\U0001f408",
    "%",
]
PIECES += [
    "nan",
    "inf",
    "1e999",
    "9" * 400,
    "0",
    "-1",
    "=" * 50,
    "(" * 300,
    "[[" * 500,
    "\x1b[31m",
    "{x}",
    "%s",
    "None",
    "..",
    "~",
]
COSTS = ['{"call": {"yes": 40, "no": 5}, "leave": {"yes": 100, "no": 0}}', "action,no,yes\nleave,0,100\ncall,5,40\n"]
COSTS += [
    '{"call": 5, "call": 6, "leave": {"yes": 1}}',
    "[1, 2]",
    "{}",
    "",
    "action\n",
    "action,no\n\n,,,\n",
    '{"a": NaN}',
]


def mutated(text: str, trial: Trial, most: int = 3) -> str:
    chance = trial.chance
    for _ in range(chance.choice([0, 0, 1, 1, most])):
        at = chance.randrange(len(text) + 1)
        match chance.randrange(5):
            case 0:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + chance.choice([1, 2, 10]) :]
            case 2:
                text = text[:at] + text[:at]
            case 3:
                text = text[:at] + chance.choice(PIECES) + text[at + 1 :]
            case _:
                text = text + chance.choice(PIECES) + text
    return text[:3000]


class Arguments:
    """A folder with small files, which is the current one."""

    def __init__(self, folder: Path) -> None:
        os.chdir(folder)
        rows = subscribers(60)
        write_rows(rows, folder / "train.csv")
        sf.fit("train.csv", TARGET).save("model.suffice")
        mail = "label,body\n" + "spam,win a prize now\nham,lunch now\n" * 4
        (folder / "mail.csv").write_text(mail, encoding="utf-8")
        sf.fit("mail.csv", "label", columns={"body": sf.Words()}).save("text.suffice")
        self.whole = {path: path.read_bytes() for path in (folder / "model.suffice", folder / "text.suffice")}
        self.whole[folder / "train.csv"] = (folder / "train.csv").read_bytes()

    def __call__(self, trial: Trial) -> None:
        chance = trial.chance
        for path, raw in self.whole.items():
            if path.read_bytes() != raw:  # update and forget change a model in place
                path.write_bytes(raw)
        costs = mutated(chance.choice([*COSTS, COSTS[0]]), trial).encode("utf-8", "surrogatepass")
        if chance.random() < 0.05:
            costs = b"\xff\xfe\x00" + costs
        for name in ("costs.json", "costs.csv"):
            Path(name).write_bytes(costs)
        command = chance.choice(list(COMMANDS))
        line = [command, *self.arguments(trial, COMMANDS[command])]
        trial.describe(command, line=line, costs=costs[:500])
        code = trial.ask(command, lambda: self.run(line))
        trial.kind = f"{command}, exit code {code}"

    def arguments(self, trial: Trial, command: Any) -> list[str]:
        """Return values for what is required, and for some of the options."""
        chance = trial.chance
        line: list[str] = []
        options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                line += [self.value(trial, parameter.metavar) for _ in range(chance.choice([1, 1, 1, 2]))]
        chosen = [each for each in options if each.required or (each.name == "target" and chance.random() < 0.8)]
        chosen += chance.sample(options, min(chance.choice([0, 1, 1, 2, 3]), len(options)))
        for parameter in chosen:
            line.append(chance.choice([*parameter.opts, *parameter.secondary_opts]))
            if parameter.name == "target" and chance.random() < 0.8:
                line.append(TARGET)
            elif not parameter.is_flag:
                line.append(self.value(trial, parameter.metavar))
        return line

    @staticmethod
    def value(trial: Trial, metavar: str | None) -> str:
        if metavar in PATHS:
            choices = PATHS[metavar]
            return choices[0] if trial.chance.random() < 0.6 else trial.chance.choice(choices)
        text = trial.chance.choice(EXAMPLES.get(metavar or "", EXAMPLES["NAME"]))
        # A larger number is a longer wait: of counts only the form is changed.
        return text if metavar in ("N", "K", "FIRST-LAST") else mutated(text, trial)

    @staticmethod
    def run(line: list[str]) -> int:
        """Return the exit code; `main.run` turns a SufficeError or OSError that comes through into 1."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        code = 0
        with redirect_stdout(out), redirect_stderr(out):
            try:
                COMMAND.main(line, prog_name="suffice")
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            except (sf.SufficeError, OSError):
                code = 1
        out.flush()
        said = out.buffer.getvalue().decode("utf-8", "replace")
        if code not in (0, 1, 2) or "Traceback (most recent" in said:
            raise FoundError(f"exit code {code}\n{said[:2000]}")
        if code == 0 and "nan" in said.lower().split():
            raise FoundError(f"NaN in the output\n{said[:2000]}")
        return code


if __name__ == "__main__":
    main(Arguments, __doc__)
