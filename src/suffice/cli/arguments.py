"""The arguments and options that commands share, and what is made of them.

A command takes a group of options as one parameter, `data: DataOptions`; `command` spells the group out for the parser.
What is not given is inferred from the file, or remembered by the model that was fitted on files like it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, cast, get_type_hints

import typer

from suffice.cli.columns import column_key, columns_of
from suffice.cli.completion import (
    ESTIMATES,
    UNITS,
    complete_class_prior,
    complete_column,
    complete_column_argument,
    complete_estimate,
    complete_type,
    complete_unit,
)
from suffice.cli.failures import bad_parameter, guarded
from suffice.errors import ParameterError, SufficeError

if TYPE_CHECKING:
    from suffice.api import ClassPrior as Prior
    from suffice.api import Files, Model, PriorShift
    from suffice.decisions import Unit
    from suffice.likelihoods import Likelihood

__all__ = [
    "STDOUT",
    "ClassPrior",
    "ClassPriorHere",
    "ColumnOptions",
    "DataOptions",
    "Estimate",
    "EstimatePrior",
    "InPlace",
    "Json",
    "Keep",
    "MaxLevels",
    "ModelPath",
    "Output",
    "RowsFormat",
    "RowsOut",
    "Target",
    "TargetAsFitted",
    "UnitName",
    "Weights",
    "WeightsAsFitted",
    "class_prior_of",
    "command",
    "estimate_of",
    "estimated_on",
    "label_of",
    "require_one_prior",
    "types_of",
    "unit_of",
]

R = TypeVar("R")

STDOUT = "-"
_TYPES = ("text", "integer", "float", "bool")
_DELIMITERS = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


def command(function: Callable[..., R]) -> Callable[..., R]:
    """Return the function as a command: groups of options one by one, failures as messages and exit codes."""
    signature = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, each in signature.parameters.items():
        if name not in groups:
            parameters.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
                )
            )

    @functools.wraps(function)
    def run(**options: Any) -> R:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
        return function(**options)

    run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return guarded(run)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """The data that a command reads, and how the files are written."""

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA…",
            help="CSV, TSV, NDJSON, Parquet or Arrow files, also gzipped; a pattern, a folder of those, or - (stdin); "
            "or a folder of texts.",
        ),
    ]
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="SIGN", help="What stands between cells: , or ; or tab, …")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line names the columns; without, they are 0, 1, …"
        ),
    ] = None
    no_quote: Annotated[bool, typer.Option("--no-quote", help="A quote mark is text like any other.")] = False
    null: Annotated[
        list[str] | None,
        typer.Option("--null", metavar="TEXT", help='What stands for a missing cell, as "?". Repeatable.'),
    ] = None
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="NAME", help="The encoding of text, as latin-1.")
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="NAME=TYPE",
            help="Read a column as text, integer, float or bool. Repeatable.",
            autocompletion=complete_type,
        ),
    ] = None
    skip_bad_lines: Annotated[
        bool,
        typer.Option("--skip-bad-lines", help="Leave out lines that have too many or too few cells, and count them."),
    ] = False
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, ndjson, parquet, ipc or texts (a file each), where the name does not say it.",
        ),
    ] = None

    def files(self, *paths: str) -> Files:
        """Return the data to read; with `paths`, other files that are written alike."""
        from suffice.api import Files

        types = types_of(self.types or [])
        try:
            return Files(
                list(paths) or self.paths,
                format=self.format,
                delimiter=None if self.delimiter is None else _DELIMITERS.get(self.delimiter, self.delimiter),
                header=self.header,
                quote=False if self.no_quote else None,
                encoding=self.encoding,
                null=self.null or None,
                types=types,
                skip_bad_lines=self.skip_bad_lines,
            )
        except ParameterError as problem:
            raise bad_parameter(problem) from None

    @property
    def are_folders(self) -> bool:
        """Whether folders are given and nothing else, so that they may be folders of texts, which say the class."""
        return all(Path(each).is_dir() for each in self.paths)

    @property
    def read_once(self) -> str | None:
        """What among the data can be read one time only: standard input, or a pipe."""
        once = (each for each in self.paths if each == STDOUT or _is_pipe(Path(each)))
        return next(once, None)

    def require_target(self) -> None:
        """Complain of data without --target, unless they are folders of texts; files that are not there come first."""
        if self.are_folders:
            return
        from suffice.api import Files
        from suffice.sources.files.paths import files_of

        files_of(Files(self.paths))
        raise typer.BadParameter("say which column holds the class, as in --target label.", param_hint="--target")


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What the columns are, of a command that fits a model."""

    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            "-c",
            metavar="NAME=LIKELIHOOD",
            help="How a column is distributed, as age=gaussian, 'fur=Categorical(alpha=0.5)' or "
            "'body=Words(ngrams=(1, 2))'. Repeatable.",
            autocompletion=complete_column_argument,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="COL", help="Leave a column out. Repeatable.", autocompletion=complete_column),
    ] = None

    @property
    def given(self) -> bool:
        """Whether anything is said of columns."""
        return bool(self.column or self.drop)

    def likelihoods(self) -> dict[Any, Likelihood | None]:
        """Return {name, pattern, position or tuple of those: likelihood, or None to leave it out}."""
        return {**columns_of(self.column or []), **{column_key(name): None for name in self.drop or []}}


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
RowsOut = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="A .csv, .tsv, .ndjson or .parquet file, or - (stdout).")
]
RowsFormat = Annotated[
    str | None,
    typer.Option("--to", metavar="NAME", help="csv, tsv, ndjson or parquet, where the name of OUT does not say it."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COL",
        help="Copy a column of the data by its name or place; '*' is all of them. Repeatable.",
        autocompletion=complete_column,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="The column that holds the class: its name, or its place (-1 is the last). Folders of texts say it.",
        autocompletion=complete_column,
    ),
]
TargetAsFitted = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="The column that holds the class. [default: as when the model was fitted]",
        autocompletion=complete_column,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COL", help="The weight of each row.", autocompletion=complete_column),
]
WeightsAsFitted = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COL",
        help="The weight of each row. [default: as when the model was fitted]",
        autocompletion=complete_column,
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
ClassPrior = Annotated[
    str | None,
    typer.Option(
        "--class-prior",
        metavar="PRIOR",
        help="empirical, uniform, dirichlet:1, or shares as spam=0.2,ham=0.8. [default: empirical]",
        autocompletion=complete_class_prior,
    ),
]
ClassPriorHere = Annotated[
    str | None,
    typer.Option(
        "--class-prior",
        metavar="PRIOR",
        help="The classes as frequent as they are in DATA: uniform, or spam=0.2,ham=0.8.",
        autocompletion=complete_class_prior,
    ),
]
EstimatePrior = Annotated[
    bool,
    typer.Option(
        "--estimate-prior", help="Take how frequent the classes are from the data itself, which is read twice."
    ),
]
UnitName = Annotated[
    str,
    typer.Option(
        "--unit", metavar="NAME", help="Of log-odds and ratios: nats, bits or decibans.", autocompletion=complete_unit
    ),
]


def types_of(given: list[str]) -> dict[Any, str] | None:
    """Return {name or position: type} of what stands after --type."""
    found: dict[Any, str] = {}
    for text in given:
        name, sign, kind = text.rpartition("=")
        if not sign or not name or kind not in _TYPES:
            raise typer.BadParameter(
                f"{text!r} is not NAME=TYPE. Write for example {name or text}=text, with one of {', '.join(_TYPES)}.",
                param_hint="--type",
            )
        found[column_key(name)] = kind
    return found or None


def estimate_of(text: str | None) -> str | None:
    """Return the name of an estimate, checked."""
    return text if text is None else _one_of(text, ESTIMATES, "estimate")


def unit_of(text: str) -> Unit:
    """Return the name of a unit, checked."""
    return cast("Unit", _one_of(text, UNITS, "unit"))


def _one_of(text: str, names: dict[str, str], what: str) -> str:
    if text in names:
        return text
    close = get_close_matches(text, names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(names)}."
    raise typer.BadParameter(f"there is no {what} {text!r}. {hint}", param_hint=f"--{what}")


class ClassPriorArgument(NamedTuple):
    """A class prior as it was typed: one that needs no model, or shares by the text of each class."""

    prior: Prior
    by_text: dict[str, float] | None = None

    def of(self, model: Model) -> Prior:
        """Return the prior for the classes of that model; ParameterError where it has no class of that text."""
        if self.by_text is None:
            return self.prior
        from suffice.api import ClassPrior

        return ClassPrior.of({label_of(model, text): share for text, share in self.by_text.items()})


def class_prior_of(text: str) -> ClassPriorArgument:
    """Return what the text asks for: a name, dirichlet:NUMBER or CLASS=SHARE,…; classes need not be known yet."""
    from suffice.api import ClassPrior

    try:
        if text in ("empirical", "uniform"):
            return ClassPriorArgument(ClassPrior.of(text))
        if text.startswith("dirichlet:"):
            return ClassPriorArgument(ClassPrior.dirichlet(_share(text.partition(":")[2], text)))
        by_text: dict[str, float] = {}
        for each in text.split(","):
            label, sign, share = each.rpartition("=")
            if not sign or not label:
                raise _not_a_class_prior(text)
            by_text[label] = _share(share, text)
        return ClassPriorArgument(ClassPrior.of(by_text), by_text)
    except SufficeError as problem:
        raise bad_parameter(problem, "--class-prior") from None


def label_of(model: Model, text: str) -> Any:
    """Return the class of a model whose text this is: a number or a truth value as it is printed."""
    shown = {str(label): label for label in model.classes}
    if text in shown:
        return shown[text]
    close = get_close_matches(text, shown, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Its classes are {', '.join(map(repr, [*shown][:12]))}."
    raise ParameterError(f"the model has no class {text!r}. {hint}")


def _share(share: str, text: str) -> float:
    try:
        return float(share)
    except ValueError:
        raise _not_a_class_prior(text) from None


def _not_a_class_prior(text: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"{text!r} is not a class prior. Give empirical, uniform, dirichlet:1, or the share of each class as in "
        "spam=0.2,ham=0.8.",
        param_hint="--class-prior",
    )


def require_one_prior(class_prior: str | None, data: DataOptions, *, estimate: bool) -> None:
    """Complain of two priors at once, and of data that cannot be read twice."""
    if not estimate:
        return
    if class_prior is not None:
        raise typer.BadParameter("give --class-prior or --estimate-prior, not both.", param_hint="--estimate-prior")
    if data.read_once is not None:
        raise typer.BadParameter(
            f"it reads the data twice, and {data.read_once} can be read once. Save it in a file first, or give "
            "--class-prior.",
            param_hint="--estimate-prior",
        )


def estimated_on(model: Model, files: Files) -> PriorShift:
    """Return how frequent the classes are in the rows of files."""
    from suffice.api.deciding import shifted_prior
    from suffice.cli.progress import Reporter

    with Reporter("estimating the class prior") as report:
        return shifted_prior(model, files, report)


def _is_pipe(path: Path) -> bool:
    return path.exists() and not (path.is_file() or path.is_dir())
