"""A stored reference for novelty that somebody made: each lie is refused in words."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from tests.storage.hand_made import Parts

DAMAGED = "The file is damaged: save the model again, or take a copy of the file from elsewhere."
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The bytes of a model whose reference has two groups."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 2))
    x[rng.random(900) < 0.4, 1] = np.nan
    path = tmp_path_factory.mktemp("novelty") / "model.suffice"
    model = sf.fit(x, x[:, 0] > 0, sf.Gaussian(), calibrate="loo")
    assert model.reference is not None
    assert len(model.reference.sizes) == 2
    model.save(path)
    return path.read_bytes()


@pytest.fixture
def refused(tmp_path):
    """Load bytes that must be refused; returns what the message says about them."""

    def load(parts: Parts) -> str:
        path = tmp_path / "model.suffice"
        path.write_bytes(parts.laid_out().raw())
        with pytest.raises(sf.ModelFileError) as caught:
            sf.load(path)
        return str(caught.value).removeprefix(f"cannot load {str(path)!r}: ")

    return load


def test_what_is_changed_back_loads(stored, tmp_path):
    (tmp_path / "model.suffice").write_bytes(Parts.of(stored).laid_out().raw())
    assert sf.load(tmp_path / "model.suffice").reference is not None


SIZES = f"novelty.sizes must be one finite number ≥ 0 or more, rising. {DAMAGED}"
VALUES = f"novelty.values must be numbers that rise within each group. {DAMAGED}"
SHARES = f"novelty.shares must rise from above 0 to 1 within each group. {DAMAGED}"
QUARTILES = f"novelty.quartiles must be finite, and not fall within a group. {DAMAGED}"
PRIOR = f"novelty.class_prior must be probabilities that sum to 1. {DAMAGED}"


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("sizes", 0, NAN, SIZES),
        ("sizes", 0, -1.0, SIZES),
        ("sizes", 1, INF, SIZES),
        ("sizes", 1, 0.0, SIZES),
        ("values", 0, NAN, VALUES),
        ("values", -1, NAN, VALUES),
        ("values", -1, INF, VALUES),
        ("values", 7, -1e6, VALUES),
        ("shares", 0, 0.0, SHARES),
        ("shares", 0, NAN, SHARES),
        ("shares", 3, 0.99, SHARES),
        ("shares", -1, 2.0, SHARES),
        ("quartiles", (0, 1), NAN, QUARTILES),
        ("quartiles", (1, 0), 1e9, QUARTILES),
        ("quartiles", (1, 2), INF, QUARTILES),
        ("class_prior", 0, NAN, PRIOR),
        ("class_prior", 0, -0.5, PRIOR),
        ("class_prior", 0, 0.9999, PRIOR),
    ],
)
def test_numbers_that_no_reference_has(stored, refused, name, at, value, said):
    parts = Parts.of(stored)
    array = parts.array(f"novelty.{name}")
    array[at] = value
    parts.put(f"novelty.{name}", array)
    assert refused(parts) == said


@pytest.mark.parametrize("starts", [(0, 0), (1, 300), (0, 10**12), (0, -5)])
def test_starts_that_lie(stored, refused, starts):
    parts = Parts.of(stored)
    array = parts.array("novelty.starts")
    array[:2] = starts
    parts.put("novelty.starts", array)
    number = parts.schema["novelty"]["values"]
    assert refused(parts) == f"novelty.starts must rise from 0 to {number}, the number of values. {DAMAGED}"


def test_lengths_that_lie(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    number = schema["novelty"]["values"]
    schema["novelty"]["values"] = 10**15
    parts.schema = schema
    assert refused(parts) == (
        f"array 'novelty.values' must be float64 of shape ({10**15}): got float64 of shape ({number}). {DAMAGED}"
    )
    schema["novelty"].update(values=number, groups=3)
    parts.schema = schema
    assert refused(parts) == f"array 'novelty.sizes' must be float64 of shape (3): got float64 of shape (2). {DAMAGED}"
    schema["novelty"]["groups"] = -1
    parts.schema = schema
    assert refused(parts) == (
        f"groups of novelty of its schema must be a whole number from 0 to 9,223,372,036,854,775,807: got -1. {DAMAGED}"
    )


def test_no_groups(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"].update(groups=0, values=0)
    parts.schema = schema
    parts.put("novelty.starts", np.zeros(1, dtype="<i8"))
    parts.put("novelty.quartiles", np.zeros((0, 3)))
    for name in ("sizes", "values", "shares"):
        parts.put(f"novelty.{name}", np.zeros(0))
    assert refused(parts) == SIZES


def test_what_is_lacking_or_too_much(stored, refused):
    parts = Parts.of(stored)
    parts.drop("novelty.shares")
    assert refused(parts) == f"it lacks the array 'novelty.shares'. {DAMAGED}"
    parts = Parts.of(stored)
    schema = parts.schema
    del schema["novelty"]
    parts.schema = schema
    assert "novelty." in refused(parts)
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"]["more"] = 1
    parts.schema = schema
    assert refused(parts) == f"novelty of its schema has a key 'more' that it cannot have. {DAMAGED}"


def test_one_of_other_statistics(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"]["fingerprint"] = "0" * 32
    parts.schema = schema
    assert refused(parts) == f"its reference for novelty is that of other statistics. {DAMAGED}"
