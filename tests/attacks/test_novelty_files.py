"""A stored reference for novelty that somebody made: each lie is refused in words."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from tests.storage.hand_made import Parts

DAMAGED = "The file is damaged: save the model again, or restore the file from a copy."
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The bytes of a model with a reference."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 2))
    x[rng.random(900) < 0.4, 1] = np.nan
    path = tmp_path_factory.mktemp("novelty") / "model.suffice"
    model = sf.fit(x, x[:, 0] > 0, columns=sf.Gaussian(), calibrate="auto")
    assert model.novelty_reference is not None
    model.save(path)
    return path.read_bytes()


@pytest.fixture
def refused(tmp_path):
    """Load bytes that must be refused; returns what the message says about them."""

    def load(parts: Parts) -> str:
        path = tmp_path / "model.suffice"
        path.write_bytes(parts.laid_out().raw())
        with pytest.raises(sf.errors.ModelFileError) as caught:
            sf.load(path)
        return str(caught.value).removeprefix(f"{path}: cannot be loaded: ")

    return load


def test_what_is_changed_back_loads(stored, tmp_path):
    (tmp_path / "model.suffice").write_bytes(Parts.of(stored).laid_out().raw())
    assert sf.load(tmp_path / "model.suffice").novelty_reference is not None


VALUES = f"novelty.values must have at least one number, in ascending order. {DAMAGED}"
PRIOR = f"novelty.class_prior must be probabilities that sum to 1. {DAMAGED}"


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("values", 0, NAN, VALUES),
        ("values", -1, NAN, VALUES),
        ("values", 0, INF, VALUES),
        ("values", 7, -1e6, VALUES),
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


def test_lengths_that_lie(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    number = schema["novelty"]["values"]
    schema["novelty"]["values"] = 10**15
    parts.schema = schema
    assert refused(parts) == (
        f"array 'novelty.values' must be float64 of shape ({10**15}): got float64 of shape ({number}). {DAMAGED}"
    )
    schema["novelty"]["values"] = -1
    parts.schema = schema
    assert refused(parts) == (
        f"values of novelty of its schema must be an integer from 0 to 9,223,372,036,854,775,807: got -1. {DAMAGED}"
    )
    schema["novelty"].update(values=number, groups=3)  # an older kind of reference, whose other arrays are not there
    parts.schema = schema
    assert refused(parts) == f"the array 'novelty.sizes' is missing. {DAMAGED}"


def test_no_values(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"]["values"] = 0
    parts.schema = schema
    parts.put("novelty.values", np.zeros(0))
    assert refused(parts) == VALUES


def test_what_is_lacking_or_too_much(stored, refused):
    parts = Parts.of(stored)
    parts.drop("novelty.values")
    assert refused(parts) == f"the array 'novelty.values' is missing. {DAMAGED}"
    parts = Parts.of(stored)
    schema = parts.schema
    del schema["novelty"]
    parts.schema = schema
    assert "novelty." in refused(parts)
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"]["more"] = 1
    parts.schema = schema
    assert refused(parts) == f"novelty of its schema has the unknown key 'more'. {DAMAGED}"


def test_one_of_other_statistics(stored, refused):
    parts = Parts.of(stored)
    schema = parts.schema
    schema["novelty"]["fingerprint"] = "0" * 32
    parts.schema = schema
    assert refused(parts) == f"its novelty reference belongs to other statistics. {DAMAGED}"
