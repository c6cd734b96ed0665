"""`suffice evaluate`: metrics of a model on rows that it was not fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import DataOptions, FitOptions, Json, PositiveOption, command
from suffice.cli.completion import complete_classifier, complete_column
from suffice.cli.values import find_label, load_for_command, parse_classifiers

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["evaluate_command"]


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """The rows on which a model is evaluated: folds of the data, other files, or the data for an existing model."""

    folds: Annotated[
        int | None,
        typer.Option("--folds", metavar="N", min=2, help="Number of cross-validation folds. [default: 10]"),
    ] = None
    loo: Annotated[
        bool, typer.Option("--loo", help="Leave-one-out cross-validation instead, for up to 5,000 rows.")
    ] = False
    test: Annotated[
        str | None, typer.Option("--test", metavar="FILE", help="Fit on DATA and evaluate on this file instead.")
    ] = None
    model: Annotated[
        Path | None, typer.Option("--model", metavar="MODEL", help="Evaluate this model on DATA, without fitting one.")
    ] = None
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="COL",
            help="Keep rows with the same value, e.g. of the same customer, in one fold.",
            autocompletion=complete_column,
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="COL",
            help="Column that holds the time of each row: each block of rows is scored by the model of the earlier "
            "blocks.",
            autocompletion=complete_column,
        ),
    ] = None

    def settings(self, data: DataOptions, options: FitOptions) -> dict[str, Any]:
        """Return the arguments of `suffice.evaluate`."""
        test = None if self.test is None else (data.files(self.test), options.target, options.weights)
        return {"folds": self.folds, "loo": self.loo, "test": test, "groups": self.group, "order": self.order}

    def require_one(self) -> None:
        """Raise an error if the options contradict each other."""
        ways = {"--folds": self.folds, "--loo": self.loo or None, "--test": self.test, "--model": self.model}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            raise typer.BadParameter(f"this option cannot be combined with {given[0]}.", param_hint=given[1])
        beside = [name for name, value in (("--group", self.group), ("--order", self.order)) if value is not None]
        if len(beside) > 1:
            raise typer.BadParameter("this option cannot be combined with --group.", param_hint=beside[1])
        if beside and given and given[0] != "--folds":
            raise typer.BadParameter(
                f"this option applies to folds, which {given[0]} does not use.", param_hint=beside[0]
            )


@command
def evaluate_command(
    *,
    options: FitOptions,
    split: SplitOptions,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings",
            help="Also evaluate other estimates, pseudo-counts and class priors (“readings” of the same counts) on the "
            "same rows.",
        ),
    ] = False,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="NAME,…",
            help="Evaluate other classifiers on the same rows: logistic-regression, gradient-boosting, random-forest, "
            "decision-tree, nearest-neighbors.",
            autocompletion=complete_classifier,
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate", help="Evaluate calibrated probabilities, as produced by `suffice fit`."
        ),
    ] = True,
    positive: PositiveOption = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", metavar="N", min=0, help="Bootstrap draws for the intervals; 0 for none.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed for folds and bootstrap.")] = 0,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Evaluate a model on rows that it was not fitted on.

    Each fold is scored by the model of the other folds. The metrics have 95 %
    intervals from a bootstrap of the rows, and are shown next to a baseline that
    predicts the class frequencies for every row. Cross-validation holds the data
    in memory; --test and --model stream the data.

    For example:

    \b
        suffice evaluate train.csv --target churned
        suffice evaluate train.csv -t churned --test tuesday.csv --positive yes
        suffice evaluate tuesday.csv --model model.suffice
        suffice evaluate train.csv -t churned --folds 3 --group region --readings
        suffice evaluate train.csv -t churned --order customer --folds 4
        suffice evaluate train.csv -t churned --loo --estimate map --json
        suffice evaluate train.csv -t churned --compare logistic-regression
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import evaluate
    from suffice.cli.evaluation_tables import evaluation_record, print_evaluation
    from suffice.cli.model_tables import calibration_sentence
    from suffice.cli.output import emit
    from suffice.cli.progress import Reporter

    split.require_one()
    others = None if compare is None else parse_classifiers(compare)
    if others is not None and split.model is not None:
        raise typer.BadParameter(
            "this option requires training rows, but --model fits no model.", param_hint="--compare"
        )
    if split.model is None:
        data.require_target(options.target)
    settings, prior, files = options.settings(), options.prior(), data.files()
    measured: dict[str, Any] = {"readings": readings or None, "bootstrap": bootstrap, "seed": seed}
    known = None if split.model is None else _load_to_measure(split.model, data, options, calibrate=calibrate)
    with Reporter("evaluating", "scoring") as report:
        measured |= {"weights": options.weights, "progress": report}
        if known is None:
            settings |= {"calibrate": calibrate, "positive": positive, "compare": others}
            settings |= split.settings(data, options)
            settings |= {} if prior is None else {"class_prior": prior.prior}
            found = evaluate(files, options.target, **{**settings, **measured})
        else:
            measured["positive"] = None if positive is None else find_label(known, positive)
            shares = None if prior is None else prior.of(known)
            known = known.with_options(estimate=settings.get("estimate"), class_prior=shares)
            found = known.evaluate(files, options.target, **measured)
    if json:
        record = {**evaluation_record(found), "seconds": report.seconds, "skipped_lines": report.skipped}
        emit(record if known is None else {**record, "calibration": calibration_sentence(known)})
    else:
        print_evaluation(found, report)


def _load_to_measure(path: Path, data: DataOptions, options: FitOptions, *, calibrate: bool) -> Model:
    if options.has_columns:
        raise typer.BadParameter("the columns of the model are fixed. Omit --column and --drop.", param_hint="--model")
    if not calibrate:
        raise typer.BadParameter("the model is evaluated unchanged. Omit this option.", param_hint="--no-calibrate")
    return load_for_command(path, *data.paths)
