"""The `suffice` command.

Exit codes: 0 it worked; 1 the data or the model is at fault; 2 the command was used wrongly.
Results go to stdout and complaints to stderr, in one message and without a traceback.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from suffice.errors import SufficeError

__all__ = ["app", "run"]

_HELP = """Generative classifiers from sufficient statistics.

One pass over the data collects what was seen. After that every question
(another prior, another estimator, a merge, a deletion) is arithmetic on those
statistics, and the rows are not needed again.

This version offers the statistics and the conjugate models from Python; the
commands that fit and predict from files are still to come.

Example: a coin that fell heads three times out of three, seen from a uniform
prior, falls heads next time with probability 4/5.

\b
    >>> import suffice as sf
    >>> print(sf.BetaBinomial(1, 1).update(successes=3, failures=0).mean)
    0.8

Where to go from here:

\b
    python -c "import suffice; help(suffice)"   the public names
    suffice --install-completion                complete with the Tab key
"""

app = typer.Typer(name="suffice", rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"suffice {version('suffice')}")
        raise typer.Exit


@app.callback(invoke_without_command=True, help=_HELP)
def suffice(
    context: typer.Context,
    show_version: Annotated[  # noqa: ARG001  read by its callback
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Show the help when no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(command: typer.Typer = app) -> None:
    """Run a command line and turn what suffice raises on purpose into one line on stderr and exit code 1."""
    try:
        command(prog_name="suffice")
    except (SufficeError, OSError) as problem:
        print(f"suffice: {problem}", file=sys.stderr)  # noqa: T201  stderr is this function's job
        raise SystemExit(1) from None
