"""Generative classifiers from sufficient statistics: one pass over the data, then everything is arithmetic.

A coin that has fallen heads three times out of three, seen from a uniform prior:

>>> import suffice as sf
>>> print(sf.BetaBinomial(1, 1).update(successes=3, failures=0).mean)
0.8

Classifiers
    fit gives a Model, a Collector one of rows as they come, under a ClassPrior and the likelihoods of its columns,
    Bernoulli, Categorical, Chars, Gaussian, Histogram, Joint, Multinomial, Numeric, Poisson, Words
    Files are read in batches, and Progress says how far; rows that are drawn from a Model come as a Sample.
    load reads a model file; calibrate makes its probabilities worth acting on
    What a Model says of a row comes with an Explanation
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
Concept learning (which set do a few examples come from)
    ConceptLearner over a Hypothesis or thousands, number_game, concepts_from the rows of a table
Sufficient statistics (what was seen; they add, subtract and scale)
    Tally, Counts, Moments, Bins, Scatter, Tokens, and the Axis that names their entries
Errors
    SufficeError and its branches DataError, ParameterError, MergeError, ModelFileError
Warnings
    SufficeWarning and its branches DroppedCalibrationWarning, DroppedRowsWarning, IgnoredColumnsWarning,
    ImpossibleRowsWarning, LostPrecisionWarning, MissingColumnsWarning, RenamedColumnsWarning, SkippedLinesWarning,
    TargetWarning, UnseenClassesWarning, UnseenLevelsWarning
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from suffice.api import (
        ClassPrior,
        Collector,
        ConceptLearner,
        Costs,
        CredibleInterval,
        Decisions,
        DroppedCalibrationWarning,
        DroppedRowsWarning,
        Evaluation,
        Explanation,
        Files,
        Hypothesis,
        IgnoredColumnsWarning,
        ImpossibleRowsWarning,
        LostPrecisionWarning,
        MissingColumnsWarning,
        Model,
        Novelty,
        NoveltyReference,
        PriorShift,
        Progress,
        RenamedColumnsWarning,
        Sample,
        Screening,
        SkippedLinesWarning,
        SufficeWarning,
        TargetWarning,
        Threshold,
        UnseenClassesWarning,
        UnseenLevelsWarning,
        calibrate,
        choose_threshold,
        concepts_from,
        evaluate,
        fit,
        load,
        novelty_reference,
        number_game,
        screen,
    )
    from suffice.conjugate import (
        BetaBinomial,
        DirichletMultinomial,
        GammaPoisson,
        NormalInverseGamma,
        NormalInverseWishart,
    )
    from suffice.errors import DataError, MergeError, ModelFileError, ParameterError, SufficeError
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
        Multinomial,
        Numeric,
        Poisson,
        Words,
    )
    from suffice.statistics import Axis, Bins, Counts, Moments, Scatter, Tally, Tokens

    __version__: str

__all__ = [
    "Axis",
    "Bernoulli",
    "BernoulliNB",
    "BetaBinomial",
    "Bins",
    "Categorical",
    "CategoricalNB",
    "Chars",
    "ClassPrior",
    "Collector",
    "ComplementNB",
    "ConceptLearner",
    "Costs",
    "Counts",
    "CredibleInterval",
    "DataError",
    "Decisions",
    "DirichletMultinomial",
    "DroppedCalibrationWarning",
    "DroppedRowsWarning",
    "Evaluation",
    "Explanation",
    "Files",
    "GammaPoisson",
    "Gaussian",
    "GaussianNB",
    "Histogram",
    "Hypothesis",
    "IgnoredColumnsWarning",
    "ImpossibleRowsWarning",
    "Joint",
    "LinearDiscriminant",
    "LostPrecisionWarning",
    "MergeError",
    "MissingColumnsWarning",
    "Model",
    "ModelFileError",
    "Moments",
    "Multinomial",
    "MultinomialNB",
    "NaiveBayes",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Novelty",
    "NoveltyReference",
    "Numeric",
    "ParameterError",
    "Poisson",
    "PriorShift",
    "Progress",
    "QuadraticDiscriminant",
    "RenamedColumnsWarning",
    "Sample",
    "Scatter",
    "Screening",
    "SkippedLinesWarning",
    "SufficeError",
    "SufficeWarning",
    "Tally",
    "TargetWarning",
    "Threshold",
    "Tokens",
    "UnseenClassesWarning",
    "UnseenLevelsWarning",
    "Words",
    "calibrate",
    "choose_threshold",
    "concepts_from",
    "evaluate",
    "fit",
    "load",
    "novelty_reference",
    "number_game",
    "screen",
]


def _rooms() -> Iterator[ModuleType]:
    """Walk the rooms that hold public names, lightest first; each is imported when the walk gets there."""
    from suffice import errors

    yield errors
    from suffice import statistics

    yield statistics
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
    return [*__all__, "__version__"]
