"""`suffice set`: the same statistics under another estimate or prior; no data is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.arguments import InPlace, Json, ModelPath, class_prior_of, command, estimate_of
from suffice.cli.columns import columns_of
from suffice.cli.completion import complete_class_prior, complete_estimate
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["set_options"]


@command
def set_options(
    model: ModelPath,
    output: InPlace = None,
    estimate: Annotated[
        str | None,
        typer.Option(
            "--estimate",
            metavar="NAME",
            help="predictive, mean, map, smoothed or mle.",
            autocompletion=complete_estimate,
        ),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha",
            metavar="NUMBER",
            help="The pseudo-count of the smoothed estimate; evidence: that which the data speak for, for each column; "
            "shared-evidence: one for all.",
        ),
    ] = None,
    class_prior: Annotated[
        str | None,
        typer.Option(
            "--class-prior",
            metavar="PRIOR",
            help="empirical, uniform, dirichlet:1, or shares as yes=0.1,no=0.9.",
            autocompletion=complete_class_prior,
        ),
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="NAME=LIKELIHOOD",
            help="Another prior for a column or a pattern of them, as 'plan=Categorical(alpha=0.5)'. Repeatable.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Change a model's estimator or prior without refitting.

    A prior of a column may change as long as the likelihood needs what was
    collected: a Gaussian keeps no levels, so it cannot become categorical. Text
    can have another model, prior, min_df, max_df, max_features, min_count, idf
    or binary; what cuts it into words must be as it was fitted.

    For example:

    \b
        suffice set model.suffice --estimate map -o map.suffice
        suffice set model.suffice --estimate smoothed --alpha evidence -o smooth.suffice
        suffice set model.suffice --class-prior yes=0.1,no=0.9 -o here.suffice
        suffice set model.suffice --prior 'plan=Categorical(alpha=0.5)' -o flat.suffice
        suffice set mail.suffice --prior 'text=Words(model="complement", alpha=0.1, min_df=2)' -o other.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.cli.output import calibration_of, emit, require_place, say, undisturbed

    if estimate is None and alpha is None and class_prior is None and not prior:
        raise typer.BadParameter("say what to change, as in --estimate map.", param_hint="--estimate")
    reading = estimate_of(estimate)
    added = None if alpha is None else _alpha(alpha)
    wanted = None if class_prior is None else class_prior_of(class_prior)
    likelihoods: dict[Any, Any] = columns_of(prior or [], "--prior")
    goes_to = output or model
    require_place(goes_to)
    with undisturbed(goes_to, [model]):
        known = load(model)
        known = known.with_options(
            estimate=reading,
            class_prior=None if wanted is None else wanted.of(known),
            alpha=added,
            priors=likelihoods or None,
        )
        known.save(goes_to)
    now, of_classes = known.naive_bayes.reading.estimate, str(known.naive_bayes.class_prior)
    if json:
        record = {"model": goes_to, "estimate": now, "class_prior": of_classes, "log_evidence": _evidence(known)}
        emit({**record, "calibration": calibration_of(known)})
        return
    say(f"{goes_to}: estimate {now}, class prior {of_classes}")


def _alpha(text: str) -> Any:
    word = text.replace("-", " ")
    if word in ("evidence", "shared evidence"):
        return word
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no pseudo-count. Give a number ≥ 0, evidence or shared-evidence.", param_hint="--alpha"
        ) from None


def _evidence(model: Model) -> float | None:
    try:
        return model.log_evidence()
    except ParameterError:  # scores that are not those of a distribution have none
        return None
