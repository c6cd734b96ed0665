"""`suffice fit`: one pass over files, and what was seen of them is a model file."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import (
    ClassPrior,
    ColumnOptions,
    DataOptions,
    Estimate,
    Json,
    MaxLevels,
    Target,
    Weights,
    class_prior_of,
    command,
    estimate_of,
)

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.cli.progress import Reporter

__all__ = ["fit"]

_AS_ASKED = "as asked"


@command
def fit(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where the model goes.")],
    target: Target = None,
    columns: ColumnOptions,
    weights: Weights = None,
    class_prior: ClassPrior = None,
    estimate: Estimate = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            metavar="MODEL|FILE",
            help="Columns as in this model, or in what `suffice export --to schema` writes, so that models merge.",
        ),
    ] = None,
    max_levels: MaxLevels = 10_000,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Calibrate the probabilities on five folds of up to 100,000 rows that are kept beside the pass.",
        ),
    ] = True,
    data: DataOptions,
    json: Json = False,
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
        suffice fit mail.csv -t label -o mail.suffice --column 'body=Words(ngrams=(1, 2), min_df=2)'
        suffice fit mail/ -o mail.suffice --column 'text=Words(model="complement", alpha=0.1)'
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import Model
    from suffice.api import fit as fitted
    from suffice.cli.columns import schema_from
    from suffice.cli.output import require_place
    from suffice.cli.progress import Reporter
    from suffice.conjugate.special import preload_scipy
    from suffice.warnings import one_class

    frozen = None if schema is None else schema_from(schema)
    like = frozen if isinstance(frozen, Model) else None
    if target is None and like is None:
        data.require_target()
    if frozen is not None and columns.given:
        raise typer.BadParameter("it says what every column is. Leave --column and --drop out.", param_hint="--schema")
    if like is not None and (class_prior or estimate):
        raise typer.BadParameter(
            "it takes class prior and estimate from the model. Leave them out, and use `suffice set` on the result.",
            param_hint="--schema",
        )
    wanted = estimate_of(estimate)
    likelihoods = frozen if isinstance(frozen, dict) else columns.likelihoods()
    prior = class_prior_of(class_prior or "empirical")
    require_place(output, [*data.paths, *([] if schema is None else [schema])])
    files = data.files()
    settings: dict[str, Any] = {"like": like} if like is not None else {"columns": likelihoods or None}
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
            calibrate=calibrate,
            **settings,
        )
    if like is None:  # a shard may have one class, the whole may not
        one_class(model.naive_bayes.tally)
    reason = model.lost if calibrate else _AS_ASKED
    if class_prior is not None:
        model = model.with_options(class_prior=prior.of(model))
    model.save(output)
    new = "NEW/" if data.are_folders and target is None else "NEW.csv"
    _show(model, output, report, new, reason, json=json)


def _show(model: Model, output: Path, report: Reporter, new: str, reason: str, *, json: bool) -> None:
    from suffice.cli.output import (
        bar,
        calibration_of,
        capped,
        counted,
        emit,
        number,
        say,
        schema_record,
        schema_rows,
        share,
        size_of,
        table,
    )

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
                "not_calibrated": reason or None,
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
