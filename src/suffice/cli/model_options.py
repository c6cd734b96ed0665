"""The options that say what a model is to be, the same for every command that fits one."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli.completion import (
    complete_class_prior,
    complete_column,
    complete_column_argument,
    complete_estimate,
)

__all__ = ["ClassPrior", "Column", "Drop", "Estimate", "MaxLevels", "Weights"]

Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        "-c",
        metavar="NAME=LIKELIHOOD[:…]",
        help="How a column is distributed, as age=gaussian, fur=categorical:alpha=0.5 or body=words:ngrams=1-2. "
        "Repeatable.",
        autocompletion=complete_column_argument,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COL", help="Leave a column out. Repeatable.", autocompletion=complete_column),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COL", help="The weight of each row.", autocompletion=complete_column),
]
ClassPrior = Annotated[
    str | None,
    typer.Option(
        "--class-prior",
        metavar="PRIOR",
        help="empirical, uniform, dirichlet:1, or shares as spam=0.2,ham=0.8. [default: empirical]",
        autocompletion=complete_class_prior,
    ),
]
Estimate = Annotated[
    str | None,
    typer.Option(
        "--estimate",
        metavar="NAME",
        help="predictive, mean, map, smoothed or mle. [default: predictive]",
        autocompletion=complete_estimate,
    ),
]
MaxLevels = Annotated[
    int, typer.Option("--max-levels", metavar="N", help="Leave out text with more distinct values than this.")
]
