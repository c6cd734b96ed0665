"""The `suffice` command line: all commands, the help page and the process that runs them.

Results go to stdout, messages to stderr, one each and without a traceback; failures.py has the exit codes.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import re
import sys
from importlib.metadata import version
from typing import Annotated, Any, final

import typer
from typer.core import TyperCommand

from suffice.cli.change import calibrate_command, forget_command, merge_command, set_command, update_command
from suffice.cli.concepts import ANY_NUMBER, concepts_command
from suffice.cli.decide import decide_command
from suffice.cli.demo import demo_command
from suffice.cli.evaluate import evaluate_command
from suffice.cli.explain import explain_command
from suffice.cli.export import export_command, sample_command
from suffice.cli.failures import complain, message_of
from suffice.cli.fit import fit_command
from suffice.cli.predict import predict_command
from suffice.cli.screen import screen_command
from suffice.cli.show import show_command
from suffice.errors import SufficeError

__all__ = ["app", "keep_freed_memory", "run"]

_LIMIT = r"(\d+<=)?x[<>]=?\d+"
_LIMITS = re.compile(rf"\s+\[{_LIMIT}\]|;\s+{_LIMIT}(?=\])|(?<=\[){_LIMIT};\s+")
_OBJECTS = 50_000  # allocated between two searches for cycles: a batch of rows makes thousands of objects, and no cycle
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # <malloc.h>
_LARGE = 1 << 28  # bytes
_ARENAS = 2
_ROW_GROUPS = "2"
_NEVER_GIVE_BACK = "dirty_decay_ms:-1,muzzy_decay_ms:-1"  # jemalloc.net/jemalloc.3.html

_HELP = """Naive Bayes and other generative classifiers, from sufficient statistics.

suffice reads the data once and stores counts and moments. Changing the prior
or the estimator, merging models and removing rows then need no second pass.

Start here:

\b
    suffice demo && cd suffice-demo                sample data and a model
    suffice fit train.csv --target churned         writes train.suffice
    suffice predict train.suffice new.csv -o scored.csv
    suffice explain train.suffice new.csv --row 0  the evidence for one row
    suffice evaluate train.csv --target churned    accuracy on held-out rows

Every command has examples, e.g. suffice fit --help. To complete commands,
columns and likelihoods with the Tab key, run suffice --install-completion.

Exit codes: 0 success, 1 data or model error, 2 usage error.
"""

app = typer.Typer(
    name="suffice",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


@final
class _Command(TyperCommand):
    """A command whose help names arguments without the types of Python: MODEL, not {MODEL} or MODEL <path>."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line."""
        return [re.sub(r"\{(.+)\}(\.\.\.)?", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def get_help(self, ctx: Any) -> str:
        """Return the help page, without the limits of numbers such as [x>=0]."""
        text = re.sub(r" <(path|list\[\w+\])>", lambda found: " " * len(found[0]), super().get_help(ctx))
        return _LIMITS.sub("", text)


_COMMANDS: dict[str, Any] = {
    "demo": demo_command,
    "fit": fit_command,
    "predict": predict_command,
    "explain": explain_command,
    "evaluate": evaluate_command,
    "show": show_command,
    "screen": screen_command,
    "decide": decide_command,
    "calibrate": calibrate_command,
    "update": update_command,
    "forget": forget_command,
    "merge": merge_command,
    "set": set_command,
    "export": export_command,
    "sample": sample_command,
    "concepts": concepts_command,
}
for _name, _function in _COMMANDS.items():
    app.command(_name, cls=_Command, context_settings=ANY_NUMBER if _name == "concepts" else None)(_function)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"suffice {version('suffice')}")
        raise typer.Exit


@app.callback(invoke_without_command=True, help=_HELP)
def suffice(
    context: typer.Context,
    show_version: Annotated[  # noqa: ARG001  read by its callback
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Show the help when no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(command: typer.Typer = app) -> None:
    """Run a command line, and turn errors of suffice and of the system into one line on stderr and exit code 1."""
    keep_freed_memory()
    gc.set_threshold(_OBJECTS)
    try:
        command(prog_name="suffice")
    except (SufficeError, OSError) as problem:
        complain(message_of(problem))
        raise SystemExit(1) from None
    finally:
        gc.freeze()  # so that the exit does not search all loaded modules for cycles


def keep_freed_memory() -> bool:
    """Make the C library keep freed blocks of up to 256 MiB for the next batch, and return whether this is supported.

    By default it returns large blocks to the system, which clears them before it hands them out again: a tenth of the
    time of a pass over a file. Every thread keeps freed memory of its own, and Polars reads row groups long before they
    are needed, so both numbers are made smaller. This is done only in the suffice process; the library does not change
    the allocator of its host. Polars must not have been imported yet, because its allocator reads the setting when it
    starts.
    """
    os.environ.setdefault("POLARS_ROW_GROUP_PREFETCH_SIZE", _ROW_GROUPS)
    os.environ.setdefault("_RJEM_MALLOC_CONF", f"{_NEVER_GIVE_BACK},narenas:{max(_ARENAS, os.cpu_count() or 1)}")
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(OSError, AttributeError):  # not available in every C library
        set_option = ctypes.CDLL(None).mallopt
        options = ((_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE), (_ARENA_MAX, _ARENAS))
        understood = [bool(set_option(name, value)) for name, value in options]
        return all(understood)
    return False
