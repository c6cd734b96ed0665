"""FORMAT.md is complete: a short reader that follows it finds every number, and it lists every array name."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import suffice
from suffice.storage import container, model
from tests.storage.models_to_store import COUNTS, MODELS, TARGET

PAGE = (Path(suffice.__file__).parent / "storage" / "FORMAT.md").read_text(encoding="utf-8")
ON_PAGE = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]*)`", PAGE))))

pytestmark = pytest.mark.filterwarnings("ignore::suffice.SufficeWarning")


def read(raw):
    """Read a file as the page says, and nothing else."""
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    assert length % 8 == 0
    schema = json.loads(header.pop("__metadata__")["suffice"])
    types = {"F64": ("<d", 8), "I64": ("<q", 8), "U64": ("<Q", 8), "I32": ("<i", 4), "U8": ("B", 1)}
    arrays, at = {}, 0
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        form, size = types[entry["dtype"]]
        assert start == at
        assert start % size == 0
        data = raw[8 + length :][start:end]
        arrays[name] = np.array([value for (value,) in struct.iter_unpack(form, data)]).reshape(entry["shape"])
        at = end
    assert 8 + length + at == len(raw)
    assert list(header)[-1] == "sha256"
    assert raw[-32:] == hashlib.sha256(raw[:-32]).digest()
    return schema, arrays


def texts(arrays, name):
    offsets, text = arrays[f"{name}.offsets"].astype(int), arrays[f"{name}.text"].astype(np.uint8).tobytes()
    return [text[start:end].decode() for start, end in pairwise(offsets)]


def test_a_reader_that_follows_the_page_finds_the_counts(tmp_path):
    path = tmp_path / "model.suffice"
    MODELS["multinomial"]().save(path)
    schema, arrays = read(path.read_bytes())
    assert texts(arrays, "classes") == ["ham", "news", "spam"]
    assert texts(arrays, "columns") == ["0", "1", "2"]
    by_class = {label: np.array([COUNTS[i] for i in range(6) if TARGET[i] == label]).sum(axis=0) for label in TARGET}
    np.testing.assert_array_equal(
        arrays["blocks.0.counts.values"], [by_class[label] for label in ("ham", "news", "spam")]
    )
    np.testing.assert_array_equal(arrays["tally.weight"], [2, 2, 2])
    np.testing.assert_array_equal(arrays["blocks.0.prior.alpha"], [0.5, 1, 2])
    assert schema["blocks"][0]["likelihood"] == "Multinomial"
    assert schema["blocks"][0]["statistics"] == ["counts", "levels"]


def test_a_reader_that_follows_the_page_finds_the_tokens(tmp_path):
    path = tmp_path / "model.suffice"
    suffice.fit({"body": ["win, win prize", "größe", "win"]}, ["spam", "ham", "spam"], columns=suffice.Words()).save(
        path
    )
    schema, arrays = read(path.read_bytes())
    here = "blocks.0.tokens.0"
    raw = arrays[f"{here}.text"].astype(np.uint8).tobytes()
    words = [raw[start:end].decode() for start, end in pairwise(arrays[f"{here}.ends"])]
    assert words == ["größe", "prize", "win"]
    starts, tokens = arrays[f"{here}.starts"], arrays[f"{here}.tokens"]
    found = {}
    for c, label in enumerate(texts(arrays, "classes")):
        for pair in range(starts[c], starts[c + 1]):
            counts = arrays[f"{here}.counts"][pair], arrays[f"{here}.documents"][pair]
            found[label, words[tokens[pair]]] = tuple(map(float, counts))
    assert found == {("ham", "größe"): (1, 1), ("spam", "prize"): (1, 1), ("spam", "win"): (3, 2)}
    assert arrays[f"{here}.weights"].tolist() == [1, 2]
    assert schema["blocks"][0]["statistics"] == ["tokens"]
    assert schema["blocks"][0]["parameters"]["ngrams"] == [1, 1]


@pytest.mark.parametrize("name", MODELS)
def test_every_key_and_every_array_is_on_the_page(name, tmp_path):
    path = tmp_path / "model.suffice"
    MODELS[name]().save(path)
    schema, arrays = read(path.read_bytes())
    words = {word for array in arrays for word in re.findall(r"[a-z_0-9]+", array) if not word.isdigit()}
    words |= {*schema, *schema["class_prior"], *schema["provenance"]}
    for block in schema["blocks"]:
        words |= {*block, *block["parameters"], *block["statistics"]}
    assert words - ON_PAGE == set()


def test_the_limits_are_those_of_the_page():
    assert f"{container.HEADER_BYTES:,} bytes" in PAGE
    assert f"{container.ENTRIES:,}" in PAGE
    assert f"| `format` | {model.FORMAT} |" in PAGE
    assert PAGE.startswith(f"# The model file, format {model.FORMAT}\n")
