"""Commands that change a model file: `suffice update`, `forget`, `merge`, `set` and `calibrate`.

The file is replaced in one step. Commands that change the same file at the same time wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import (
    ClassPriorOption,
    DataOptions,
    EstimateOption,
    InPlace,
    Json,
    ModelPath,
    TargetOption,
    WeightsOption,
    command,
)
from suffice.cli.columns import parse_columns
from suffice.cli.values import load_for_command, parse_class_prior, parse_estimate
from suffice.errors import MergeError, ParameterError

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["calibrate_command", "forget_command", "merge_command", "set_command", "update_command"]


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """The model to change with labelled rows, the output file, and the columns of class and weight."""

    model: ModelPath
    output: InPlace = None
    target: TargetOption = None
    weights: WeightsOption = None

    @property
    def place(self) -> Path:
        """The file that is written."""
        return self.output or self.model


@command(writes=True)
def update_command(*, options: ChangeOptions, data: DataOptions, json: Json = False) -> None:
    """Add rows to a model, as if they had been in the training data.

    New classes and categories may appear. The file is replaced atomically: after
    a crash the file holds either the old model or the new one. A calibration is
    kept and refined by the new rows; the novelty reference is dropped.

    For example:

    \b
        suffice update model.suffice tuesday.csv
        suffice update model.suffice new.csv -o week.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    _change_rows("update", options, data, json=json)


@command(writes=True)
def forget_command(
    *,
    options: ChangeOptions,
    drop_calibration: Annotated[
        bool,
        typer.Option(
            "--drop-calibration", help="Also remove the calibration, which was estimated partly from these rows."
        ),
    ] = False,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Remove rows from a model, as if they had never been added.

    If the counts show that some rows were never added, the command fails and the
    model is left unchanged. The counts keep no trace of the rows, but a
    calibration was estimated partly from them. To erase every trace, use
    --drop-calibration.

    For example:

    \b
        suffice forget model.suffice tuesday.csv
        suffice forget model.suffice one_customer.csv -o without.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    kept = "drop" if drop_calibration else "keep"
    _change_rows("forget", options, data, json=json, calibration=kept)


def _change_rows(doing: str, options: ChangeOptions, data: DataOptions, *, json: bool, **settings: Any) -> None:
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.output import emit, locked, require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.terminal import counted, say

    out = options.place
    with locked(out, [options.model]):
        known = load_for_command(options.model, *data.paths)
        require_place(out, data.paths)
        change = known.update if doing == "update" else known.forget
        with Reporter("reading") as report:
            changed = change(data.files(), options.target, weights=options.weights, progress=report, **settings)
        changed.save(out)
    before, after = known.provenance.rows, changed.provenance.rows
    if json:
        record = {"model": out, "rows_before": before, "rows": after, "classes": changed.classes}
        record |= {"calibration": calibration_sentence(changed)}
        record |= {"seconds": report.seconds, "rows_per_second": report.rate, "skipped_lines": report.skipped}
        emit(record)
        return
    say(f"{counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s")
    say(f"wrote {out}: {counted(before, 'row')} before, {after:,} now")


@command(writes=True)
def merge_command(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Two or more model files.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Output model file.")],
    json: Json = False,
) -> None:
    """Merge models fitted on different rows.

    The models must have the same schema: fit the first model, then fit the others
    with --schema FIRST. The result equals a single fit on all the files.
    Calibrations are merged if the calibrated models together contain at least
    half of all rows; otherwise calibrate the result with `suffice calibrate`.

    For example:

    \b
        suffice fit tuesday.csv --schema model.suffice --no-calibrate
        suffice merge model.suffice tuesday.suffice -o week.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.output import emit, locked, require_place
    from suffice.cli.terminal import counted, say, size_of

    require_place(output)
    with locked(output, models):
        merged = load_for_command(models[0])
        for path in models[1:]:
            other = load_for_command(path)
            try:
                merged = merged + other
            except MergeError as problem:
                both = f"{models[0]} (left) and {path} (right)"
                raise problem.located(problem=f"{both} cannot be merged: {problem.problem}") from None
        merged.save(output)
    if json:
        record = {"model": output, "merged": models, "rows": merged.provenance.rows, "classes": merged.classes}
        emit({**record, "calibration": calibration_sentence(merged)})
        return
    rows = counted(merged.provenance.rows, "row")
    say(f"wrote {output}: {counted(len(models), 'model')}, {rows}, {size_of(output)}")


@command(writes=True)
def set_command(
    model: ModelPath,
    output: InPlace = None,
    estimate: EstimateOption = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha",
            metavar="NUMBER",
            help="Pseudo-count of each outcome: a number, evidence (chooses, for each column, the value that "
            "maximises the marginal likelihood) or shared-evidence (one such value for all columns).",
        ),
    ] = None,
    class_prior: ClassPriorOption = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="NAME=LIKELIHOOD",
            help="New prior or likelihood of a column, or of all columns that match a pattern, e.g. "
            "'plan=Categorical(alpha=0.5)'. Repeatable.",
        ),
    ] = None,
    variance: Annotated[
        str | None,
        typer.Option("--variance", metavar="NAME", help="Variance of Gaussian columns: own (one per class) or shared."),
    ] = None,
    covariance: Annotated[
        str | None,
        typer.Option(
            "--covariance", metavar="NAME", help="Covariance of MultivariateGaussian columns: full, shared or diagonal."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Change a model's estimator or prior without refitting.

    A column can be given another prior, or a likelihood that needs only
    statistics already collected. A Gaussian column, for example, has no category
    counts and cannot become Categorical. In text columns, model, prior, min_df,
    max_df, max_features, min_count, idf and binary can be changed, but not the
    way text is split into words.

    For example:

    \b
        suffice set model.suffice --estimate map -o map.suffice
        suffice set model.suffice --estimate smoothed --alpha 1 -o smooth.suffice
        suffice set model.suffice --class-prior yes=0.1,no=0.9 -o here.suffice
        suffice set model.suffice -o flat.suffice \\
            --prior 'plan=Categorical(alpha=0.5)'
        suffice set mail.suffice -o other.suffice \\
            --prior 'text=Words(model="complement", alpha=0.1, min_df=2)'
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.output import emit, locked, require_place
    from suffice.cli.terminal import say

    if not prior and all(given is None for given in (estimate, alpha, class_prior, variance, covariance)):
        raise typer.BadParameter("give at least one option to change, e.g. --estimate map.", param_hint="--estimate")
    settings: dict[str, Any] = {"estimate": parse_estimate(estimate), "alpha": _parse_alpha(alpha)}
    settings |= {"variance": variance, "covariance": covariance}
    shares = None if class_prior is None else parse_class_prior(class_prior)
    likelihoods: dict[Any, Any] = parse_columns(prior or [], "--prior")
    out = output or model
    require_place(out)
    with locked(out, [model]):
        known = load_for_command(model)
        shares = None if shares is None else shares.of(known)
        known = known.with_options(**settings, class_prior=shares, priors=likelihoods or None)
        known.save(out)
    now, of_classes = known.core.reading.estimate, str(known.core.class_prior)
    if json:
        record = {"model": out, "estimate": now, "class_prior": of_classes, "log_evidence": _log_evidence(known)}
        emit({**record, "calibration": calibration_sentence(known)})
        return
    say(f"wrote {out}: estimate {now}, class prior {of_classes}")


def _parse_alpha(text: str | None) -> Any:
    if text is None:
        return None
    word = text.replace("-", " ")
    if word in ("evidence", "shared evidence"):
        return word
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a pseudo-count. Give a number ≥ 0, evidence or shared-evidence.", param_hint="--alpha"
        ) from None


def _log_evidence(model: Model) -> float | None:
    try:
        return model.log_evidence()
    except ParameterError:  # some scores are not log probabilities
        return None


@command(writes=True)
def calibrate_command(
    *,
    options: ChangeOptions,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="Calibration method: auto, scale, offsets (a scale, and an offset per class) or weights (a weight per "
            "column).",
        ),
    ] = "auto",
    new: Annotated[bool, typer.Option("--new", help="The rows were not used in training.")] = False,
    folds: Annotated[int, typer.Option("--folds", metavar="K", help="Number of folds of the training rows.")] = 5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Random seed for folds and sampled rows.")] = 0,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Calibrate the probabilities of a model on its training rows.

    `suffice fit` does this by default. Up to 100,000 rows are split into folds,
    each fold is scored by the model of all other rows, and a scale, a scale and
    offsets, or column weights are fitted if they improve the log loss enough.
    Calibration does not affect counts, merging or log p(x). The log densities of
    these rows are stored as the reference for predict --novelty. Use --new for
    rows that were not used in training; the model itself then scores them.

    For example:

    \b
        suffice calibrate model.suffice train.csv
        suffice calibrate model.suffice tuesday.csv --new --method scale
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.output import emit, locked, require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.terminal import say
    from suffice.decisions.calibration import METHODS

    if method not in METHODS:
        raise typer.BadParameter(
            f"unknown method {method!r}. Use auto, scale, offsets or weights.", param_hint="--method"
        )
    out = options.place
    with locked(out, [options.model]):
        known = load_for_command(options.model, *data.paths)
        require_place(out, data.paths)
        settings: dict[str, Any] = {"weights": options.weights, "new": new, "folds": folds, "method": method}
        with Reporter("reading", "calibrating") as report:
            found = known.calibrate(data.files(), options.target, seed=seed, progress=report, **settings)
        found.save(out)
    if json:
        emit({"model": out, **_calibration_record(found)})
        return
    say(calibration_sentence(found) or f"not calibrated: {found.calibration_dropped_because}")
    say(f"wrote {out}: {report.rows:,} rows in {report.seconds:.2f} s")


def _calibration_record(model: Model) -> dict[str, Any]:
    from suffice.cli.model_tables import calibration_sentence

    learnt = model.calibration
    record: dict[str, Any] = {
        "calibration": calibration_sentence(model),
        "not_calibrated": model.calibration_dropped_because or None,
    }
    if learnt is not None:
        record |= {"method": learnt.kind, "scale": learnt.scale, "offsets": learnt.offsets.tolist()}
        record |= {"weights": {str(column): weight for column, weight in learnt.column_weights.items()}}
        record |= {"class_frequencies": learnt.frequencies.tolist(), "rows": learnt.rows}
        record |= {"learnt_from": learnt.learnt_from, "log_loss": learnt.loss, "log_loss_before": learnt.loss_before}
    return {**record, "novelty_rows": None if model.novelty_reference is None else model.novelty_reference.rows}
