"""`suffice read`: the same statistics under another estimate or prior; no data is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.completion import complete_class_prior, complete_estimate
from suffice.cli.failures import guarded
from suffice.cli.file_options import Json
from suffice.cli.model_argument import ModelPath, Output
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Model

__all__ = ["read"]


@guarded
def read(
    model: ModelPath,
    output: Output,
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
            metavar="NAME=LIKELIHOOD[:…]",
            help="Another prior or reading for a column, as plan=categorical:alpha=0.5. Repeatable.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Read a model otherwise: another estimate, another prior. The rows are not needed.

    A prior of a column may change as long as the likelihood needs what was
    collected: a Gaussian keeps no levels, so it cannot become categorical. Text
    can be read by another model, prior, min_df, max_df, max_features, min_count,
    idf or binary; what cuts it into words must be said as it was fitted.

    For example:

    \b
        suffice read model.suffice --estimate map -o map.suffice
        suffice read model.suffice --estimate smoothed --alpha evidence -o smooth.suffice
        suffice read model.suffice --class-prior yes=0.1,no=0.9 -o here.suffice
        suffice read model.suffice --prior plan=categorical:alpha=0.5 -o flat.suffice
        suffice read mail.suffice --prior text=words:model=complement,alpha=0.1,min_df=2 -o other.suffice
    """  # noqa: D301  \b keeps the lines of the example apart
    from suffice.api import load
    from suffice.api.rereading import reread
    from suffice.cli.class_prior_argument import class_prior_of
    from suffice.cli.estimate_argument import estimate_of
    from suffice.cli.likelihood_argument import columns_of
    from suffice.cli.output import emit, say
    from suffice.cli.places import require_place, undisturbed
    from suffice.cli.schema_table import calibration_of

    if estimate is None and alpha is None and class_prior is None and not prior:
        raise typer.BadParameter("say what to read otherwise, as in --estimate map.", param_hint="--estimate")
    reading = estimate_of(estimate)
    added = None if alpha is None else _alpha(alpha)
    wanted = None if class_prior is None else class_prior_of(class_prior)
    likelihoods: dict[Any, Any] = columns_of(prior or [], "--prior")
    require_place(output)
    with undisturbed(output, [model]):
        known = load(model)
        if likelihoods:
            known = reread(known, likelihoods)
        known = known.read(reading, None if wanted is None else wanted.of(known), added)
        known.save(output)
    now, of_classes = known.naive_bayes.reading.estimate, str(known.naive_bayes.class_prior)
    if json:
        record = {"model": output, "estimate": now, "class_prior": of_classes, "log_evidence": _evidence(known)}
        emit({**record, "calibration": calibration_of(known)})
        return
    say(f"{output}: estimate {now}, class prior {of_classes}")


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
