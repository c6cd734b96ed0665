"""`suffice decide`: an action for every row, by costs or by a threshold, into a file or to stdout."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import STDOUT, DataOptions, Json, ModelPath, PriorOptions, RowOptions, command
from suffice.cli.decision_rules import CostOptions, ThresholdOptions, print_threshold, threshold_record
from suffice.cli.predict import print_written
from suffice.cli.values import load_for_command, parse_unit

if TYPE_CHECKING:
    from suffice.cli.progress import Reporter
    from suffice.decisions import PriorShift, Rule, Threshold

__all__ = ["decide_command"]

_MOST_ACTIONS = 20


@command(writes=True)
def decide_command(
    *,
    model: ModelPath,
    costs: CostOptions,
    chosen: ThresholdOptions,
    prior: PriorOptions,
    rows: RowOptions,
    llr: Annotated[
        bool, typer.Option("--llr", help="Add the log-likelihood ratio: the evidence of the row, excluding the prior.")
    ] = False,
    each_cost: Annotated[bool, typer.Option("--each-cost", help="Add the expected cost of each action.")] = False,
    data: DataOptions,
    json: Json = False,
) -> None:
    """Choose the action with the lowest expected cost for each row.

    Costs are a table of actions × classes, usually a file:

    \b
        action,no,yes
        leave,0,100
        call,5,40

    --cost sets single costs. An action may cost the same for every class, e.g.
    refer=10 for referring a case to a person. The output has the columns of
    --keep, then "action", "expected_cost" (if costs are given) and "predicted",
    the most probable class.

    For two classes, a threshold on the log-odds can replace costs: --threshold
    sets it; --precision and --recall choose it on the labelled rows of --on;
    --alerts limits the number of rows above it.

    For example:

    \b
        suffice decide model.suffice new.csv --costs costs.csv -o calls.csv
        suffice decide model.suffice new.csv --cost leave,yes=100 --cost call=5
        suffice decide model.suffice new.csv --costs costs.csv --estimate-prior
        suffice decide model.suffice new.csv --costs costs.csv --llr --unit bits
        suffice decide model.suffice new.csv --threshold 0.5 --positive yes
        suffice decide model.suffice new.csv --precision 80% --on tuesday.csv
        suffice decide model.suffice new.csv --alerts 20 --keep customer
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api.deciding import decide_columns, rule_of
    from suffice.cli.output import emit, find_computed, rows_out
    from suffice.cli.progress import Reporter

    chosen.require_one(data, costs.given)
    if each_cost and not costs.given:
        raise typer.BadParameter("costs are required: give --costs or --cost.", param_hint="--each-cost")
    prior.require_one(data)
    unit = parse_unit(rows.unit)
    known = load_for_command(model, *data.paths)
    table = costs.of(known)
    positive = chosen.find_positive(known)
    rule_of(known, table, None, chosen.threshold, unit, positive)  # reports errors before the data are read
    also_read = (each for each in (costs.costs, chosen.on) if each is not None)
    rows.require_place([*data.paths, model, *also_read], json=json)
    files = data.files()
    found: Counter[Any] = Counter()
    total = 0.0
    ignored: list[Any] = []
    wanted: dict[str, Any] = {**rows.columns, "llr": llr, "each_cost": each_cost}
    with Reporter("deciding") as report:
        here, shift = prior.of(known, files, report)
        threshold = chosen.choose(known, data, here, report)
        rule = rule_of(known, table, here, chosen.threshold if threshold is None else threshold, unit, positive)
        report.begin("deciding")
        with rows_out(rows.output, rows.to, rows.digits) as writer:
            for columns in decide_columns(known, files, rule, **wanted, progress=report, ignored=ignored.extend):
                writer.write(columns)
                found.update(find_computed(columns, "action"))
                if rule.costs_given:
                    total += float(find_computed(columns, "expected_cost").sum())
    if rows.output == STDOUT:
        return
    record = _decision_record(rule, shift, threshold, found, total, report)
    if json:
        emit({"output": rows.output, **record, "ignored_columns": ignored})
        return
    _print_decisions(record, rule, shift, threshold, chosen.on or "the data")
    print_written(rows.output, report, ignored)


def _decision_record(
    rule: Rule,
    shift: PriorShift | None,
    threshold: Threshold | None,
    found: Counter[Any],
    total: float,
    report: Reporter,
) -> dict[str, Any]:
    from suffice.cli.model_tables import shift_record
    from suffice.records import column_of_labels

    actions = zip(rule.costs.actions, column_of_labels(rule.costs.actions), strict=True)
    prior = zip(rule.classes, rule.prior.tolist(), strict=True)
    return {
        "rows": report.rows,
        "seconds": report.seconds,
        "rows_per_second": report.rate,
        "actions": [{"action": action, "rows": found[cell]} for action, cell in actions],
        **({"expected_cost": total} if rule.costs_given else {}),
        "class_prior": [{"label": label, "share": share} for label, share in prior],
        "prior_shift": shift_record(shift),
        "threshold": threshold_record(threshold, rule.unit),
        "skipped_lines": report.skipped,
    }


def _print_decisions(
    record: dict[str, Any], rule: Rule, shift: PriorShift | None, threshold: Threshold | None, on: str
) -> None:
    from suffice.cli.model_tables import print_shift
    from suffice.cli.terminal import cut_rows, label_text, number, print_table, say

    if shift is not None:
        print_shift(shift)
    if threshold is not None:
        print_threshold(threshold, rule.unit, on)
    shown = [[label_text(each["action"]), f"{each['rows']:,}"] for each in record["actions"]]
    print_table(cut_rows(shown, _MOST_ACTIONS, "actions"), ("action", "rows"), right=(1,))
    if rule.costs_given:
        total, rows = record["expected_cost"], record["rows"]
        say(f"expected cost: {number(total)} in total, {number(total / rows if rows else 0.0)} per row")
