"""Generative classifiers from sufficient statistics: one pass over the data, then everything is arithmetic.

A coin that has fallen heads three times out of three, seen from a uniform prior:

>>> import suffice as sf
>>> print(sf.BetaBinomial(1, 1).update(successes=3, failures=0).mean)
0.8

Classifiers
    fit gives a Model, a Collector one of rows as they come, under a ClassPrior and the likelihoods of its columns,
    Bernoulli, Categorical, Chars, Gaussian, Histogram, Joint, Multinomial, Numeric, Poisson, Words
    Files are read in batches, and Progress says how far; rows that are drawn from a Model come as a Sample.
    load reads a model file
    What a Model says of a row comes with an Explanation, and a Model has a Schema, a Calibration and a Provenance,
    shows itself as Shown and lists each Parameter. Likelihood is the base of likelihoods of your own.
    screen keeps the columns that tell the classes apart, and gives a Screening
Decisions
    Model.decide gives Decisions by their Costs or a Threshold, which choose_threshold finds on scores;
    a PriorShift says how frequent the classes are among rows that have none
    A CredibleInterval says how sure a probability is; novelty_reference makes a NoveltyReference, beside which rows
    have a Novelty
    evaluate says how good a model is on rows that it has not seen, as an Evaluation
scikit-learn estimators
    NaiveBayes, GaussianNB, BernoulliNB, CategoricalNB, MultinomialNB, ComplementNB, LinearDiscriminant,
    QuadraticDiscriminant
Conjugate models (a prior that turns into its posterior)
    BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma, NormalInverseWishart
Errors and warnings
    SufficeError and SufficeWarning, whose branches are in suffice.errors
In modules of their own
    suffice.statistics (what was seen; it adds, subtracts and scales), suffice.concepts (which set do a few examples
    come from), suffice.errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from suffice import concepts as concepts
    from suffice import errors as errors
    from suffice import statistics as statistics
    from suffice.api import (
        Calibration,
        ClassPrior,
        Collector,
        Costs,
        CredibleInterval,
        Decisions,
        Evaluation,
        Explanation,
        Files,
        Model,
        Novelty,
        NoveltyReference,
        Parameter,
        PriorShift,
        Progress,
        Provenance,
        Sample,
        Schema,
        Screening,
        Shown,
        Threshold,
        choose_threshold,
        evaluate,
        fit,
        load,
        novelty_reference,
        screen,
    )
    from suffice.conjugate import (
        BetaBinomial,
        DirichletMultinomial,
        GammaPoisson,
        NormalInverseGamma,
        NormalInverseWishart,
    )
    from suffice.errors import SufficeError, SufficeWarning
    from suffice.estimators import (
        BernoulliNB,
        CategoricalNB,
        ComplementNB,
        GaussianNB,
        LinearDiscriminant,
        MultinomialNB,
        NaiveBayes,
        QuadraticDiscriminant,
    )
    from suffice.likelihoods import (
        Bernoulli,
        Categorical,
        Chars,
        Gaussian,
        Histogram,
        Joint,
        Likelihood,
        Multinomial,
        Numeric,
        Poisson,
        Words,
    )

    __version__: str

__all__ = [
    "Bernoulli",
    "BernoulliNB",
    "BetaBinomial",
    "Calibration",
    "Categorical",
    "CategoricalNB",
    "Chars",
    "ClassPrior",
    "Collector",
    "ComplementNB",
    "Costs",
    "CredibleInterval",
    "Decisions",
    "DirichletMultinomial",
    "Evaluation",
    "Explanation",
    "Files",
    "GammaPoisson",
    "Gaussian",
    "GaussianNB",
    "Histogram",
    "Joint",
    "Likelihood",
    "LinearDiscriminant",
    "Model",
    "Multinomial",
    "MultinomialNB",
    "NaiveBayes",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Novelty",
    "NoveltyReference",
    "Numeric",
    "Parameter",
    "Poisson",
    "PriorShift",
    "Progress",
    "Provenance",
    "QuadraticDiscriminant",
    "Sample",
    "Schema",
    "Screening",
    "Shown",
    "SufficeError",
    "SufficeWarning",
    "Threshold",
    "Words",
    "choose_threshold",
    "evaluate",
    "fit",
    "load",
    "novelty_reference",
    "screen",
]

_MODULES = ("concepts", "errors", "statistics")


def _rooms() -> Iterator[ModuleType]:
    """Walk the rooms that hold public names, lightest first; each is imported when the walk gets there."""
    from suffice import errors

    yield errors
    from suffice import conjugate

    yield conjugate
    from suffice import likelihoods

    yield likelihoods
    from suffice import api

    yield api
    from suffice import estimators

    yield estimators


def __getattr__(name: str) -> object:
    """Find a public name the first time it is used (PEP 562), so that `import suffice` costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("suffice")
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"suffice.{name}")
    if name in __all__:
        for room in _rooms():
            if name in room.__all__:
                globals()[name] = found = getattr(room, name)
                return found
    from difflib import get_close_matches

    close = get_close_matches(name, __all__, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else f"It has: {', '.join(__all__)}."
    raise AttributeError(f"suffice has no '{name}'. {hint}", name=name)


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
