"""Model files that somebody made or time damaged: each is refused in words, without a crash and without much memory."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.storage.container import read_container
from tests.storage.hand_made import Parts, signed
from tests.storage.models_to_store import COUNTS, MODELS, TARGET

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The bytes of a small model, and a place to put others."""
    path = tmp_path_factory.mktemp("attacks") / "model.suffice"
    sf.fit(COUNTS[:, :2], TARGET, columns={0: sf.Categorical(), 1: sf.Gaussian()}).save(path)
    return path.read_bytes(), path


@pytest.fixture
def refused(tmp_path):
    """Load bytes that must be refused; returns what the message says about them."""

    def load(raw: bytes) -> str:
        path = tmp_path / "model.suffice"
        path.write_bytes(raw)
        with pytest.raises(sf.errors.ModelFileError) as caught:
            sf.load(path)
        assert caught.value.file == str(path)
        said, start = str(caught.value), f"{path}: cannot be loaded: "
        assert said.startswith(start)
        return said.removeprefix(start)

    return load


def parts(small) -> Parts:
    return Parts.of(small[0])


DAMAGED = "The file is damaged: save the model again, or restore the file from a copy."
NO_MODEL = "It is not a suffice model file, or it is damaged."


def test_a_file_that_ends_anywhere_is_refused(small):
    raw, path = small
    path.write_bytes(raw)
    for end in reversed(range(len(raw))):
        os.truncate(path, end)
        with pytest.raises(sf.errors.ModelFileError):
            sf.load(path)


def test_a_file_with_more_at_its_end_is_refused(small, refused):
    raw, _ = small
    _, size = Parts.of(raw).header["sha256"]["data_offsets"]
    said = f"its arrays should have {size:,} bytes in total, but there are {size + 1:,}. {DAMAGED}"
    assert refused(raw + b"\0") == said


def test_every_flipped_bit_is_refused(small):
    raw, path = small
    path.write_bytes(raw)
    end = 8 + int.from_bytes(raw[:8], "little")
    with path.open("r+b", buffering=0) as file:
        for at in range(len(raw)):
            for bit in range(8) if at < end else (at % 8,):
                os.pwrite(file.fileno(), bytes([raw[at] ^ 1 << bit]), at)
                try:
                    sf.load(path)
                except sf.errors.ModelFileError as problem:
                    assert at < end or "its SHA-256 checksum does not match its contents" in str(problem)  # noqa: PT017
                else:
                    pytest.fail(f"bit {bit} of byte {at} may be flipped")
            os.pwrite(file.fileno(), raw[at : at + 1], at)
    assert sf.load(path).classes == ("ham", "news", "spam")


@pytest.mark.parametrize("length", [0, 1, 7, 2**22 + 1, 2**31, 2**32, 2**63, 2**64 - 1])
def test_a_lying_length_of_the_header_is_refused(small, refused, length):
    raw, _ = small
    said = refused(length.to_bytes(8, "little") + raw[8:])
    if length > 2**22:
        assert said == f"its header should have {length:,} bytes; at most 4,194,304 are allowed. {NO_MODEL}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shape": [2**63, 1]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [9223372036854775808, 1]."),
        ({"shape": [2**63, 0]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [9223372036854775808, 0]."),
        ({"shape": [2**32, 2**32]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [4294967296, 4294967296]."),
        ({"shape": [-1]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [-1]."),
        ({"shape": [1.0]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [1.0]."),
        ({"shape": [True]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [True]."),
        ({"shape": "4"}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got '4'."),
        ({"shape": [1, 1, 1, 4]}, "array 'classes.offsets' must have a shape of at most 3 integers ≥ 0, and at most 2⁴⁸ entries: got [1, 1, 1, 4]."),
        ({"shape": [3]}, "array 'classes.offsets' of shape [3] has 24 bytes: got data_offsets [0, 32]."),
        ({"data_offsets": [0]}, "array 'classes.offsets' of shape [4] has 32 bytes: got data_offsets [0]."),
        ({"data_offsets": [32, 0]}, "array 'classes.offsets' of shape [4] has 32 bytes: got data_offsets [32, 0]."),
        ({"data_offsets": [8, 40]}, "array 'classes.offsets' leaves a gap after the one before it: it starts at 8, and that one ends at 0."),
        ({"dtype": "F16"}, "array 'classes.offsets' must be of dtype F64, I64, U64, I32, U8: got 'F16'."),
        ({"dtype": ["F64"]}, "array 'classes.offsets' must be of dtype F64, I64, U64, I32, U8: got ['F64']."),
        ({"more": 1}, "array 'classes.offsets' must have exactly dtype, shape and data_offsets."),
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_is_refused(small, refused, change, said):
    made = parts(small)
    assert made.header["classes.offsets"] == {"dtype": "I64", "shape": [4], "data_offsets": [0, 32]}
    made.header["classes.offsets"].update(change)
    assert refused(made.raw()) == f"{said} {DAMAGED}"


def test_overlapping_entries_are_refused(small, refused):
    made = parts(small)
    second = list(made.data)[1]
    made.header[second]["data_offsets"] = made.header["classes.offsets"]["data_offsets"]
    made.header[second]["shape"] = made.header["classes.offsets"]["shape"]
    assert refused(made.raw()) == (
        f"array {second!r} overlaps the one before it: it starts at 0, and that one ends at 32. {DAMAGED}"
    )


def test_an_entry_out_of_line_is_refused(small, refused):
    made = parts(small)
    names = ["classes.kinds", *(name for name in made.data if name != "classes.kinds")]
    made.data = {name: made.data[name] for name in names}
    header, at = {"__metadata__": made.header["__metadata__"]}, 0
    for name in names:
        header[name] = {**made.header[name], "data_offsets": [at, at + len(made.data[name])]}
        at += len(made.data[name])
    made.header = header
    assert refused(made.raw()) == f"array 'classes.offsets' starts at 3, which is not aligned. {DAMAGED}"


def test_duplicate_keys_are_refused(small, refused):
    made = parts(small)
    text = json.dumps(made.header)
    twice = text[:-1] + ', "tally.weight": {}}'
    assert refused(made.raw(twice.encode())) == f"its header has the key 'tally.weight' twice. {DAMAGED}"
    made.header["__metadata__"]["suffice"] = made.header["__metadata__"]["suffice"].replace(
        '{"format"', '{"format":1,"format"'
    )
    assert refused(made.raw()) == f"its schema has the key 'format' twice. {DAMAGED}"


def test_many_duplicate_keys_take_no_time(small, refused):
    keys = ",".join(f'"{i}":0' for i in range(300_000))
    text = f'{{{keys},"299999":0}}'.encode()
    assert refused(parts(small).raw(text)) == f"its header has the key '299999' twice. {DAMAGED}"


def test_a_million_entries_are_refused(small, refused):
    entry = '"{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'
    made = parts(small)
    text = "{" + ",".join(entry.format(i) for i in range(1_000_000)) + "}"
    assert "; at most 4,194,304 are allowed." in refused(made.raw(text.encode()))
    start = json.dumps({"__metadata__": made.header["__metadata__"]})[:-1]
    text = start + "," + ",".join(entry.format(i) for i in range(60_000)) + "}"
    assert refused(made.raw(text.encode())) == f"it lists 60,000 arrays; at most 40,000 are allowed. {NO_MODEL}"


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"[]", b"null", b"1e999", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}",
        b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 1e999}', b"9" * 5000, b'{"__metadata__": 3}', b'{"__metadata__": {}}',
        b'{"__metadata__": {"suffice": 3}}', b'{"__metadata__": {"suffice": "", "format": ""}}', b'{"__metadata__": {"suffice": "{}"}}',
        b'"' + b"a" * 100_000 + b'"', b'"\\ud800"', b"\x00" * 64,
    ],
    ids=lambda text: repr(text[:30]),
)  # fmt: skip
def test_a_header_that_says_nothing_is_refused(small, refused, text):
    said = refused(parts(small).raw(text))
    assert DAMAGED in said or NO_MODEL in said


def test_a_safetensors_file_of_others_is_refused(tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "weights.safetensors"
    save_file({"layer": np.zeros((3, 3))}, path)
    with pytest.raises(
        sf.errors.ModelFileError,
        match="its header has no suffice metadata",
    ):
        sf.load(path)


@pytest.mark.parametrize("protocol", range(6))
def test_a_renamed_pickle_is_refused_and_does_not_run(refused, protocol, tmp_path):
    class Runs:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    said = refused(pickle.dumps(Runs(), protocol))
    if protocol >= 2:
        assert said == (
            "it is not a suffice model (it looks like a pickle, which could run code and is never loaded). "
            "Pass the path of a file that suffice has saved."
        )
    assert not (tmp_path / "ran").exists()


def changed(small, name, change):
    made = parts(small)
    array = made.array(name)
    made.put(name, change(array))
    return made.laid_out().raw()


@pytest.mark.parametrize("bad", [float("nan"), -1.0, float("inf"), -float("inf")])
@pytest.mark.parametrize(
    "name",
    [
        "tally.weight", "blocks.0.levels.values", "blocks.0.levels.observed",
        "blocks.1.moments.weight", "blocks.1.moments.dp", "blocks.1.moments.dp_blur",
    ],
)  # fmt: skip
def test_counts_that_cannot_be_are_refused(small, refused, name, bad):
    def change(array):
        array.flat[0] = bad
        return array

    said = refused(changed(small, name, change))
    assert "must be finite and ≥ 0: class 'ham'" in said
    assert f"has {bad!r}" in said


def test_means_that_cannot_be_are_refused(small, refused):
    said = refused(changed(small, "blocks.1.moments.mean", lambda mean: mean * float("nan")))
    assert said == (
        "blocks.1.moments: mean must be finite: class 'ham', column 1 has nan. "
        "Rescale the column, or model it with a histogram."
    )


def test_a_wrong_dtype_is_refused(small, refused):
    said = refused(changed(small, "tally.weight", lambda weight: weight.astype(np.int64)))
    assert said == f"array 'tally.weight' must be float64 of shape (3): got int64 of shape (3). {DAMAGED}"


def test_a_wrong_shape_is_refused(small, refused):
    said = refused(changed(small, "blocks.1.moments.mean", lambda mean: mean.reshape(1, 3)))
    assert (
        said == f"array 'blocks.1.moments.mean' must be float64 of shape (3, 1): got float64 of shape (1, 3). {DAMAGED}"
    )


def test_an_array_too_few_or_too_many_is_refused(small, refused):
    made = parts(small)
    made.drop("tally.weight")
    assert refused(made.laid_out().raw()) == f"the array 'tally.weight' is missing. {DAMAGED}"
    made = parts(small)
    made.put("blocks.2.mean", np.zeros(3))
    assert refused(made.laid_out().raw()) == (
        f"it has an array 'blocks.2.mean' that its schema does not mention. {DAMAGED}"
    )
    made = parts(small)
    made.put("a b", np.zeros(3))
    assert refused(made.laid_out().raw()) == f"an array has the invalid name 'a b'. {DAMAGED}"


def test_a_missing_or_misplaced_checksum_is_refused(small, refused):
    made = parts(small)
    made.header["sha512"] = made.header.pop("sha256")
    said = f"its last array must be 'sha256' of 32 bytes, its checksum. {DAMAGED}"
    assert refused(made.raw()) == said
    assert refused(signed(b"\x30" + b"\0" * 7 + b'{"__metadata__":{"suffice":"{}"}}'.ljust(48))) != ""


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("classes.offsets", lambda a: a[::-1].copy(), "classes.offsets must increase from 0 to the length of classes.text"),
        ("classes.offsets", lambda a: np.array([0, 2**62, 2, 11]), "classes.offsets must increase from 0"),
        ("classes.offsets", lambda a: np.array([0, 3, 7, -1]), "classes.offsets must increase from 0"),
        ("classes.offsets", lambda a: a[:3], "array 'classes.offsets' must be int64 of shape (4): got int64 of shape (3)"),
        ("classes.text", lambda a: a | 0x80, "label 0 is invalid (not UTF-8)"),
        ("classes.text", lambda a: np.frombuffer(b"spamnewsham", "u1").copy(), "classes must be sorted by kind and value"),
        ("classes.kinds", lambda a: a + 40, "label 0 is invalid (kind 43 is unknown)"),
        ("classes.kinds", lambda a: a * 0 + 2, "label 0 is invalid (not a canonical number)"),
        ("classes.declared", lambda a: a + 2, "array 'classes.declared' must contain only 0 and 1: got 2"),
        ("columns.text", lambda a: np.frombuffer(b"00", "u1").copy(), "column names must be distinct: 0 appears more than once"),
        ("columns.kinds", lambda a: a * 0 + 4, "a column name must be a string or an integer: got b'0'"),
        ("blocks.0.places", lambda a: a + 2, "blocks.0.places must be from 0 to 1"),
        ("blocks.0.places", lambda a: a - 1, "blocks.0.places must be from 0 to 1"),
        ("blocks.0.places", lambda a: a + 1, "column 1 is in two blocks"),
        ("blocks.0.levels.sizes", lambda a: a + 1, "sizes must be ≥ 0 and sum to the number of labels, 4"),
        ("blocks.0.levels.sizes", lambda a: a - 2**62, "sizes must be ≥ 0 and sum to the number of labels, 4"),
        ("blocks.0.levels.labels.text", lambda a: a[::-1].copy(), "levels must be distinct and sorted by kind and value"),
        ("blocks.0.levels.labels.text", lambda a: a * 0 + ord("1"), "levels must be distinct and sorted by kind and value"),
        ("blocks.0.levels.observed", lambda a: a[:2], "observed must have shape (3,): got shape (2,)"),
        ("provenance.told.kinds", lambda a: a * 0, "label 0 is invalid (None must have no text)"),
        ("class_prior.values", lambda a: np.array([0.5]), "the class prior is inconsistent"),
    ],
)  # fmt: skip
def test_arrays_that_contradict_each_other_are_refused(small, refused, name, change, said):
    assert said in refused(changed(small, name, change))


def edited(small, edit):
    made = parts(small)
    schema = made.schema
    edit(schema)
    made.schema = schema
    return made.raw()


def put(schema, *path_and_value):
    *path, last, value = path_and_value
    for key in path:
        schema = schema[key]
    if value is KeyError:
        del schema[last]
    else:
        schema[last] = value


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("format", 0), "it has the invalid format 0"),
        (("format", "1"), "format of its schema must be an integer from 0 to 9,223,372,036,854,775,807: got '1'"),
        (("format", True), "format of its schema must be an integer"),
        (("needs", "0.1 or so"), "its schema has an invalid version of suffice: '0.1 or so'"),
        (("suffice", KeyError), "its schema has no key 'suffice'"),
        (("suffice", "x" * 41), "its schema has an invalid version of suffice"),
        (("more", 1), "its schema has the unknown key 'more'"),
        (("model", "Forest"), "it contains the unknown kind of model 'Forest'"),
        (("classes", 2), "array 'classes.declared' must be uint8 of shape (2): got uint8 of shape (3)"),
        (("classes", 2**62), "array 'classes.declared' must be uint8 of shape (4611686018427387904)"),
        (("columns", 3), "array 'columns.kinds' must be uint8 of shape (3): got uint8 of shape (2)"),
        (("estimate", "best"), "estimate of its schema must be 'mle' or 'smoothed' or 'map' or 'mean' or 'predictive': got 'best'"),
        (("estimate", ["mle"]), "estimate of its schema must be a string: got ['mle']"),
        (("alpha", 1), "alpha of its schema must be true or false: got 1"),
        (("alpha", True), "the array 'reading.alpha' is missing"),
        (("class_prior", None), "class_prior of its schema must be a JSON object: got None"),
        (("class_prior", "kind", "fair"), "kind of class_prior of its schema must be 'empirical' or"),
        (("class_prior", "kind", "dirichlet"), "class prior: 'dirichlet' is not a class prior. Give empirical, uniform, dirichlet:1"),
        (("class_prior", "labels", True), "the array 'class_prior.labels.kinds' is missing"),
        (("blocks", {}), "blocks of its schema must be a list: got {}"),
        (("blocks", [3]), "block 0 must be a JSON object: got 3"),
        (("blocks", []), "it has an array 'blocks.0.places' that its schema does not mention"),
        (("blocks", 0, "columns", 2), "array 'blocks.0.places' must be int64 of shape (2): got int64 of shape (1)"),
        (("blocks", 0, "columns", 0), "array 'blocks.0.places' must be int64 of shape (0)"),
        (("blocks", 0, "likelihood", "Forest"), "it has a block with the unknown likelihood 'Forest'"),
        (("blocks", 0, "likelihood", "__init__"), "it has a block with the unknown likelihood '__init__'"),
        (("blocks", 0, "likelihood", "Gaussian"), "Gaussian has the unknown parameter 'alpha'"),
        (("blocks", 0, "statistics", ["tokens"]), "block 0 of Categorical must have the statistics levels: got ['tokens']"),
        (("blocks", 0, "parameters", "unseen", "oh"), "unseen must be 'ignore' or 'mass': got 'oh'"),
        (("blocks", 0, "parameters", "alpha", "oh"), "alpha must be 'evidence' or 'shared evidence': got 'oh'"),
        (("blocks", 0, "parameters", "alpha", 3), "alpha must be null, true or a string: got 3"),
        (("blocks", 0, "parameters", "levels", 3), "the array 'blocks.0.levels.kinds' is missing"),
        (("blocks", 0, "parameters", "levels", []), "levels must be null or a number of labels: got []"),
        (("blocks", 0, "parameters", "prior", "Dream"), "it has the unknown prior 'Dream'"),
        (("blocks", 0, "parameters", "prior", ["Dream"]), "it has the unknown prior ['Dream']"),
        (("blocks", 1, "parameters", "var_smoothing", -1), "var_smoothing must be a fraction of the column's variance, from 1e-12 to 1: got -1"),
        (("blocks", 1, "parameters", "variance", None), "variance must be 'own' or 'shared': got None"),
        (("blocks", 1, "parameters", "joint", True), "Gaussian has the unknown parameter 'joint'"),
        (("blocks", 1, "likelihood", "MultivariateGaussian"), "MultivariateGaussian has the unknown parameter 'variance'"),
        (("blocks", 1, "parameters", {"covariance": "spherical", "joint": True}), "it has columns that share one variance (covariance='spherical')"),
        (("blocks", 1, "parameters", {"covariance": "full"}), "independent Gaussian columns have no such covariance: got joint=False, covariance='full'"),
        (("blocks", 1, "parameters", {"covariance": ["full"]}), "independent Gaussian columns have no such covariance"),
        (("blocks", 1, "parameters", {"joint": "yes"}), "independent Gaussian columns have no such covariance: got joint='yes'"),
        (("blocks", 1, "parameters", {"shrinkage": 0.5}), "independent Gaussian columns have no such covariance"),
        (("blocks", 1, "parameters", {"joint": True}), "block 1 of Gaussian must have the statistics scatter: got ['moments']"),
        (("blocks", 1, "parameters", {"joint": True, "toward": "away"}), "toward must be 'diagonal' or 'spherical' or 'shared' or 'total': got 'away'"),
        (("left_out", 1), "the array 'left_out.columns.kinds' is missing"),
        (("provenance", "rows", -3), "rows of provenance of its schema must be an integer from 0"),
        (("provenance", "dialect", True), "the array 'provenance.dialect.kinds' is missing"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_is_refused(small, refused, place, said):
    assert said in refused(edited(small, lambda schema: put(schema, *place)))


def test_a_schema_that_is_too_long_is_refused(small, refused):
    made = parts(small)
    made.header["__metadata__"]["suffice"] += " " * (1 << 20)
    said = refused(made.raw())
    assert said.startswith("its schema has 1,0")
    assert said.endswith(f" characters; at most 1,048,576 are allowed. {DAMAGED}")


def test_a_block_without_its_columns_is_refused(small, refused):
    made = parts(small)
    made.drop("blocks.0.places")
    assert refused(made.laid_out().raw()) == f"block 0 must have 1 of the 2 columns, without duplicates. {DAMAGED}"


class Changing:
    """A file of which another process takes the end away, or that is larger than memory."""

    def __init__(self, file, problem):
        self.file, self.problem = file, problem

    def fileno(self):
        return self.file.fileno()

    def read(self, size):
        if size < 4000:
            return self.file.read(size)
        if self.problem is not None:
            raise self.problem
        return self.file.read(size)[:-1]


def test_a_file_that_changes_or_does_not_fit_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "model.suffice"
    sf.fit(np.ones((2, 1000)), ["a", "b"], columns=sf.Bernoulli()).save(path)
    with path.open("rb") as file, pytest.raises(sf.errors.ModelFileError) as caught:
        read_container(Changing(file, None))
    assert str(caught.value) == f"it changed while it was being read. {DAMAGED}"
    with path.open("rb") as file, pytest.raises(sf.errors.ModelFileError) as caught:
        read_container(Changing(file, MemoryError()))
    assert str(caught.value) == (
        f"its {path.stat().st_size:,} bytes do not fit into memory. Load it on a larger machine."
    )


def test_a_newer_format_is_refused_with_the_version_it_needs(small, refused):
    def edit(schema):
        schema.update(format=2, needs="7.1.0", suffice="7.2.0")

    assert refused(edited(small, edit)) == (
        "it has format 2, but this version reads formats up to 1. "
        f"The file needs suffice 7.1.0 or newer, but this is {sf.__version__}: upgrade with pip install -U suffice."
    )


def test_an_unknown_kind_of_a_newer_version_is_refused_with_the_version_it_needs(small, refused):
    def edit(schema):
        schema.update(needs="7.1.0", suffice="7.2.0")
        schema["blocks"][0]["likelihood"] = "Kernel"

    assert refused(edited(small, edit)) == (
        "it has a block with the unknown likelihood 'Kernel'. "
        f"The file needs suffice 7.1.0 or newer, but this is {sf.__version__}: upgrade with pip install -U suffice."
    )


@pytest.mark.parametrize(
    ("name", "array", "change", "said"),
    [
        ("histogram", "blocks.0.bins.limit", lambda a: a * 0, "blocks.0.bins.limit must be ≥ 1: got 0"),
        ("histogram", "blocks.0.bins.limit", lambda a: a * 0 + 1, "a column may have at most 1 bins"),
        ("histogram", "blocks.0.bins.keys", lambda a: a[::-1].copy(), "keys must increase within a column"),
        ("histogram", "blocks.0.bins.keys", lambda a: a * 0 + np.arange(len(a), dtype="u8"), "keys must be those of finite numbers"),
        ("histogram", "blocks.0.bins.offsets", lambda a: a + 2**62, "offsets must increase from 0 to the number of keys"),
        ("histogram", "blocks.0.bins.shift", lambda a: a + 65, "shift must be from 0 to 64"),
        ("histogram", "blocks.0.bins.below", lambda a: a - 1, "below must be finite and ≥ 0: class 'ham', column 0 has -1.0"),
        ("histogram", "blocks.0.alpha", lambda a: -a, "alpha must be > 0"),
        ("bernoulli", "blocks.0.prior.a", lambda a: a * 0, "prior BetaBinomial: a must be > 0"),
        ("bernoulli", "blocks.0.prior.b", lambda a: np.zeros((2, 2)) + 1, "prior BetaBinomial: the shapes do not broadcast"),
        ("multinomial", "blocks.0.levels.labels.text", lambda a: a[::-1].copy(), "blocks.0.levels"),
        ("joint", "blocks.0.levels.labels.kinds", lambda a: a * 0 + 4, "levels must be distinct and sorted by kind and value"),
        ("mixed", "provenance.sources.kinds", lambda a: a + 1, "provenance.sources must be strings"),
        ("mixed", "provenance.digests.kinds", lambda a: a + 1, "provenance.digests must be strings"),
        ("dirichlet", "integers", lambda a: a + 100, "integers must be from 0 to"),
        ("dirichlet", "integers", lambda a: a - 100, "integers must be from 0 to"),
        ("mixed", "provenance.null.kinds", lambda a: a + 1, "provenance.null must be strings"),
        ("mixed", "provenance.dialect.kinds", lambda a: np.array([3, 3, 1, 3], "u1"), "header of its provenance cannot be '1'"),
        ("mixed", "provenance.told.kinds", lambda a: np.array([4, 3, 3, 2], "u1"), "first of its provenance cannot be b'2026"),
        ("mixed", "class_prior.values", lambda a: a * 2, "class prior: the class prior must sum to 1: got a sum of 2.0"),
        ("mixed", "class_prior.labels.text", lambda a: np.frombuffer(b"spamnewsham", "u1").copy(), "the class prior is inconsistent"),
        ("smoothed", "reading.alpha", lambda a: -a, "reading.alpha must have finite numbers ≥ 0"),
        ("smoothed", "reading.alpha", lambda a: a[:2], "reading.alpha requires an estimate with a prior and one value for each of 3 columns: got shape (2,)"),
        ("left_out", "left_out.reasons.kinds", lambda a: a + 1, "left_out must contain column names and reasons"),
    ],
)  # fmt: skip
def test_parts_of_other_models_that_cannot_be_are_refused(tmp_path, refused, name, array, change, said):
    path = tmp_path / "other.suffice"
    MODELS[name]().save(path)
    assert said in refused(changed((path.read_bytes(), path), array, change))


def test_there_is_a_digest_for_each_source_or_none(tmp_path, refused):
    path = tmp_path / "other.suffice"
    MODELS["mixed"]().save(path)
    made = Parts.of(path.read_bytes())
    made.put("provenance.digests.kinds", made.array("provenance.digests.kinds")[:1])
    made.put("provenance.digests.offsets", made.array("provenance.digests.offsets")[1:] * 0)
    made.put("provenance.digests.text", made.array("provenance.digests.text")[:0])
    assert refused(made.laid_out().raw()) == (
        f"provenance.digests must have one string for each of the 2 files. {DAMAGED}"
    )


def test_logs_and_columns_of_counts_must_be_all_there(tmp_path, refused):
    path = tmp_path / "other.suffice"
    MODELS["multinomial"]().save(path)
    made = Parts.of(path.read_bytes())
    text = made.array("blocks.0.levels.labels.text").tobytes().replace(b"fine", b"fink")
    made.put("blocks.0.levels.labels.text", np.frombuffer(text, "u1"))
    assert refused(made.laid_out().raw()) == (
        f"blocks.0.levels must have the declared levels 'coarse' and 'fine'. {DAMAGED}"
    )
    made = Parts.of(path.read_bytes())
    made.put("blocks.0.counts.declared", np.zeros(3, "u1"))
    made.put("blocks.0.counts.values", np.zeros((3, 3)))
    (observed,) = (name for name in made.data if name.startswith("blocks.0.counts.observed"))
    made.put(observed, np.zeros_like(made.array(observed)))
    assert refused(made.laid_out().raw()) == (f"blocks.0.counts: column 0 has no counts and is not declared. {DAMAGED}")
    made = Parts.of(path.read_bytes())
    made.put("blocks.0.counts.order", np.array([0, 1, 1]))
    assert refused(made.laid_out().raw()) == f"blocks.0.counts.order must contain each of the 3 columns once. {DAMAGED}"
    made.put("blocks.0.counts.order", np.array([2, 1, 0]))
    assert refused(made.laid_out().raw()) == f"blocks.0.counts.order must sort the columns. {DAMAGED}"


def test_combinations_must_be_of_the_levels_of_their_columns(tmp_path, refused):
    path = tmp_path / "other.suffice"
    MODELS["joint"]().save(path)
    name = "blocks.0.levels.labels.text"
    made = Parts.of(path.read_bytes())
    text = made.array(name).tobytes()
    assert text.startswith(b"\x035:black\x011:1")  # ("black", True), of which the file has no level "blacj"
    made.put(name, np.frombuffer(text.replace(b"black", b"blacj", 1), "u1"))
    assert refused(made.laid_out().raw()) == (
        f"blocks.0.levels has a combination with 'blacj', which is not in column 'fur'. {DAMAGED}"
    )
    made.put(name, np.frombuffer(text.replace(b"5:black\x011:1", b"9:black\x011:1", 1), "u1"))
    assert refused(made.laid_out().raw()) == (
        f"blocks.0.levels must have combinations of 2 levels: got ('black\\x011:1',). {DAMAGED}"
    )


MEMORY = """
import resource, sys
import suffice as sf
sf.load(sys.argv[1])  # what a load brings along
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[2:]:
    try:
        sf.load(path)
    except sf.errors.ModelFileError:
        continue
    raise SystemExit(f"{path} was loaded")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux alone")
def test_the_worst_of_them_take_little_memory(small, tmp_path):
    raw, good = small
    made = Parts.of(raw)
    objects = b"[" + b'{"":0},' * 580_000 + b"0]"
    lists = b"[" + b"[]," * 1_380_000 + b"0]"
    entries = "{" + ",".join(f'"{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(1_000_000)) + "}"
    pieces = [made.raw(objects), made.raw(lists), made.raw(entries.encode()), pickle.dumps(list(range(10)))]
    made.header["tally.weight"] = {"dtype": "F64", "shape": [2**63], "data_offsets": [0, 2**66]}
    pieces.append(made.raw())
    paths = [str(good)]
    good.write_bytes(raw)
    for at, piece in enumerate(pieces):
        path = tmp_path / f"{at}.suffice"
        path.write_bytes(piece)
        paths.append(str(path))
    sparse = tmp_path / "sparse.suffice"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    paths.append(str(sparse))
    done = subprocess.run([sys.executable, "-c", MEMORY, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200e6


def test_no_message_repeats_the_whole_file(small, refused):
    made = parts(small)
    made.put("a" * 90, np.zeros(1))
    assert len(refused(made.laid_out().raw())) < 400
    schema = made.schema
    schema["model"] = "x" * 10_000
    made.schema = schema
    assert re.search(r"x{40,60}\.\.\.", refused(made.laid_out().raw()))
