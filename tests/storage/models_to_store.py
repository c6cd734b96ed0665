"""Small models for storage tests: every likelihood with all its parameters, and labels of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suffice as sf
from suffice.models import Provenance
from suffice.sources.files.source import Dialect

NAN = float("nan")
REALS = np.array(
    [[1.5, -2.0, 1e8], [2.5, NAN, 1e8 + 1], [8.0, 3.0, NAN], [9.5, 4.0, 5.0], [NAN, 4.5, -7.25], [0.5, 0.0, 3.0]]
)
COUNTS = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1], [0, 0, 4], [5, 0, 0], [1, 2, 0]])
CELLS = np.array([[1, 0, 1], [0, 1, 1], [NAN, 1, 0], [1, 0, 0], [0, NAN, 1], [1, 1, 0]])
TARGET = ["ham", "news", "spam", "ham", "news", "spam"]
FRAME = {
    "fur": ["black", "white", None, "orange", "black", "größe"],
    "legs": [4, 4, 3, 2, 4, None],
    "calm": [True, False, None, True, True, False],
    "weight": [3.1, 3.3, NAN, 4.6, 9.0, 8.25],
    "": ["a", "a", "b", "b", "c", "c"],
}
WIDE = 2**80
TEXTS = [
    "Win a prize now, win CASH",
    "Größe: 1.234,50 €! Lunch now?",
    "Claim the prize: cash prize \U0001f408",
    None,
    "meeting notes, and the lunch menu",
    "",
]
STRANGE = [None, True, 1, -2.5, WIDE, "1", "", "\ud800 \U0001f408", b"\x80raw"]


MIXED = {
    **FRAME,
    "rate": [0, 1, 2, 0, 5, 1],
    "words_a": [2, 0, 1, 0, 5, 1],
    "words_b": [0, 3, 1, 0, 0, 2],
    "bins": [0.1, 0.2, NAN, 0.4, 0.45, 1e300],
    "either": [1.0, 2.0, 2.5, 3.0, 8.0, 9.0],
    "unused": [1, 2, 3, 4, 5, 6],
}


def mixed() -> sf.Model:
    """Every likelihood in one model, columns of every name, a column that is left out, and where it all comes from."""
    model = sf.fit(
        MIXED,
        TARGET,
        columns={
            ("fur", "legs"): sf.Joint(),
            "calm": sf.Bernoulli(),
            "weight": sf.Gaussian(missing="level"),
            "": sf.Categorical(unseen="mass"),
            "rate": sf.Poisson(),
            "words_*": sf.Multinomial(alpha=0.5),
            "bins": sf.Histogram(),
            "either": sf.Numeric(),
            "unused": None,
        },
        class_prior={"ham": 0.5, "news": 0.25, "spam": 0.25},
        weights=[1, 2, 0.5, 1, 1, 1],
        calibrate=False,
    )
    dialect = Dialect(";", True, False, "latin-1", ("NA", "", "-"))
    told = Provenance(
        6,
        ("mon.csv", "größe/tue.csv"),
        "2026-01-02T03:04:05Z",
        "2026-02-03T04:05:06Z",
        "label",
        3,
        dialect,
        ("", "0" * 32),
    )
    return sf.Model(model.core, told)


def strange_levels() -> sf.Model:
    """Levels and classes of every kind of label."""
    column = np.empty(len(STRANGE), dtype=object)
    column[:] = STRANGE
    classes = [True, 1, "1", -WIDE, "", "größe", False, True, 1]
    likelihood = sf.Categorical(levels=["kept", 0, False, b""], missing="level")
    return sf.fit({"x": column, 7: column[::-1]}, classes, columns=likelihood, calibrate=False)


def left_out() -> sf.Model:
    """Inferred, with a column that is left out for a reason in words."""
    rows = 200
    frame = {
        "id": [f"row {i}" for i in range(rows)],
        "x": [i % 7 / 2 for i in range(rows)],
        "on": [i % 3 == 0 for i in range(rows)],
    }
    return sf.fit(frame, [i % 2 for i in range(rows)], calibrate=False)


def weighted() -> sf.Model:
    rng = np.random.default_rng(3)
    target = rng.integers(0, 3, 90)
    one = rng.normal(target, 1.0)
    rows = np.stack([one, one, rng.normal(2.0 * target, 1.0)], axis=1)
    model = sf.fit(rows, np.array(["ham", "news", "spam"])[target], columns=sf.Gaussian(), calibrate=False)
    return model.calibrate(rows, np.array(["ham", "news", "spam"])[target], method="weights")


def calibrated() -> sf.Model:
    """With a scale, offsets and a reference for novelty."""
    rows, target = np.tile(REALS, (4, 1)), TARGET * 4
    return sf.fit(rows, target, columns=sf.Gaussian(), calibrate=False).calibrate(rows, target, method="offsets")


MODELS: dict[str, Callable[[], sf.Model]] = {
    "bernoulli": lambda: sf.fit(
        CELLS, TARGET, columns=sf.Bernoulli(sf.BetaBinomial([1, 2, 3], 0.5), threshold=0.5), calibrate=False
    ),
    "categorical": lambda: sf.fit(
        FRAME, TARGET, columns=sf.Categorical(alpha="evidence", unseen="mass", missing="level"), calibrate=False
    ),
    "categorical_prior": lambda: sf.fit(
        COUNTS[:, :1],
        TARGET,
        columns=sf.Categorical(sf.DirichletMultinomial([1, 2, 3, 4, 5, 6.5]), levels=6),
        calibrate=False,
    ),
    "categorical_levels": lambda: sf.fit(
        FRAME,
        TARGET,
        columns={"fur": sf.Categorical({"black": 2, "größe": 0.5, 7: 1}), "*": None},
        calibrate=False,
    ),
    "gaussian": lambda: sf.fit(
        REALS,
        TARGET,
        columns=sf.Gaussian(sf.NormalInverseGamma([1, 2, 3], 1, 2, 0.5), "shared", 1e-3, "level"),
        calibrate=False,
    ),
    "gaussian_by_class": lambda: sf.fit(
        REALS, TARGET, columns=sf.Gaussian(sf.NormalInverseGamma([1, 2, 3], 1, 2, [[1], [2], [3]])), calibrate=False
    ),
    "gaussian_full": lambda: sf.fit(
        REALS,
        TARGET,
        columns=sf.MultivariateGaussian(
            sf.NormalInverseWishart([1, 2, 3], 1, 4, np.diag([1.0, 2.0, 3.0])), "full", shrinkage=0.25, toward="shared"
        ),
        estimate="map",
        calibrate=False,
    ),
    "gaussian_shared": lambda: sf.fit(
        REALS, TARGET, columns=sf.MultivariateGaussian(covariance="shared", shrinkage="oas"), calibrate=False
    ),
    "gaussian_apart": lambda: sf.fit(REALS, TARGET, columns=sf.Gaussian(variance="shared"), calibrate=False),
    "gaussian_together": lambda: sf.fit(
        REALS,
        TARGET,
        columns={(0, 2): sf.MultivariateGaussian(covariance="diagonal"), 1: sf.Gaussian()},
        calibrate=False,
    ),
    "gaussian_forgotten": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.MultivariateGaussian(covariance="full"), calibrate=False
    ).forget(COUNTS[1:], TARGET[1:]),
    "histogram": lambda: sf.fit(
        REALS, TARGET, columns=sf.Histogram(3, alpha=[0.5, 1, 2], missing="level"), calibrate=False
    ),
    "histogram_prior": lambda: sf.fit(
        REALS[:, :1], TARGET, columns=sf.Histogram(2, sf.DirichletMultinomial([1, 2.5])), calibrate=False
    ),
    "joint": lambda: sf.fit(FRAME, TARGET, columns={("fur", "calm"): sf.Joint(alpha=0.5), "*": None}, calibrate=False),
    "joint_by_class": lambda: sf.fit(
        FRAME, TARGET, columns={("fur", "calm"): sf.Joint(alpha=[[1], [2], [3]]), "*": None}, calibrate=False
    ),
    "joint_named": lambda: sf.fit(FRAME, TARGET, columns=sf.Joint(["calm", "fur"]), calibrate=False),
    "multinomial": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Multinomial(sf.DirichletMultinomial([0.5, 1, 2])), calibrate=False
    ),
    "multinomial_draws": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Multinomial(alpha=[[1, 2, 3]] * 3, coefficients=False), calibrate=False
    ),
    "numeric": lambda: sf.fit(
        REALS, TARGET, columns=sf.Numeric(4, sf.NormalInverseGamma(0, 1, 1, 1), 0.25, "level"), calibrate=False
    ),
    "poisson": lambda: sf.fit(COUNTS, TARGET, columns=sf.Poisson(sf.GammaPoisson(1, [1, 2, 3])), calibrate=False),
    "poisson_draws": lambda: sf.fit(COUNTS, TARGET, columns=sf.Poisson(factorials=False), calibrate=False),
    "uniform": lambda: sf.fit(np.abs(REALS), TARGET, columns=sf.Uniform(2.5, [0.5, 1, 2]), calibrate=False),
    "uniform_by_class": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Uniform([[1], [2], [3]]), estimate="mean", calibrate=False
    ),
    "words": lambda: sf.fit(
        {"subject": TEXTS, "body": TEXTS[::-1]},
        TARGET,
        columns=sf.Words(
            ngrams=(1, 2), prior="evidence", min_df=1, max_df=0.9, stop_words=["the", "größe"], max_length=9
        ),
        calibrate=False,
    ),
    "words_presence": lambda: sf.fit(
        {"body": TEXTS}, TARGET, columns=sf.Words(model="bernoulli", alpha=0.5, accents="strip"), calibrate=False
    ),
    "words_beta": lambda: sf.fit(
        {"body": TEXTS}, TARGET, columns=sf.Words(model="bernoulli", prior=sf.BetaBinomial(2, 5)), calibrate=False
    ),
    "words_complement": lambda: sf.fit(
        {"body": TEXTS},
        TARGET,
        columns=sf.Words(
            model="complement", alpha=0.1, tf="log", unit_length=True, idf=True, min_count=0.25, max_features=9
        ),
        weights=[1, 2, 0.5, 1, 1, 1],
        calibrate=False,
    ),
    "words_hashed": lambda: sf.fit(
        TEXTS,
        TARGET,
        columns=sf.Words(hashed=6, binary=True, prior="evidence by class", lowercase=False, min_length=1),
        calibrate=False,
    ),
    "chars": lambda: sf.fit(
        TEXTS, TARGET, columns=sf.Chars(ngrams=(1, 3), across=True, alpha=0.5, min_df=2), calibrate=False
    ),
    "chars_of_some": lambda: sf.fit(
        TEXTS, TARGET, columns=sf.Chars(ngrams=2, characters="aeiouäöü,€ "), calibrate=False
    ),
    "chars_in_groups": lambda: sf.fit(
        TEXTS, TARGET, columns=sf.Chars(ngrams=(1, 2), across=True, characters=["aäou", "€!", ","]), calibrate=False
    ),
    "words_of_nothing": lambda: sf.fit({"body": [None, ""]}, ["a", "b"], columns=sf.Words(), calibrate=False),
    "mixed": mixed,
    "strange_levels": strange_levels,
    "left_out": left_out,
    "smoothed": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Categorical(), estimate="smoothed", calibrate=False
    ).with_options(alpha=[0.1, 0.2, 0.3]),
    "smoothed_by_class": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Bernoulli(), class_prior="uniform", estimate="smoothed", calibrate=False
    ).with_options(alpha=[[0], [1], [2]]),
    "given_in_order": lambda: sf.fit(
        COUNTS, TARGET, columns=sf.Bernoulli(), class_prior=[0.5, 0.25, 0.25], estimate="map", calibrate=False
    ),
    "dirichlet": lambda: sf.fit(
        COUNTS,
        TARGET,
        columns=sf.Bernoulli(),
        class_prior=sf.ClassPrior.dirichlet([1, 2, 3], "map"),
        estimate="mle",
        calibrate=False,
    ),
    "one_dirichlet": lambda: sf.fit(
        COUNTS,
        TARGET,
        columns=sf.Bernoulli(),
        class_prior=sf.ClassPrior.dirichlet(0.5),
        estimate="mean",
        calibrate=False,
    ),
    "no_rows": lambda: sf.fit(
        COUNTS[:0], [], columns={0: sf.Gaussian(), 1: sf.Categorical(levels=2), 2: sf.Multinomial()}, calibrate=False
    ),
    "cells": lambda: sf.fit(REALS, TARGET, columns=sf.Numeric(form="cells"), calibrate=False),
    "groups": lambda: sf.fit(FRAME, TARGET, columns={"fur": sf.Categorical(form=["groups"])}, calibrate=False),
    "forgotten": lambda: sf.fit(COUNTS, TARGET, columns=sf.Numeric(), calibrate=False).forget(COUNTS[1:], TARGET[1:]),
    "calibrated": calibrated,
    "weighted": weighted,
    "pruned": lambda: sf.fit(FRAME, TARGET, columns={"fur": sf.Categorical()}, calibrate=False).prune(2),
}

# Rows that a model can be asked about, for those whose answers are compared.
ROWS: dict[str, Any] = {
    "bernoulli": CELLS,
    "categorical": FRAME,
    "categorical_levels": FRAME,
    "categorical_prior": COUNTS[:, :1],
    "gaussian": REALS,
    "gaussian_full": REALS,
    "gaussian_shared": REALS,
    "histogram": REALS,
    "joint": FRAME,
    "multinomial": COUNTS,
    "numeric": REALS,
    "poisson": COUNTS,
    "uniform": np.abs(REALS),
    "words": {"subject": TEXTS, "body": TEXTS[::-1]},
    "words_presence": {"body": TEXTS},
    "words_beta": {"body": TEXTS},
    "words_hashed": TEXTS,
    "chars": TEXTS,
    "chars_in_groups": TEXTS,
    "mixed": MIXED,
    "calibrated": REALS,
    "weighted": REALS,
    "cells": REALS,
    "groups": FRAME,
}
