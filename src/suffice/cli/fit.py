"""`suffice fit`: one pass over files, and what was seen of them is a model file."""

from __future__ import annotations

import warnings
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import file_options as of_files
from suffice.cli import model_options as of_models
from suffice.cli.bars import bar
from suffice.cli.completion import (
    complete_column,
)
from suffice.cli.failures import guarded
from suffice.cli.wording import in_commands

if TYPE_CHECKING:
    from suffice.api import Files, Model
    from suffice.cli.progress import Reporter

__all__ = ["fit"]

_ROWS = 50_000  # that a calibration looks at, at most
_MOST_SCORES = 10_000_000
_AS_ASKED = "as asked"


@guarded
def fit(
    data: of_files.Data,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where the model goes.")],
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COL",
            help="The column that holds the class: its name, or its place (-1 is the last). Folders of texts say it.",
            autocompletion=complete_column,
        ),
    ] = None,
    column: of_models.Column = None,
    drop: of_models.Drop = None,
    weights: of_models.Weights = None,
    class_prior: of_models.ClassPrior = None,
    estimate: of_models.Estimate = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            metavar="MODEL|FILE",
            help="Columns as in this model, or in what `suffice export --to schema` writes, so that models merge.",
        ),
    ] = None,
    max_levels: of_models.MaxLevels = 10_000,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Read the files again and learn what the probabilities are worth and which rows are odd. "
            "Standard input is read once.",
        ),
    ] = True,
    delimiter: of_files.Delimiter = None,
    header: of_files.Header = None,
    no_quote: of_files.NoQuote = False,
    null: of_files.Null = None,
    encoding: of_files.Encoding = None,
    types: of_files.Types = None,
    skip_bad_lines: of_files.SkipBadLines = False,
    format: of_files.Format = None,  # noqa: A002  the option's name
    json: of_files.Json = False,
) -> None:
    """Fit a model to files in one pass.

    What each column is gets inferred from the first 100,000 rows and is shown;
    --column says otherwise for one column or a pattern of them. Missing cells
    are left out, never refused. Free text is read by its words. A folder with a
    folder of text files for each class is data too, and needs no --target.

    For example:

    \b
        suffice fit train.csv --target churned -o model.suffice
        suffice fit train.csv -t churned -o model.suffice --column support_calls=poisson --drop customer
        suffice fit 'logs/2026-*.csv.gz' -t -1 --no-header --null '?' -o logs.suffice
        suffice fit tuesday.csv --schema model.suffice -o tuesday.suffice
        suffice fit mail.csv -t label -o mail.suffice --column body=words:ngrams=1-2,min_df=2
        suffice fit mail/ -o mail.suffice --column text=words:model=complement,alpha=0.1
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Model
    from suffice.api import fit as fitted
    from suffice.api.notices import one_class
    from suffice.cli.class_prior_argument import class_prior_of
    from suffice.cli.estimate_argument import estimate_of
    from suffice.cli.likelihood_argument import column_key, columns_of
    from suffice.cli.places import require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.schema_file import schema_from
    from suffice.conjugate.special import preload_scipy

    frozen = None if schema is None else schema_from(schema)
    like = frozen if isinstance(frozen, Model) else None
    if target is None and like is None:
        of_files.require_target(data)
    if frozen is not None and (column or drop):
        raise typer.BadParameter("it says what every column is. Leave --column and --drop out.", param_hint="--schema")
    if like is not None and (class_prior or estimate):
        raise typer.BadParameter(
            "it takes class prior and estimate from the model. Leave them out, and use `suffice read` on the result.",
            param_hint="--schema",
        )
    wanted = estimate_of(estimate)
    columns = frozen if isinstance(frozen, dict) else columns_of(column or [])
    columns.update({column_key(name): None for name in drop or []})
    prior = class_prior_of(class_prior or "empirical")
    require_place(output, [*data, *([] if schema is None else [schema])])
    files = of_files.files_of(
        data,
        format=format,
        delimiter=delimiter,
        header=header,
        no_quote=no_quote,
        encoding=encoding,
        null=null,
        types=types,
        skip_bad_lines=skip_bad_lines,
    )
    settings: dict[str, Any] = {"like": like} if like is not None else {"columns": columns or None}
    if wanted is not None:
        settings["estimate"] = wanted
    preload_scipy()  # the pseudo-counts of the table below need it
    with Reporter("fitting") as report:
        model = fitted(
            files,
            target,
            weights=weights,
            max_levels=max_levels,
            progress=report,
            **settings,
        )
    if like is None:  # a shard may have one class, the whole may not
        one_class(model.naive_bayes.tally)
    reason = _not_to_calibrate(model, data, asked=calibrate)
    if reason is None:
        model, reason = _calibrated(model, files)
    if class_prior is not None:
        model = model.read(class_prior=prior.of(model))
    model.save(output)
    new = "NEW/" if of_files.are_folders(data) and target is None else "NEW.csv"
    _show(model, output, report, new, reason, json=json)


def _not_to_calibrate(model: Model, data: list[str], *, asked: bool) -> str | None:
    # Why the files are not read a second time, or None where they are.
    if not asked:
        return _AS_ASKED
    if not model.classes:
        return "no row has a class"
    if of_files.read_once(data):
        return "the data can be read only once"
    rows, classes = min(model.provenance.rows, _ROWS), len(model.classes)
    if rows * classes > _MOST_SCORES:
        return (
            f"it would take {rows:,} rows × {classes:,} classes; suffice fit calibrates up to {_MOST_SCORES:,} scores. "
            "Use suffice calibrate to do it anyway."
        )
    return None


def _calibrated(model: Model, files: Files) -> tuple[Model, str | None]:
    # The model with a calibration, or without and the reason.
    from suffice.api import SufficeWarning, calibrate
    from suffice.api.calibrate import referenced
    from suffice.cli.progress import Reporter
    from suffice.errors import SufficeError

    with Reporter("calibrating") as report, warnings.catch_warnings():
        warnings.simplefilter("ignore", SufficeWarning)  # the first pass has said it
        if len(model.classes) == 1:  # nothing to calibrate, but a row may be unlike all others
            return referenced(model, files, report), "there is one class"
        try:
            return calibrate(model, files, progress=report), None
        except SufficeError as reason:
            # Which rows are odd is to be had also where none can be left out.
            return referenced(model, files, report), in_commands(str(reason))


def _show(model: Model, output: Path, report: Reporter, new: str, reason: str | None, *, json: bool) -> None:
    from suffice.cli.output import capped, counted, emit, number, say, share, size_of, table
    from suffice.cli.schema_table import calibration_of, schema_record, schema_rows

    known = model.naive_bayes
    counts: list[tuple[Any, float]] = list(zip(model.classes, known.tally.weight.tolist(), strict=True))
    if json:
        emit(
            {
                "model": output,
                "rows": model.provenance.rows,
                "seconds": report.seconds,
                "rows_per_second": report.rate,
                "bytes": output.stat().st_size,
                "files": report.described,
                "skipped_lines": report.skipped,
                "calibration": calibration_of(model),
                "not_calibrated": reason,
                "novelty_rows": None if model.reference is None else model.reference.rows,
                "classes": [{"label": label, "weight": weight} for label, weight in counts],
                **schema_record(model),
            }
        )
        return
    for line in report.described:
        say(line)
    say()
    say("columns")
    table(schema_rows(model))
    say()
    say("classes")
    total, most = sum(each for _, each in counts), max((each for _, each in counts), default=0.0)
    rows = [[str(label), number(each), share(each / total), bar(each, most)] for label, each in counts if total]
    table(capped(rows), right=(1, 2))
    if report.skipped:
        say()
        say(f"{counted(report.skipped, 'bad line')} left out")
    if reason != _AS_ASKED:
        say()
        say(calibration_of(model) or f"not calibrated: {reason}")
    if model.reference is not None:
        say(f"novelty: {model.reference}, for suffice predict --novelty")
    rate = f"{counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s"
    say()
    say(f"{rate}; {output}: {size_of(output)}")
    place = quote(str(output))
    say(f"next: suffice predict {place} {new}    or: suffice show {place}")
