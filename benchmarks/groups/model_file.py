"""A model file of 100,000 columns, loaded and saved, against a pickle of scikit-learn's estimator of the same columns.

A pickle is the fastest alternative and validates nothing. Loading a model file verifies its checksum and validates
every number, and saving one syncs it to the disk. The target is an absolute time: loading takes at most 0.2 s.
"""

from __future__ import annotations

import atexit
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import naive_bayes as peers

import suffice as sf
from benchmarks.work import Size, Work, bench

ROWS = 100
LEVELS = 3


def wide(size: Size, high: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a few rows of 2,000 times the requested columns; every level occurs in every column."""
    x = size.rng().integers(0, high, (ROWS + size.rows % 7, size.columns * 2000))
    x[:high] = np.arange(high)[:, None]
    y = np.arange(len(x)) % size.classes
    return x, y


def files() -> tuple[Path, Path]:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name) / "model.suffice", Path(folder.name) / "model.pickle"


def loading(size: Size, likelihood: Any, peer: Any, high: int, agree: Callable[[Any, Any], None]) -> Work:
    x, y = wide(size, high)
    ours, theirs = files()
    sf.fit(x, y, columns=likelihood, calibrate=False).save(ours)
    theirs.write_bytes(pickle.dumps(peer.fit(x, y)))
    return Work(
        ours=lambda _: sf.load(ours).core.parts[0],
        theirs=lambda: pickle.loads(theirs.read_bytes()),  # noqa: S301  our own
        input_bytes=ours.stat().st_size,
        agree=agree,
    )


@bench(peer="pickle of sklearn GaussianNB")
def load_moments(size: Size) -> Work:
    def agree(mine: Any, peer: Any) -> None:
        np.testing.assert_allclose(mine[0].mean, peer.theta_, rtol=1e-9)

    return loading(size, sf.Gaussian(), peers.GaussianNB(), LEVELS, agree)


@bench(peer="pickle of sklearn MultinomialNB")
def load_counts(size: Size) -> Work:
    def agree(mine: Any, peer: Any) -> None:
        np.testing.assert_array_equal(mine[0].values, peer.feature_count_)

    return loading(size, sf.Multinomial(), peers.MultinomialNB(), LEVELS, agree)


@bench(peer="pickle of sklearn CategoricalNB")
def load_levels(size: Size) -> Work:
    def agree(mine: Any, peer: Any) -> None:
        assert len(mine) == len(peer.category_count_)
        for counts, theirs in zip(mine, peer.category_count_, strict=True):
            np.testing.assert_array_equal(counts.values, theirs)

    return loading(size, sf.Categorical(), peers.CategoricalNB(), LEVELS, agree)


@bench(peer="pickle of sklearn MultinomialNB")
def save_counts(size: Size) -> Work:
    x, y = wide(size, LEVELS)
    ours, theirs = files()
    model, peer = sf.fit(x, y, columns=sf.Multinomial(), calibrate=False), peers.MultinomialNB().fit(x, y)

    def save(_: int | None) -> Any:
        model.save(ours)
        return model.core.parts[0]

    def dump() -> Any:
        theirs.write_bytes(pickle.dumps(peer))
        return peer

    def agree(mine: Any, peer: Any) -> None:
        np.testing.assert_array_equal(mine[0].values, peer.feature_count_)
        assert sf.load(ours) == model

    return Work(save, dump, sum(part.values.nbytes for part in model.core.parts[0]), agree)
