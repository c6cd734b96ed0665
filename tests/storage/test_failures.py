"""What cannot be loaded or saved says so: the file, what is wrong with it, and what to do."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import final

import pytest

import suffice as sf
from suffice.likelihoods import Likelihood
from suffice.models import Provenance
from suffice.models.schema import Block, Schema
from suffice.plan import Collect
from tests.storage.models_to_store import COUNTS, MODELS, TARGET


def test_a_missing_file(tmp_path):
    path = tmp_path / "model.suffice"
    with pytest.raises(FileNotFoundError) as caught:
        sf.load(path)
    assert str(caught.value) == f"cannot read {str(path)!r}: there is no such file. Check the path."


def test_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError) as caught:
        sf.load(tmp_path)
    assert str(caught.value) == f"cannot read {str(tmp_path)!r}: it is a folder. Give the path of a file in it."


def test_an_empty_file(tmp_path):
    path = tmp_path / "model.suffice"
    path.touch()
    with pytest.raises(sf.ModelFileError) as caught:
        sf.load(path)
    assert str(caught.value) == (
        f"cannot load {str(path)!r}: it is empty. Save the model again, or take a copy of the file from elsewhere."
    )


def test_a_file_of_a_few_bytes(tmp_path):
    path = tmp_path / "model.suffice"
    path.write_bytes(b"abc")
    with pytest.raises(sf.ModelFileError) as caught:
        sf.load(path)
    assert str(caught.value) == (
        f"cannot load {str(path)!r}: it has 3 bytes, and a header's length alone has 8. "
        "It is no model file of suffice, or damaged. Give a file that model.save(path) wrote."
    )


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sf.ModelFileError) as caught:
        sf.load(tmp_path / "pipe")
    assert str(caught.value) == (
        f"cannot load {str(tmp_path / 'pipe')!r}: it is no regular file. "
        "Give the path of a file that model.save(path) wrote."
    )


def test_what_the_system_says_keeps_its_number(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as caught:
        sf.load(tmp_path / "file" / "model.suffice")
    assert caught.value.errno is not None
    assert str(caught.value).endswith("Not a directory. Check the path and its disk.")


@final
@dataclass(frozen=True, slots=True, repr=False)
class Own(Likelihood):
    """A likelihood that somebody else made."""

    def collect(self, columns):
        return Collect("presence", columns)

    def terms(self, seen):
        return ()

    def log_evidence(self, seen):
        return 0.0

    def parameters(self, seen, level):
        return iter(())

    def sample(self, seen, draw):
        return []


def test_a_likelihood_of_the_users_own_cannot_be_saved(tmp_path):
    path = tmp_path / "model.suffice"
    with pytest.raises(sf.ModelFileError) as caught:
        sf.fit(COUNTS, TARGET, Own()).save(path)
    assert str(caught.value) == (
        f"cannot save {str(path)!r}: a model file has no place for the likelihood Own(). "
        "Save a model of the package's own likelihoods, or add this one to likelihoods/registry.py."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_class_prior_that_was_made_past_its_checks_cannot_be_saved(tmp_path):
    path = tmp_path / "model.suffice"
    with pytest.raises(sf.ModelFileError) as caught:
        MODELS["poisson"]().read(class_prior=sf.ClassPrior("given", (0.5, 0.5, 0.5))).save(path)
    assert str(caught.value) == (
        f"cannot save {str(path)!r}: class prior: class_prior must sum to 1: got a sum of 1.5. Divide it by its sum."
    )


def test_too_many_blocks_cannot_be_saved(tmp_path):
    width, path = 12_000, tmp_path / "model.suffice"
    known = sf.fit([[0], [1]], ["a", "b"], sf.Bernoulli()).naive_bayes
    blocks = tuple(Block((j,), sf.Bernoulli()) for j in range(width))
    ((counts,),) = known.parts
    each = tuple(
        (sf.Counts(counts.classes, sf.Axis([j], declared=True), counts.values, counts.observed),) for j in range(width)
    )
    model = sf.Model(replace(known, schema=Schema(tuple(range(width)), blocks), parts=each))
    with pytest.raises(sf.ModelFileError) as caught:
        model.save(path)
    said = str(caught.value)
    assert said.startswith(f"cannot save {str(path)!r}: the schema of a model file has at most 1,048,576 bytes: got ")
    assert said.endswith(
        ", of 12,000 blocks. Give columns of one likelihood together, as columns={('a', 'b', …): likelihood}."
    )
    assert list(tmp_path.iterdir()) == []


def test_too_many_arrays_cannot_be_written(tmp_path):
    import numpy as np

    from suffice.storage.container import write_container

    with (tmp_path / "file").open("wb") as file:
        with pytest.raises(sf.ModelFileError, match=r"^a model file holds at most 40,000 arrays: got 40,001\. Give "):
            write_container(file, "{}", {str(at): np.zeros(0) for at in range(40_000)})
        with pytest.raises(sf.ModelFileError, match=r"^the header of a model file has at most 4,194,304 bytes: got "):
            write_container(file, "{}", {f"{at:0>90}": np.zeros(0) for at in range(30_000)})


def test_a_source_that_is_no_text_cannot_be_saved(tmp_path):
    model = sf.Model(MODELS["poisson"]().naive_bayes, Provenance(3, (tmp_path,)))  # type: ignore[arg-type]
    with pytest.raises(sf.ModelFileError, match="a label must be None, a bool, a number, text, bytes"):
        model.save(tmp_path / "model.suffice")
    assert list(tmp_path.iterdir()) == []


def test_a_model_file_error_is_one_that_users_catch():
    assert issubclass(sf.ModelFileError, sf.SufficeError)
    assert issubclass(sf.ModelFileError, ValueError)
