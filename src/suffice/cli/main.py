"""The `suffice` command: every command under its name.

Results go to stdout and complaints to stderr, in one message and without a traceback; failures.py has the exit codes.
"""

from __future__ import annotations

import gc
from importlib.metadata import version
from typing import Annotated

import typer

from suffice.cli.calibrate import calibrate
from suffice.cli.concepts import ANY_NUMBER, concepts
from suffice.cli.decide import decide
from suffice.cli.demo import demo
from suffice.cli.evaluate import evaluate
from suffice.cli.explain import explain
from suffice.cli.export import export
from suffice.cli.failures import complain, explained
from suffice.cli.fit import fit
from suffice.cli.kept_memory import keep_freed_memory
from suffice.cli.merge import merge
from suffice.cli.predict import predict
from suffice.cli.sample import sample
from suffice.cli.screen import screen
from suffice.cli.set import set_options
from suffice.cli.show import show
from suffice.cli.update import forget, update
from suffice.errors import SufficeError

__all__ = ["app", "run"]

# So many are made before somebody looks for cycles among them: a batch of rows makes thousands, and no cycle.
_OBJECTS = 50_000

_HELP = """Generative classifiers from sufficient statistics.

One pass over the data collects what was seen. After that every question
(another prior, another estimator, a merge, a deletion) is arithmetic on those
statistics, and the rows are not needed again.

Start here:

\b
    suffice demo                                          a small data set, a model, predictions
    suffice fit train.csv --target label -o model.suffice
    suffice predict model.suffice new.csv -o scored.csv
    suffice show model.suffice                            what it has learnt, as bars

Each command has examples: suffice fit --help. In Python: import suffice.
Complete commands, columns and likelihoods with the Tab key:
suffice --install-completion.

Exit codes: 0 it worked, 1 the data or the model, 2 the command was used wrongly.
"""

app = typer.Typer(name="suffice", rich_markup_mode=None, pretty_exceptions_enable=False)
for _command in (
    demo,
    fit,
    predict,
    show,
    calibrate,
    update,
    forget,
    merge,
    export,
    sample,
    screen,
    decide,
    evaluate,
    explain,
):
    app.command()(_command)
app.command("set")(set_options)
app.command(context_settings=ANY_NUMBER)(concepts)


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
    keep_freed_memory()
    gc.set_threshold(_OBJECTS)
    try:
        command(prog_name="suffice")
    except (SufficeError, OSError) as problem:
        complain(explained(problem))
        raise SystemExit(1) from None
    finally:
        gc.freeze()  # nobody has to look through all that was loaded before it goes
