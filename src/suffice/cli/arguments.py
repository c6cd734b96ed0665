"""The arguments and options that commands share.

A command takes a group of options as one parameter, `data: DataOptions`; `command` spells the group out for the parser.
Options that are not given are inferred from the file, or taken from the model.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, final, get_type_hints

import typer

from suffice.cli.columns import column_key, parse_columns
from suffice.cli.completion import (
    complete_class_prior,
    complete_column,
    complete_column_argument,
    complete_estimate,
    complete_type,
    complete_unit,
)
from suffice.cli.failures import bad_parameter, guarded
from suffice.cli.output import STDOUT
from suffice.cli.values import ClassPriorArgument, parse_class_prior, parse_estimate, parse_types
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Files, Model, PriorShift
    from suffice.cli.progress import Reporter

__all__ = [
    "STDOUT",
    "ClassPriorOption",
    "DataOptions",
    "EstimateOption",
    "FitOptions",
    "InPlace",
    "Json",
    "ModelPath",
    "PositiveOption",
    "PriorOptions",
    "RowOptions",
    "TargetOption",
    "WeightsOption",
    "command",
    "refuse_json_to_stdout",
]

R = TypeVar("R")

_DELIMITERS = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}

_QUIET = inspect.Parameter(
    "quiet",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no summary and no progress, only warnings and errors.")
    ],
)


def command(function: Callable[..., R] | None = None, *, writes: bool = False) -> Any:
    """Return the function as a command: groups of options one by one, failures as messages and exit codes.

    A command that `writes` a file has --quiet too.
    """
    if function is None:
        return functools.partial(command, writes=writes)
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
        from suffice.cli.terminal import quieted

        quiet = options.pop("quiet", False)
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
        with quieted(quiet):
            return function(**options)

    parameters += [_QUIET] * writes
    run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return guarded(run)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """The data that a command reads, and the format of its files."""

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA…",
            help="CSV, TSV, JSON (an array of objects), NDJSON, Parquet, Arrow or Excel files, optionally compressed; "
            "a glob pattern; a folder of such files or of text files; or - for standard input.",
        ),
    ]
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="CHAR", help="Field delimiter: , ; tab, … [default: inferred]")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns. Without a header they are 0, 1, … [default: inferred]",
        ),
    ] = None
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="A,B,C", help="Column names for files without a header, separated by commas."),
    ] = None
    no_quote: Annotated[bool, typer.Option("--no-quote", help='Do not treat " as a quote character.')] = False
    null: Annotated[
        list[str] | None,
        typer.Option("--null", metavar="TEXT", help='Missing-value marker, e.g. "?". Repeatable. [default: inferred]'),
    ] = None
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="NAME", help="Text encoding, e.g. latin-1. [default: utf-8]")
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
        typer.Option("--skip-bad-lines", help="Skip and count lines with too many or too few fields."),
    ] = False
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv (also TSV), ndjson (also JSON arrays), parquet, ipc (Arrow), excel or texts (one document per "
            "file). [default: from the file name]",
        ),
    ] = None

    def files(self, *paths: str) -> Files:
        """Return the data to read; with `paths`, other files of the same format."""
        from suffice.api import Files

        types = parse_types(self.types or [])
        try:
            return Files(
                list(paths) or self.paths,
                format=self.format,
                delimiter=None if self.delimiter is None else _DELIMITERS.get(self.delimiter, self.delimiter),
                header=self.header,
                names=None if self.names is None else [name.strip() for name in self.names.split(",")],
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
        """Whether all paths are folders; folders of text files need no target."""
        return all(Path(each).is_dir() for each in self.paths)

    def reads_as_text(self, column: str | None) -> bool:
        """Whether --type declares a column as text; the classes of a folder of text files are text, too."""
        return column is None or (parse_types(self.types or []) or {}).get(column_key(column)) == "text"

    @property
    def read_once(self) -> str | None:
        """A path that can be read only once: standard input, or a pipe."""
        return next((each for each in self.paths if each == STDOUT or _is_pipe(Path(each))), None)

    def require_target(self, target: str | None) -> None:
        """Raise an error if --target is missing unless the data are text folders; missing files are reported first."""
        if target is not None or self.are_folders:
            return
        from suffice.api import Files
        from suffice.sources.files.paths import files_of

        files_of(Files(self.paths))
        raise _MissingOption("Missing option --target: name the class column, e.g. --target label.")


@final
class _MissingOption(typer.BadParameter):
    def format_message(self) -> str:
        """Return the message without "Invalid value": no value was given."""
        return self.message


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How a model is fitted: its target, the likelihoods of its columns, row weights, class prior and estimate."""

    target: TargetOption = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            "-c",
            metavar="NAME=LIKELIHOOD",
            help="Distribution of a column, e.g. age=gaussian, 'fur=Categorical(alpha=0.5)' or "
            "'body=Words(ngrams=(1, 2))'. Repeatable. [default: inferred]",
            autocompletion=complete_column_argument,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="COL", help="Leave a column out. Repeatable.", autocompletion=complete_column),
    ] = None
    dates: Annotated[
        str | None,
        typer.Option("--dates", metavar="parts", help="Model the hour, weekday and month of date and time columns."),
    ] = None

    weights: WeightsOption = None
    class_prior: ClassPriorOption = None
    estimate: EstimateOption = None
    max_levels: Annotated[
        int,
        typer.Option(
            "--max-levels",
            metavar="N",
            help="Leave out categorical text columns (not free text) with more distinct values than this.",
        ),
    ] = 10_000

    @property
    def has_columns(self) -> bool:
        """Whether likelihoods of columns are given."""
        return bool(self.column or self.drop or self.dates)

    def settings(self) -> dict[str, Any]:
        """Return the arguments that `fit`, `evaluate` and `screen` share, except target and class prior."""
        estimate = parse_estimate(self.estimate)
        settings = {"columns": self._likelihoods() or None, "weights": self.weights, "max_levels": self.max_levels}
        return settings if estimate is None else {**settings, "estimate": estimate}

    def prior(self) -> ClassPriorArgument | None:
        """Return the class prior, or None if none is given."""
        return None if self.class_prior is None else parse_class_prior(self.class_prior)

    def _likelihoods(self) -> dict[Any, Any]:
        """Return {name, pattern, position or tuple of those: likelihood, or None to leave it out}."""
        if self.dates not in (None, "parts"):
            raise typer.BadParameter(f"must be 'parts': got {self.dates!r}.", param_hint="--dates")
        dates = {} if self.dates is None else {"**": "date parts"}  # every date column that no other option names
        return {**dates, **parse_columns(self.column or []), **{column_key(name): None for name in self.drop or []}}


@dataclass(frozen=True, kw_only=True)
class PriorOptions:
    """The class prior of the scored rows, if it differs from that of the training rows."""

    class_prior: Annotated[
        str | None,
        typer.Option(
            "--class-prior",
            metavar="PRIOR",
            help="Class prior at prediction time: uniform, or probabilities such as spam=0.2,ham=0.8. "
            "[default: the model's]",
            autocompletion=complete_class_prior,
        ),
    ] = None
    estimate_prior: Annotated[
        bool,
        typer.Option("--estimate-prior", help="Estimate the class prior from DATA, which is then read twice."),
    ] = False

    def require_one(self, data: DataOptions) -> None:
        """Raise an error for two priors at once, and for data that cannot be read twice."""
        if not self.estimate_prior:
            return
        if self.class_prior is not None:
            raise typer.BadParameter("give --class-prior or --estimate-prior, not both.", param_hint="--estimate-prior")
        if data.read_once is not None:
            raise typer.BadParameter(
                f"this option reads the data twice, but {data.read_once} can be read only once. Save it to a file "
                "first, or give --class-prior.",
                param_hint="--estimate-prior",
            )

    def of(self, model: Model, files: Files, report: Reporter) -> tuple[Any, PriorShift | None]:
        """Return the prior for scoring (None: the model's), and its estimation from the files, if requested."""
        if self.class_prior is not None:
            return parse_class_prior(self.class_prior).of(model), None
        if not self.estimate_prior:
            return None, None
        from suffice.api.deciding import estimate_prior_shift

        report.begin("estimating the class prior")
        shift = estimate_prior_shift(model, files, report)
        return shift.class_prior, shift


@dataclass(frozen=True, kw_only=True)
class RowOptions:
    """The output of scored rows: file, format and columns."""

    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", help="A .csv, .tsv, .ndjson or .parquet file, or - for stdout."),
    ] = STDOUT
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False
    log_odds: Annotated[
        bool, typer.Option("--log-odds", help="Add the log-odds of each class against all others together.")
    ] = False
    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            metavar="NAME",
            help="Unit of log-odds and log-likelihood ratios: nats, bits or decibans.",
            autocompletion=complete_unit,
        ),
    ] = "nats"
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COL",
            help="Copy a column of DATA to the output, by name or position; '*' copies all. Repeatable.",
            autocompletion=complete_column,
        ),
    ] = None
    digits: Annotated[
        int | None,
        typer.Option(
            "--digits",
            metavar="N",
            min=1,
            max=17,
            help="Significant digits of computed numbers. [default: 6 in CSV and TSV, all 17 in NDJSON and Parquet]",
        ),
    ] = None
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="csv, tsv, ndjson or parquet. [default: from the name of OUT]"),
    ] = None

    @property
    def columns(self) -> dict[str, Any]:
        """The columns to write, as arguments of the functions that make them."""
        return {"proba": self.proba, "odds": self.log_odds, "keep": tuple(self.keep or ())}

    def require_place(self, reads: Iterable[str | Path], *, json: bool) -> None:
        """Raise an error if the rows cannot be written there, or would be mixed with --json."""
        from suffice.cli.output import require_place

        refuse_json_to_stdout(self.output, json=json)
        if self.output != STDOUT:
            require_place(Path(self.output), reads)


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file written by `suffice fit`.")]
InPlace = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="OUT", help="Output model file. [default: MODEL itself, replaced atomically]"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="Column that holds the class, by name or position (-1 is the last), or a condition on a column, e.g. "
        "'delay>15'. Not needed for a folder of text files. [default: that of the model, if there is one]",
        autocompletion=complete_column,
    ),
]
WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COL",
        help="Column that holds the weight of each row. [default: that of the model, if there is one]",
        autocompletion=complete_column,
    ),
]
EstimateOption = Annotated[
    str | None,
    typer.Option(
        "--estimate",
        metavar="NAME",
        help="Parameter estimate: predictive, mean, map, smoothed or mle. [default: that of the model, if there is "
        "one, or predictive]",
        autocompletion=complete_estimate,
    ),
]
PositiveOption = Annotated[
    str | None, typer.Option("--positive", metavar="CLASS", help="Positive class. [default: the rarer of two]")
]
ClassPriorOption = Annotated[
    str | None,
    typer.Option(
        "--class-prior",
        metavar="PRIOR",
        help="Class prior: empirical, uniform, dirichlet:1, dirichlet:2,map, dirichlet:spam=2,ham=1, or probabilities "
        "such as spam=0.2,ham=0.8. [default: that of the model, if there is one, or empirical]",
        autocompletion=complete_class_prior,
    ),
]


def refuse_json_to_stdout(output: str, *, json: bool) -> None:
    """Raise an error if --json would be printed among the rows."""
    if json and output == STDOUT:
        raise typer.BadParameter(
            "--json needs -o FILE, because the rows go to stdout. For rows as lines of JSON, give --to ndjson.",
            param_hint="--json",
        )


def _is_pipe(path: Path) -> bool:
    return path.exists() and not (path.is_file() or path.is_dir())
