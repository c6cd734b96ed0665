"""Conjugate pairs are values: equal where their parameters are; pickles and copies are validated and read-only."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma, NormalInverseWishart

I2 = [[1.0, 0.1], [0.1, 2.0]]
MODELS: list[Any] = [
    BetaBinomial(1, [1, 2]),
    DirichletMultinomial([[1, 2], [3, 0.1]]),
    DirichletMultinomial([1, 2], outcomes=["a", 1]),
    GammaPoisson([1, 2], 0.3),
    NormalInverseGamma([0.1, 0.2], 1, 2, 3),
    NormalInverseWishart([[0.1, 0.2], [3, 4]], 1, [2, 3], I2),
]
OTHERS: list[Any] = [
    BetaBinomial(1, [1, 3]),
    DirichletMultinomial([[1, 2], [3, 0.2]]),
    DirichletMultinomial([1, 2], outcomes=["a", True]),
    GammaPoisson([1, 2], 0.4),
    NormalInverseGamma([0.1, 0.2], 1, 2, 4),
    NormalInverseWishart([[0.1, 0.2], [3, 4]], 1, [2, 4], I2),
]
WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),  # noqa: S301
]


@pytest.mark.parametrize("value", MODELS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_the_same_and_sealed(value: Any, way: Callable[[Any], Any]) -> None:
    again = way(value)
    assert type(again) is type(value)
    assert again == value
    for field in fields(value):
        array = getattr(again, field.name)
        if field.name != "outcomes":
            assert not array.flags.writeable, field.name
            assert array.shape == getattr(value, field.name).shape


@pytest.mark.parametrize(("value", "other"), list(zip(MODELS, OTHERS, strict=True)), ids=lambda v: type(v).__name__)
def test_equal_parameters_are_equal_models(value: Any, other: Any) -> None:
    make, arguments = value.__reduce__()
    assert value == make(*arguments)
    assert value != other
    assert value != arguments
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


def test_a_pickle_is_checked() -> None:
    for value in MODELS:
        make, (first, *rest) = value.__reduce__()
        with pytest.raises(ValueError, match="must be"):
            make(np.full_like(first, np.nan), *rest)
