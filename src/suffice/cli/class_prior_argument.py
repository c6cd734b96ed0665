"""The class prior, as --class-prior takes it.

empirical               as often as each class was seen
uniform                 each alike
spam=0.2,ham=0.8        as given: the share of each class where the model will be used
dirichlet:0.5           as often as seen, with half a row more of each
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, final

import typer

from suffice.errors import ParameterError, SufficeError

if TYPE_CHECKING:
    from suffice.api import ClassPrior, Model

__all__ = ["ClassPriorArgument", "class_prior_of", "label_of"]

_OPTION = "--class-prior"


@final
@dataclass(frozen=True, slots=True)
class ClassPriorArgument:
    """What was asked for: a setting, or probabilities of classes by their text."""

    prior: ClassPrior
    by_text: dict[str, float] | None = None

    def of(self, model: Model) -> ClassPrior:
        """Return the prior of the classes of that model."""
        if self.by_text is None:
            return self.prior
        from suffice.api import ClassPrior

        return ClassPrior.of({label_of(model, text): share for text, share in self.by_text.items()})


def class_prior_of(text: str) -> ClassPriorArgument:
    """Return what the text asks for; the classes need not be known yet."""
    from suffice.api import ClassPrior

    try:
        if text in ("empirical", "uniform"):
            return ClassPriorArgument(ClassPrior.of(text))
        if text.startswith("dirichlet:"):
            return ClassPriorArgument(ClassPrior.dirichlet(_number(text.partition(":")[2], text)))
        by_text: dict[str, float] = {}
        for each in text.split(","):
            label, sign, share = each.rpartition("=")
            if not sign or not label:
                raise _not_understood(text)
            by_text[label] = _number(share, text)
        return ClassPriorArgument(ClassPrior.of(by_text), by_text)
    except SufficeError as problem:
        raise typer.BadParameter(str(problem), param_hint=_OPTION) from None


def label_of(model: Model, text: str) -> Any:
    """Return the class whose text this is: a number or a truth value as it is printed."""
    shown = {str(label): label for label in model.classes}
    if text in shown:
        return shown[text]
    close = get_close_matches(text, shown, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Its classes are {', '.join(map(repr, [*shown][:12]))}."
    raise ParameterError(f"the model has no class {text!r}. {hint}")


def _number(share: str, text: str) -> float:
    try:
        return float(share)
    except ValueError:
        raise _not_understood(text) from None


def _not_understood(text: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"{text!r} is not a class prior. Give empirical, uniform, dirichlet:1, or the share of each class as in "
        "spam=0.2,ham=0.8.",
        param_hint=_OPTION,
    )
