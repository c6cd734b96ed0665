"""Errors of saving and loading name the file, the problem and the remedy."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Collect
from suffice.models import Provenance
from suffice.models.schema import Block, Schema
from suffice.storage.container import abbreviate
from tests.storage.hand_made import Parts
from tests.storage.models_to_store import COUNTS, MODELS, TARGET


def test_a_missing_file(tmp_path):
    path = tmp_path / "model.suffice"
    with pytest.raises(FileNotFoundError) as caught:
        sf.load(path)
    assert str(caught.value) == f"cannot read {str(path)!r}: the file does not exist. Check the path."


def test_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError) as caught:
        sf.load(tmp_path)
    assert str(caught.value) == f"cannot read {str(tmp_path)!r}: it is a directory. Pass the path of a file."


def test_an_empty_file(tmp_path):
    path = tmp_path / "model.suffice"
    path.touch()
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.load(path)
    assert str(caught.value) == (
        f"{path}: cannot be loaded: it is empty. Save the model again, or restore the file from a copy."
    )


def test_a_file_of_a_few_bytes(tmp_path):
    path = tmp_path / "model.suffice"
    path.write_bytes(b"\x00\x0b\x00")
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.load(path)
    assert str(caught.value) == (
        f"{path}: cannot be loaded: it has only 3 bytes. It is not a suffice model file, or it is damaged."
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"abc", "text"),
        (b"age,label\n31,yes\n", "CSV"),
        ("größe;label\n1;yes\n".encode("latin-1"), "CSV"),
        (b"\xef\xbb\xbfage\tlabel\n" + b"31\tyes\n" * 1000, "CSV"),
        (b'{"age": 31, "label": "yes"}\n', "JSON"),
        (b"PAR1" + bytes(100), "Parquet"),
        (b"PK\x03\x04" + bytes(100), "a ZIP archive, such as .xlsx or .npz"),
        (gzip.compress(b"age,label\n", mtime=1e9), "gzip"),
    ],
)
def test_a_file_that_is_not_a_model_says_what_it_looks_like(content, kind, tmp_path):
    path = tmp_path / "train.csv"
    path.write_bytes(content)
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.load(path)
    assert str(caught.value) == (
        f"{path}: cannot be loaded: it is not a suffice model (it looks like {kind}). "
        "Pass the path of a file that suffice has saved."
    )


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.load(tmp_path / "pipe")
    assert str(caught.value) == (
        f"{tmp_path / 'pipe'}: cannot be loaded: it is not a regular file. Pass the path of a model file."
    )


def test_what_the_system_says_keeps_its_number(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as caught:
        sf.load(tmp_path / "file" / "model.suffice")
    assert caught.value.errno is not None
    assert str(caught.value).endswith("Not a directory. Check the path and the disk.")


@dataclass(frozen=True, slots=True, repr=False)
class Own(Likelihood):
    """A likelihood that somebody else made."""

    given: Any = None

    def collect(self, columns):
        return Collect("presence", columns)

    def terms(self, seen):
        return ()

    def log_evidence(self, seen):
        return 0.0

    def parameters(self, seen, credible):
        return iter(())

    def sample(self, seen, draw):
        return []


@pytest.mark.parametrize(
    "given", [object(), {1: 2}, float("inf"), (1, [2]), np.array(["a"])], ids=lambda given: type(given).__name__
)
def test_a_parameter_of_a_likelihood_of_the_users_own_that_no_file_holds(tmp_path, given):
    path = tmp_path / "model.suffice"
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.fit(COUNTS, TARGET, columns=Own(given), calibrate=False).save(path)
    assert str(caught.value) == (
        f"{path}: the model cannot be saved: the parameter given={abbreviate(given)} of "
        f"{abbreviate(Own(given))} cannot be stored in a model file. "
        "Use numbers, strings, tuples of these, arrays of numbers or conjugate pairs."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "given",
    [None, True, 3, -0.5, "text", (1, ("a", 2.0)), np.array([[1.0, 2.0]]), sf.GammaPoisson(1, [2.0, 3.0])],
    ids=repr,
)
def test_a_parameter_of_a_likelihood_of_the_users_own_comes_back(tmp_path, given):
    path = tmp_path / "model.suffice"
    sf.fit(COUNTS, TARGET, columns=Own(given)).save(path)
    (block,) = sf.load(path, likelihoods=[Own]).schema.blocks
    assert type(block.likelihood.given) is type(given)
    np.testing.assert_equal(block.likelihood.given, given)


@pytest.mark.parametrize(
    "stands",
    [
        3,
        [],
        ["plain"],
        ["plain", 1, 2],
        ["other", 1],
        [["plain"], 1],
        ["numbers", 5],
        ["conjugate", "Nope"],
        ["labels", "x"],
    ],
    ids=str,
)
def test_a_parameter_of_a_likelihood_of_the_users_own_that_is_damaged(tmp_path, stands):
    path = tmp_path / "model.suffice"
    sf.fit(COUNTS, TARGET, columns=Own(3)).save(path)
    parts = Parts.of(path.read_bytes())
    schema = parts.schema
    schema["blocks"][0]["parameters"]["given"] = stands
    parts.schema = schema
    path.write_bytes(parts.laid_out().raw())
    with pytest.raises(sf.errors.ModelFileError, match=r"given|Nope"):
        sf.load(path, likelihoods=[Own])


def test_a_likelihood_of_the_users_own_with_other_parameters_than_the_file(tmp_path):
    path = tmp_path / "model.suffice"
    sf.fit(COUNTS, TARGET, columns=Own(3)).save(path)

    class Other(Own):
        def __init__(self):
            """Take nothing."""

    Other.__module__, Other.__qualname__ = Own.__module__, Own.__qualname__
    with pytest.raises(
        sf.errors.ModelFileError, match=r"test_failures:Own does not accept .*unexpected keyword argument"
    ):
        sf.load(path, likelihoods=[Other])


def test_a_likelihood_of_the_users_own_that_refuses_the_value_of_the_file(tmp_path):
    path = tmp_path / "model.suffice"
    sf.fit(COUNTS, TARGET, columns=Own(3)).save(path)

    class Other(Own):
        def __init__(self, given):
            raise sf.errors.ParameterError("given must be ≤ 2", got=given, advice="Give 2.")

    Other.__module__, Other.__qualname__ = Own.__module__, Own.__qualname__
    with pytest.raises(
        sf.errors.ModelFileError, match=r"Own does not accept \S+: 3\}: given must be ≤ 2: got 3\. Give 2\.$"
    ):
        sf.load(path, likelihoods=[Other])


def test_a_class_prior_that_was_made_past_its_checks_cannot_be_saved(tmp_path):
    path = tmp_path / "model.suffice"
    with pytest.raises(sf.errors.ModelFileError) as caught:
        MODELS["poisson"]().with_options(class_prior=sf.ClassPrior("given", (0.5, 0.5, 0.5))).save(path)
    assert str(caught.value) == (
        f"{path}: the model cannot be saved: class prior: the class prior must sum to 1: got a sum of 1.5. Divide it by its sum."
    )


def test_too_many_blocks_cannot_be_saved(tmp_path):
    width, path = 12_000, tmp_path / "model.suffice"
    known = sf.fit([[0], [1]], ["a", "b"], columns=sf.Bernoulli(), calibrate=False).core
    blocks = tuple(Block((j,), sf.Bernoulli()) for j in range(width))
    ((counts,),) = known.parts
    each = tuple(
        (sf.statistics.Counts(counts.classes, sf.statistics.Axis([j], declared=True), counts.values, counts.observed),)
        for j in range(width)
    )
    model = sf.Model(replace(known, schema=Schema(tuple(range(width)), blocks), parts=each))
    with pytest.raises(sf.errors.ModelFileError) as caught:
        model.save(path)
    said = str(caught.value)
    assert said.startswith(
        f"{path}: the model cannot be saved: the schema of a model file has at most 1,048,576 bytes: got "
    )
    assert said.endswith(" for 12,000 blocks. Pass columns that share a likelihood as one group.")
    assert list(tmp_path.iterdir()) == []


def test_too_many_arrays_cannot_be_written(tmp_path):
    import numpy as np

    from suffice.storage.container import write_container

    with (tmp_path / "file").open("wb") as file:
        with pytest.raises(
            sf.errors.ModelFileError, match=r"^a model file has at most 40,000 arrays: got 40,001\. Pass "
        ):
            write_container(file, "{}", {str(at): np.zeros(0) for at in range(40_000)})
        with pytest.raises(
            sf.errors.ModelFileError, match=r"^the header of a model file has at most 4,194,304 bytes: got "
        ):
            write_container(file, "{}", {f"{at:0>90}": np.zeros(0) for at in range(30_000)})


def test_a_source_that_is_no_text_cannot_be_saved(tmp_path):
    model = sf.Model(MODELS["poisson"]().core, Provenance(3, (tmp_path,)))  # type: ignore[arg-type]
    with pytest.raises(sf.errors.ModelFileError, match="a label must be None, a bool, a number, text, bytes"):
        model.save(tmp_path / "model.suffice")
    assert list(tmp_path.iterdir()) == []


def test_a_model_file_error_is_one_that_users_catch():
    assert issubclass(sf.errors.ModelFileError, sf.SufficeError)
    assert issubclass(sf.errors.ModelFileError, ValueError)
