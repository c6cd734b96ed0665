"""Rows of every kind of column, weighted and with gaps, and every likelihood for them."""

from __future__ import annotations

import numpy as np

import suffice as sf

ROWS = 90
CLASSES = np.array(["no", "perhaps", "yes"])
_WORDS = np.array(["win", "prize", "lunch", "menu", "notes", "cash", "now"])


def mixed_rows(seed=3):
    """Return {name: array}, the classes, and weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, ROWS)
    real = rng.normal(size=(ROWS, 4)) + codes[:, None] * [0.5, 1.0, -1.0, 0.2]
    real[:, 3] += 2 * real[:, 2]
    gaps = np.where(rng.random(ROWS) < 0.1, np.nan, real[:, 0])
    counts = rng.poisson(1.0 + codes[:, None] * [0.5, 1.0, 0.1], (ROWS, 3)).astype(float)
    fur = np.array(["black", "white", "red", None], dtype=object)[(rng.integers(0, 3, ROWS) + codes) % 4]
    texts = np.array(
        [" ".join(rng.choice(_WORDS[c : c + 5], rng.integers(2, 7))) for c in codes.tolist()], dtype=object
    )
    data = {
        "gaps": gaps,
        "real": real[:, 1],
        "left": real[:, 2],
        "right": real[:, 3],
        "bins": rng.gamma(1.0 + codes, 2.0),
        "either": np.exp(real[:, 1]),
        "rate": counts[:, 0],
        "a": counts[:, 1],
        "b": counts[:, 2],
        "flag": (rng.random(ROWS) < 0.2 + 0.3 * codes).astype(float),
        "fur": fur,
        "legs": rng.integers(2, 5, ROWS),
        "text": texts,
        "marks": texts[::-1].copy(),
    }
    return data, CLASSES[codes], rng.choice([0.5, 1.0, 2.0, 3.25], ROWS)


ALONE = {
    "Gaussian": {"gaps": sf.Gaussian(), "real": sf.Gaussian()},
    "Gaussian, missing a level": {"gaps": sf.Gaussian(missing="level")},
    "Gaussian, full": {("left", "right"): sf.MultivariateGaussian(covariance="full")},
    "Gaussian, shared": {("left", "right", "real"): sf.MultivariateGaussian(covariance="shared")},
    "Gaussian, diagonal": {("left", "right"): sf.MultivariateGaussian(covariance="diagonal")},
    "Histogram": {"bins": sf.Histogram(), "gaps": sf.Histogram(5)},
    "Numeric": {("either", "gaps", "bins"): sf.Numeric()},
    "Poisson": {"rate": sf.Poisson()},
    "Uniform": {"bins": sf.Uniform(), "either": sf.Uniform(3.0, 2.0)},
    "Multinomial": {("a", "b", "rate"): sf.Multinomial()},
    "Bernoulli": {"flag": sf.Bernoulli()},
    "Categorical": {"fur": sf.Categorical(unseen="mass"), "legs": sf.Categorical(alpha="evidence")},
    "Categorical, missing a level": {"fur": sf.Categorical(missing="level")},
    "Joint": {("fur", "legs"): sf.Joint()},
    "Words": {"text": sf.Words()},
    "Words, complement": {"text": sf.Words(model="complement")},
    "Words, presence": {"text": sf.Words(model="bernoulli", ngrams=(1, 2), min_df=2)},
    "Chars": {"marks": sf.Chars(ngrams=(1, 2))},
}
MIXTURE = {
    **ALONE["Gaussian, missing a level"],
    **ALONE["Gaussian, full"],
    "real": sf.Gaussian(),
    "bins": sf.Histogram(),
    "either": sf.Numeric(),
    "rate": sf.Poisson(),
    ("a", "b"): sf.Multinomial(),
    "flag": sf.Bernoulli(),
    ("fur", "legs"): sf.Joint(),
    "text": sf.Words(),
    "marks": sf.Chars(),
}
LIKELIHOODS = {**{name: {**each, "*": None} for name, each in ALONE.items()}, "mixture": MIXTURE}


def taken(data, rows):
    """Return these rows of every column."""
    return {name: values[rows] for name, values in data.items()}
