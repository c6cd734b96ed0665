"""`suffice decide`: what to do about every row, by what actions cost, into a file or to stdout."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import (
    STDOUT,
    ClassPriorHere,
    DataOptions,
    EstimatePrior,
    Json,
    Keep,
    ModelPath,
    RowsFormat,
    RowsOut,
    UnitName,
    class_prior_of,
    command,
    estimated_on,
    label_of,
    require_one_prior,
    unit_of,
)
from suffice.cli.costs import CostOptions
from suffice.cli.thresholds import ThresholdOptions, chosen_on, line_record, say_line

if TYPE_CHECKING:
    from suffice.cli.progress import Reporter
    from suffice.decisions import PriorShift, Rule, Threshold

__all__ = ["decide"]


@command
def decide(
    *,
    model: ModelPath,
    costs: CostOptions,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", metavar="NUMBER", help="Of two classes, the second above these log-odds, instead of costs."
        ),
    ] = None,
    line: ThresholdOptions,
    class_prior: ClassPriorHere = None,
    estimate_prior: EstimatePrior = False,
    output: RowsOut = STDOUT,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    log_odds: Annotated[
        bool, typer.Option("--log-odds", help="Add the log-odds of each class against the others together.")
    ] = False,
    llr: Annotated[
        bool, typer.Option("--llr", help="Add the log-likelihood ratio: what the row itself says, whatever the prior.")
    ] = False,
    each_cost: Annotated[bool, typer.Option("--each-cost", help="Add the expected cost of each action.")] = False,
    unit: UnitName = "nats",
    keep: Keep = None,
    to: RowsFormat = None,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Decide what to do about every row: the action with the least expected cost.

    Costs are a table of actions × classes, best kept in a file:

    \b
        action,no,yes
        leave,0,100
        call,5,40

    --cost says single ones. An action may cost the same in every class, as
    refer=10, to ask a person. The output has the columns of --keep, then
    "action", its "expected_cost" and the most probable class, "predicted".

    Of two classes a line on the log-odds may say it instead: --threshold gives
    it; --precision and --recall draw it on the rows of --on, whose class is
    known and which the model has not learnt from; --alerts draws it so that at
    most so many rows of the data are alerts.

    For example:

    \b
        suffice decide model.suffice new.csv --costs costs.csv
        suffice decide model.suffice new.csv --cost leave,yes=100 --cost call=5 -o calls.csv --keep customer
        suffice decide model.suffice new.csv --costs costs.csv --estimate-prior --llr --unit decibans -o calls.csv
        suffice decide model.suffice new.csv --threshold 0.5 --class-prior yes=0.1,no=0.9 -o calls.parquet
        suffice decide model.suffice new.csv --precision 0.8 --on tuesday.csv -o calls.csv
        suffice decide model.suffice new.csv --alerts 20 --positive yes --keep customer -o calls.csv
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.api.deciding import decided_columns, rule_of
    from suffice.cli.output import require_place, rows_out
    from suffice.cli.progress import Reporter

    if json and output == STDOUT:
        raise typer.BadParameter(
            "the decisions would stand between its lines. Send them to a file with -o, or print them as lines of "
            "JSON with --to ndjson.",
            param_hint="--json",
        )
    if threshold is not None and costs.given:
        raise typer.BadParameter("give costs or a threshold, not both.", param_hint="--threshold")
    asked = line.asked(data, [*costs.given, *["--threshold"] * (threshold is not None)])
    chosen = unit_of(unit)
    require_one_prior(class_prior, data, estimate=estimate_prior)
    prior = None if class_prior is None else class_prior_of(class_prior)
    known = load(model)
    table = costs.of(known)
    rule = rule_of(known, table, None if prior is None else prior.of(known), threshold, chosen)
    if output != STDOUT:
        also_read = (each for each in (costs.costs, line.on) if each is not None)
        require_place(Path(output), [*data.paths, model, *also_read])
    files = data.files()
    shift = estimated_on(known, files) if estimate_prior else None
    here = shift.class_prior if shift is not None else None if prior is None else prior.of(known)
    drawn: Threshold | None = None
    if asked is not None:
        label = None if line.positive is None else label_of(known, line.positive)
        rows = files if line.on is None else data.files(line.on)
        drawn = chosen_on(known, asked, rows, line.target, label, here)
    if drawn is not None or shift is not None:
        rule = rule_of(known, table, here, threshold if drawn is None else drawn, chosen)
    found: Counter[Any] = Counter()
    total = 0.0
    ignored: list[Any] = []
    wanted: dict[str, Any] = {"proba": proba, "odds": log_odds, "llr": llr, "each_cost": each_cost}
    wanted |= {"keep": tuple(keep or ())}
    with rows_out(output, to) as writer, Reporter("deciding") as report:
        for columns in decided_columns(known, files, rule, **wanted, progress=report, ignored=ignored.extend):
            writer.write(columns)
            found.update(columns[_name(columns, "action")])
            total += float(columns[_name(columns, "expected_cost")].sum())
    if output != STDOUT:
        cost_given = table is not None
        on = line.on or "the data"
        _say(rule, shift, drawn, on, found, total, report, output, ignored, cost=cost_given, json=json)


def _say(
    rule: Rule,
    shift: PriorShift | None,
    line: Threshold | None,
    on: str,
    found: Counter[Any],
    total: float,
    report: Reporter,
    output: str,
    ignored: list[Any],
    *,
    cost: bool,
    json: bool,
) -> None:
    from suffice.api.predictions import encodable
    from suffice.cli.output import capped, counted, emit, listed, number, say, say_shift, shift_record, table

    rows = {encodable(str(action)): 0 for action in rule.costs.actions}
    for action, count in found.items():
        rows[str(action)] += count
    if json:
        record = {"output": output, "rows": report.rows, "seconds": report.seconds, "rows_per_second": report.rate}
        actions = [{"action": action, "rows": count} for action, count in rows.items()]
        prior = zip(rule.classes, rule.prior.tolist(), strict=True)
        emit(
            {
                **record,
                "actions": actions,
                "expected_cost": total,
                "class_prior": [{"label": label, "share": share} for label, share in prior],
                "prior_shift": shift_record(shift),
                "threshold": line_record(line, rule.unit),
                "skipped_lines": report.skipped,
                "ignored_columns": ignored,
            }
        )
        return
    if shift is not None:
        say_shift(shift)
    if line is not None:
        say_line(line, rule.unit, on)
    table(capped([[action, f"{count:,}"] for action, count in rows.items()]), right=(1,))
    if cost:
        say(f"expected cost {number(total)}, {number(total / report.rows if report.rows else 0.0)} a row")
    if ignored:
        say(f"{counted(len(ignored), 'column')} of the data not used: {listed(ignored)}")
    say(f"{counted(report.rows, 'row')} in {report.seconds:.2f} s, {report.rate:,.0f} rows/s; {output}")


def _name(columns: dict[str, Any], name: str) -> str:
    # A kept column of the same name makes it "action_", and so on.
    return max((each for each in columns if each.rstrip("_") == name), key=len)
