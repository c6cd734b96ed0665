"""`suffice screen`: selects the columns that separate the classes, and fits a model on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli.arguments import DataOptions, FitOptions, Json, PositiveOption, command
from suffice.cli.completion import complete_column

__all__ = ["screen_command"]

_METRICS = (  # defined in a module that --help does not import; a test compares them
    "accuracy",
    "balanced_accuracy",
    "log_loss",
    "brier",
    "expected_calibration_error",
    "roc_auc",
    "average_precision",
    "minimum_detection_cost",
    "actual_detection_cost",
    "precision",
    "recall",
    "f1",
)


def _complete_metric(incomplete: str) -> list[str]:
    return [name for name in _METRICS if name.startswith(incomplete)]


@dataclass(frozen=True, kw_only=True)
class ScreenOptions:
    """How columns are compared, and how many are kept."""

    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="COL",
            help="Column that holds the time of each row: columns are chosen on the earlier rows and evaluated on the "
            "later ones.",
            autocompletion=complete_column,
        ),
    ] = None
    first: Annotated[
        float,
        typer.Option("--first", metavar="SHARE", help="Fraction of rows used for training when --order is given."),
    ] = 0.7
    folds: Annotated[int, typer.Option("--folds", metavar="K", help="Number of cross-validation folds.")] = 5
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Metric of `suffice evaluate` to choose the threshold by, e.g. log_loss, f1 or actual_detection_cost. "
            "[default: average_precision, or balanced_accuracy for more than two classes]",
            autocompletion=_complete_metric,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="S",
            help="Drop columns with at least this similarity. [default: the best on held-out rows]",
        ),
    ] = None
    bins: Annotated[
        int, typer.Option("--bins", metavar="N", help="Maximum number of bins of a numeric column in the comparison.")
    ] = 16
    redundant: Annotated[
        float,
        typer.Option(
            "--redundant", metavar="R", help="Report pairs of columns whose evidence correlates at least this much."
        ),
    ] = 0.8
    detection_prior: Annotated[
        float,
        typer.Option("--detection-prior", metavar="P", help="Prior of the positive class in the detection costs."),
    ] = 0.5
    cost_miss: Annotated[
        float, typer.Option("--cost-miss", metavar="COST", help="Cost of a miss in the detection costs.")
    ] = 1.0
    cost_false_alarm: Annotated[
        float, typer.Option("--cost-false-alarm", metavar="COST", help="Cost of a false alarm in the detection costs.")
    ] = 1.0
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate/--no-calibrate", help="Calibrate the model of the kept columns, as `suffice fit`."),
    ] = True
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed for folds and samples.")] = 0


@command(writes=True)
def screen_command(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Output file for the model of the kept columns."),
    ] = None,
    options: FitOptions,
    screening: ScreenOptions,
    positive: PositiveOption = None,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Select the columns that separate the classes.

    The class similarity of a column is the cosine similarity of its distributions
    in the classes; it is 1 if they are identical. Columns at or above a
    similarity threshold are dropped; by default the threshold is chosen on
    held-out rows. Redundant columns, whose evidence is correlated with that of
    another column, are listed. The rows are held in memory.

    For example:

    \b
        suffice screen train.csv --target churned
        suffice screen train.csv -t churned --order months --metric log_loss
        suffice screen train.csv -t churned --drop customer -o screened.suffice
        suffice screen train.csv -t churned --threshold 0.99 --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import screen
    from suffice.cli.evaluation_tables import print_screening, screening_record
    from suffice.cli.fit import print_next_step
    from suffice.cli.model_tables import calibration_sentence, schema_record
    from suffice.cli.output import emit, require_place
    from suffice.cli.progress import Reporter
    from suffice.cli.terminal import say, size_of

    data.require_target(options.target)
    settings: dict[str, Any] = {**options.settings(), **vars(screening), "positive": positive}
    prior = options.prior()
    settings |= {} if prior is None else {"class_prior": prior.prior}
    if output is not None:
        require_place(output, data.paths)
    files = data.files()
    with Reporter("reading", "comparing columns") as report:
        found = screen(files, options.target, progress=report, **settings)
    if output is not None:
        found.model.save(output)
    screened = {each.column for each in found.columns}
    left_out = [each for each in schema_record(found.model)["left_out"] if each["name"] not in screened]
    if json:
        record = {"rows": found.model.provenance.rows, "seconds": report.seconds, **screening_record(found)}
        record |= {"model": output, "left_out": left_out, "calibration": calibration_sentence(found.model)}
        emit(record)
        return
    print_screening(found, [each["name"] for each in left_out])
    if output is not None:
        say()
        if screening.calibrate:
            say(calibration_sentence(found.model) or f"not calibrated: {found.model.calibration_dropped_because}")
        say(f"wrote {output} ({size_of(output)})")
        print_next_step(found.model, output, "NEW.csv")
