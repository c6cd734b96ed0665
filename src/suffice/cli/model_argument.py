"""The model that a command starts from, and where its result goes: in place, or as -o says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["InPlace", "ModelPath", "Output"]

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as `suffice fit` writes it.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where the result goes.")]
InPlace = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Where the result goes. [default: MODEL itself, replaced when it is all written]",
    ),
]
