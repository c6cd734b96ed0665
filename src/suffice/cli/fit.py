"""`suffice fit`: a model file from one pass over the data."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import STDOUT, DataOptions, FitOptions, Json, command

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.cli.progress import Reporter

__all__ = ["fit_command", "print_next_step"]

_AS_ASKED = "as asked"
_PATTERN = "*?["


@command(writes=True)
def fit_command(
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="MODEL", help="Output model file. [default: train.suffice for train.csv]"
        ),
    ] = None,
    options: FitOptions,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="A,B,C",
            help="Every class that rows may have, separated by commas; a class without rows stays in the model.",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="NUMBER",
            min=0,
            help="Pseudo-count added to every outcome. [default: depends on --estimate]",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            metavar="MODEL|FILE",
            help="Use the columns of this model, or of a file from `suffice export --to schema`, so that models can be "
            "merged.",
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Calibrate the probabilities on five folds of up to 100,000 rows, in the same pass.",
        ),
    ] = True,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts",
            help="DATA are tables of totals instead of rows: class, column, level, count; or class, column, n, mean, "
            "variance. See docs/data.md.",
        ),
    ] = False,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Fit a model to files in one pass.

    The type of each column is inferred from the first 100,000 rows and shown;
    --column overrides it for a column or a pattern of columns. Missing values are
    ignored. Free text is modelled by its words. alpha='evidence' in a column means
    that its pseudo-count maximises the marginal likelihood. A folder with one
    subfolder of text files per class needs no --target.

    For example:

    \b
        suffice fit train.csv --target churned
        suffice fit train.csv --target churned -o model.suffice
        suffice fit train.csv -t churned -c support_calls=poisson --drop customer
        suffice fit 'logs/*.csv.gz' -t -1 --no-header --null '?' -o logs.suffice
        suffice fit train.csv --target 'months>12' -o loyal.suffice
        suffice fit tuesday.csv --schema model.suffice -o tuesday.suffice
        suffice fit mail.csv -t label -c 'body=Words(ngrams=(1, 2), min_df=2)'
        suffice fit mail/ -c 'text=Words(model="complement", alpha=0.1)'
        suffice fit --counts totals.csv -o totals.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Model, fit
    from suffice.cli.output import require_place
    from suffice.cli.progress import Reporter
    from suffice.conjugate.special import preload_scipy

    settings = _settings(options, schema)
    if counts:
        _require_totals(data, options.weights)
    elif "like" not in settings:
        data.require_target(options.target)
    prior = options.prior()
    path = _default_output(data) if output is None else output
    require_place(path, [*data.paths, *([] if schema is None else [schema])])
    files = data.files()
    preload_scipy()  # for the pseudo-counts in the table of columns
    with Reporter("fitting", "calibrating" if calibrate else "finishing") as report:
        settings |= {} if alpha is None else {"alpha": alpha}
        if classes is not None:
            settings["classes"] = _parse_classes(classes, as_text=data.reads_as_text(options.target))
        if counts:
            kept = {name: value for name, value in settings.items() if name not in ("weights", "max_levels")}
            model = Model.from_statistics([data.files(path) for path in data.paths], target=options.target, **kept)
        else:
            model = fit(files, options.target, calibrate=calibrate, progress=report, **settings)
    reason = model.calibration_dropped_because if calibrate else _AS_ASKED
    if prior is not None:
        model = model.with_options(class_prior=prior.of(model))
    model.save(path)
    if json:
        _emit_fit(model, path, report, reason)
    else:
        _print_fit(model, path, report, reason)
        print_next_step(model, path, "NEW/" if data.are_folders and options.target is None else "NEW.csv")


def _settings(options: FitOptions, schema: Path | None) -> dict[str, Any]:
    from suffice.api import Model
    from suffice.cli.columns import schema_from

    settings = options.settings()
    if schema is None:
        return settings
    frozen = schema_from(schema)
    if options.has_columns:
        raise typer.BadParameter("the schema defines every column. Omit --column and --drop.", param_hint="--schema")
    if not isinstance(frozen, Model):
        return {**settings, "columns": frozen}
    if options.class_prior or options.estimate:
        raise typer.BadParameter(
            "class prior and estimate are those of the model. Omit them, and use `suffice set` on the result.",
            param_hint="--schema",
        )
    return {**settings, "like": frozen}


def _require_totals(data: DataOptions, weights: str | None) -> None:
    if weights is not None:
        raise typer.BadParameter("totals have no rows to weight. Omit this option.", param_hint="--weights")
    if data.read_once is not None and len(data.paths) > 1:
        raise typer.BadParameter("if standard input is given, no other table can be given.", param_hint="--counts")


def _parse_classes(text: str, *, as_text: bool) -> list[Any]:
    # Labels as a file would have them: numbers and booleans only if all of them are.
    labels = [label.strip() for label in text.split(",")]
    if as_text:
        return labels
    if all(label.lstrip("-").isdecimal() for label in labels):
        return [int(label) for label in labels]
    if {label.lower() for label in labels} <= {"true", "false"}:
        return [label.lower() == "true" for label in labels]
    return labels


def _default_output(data: DataOptions) -> Path:
    name = Path(data.paths[0]).name
    if len(data.paths) > 1 or name in ("", STDOUT, ".", "..") or any(sign in name for sign in _PATTERN):
        raise typer.BadParameter("name the output file, e.g. -o model.suffice.", param_hint="--output")
    return Path(f"{name.split('.')[0] or name.strip('.')}.suffice")


def _emit_fit(model: Model, path: Path, report: Reporter, reason: str) -> None:
    from suffice.cli.model_tables import calibration_sentence, schema_record
    from suffice.cli.output import emit

    weights = model.core.tally.weight.tolist()
    emit(
        {
            "model": path,
            "rows": model.provenance.rows,
            "seconds": report.seconds,
            "rows_per_second": report.rate,
            "bytes": path.stat().st_size,
            "files": report.described,
            "skipped_lines": report.skipped,
            "calibration": calibration_sentence(model),
            "not_calibrated": reason or None,
            "novelty_rows": None if model.novelty_reference is None else model.novelty_reference.rows,
            "classes": [
                {"label": label, "weight": weight} for label, weight in zip(model.classes, weights, strict=True)
            ],
            **schema_record(model),
        }
    )


def _print_fit(model: Model, path: Path, report: Reporter, reason: str) -> None:
    from suffice.cli.model_tables import calibration_sentence, print_classes, print_columns
    from suffice.cli.terminal import counted, say, size_of

    for line in report.described:
        say(line)
    print_columns(model)
    print_classes(model)
    say()
    if report.skipped:
        say(f"{counted(report.skipped, 'bad line')} skipped")
    if reason != _AS_ASKED:
        say(calibration_sentence(model) or f"not calibrated: {reason}")
    if model.novelty_reference is not None:
        say(f"novelty: {model.novelty_reference}, used by suffice predict --novelty")
    learnt = model.provenance.rows
    used = "" if learnt == report.rows else f" ({learnt:,} of them used)"
    if learnt and not report.rows:
        say(f"totals of {counted(learnt, 'row')}")
    else:
        say(f"{counted(report.rows, 'row')}{used} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s")
    say(f"wrote {path} ({size_of(path)})")


def print_next_step(model: Model, path: Path, new: str) -> None:
    """Print the commands that use a model that was just written, if it has rows of at least two classes."""
    from suffice.cli.terminal import say

    if int((model.core.tally.weight > 0).sum()) < 2:
        return
    place = quote(str(path))
    say(f"next: suffice predict {place} {new}", is_command=True)
    say(f"      suffice show {place}", is_command=True)
