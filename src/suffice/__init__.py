"""Generative classifiers from sufficient statistics, which are collected in one pass over the data.

The probability of heads after three heads in a row, under a uniform prior:

>>> import suffice as sf
>>> print(sf.BetaBinomial(1, 1).update(successes=3, failures=0).mean)
0.8

Fit
    fit, load, Model, Collector (rows as they arrive), ClassPrior, Files and Progress (files larger than memory)
Likelihoods of columns
    Bernoulli, Categorical, Chars, Gaussian, Histogram, Joint, Multinomial, MultivariateGaussian, Numeric, Poisson,
    Uniform, Words
    Likelihood is the base class for your own
Parts of a model
    Schema, Statistics, Calibration, Provenance, Parameter, Count, CountList, NoveltyReference, which
    novelty_reference returns
Evaluate and explain
    evaluate returns an Evaluation, screen a Screening. Methods of a model return an Explanation or Explanations,
    LogLikelihoodRatio, Shown, Sample, CredibleInterval, Novelty or a RecordList. All of them have to_frame().
Decide
    Costs, Decisions, Threshold, choose_threshold, PriorShift
scikit-learn estimators
    NaiveBayes, GaussianNB, BernoulliNB, CategoricalNB, MultinomialNB, ComplementNB, LinearDiscriminant,
    QuadraticDiscriminant
Conjugate models (prior and posterior in one family)
    BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma, NormalInverseWishart
Errors and warnings
    SufficeError and SufficeWarning. Their subclasses are in suffice.errors
Submodules
    suffice.statistics (sufficient statistics, which can be added, subtracted and scaled), suffice.concepts (Bayesian
    concept learning), suffice.errors
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
        Count,
        CountList,
        CredibleInterval,
        Decisions,
        Evaluation,
        Explanation,
        Explanations,
        Files,
        LogLikelihoodRatio,
        Model,
        Novelty,
        NoveltyReference,
        Parameter,
        PriorShift,
        Progress,
        Provenance,
        RecordList,
        Sample,
        Schema,
        Screening,
        Shown,
        Statistics,
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
        MultivariateGaussian,
        Numeric,
        Poisson,
        Uniform,
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
    "Count",
    "CountList",
    "CredibleInterval",
    "Decisions",
    "DirichletMultinomial",
    "Evaluation",
    "Explanation",
    "Explanations",
    "Files",
    "GammaPoisson",
    "Gaussian",
    "GaussianNB",
    "Histogram",
    "Joint",
    "Likelihood",
    "LinearDiscriminant",
    "LogLikelihoodRatio",
    "Model",
    "Multinomial",
    "MultinomialNB",
    "MultivariateGaussian",
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
    "RecordList",
    "Sample",
    "Schema",
    "Screening",
    "Shown",
    "Statistics",
    "SufficeError",
    "SufficeWarning",
    "Threshold",
    "Uniform",
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
    """Yield the modules that define public names, the fastest to import first; each is imported when it is reached."""
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
    """Find a public name the first time it is used (PEP 562), so that `import suffice` is fast."""
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
