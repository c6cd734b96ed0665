"""An invalid scatter in a model file is an error that names it."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.likelihoods.block_statistics import Collect
from suffice.storage.container import Arrays
from suffice.storage.statistics import pack_statistics, unpack_statistics

X = np.array([[1.0, 2.0], [2.0, 0.5], [3.0, 4.0], [7.0, 1.0], [8.0, 3.0]])
COLLECT = Collect("scatter", (0, 1))


def stored():
    (parts,) = sf.fit(X, list("aabbb"), columns=sf.MultivariateGaussian(covariance="full"), calibrate=False).core.parts
    (scatter,) = parts
    return parts, scatter.classes, dict(pack_statistics(COLLECT, parts, scatter.classes, "s"))


def test_half_of_the_matrix_is_all_of_it():
    parts, classes, arrays = stored()
    assert arrays["s.scatter.scatter"].shape == (2, 3)
    assert list(unpack_statistics(COLLECT, Arrays(arrays), classes, "s")) == list(parts)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("weight", np.array([-1.0, 3.0]), "s.scatter: weight must be finite and ≥ 0: class 'a' has -1.0"),
        ("scatter", np.array([[-1.0, 0, 0], [0, 0, 0]]), "s.scatter: the diagonal of scatter must be finite and ≥ 0"),
        ("mean", np.array([[np.inf, 0], [0, 0]]), "s.scatter: mean must be finite"),
        ("scatter", np.zeros((2, 4)), "array 's.scatter.scatter' must be float64 of shape (2, 3): got float64 of shape (2, 4)"),
        ("left_out", np.zeros(3), "array 's.scatter.left_out' must be float64 of shape (2): got float64 of shape (3)"),
        ("left_out", None, "the array 's.scatter.left_out' is missing"),
    ],
)  # fmt: skip
def test_what_is_refused(name, value, said):
    _, classes, arrays = stored()
    del arrays[f"s.scatter.{name}"]
    if value is not None:
        arrays[f"s.scatter.{name}"] = value
    with pytest.raises(sf.errors.ModelFileError) as caught:
        unpack_statistics(COLLECT, Arrays(arrays), classes, "s")
    assert str(caught.value).startswith(said)
