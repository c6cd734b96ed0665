"""`suffice concepts`: the number game, with the posterior over concepts and the predictive distribution as bars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from suffice.cli.arguments import Json, command
from suffice.cli.completion import complete_sampling
from suffice.cli.failures import bad_parameter
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.models.concepts import ConceptLearner

__all__ = ["ANY_NUMBER", "concepts_command"]

# A negative number looks like an option: it is passed to the command, which reports it.
ANY_NUMBER: dict[str, Any] = {"ignore_unknown_options": True}

_A_LINE = 50


@command
def concepts_command(
    numbers: Annotated[
        list[str],
        typer.Argument(metavar="NUMBER…", help="Examples of the concept; repeated numbers count as separate examples."),
    ],
    domain: Annotated[
        str,
        typer.Option(
            "--domain",
            metavar="FIRST-LAST",
            help="First and last integer of the domain; each concept is a subset of it.",
        ),
    ] = "1-100",
    sampling: Annotated[
        str,
        typer.Option(
            "--sampling",
            metavar="NAME",
            help="strong: examples are drawn from the concept; weak: from the whole domain.",
            autocompletion=complete_sampling,
        ),
    ] = "strong",
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Number of concepts and numbers to show.")] = 10,
    json: Json = False,
) -> None:
    """Infer a concept from a few numbers (the number game).

    Rules (even, squares, powers of two, ends in 7, …) and intervals compete. The
    posterior of a concept h is its prior times 1/|h| for each example, so among
    the concepts that contain all examples, smaller ones are more probable. The
    probability that another number belongs to the concept is averaged over all
    concepts.

    For example:

    \b
        suffice concepts 16
        suffice concepts 16 8 2 64
        suffice concepts 60 52 57 55 --top 5
        suffice concepts 121 144 --domain 1-200 --sampling weak --json
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.cli.output import emit
    from suffice.concepts import number_game

    given = [_number(text) for text in numbers]
    first, last = _domain(domain)
    if sampling not in ("strong", "weak"):
        raise typer.BadParameter(
            f"{sampling!r} is not a sampling assumption. Give strong or weak.", param_hint="--sampling"
        )
    try:
        game = number_game(range(first, last + 1), sampling)
    except ParameterError as problem:
        raise bad_parameter(problem, "--domain") from None
    learner = game.update(given)
    if json:
        emit(_learner_record(learner, given, top))
    else:
        _show(learner, given, top)


def _number(text: str) -> int:
    if text.startswith("--"):
        raise typer.BadParameter(f"unknown option {text.partition('=')[0]}.", param_hint="NUMBER…")
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise typer.BadParameter(f"{text!r} is not a whole number. Write for example 16.", param_hint="NUMBER…")
    return int(text)


def _domain(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
    first, last = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= first <= last:
        raise typer.BadParameter(
            f"{text!r} is not FIRST-LAST, two positive whole numbers in ascending order. Write for example 1-100.",
            param_hint="--domain",
        )
    return first, last


def _learner_record(learner: ConceptLearner, given: list[int], top: int) -> dict[str, Any]:
    belief, predictive = learner.posterior(), learner.predictive().tolist()
    return {
        "data": given,
        "domain": [learner.domain[0], learner.domain[-1]],
        "sampling": learner.sampling,
        "hypotheses": len(learner.names),
        "log_evidence": learner.log_evidence(),
        "map": learner.map.name,
        "mle": learner.mle.name,
        "posterior": [each._asdict() for each in belief.top(top)],
        "predictive": [
            {"number": number, "probability": p} for number, p in zip(learner.domain, predictive, strict=True)
        ],
    }


def _show(learner: ConceptLearner, given: list[int], top: int) -> None:
    from suffice.cli.terminal import Bar, heading, percent, print_table, say

    best = learner.posterior().top(top)
    first, last = learner.domain[0], learner.domain[-1]
    how = f"{learner.sampling} sampling"
    say(f"{', '.join(map(str, given))}: {len(learner.names):,} concepts over {first} … {last}, {how}")
    heading("concepts by posterior probability")
    most = best[0].posterior
    rows = [[each.name, f"{each.size:,}", percent(each.posterior), Bar(each.posterior, most)] for each in best]
    print_table(rows, ("concept", "numbers", "posterior"), right=(1, 2))
    if learner.mle.name != learner.map.name:
        say()
        say(f"maximum likelihood, without the prior: {learner.mle.name}")
    predictive: list[float] = learner.predictive().tolist()
    _show_numbers(learner, predictive, top)
    heading("probability of each number")
    _show_strip(cast("list[int]", list(learner.domain)), predictive)


def _show_numbers(learner: ConceptLearner, predictive: list[float], top: int) -> None:
    from suffice.cli.terminal import Bar, heading, percent, print_table, say

    others = [(p, number) for number, p in zip(learner.domain, predictive, strict=True) if number not in learner.seen]
    others.sort(key=lambda each: -each[0])
    likely = [each for each in others[:top] if each[0] > 0]
    if not likely:
        say()
        say("no other number can be in the concept")
        return
    heading("other numbers in the concept, by probability")
    rows = [[str(number), percent(p), Bar(p, 1.0)] for p, number in likely]
    print_table(rows, ("number", "probability"), right=(0, 1))


def _show_strip(numbers: list[int], predictive: list[float]) -> None:
    from suffice.cli.terminal import draw_strip, print_table

    rows: list[list[str]] = []
    for start in range(0, len(numbers), _A_LINE):
        some = numbers[start : start + _A_LINE]
        tens = [
            draw_strip(predictive[at : min(at + 10, start + len(some))]) for at in range(start, start + len(some), 10)
        ]
        rows.append([str(some[0]), " ".join(tens), str(some[-1])])
    print_table(rows, right=(0, 2))
