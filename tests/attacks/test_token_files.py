"""Model files whose tokens somebody made or time damaged, with a right checksum: each is refused in words."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from tests.storage.hand_made import Parts

DAMAGED = "The file is damaged: save the model again, or restore the file from a copy."
STATISTICS = "The stored statistics are damaged: write them again."
HERE = "blocks.0.tokens.0"
TEXTS = ["win a prize", "lunch menu, lunch", "größe now"]


def stored(likelihood, tmp_path) -> Parts:
    path = tmp_path / "model.suffice"
    sf.fit({"body": TEXTS}, ["spam", "ham", "ham"], columns=likelihood).save(path)
    return Parts.of(path.read_bytes())


def refused(made: Parts, tmp_path) -> str:
    path = tmp_path / "made.suffice"
    path.write_bytes(made.laid_out().raw())
    with pytest.raises(sf.errors.ModelFileError) as caught:
        sf.load(path)
    return str(caught.value).removeprefix(f"{path}: cannot be loaded: ")


def test_the_names_of_the_arrays_are_those_of_the_format(tmp_path):
    names = ("text", "ends", "starts", "tokens", "counts", "documents", "weights")
    made = stored(sf.Words(), tmp_path)
    assert {name for name in made.data if name.startswith("blocks.0.tokens")} == {f"{HERE}.{name}" for name in names}
    assert made.array(f"{HERE}.text").tobytes() == "größelunchmenunowprizewin".encode()
    assert made.header[f"{HERE}.tokens"]["dtype"] == "I32"
    hashed = stored(sf.Words(hashed=5), tmp_path)
    assert {name for name in hashed.data if name.startswith("blocks.0.tokens")} == {
        f"{HERE}.{name}" for name in names[2:]
    }


CHANGES = {
    "a word that is no UTF-8": (
        "text",
        lambda a: np.where(np.arange(len(a)) == 2, 0xFF, a).astype(np.uint8),
        "must be UTF-8",
    ),
    "words out of order": ("text", lambda a: a[::-1].copy(), "must be UTF-8"),
    "ends that fall": (
        "ends",
        lambda a: a[[0, 2, 1, 3, 4, 5, 6]],
        "the ends of tokens must increase from 0 to the number of bytes, 27.",
    ),
    "ends beyond the text": (
        "ends",
        lambda a: a + (np.arange(len(a)) == 6),
        "the ends of tokens must increase from 0 to",
    ),
    "a token that begins inside a character": (
        "ends",
        lambda a: a + np.array([0, -4, 0, 0, 0, 0, 0]),
        "a token must start at a character boundary.",
    ),
    "the same word twice": ("ends", lambda a: np.array([0, 0, 0, *a[3:]]), "tokens must be sorted and distinct."),
    "no ends at all": ("ends", lambda a: a[:0], "the ends of tokens must increase from 0 to the number of bytes, 27."),
    "starts that fall": (
        "starts",
        lambda a: np.array([0, 9, a[2]]),
        "starts must increase from 0 to the number of pairs, 6: got [0, 9, 6].",
    ),
    "a token beyond the vocabulary": (
        "tokens",
        lambda a: a + (np.arange(len(a)) == 5).astype(np.int32),
        "tokens must be from 0 to 5: got 0 … 6.",
    ),
    "a token below it": (
        "tokens",
        lambda a: a - (np.arange(len(a)) == 0).astype(np.int32),
        "tokens must be from 0 to 5: got -1 … 5.",
    ),
    "tokens that fall": (
        "tokens",
        lambda a: a[[1, 0, 2, 3, 4, 5]],
        "the tokens of a class must increase.",
    ),
    "a count that is none": (
        "counts",
        lambda a: np.where(np.arange(len(a)) == 1, np.nan, a),
        "counts must be finite and ≥ 0",
    ),
    "documents below zero": ("documents", lambda a: -a, "documents must be finite and ≥ 0"),
    "an endless weight": ("weights", lambda a: a + np.inf, "weights must be finite and ≥ 0"),
    "a word that nobody said": ("counts", lambda a: a * 0, None),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_no_statistic_is(what, tmp_path):
    name, change, said = CHANGES[what]
    made = stored(sf.Words(), tmp_path)
    array = made.array(f"{HERE}.{name}")
    made.put(f"{HERE}.{name}", change(array).astype(array.dtype))
    if said is None:
        made.put(f"{HERE}.documents", made.array(f"{HERE}.documents") * 0)
        assert refused(made, tmp_path) == f"{HERE} has tokens without counts. {DAMAGED}"
    else:
        assert said in refused(made, tmp_path)


SHAPES = {
    "starts": "array 'blocks.0.tokens.0.starts' must be int64 of shape (3): got int64 of shape (2).",
    "counts": "array 'blocks.0.tokens.0.counts' must be float64 of shape (6): got float64 of shape (5).",
    "documents": "array 'blocks.0.tokens.0.documents' must be float64 of shape (6): got float64 of shape (5).",
    "weights": "array 'blocks.0.tokens.0.weights' must be float64 of shape (2): got float64 of shape (1).",
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_array_of_another_length(name, tmp_path):
    made = stored(sf.Words(), tmp_path)
    made.put(f"{HERE}.{name}", made.array(f"{HERE}.{name}")[:-1])
    assert refused(made, tmp_path) == f"{SHAPES[name]} {DAMAGED}"


@pytest.mark.parametrize("name", ["text", "ends", "starts", "tokens", "counts", "documents", "weights"])
def test_an_array_that_is_missing(name, tmp_path):
    made = stored(sf.Words(), tmp_path)
    made.drop(f"{HERE}.{name}")
    assert refused(made, tmp_path) == f"the array '{HERE}.{name}' is missing. {DAMAGED}"


def test_hashed_tokens_have_no_words(tmp_path):
    made = stored(sf.Words(hashed=5), tmp_path)
    made.put(f"{HERE}.text", np.zeros(3, dtype=np.uint8))
    assert refused(made, tmp_path) == f"it has an array '{HERE}.text' that its schema does not mention. {DAMAGED}"
    made = stored(sf.Words(hashed=5), tmp_path)
    array = made.array(f"{HERE}.tokens")
    made.put(f"{HERE}.tokens", np.where(array == array.max(), 32, array).astype(np.int32))
    assert "tokens must be from 0 to 31" in refused(made, tmp_path)


PARAMETERS = [
    ("ngrams", [0, 1], "ngrams must be an integer from 1 to 64, or a pair (minimum, maximum): got [0, 1]."),
    ("ngrams", "1", "ngrams must be"),
    ("hashed", 40, "hashed must be an integer from 4 to 30, for 2^hashed columns: got 40."),
    ("model", "gaussian", "model must be"),
    ("tf", None, "tf must be"),
    ("min_df", "all", "min_df must be a finite number ≥ 0: got 'all'."),
    ("max_features", 0, "max_features must be an integer ≥ 1 or None: got 0."),
    ("binary", 1, "binary must be True or False: got 1."),
    ("stop_words", -1, "array 'blocks.0.stop_words.kinds'"),
    ("characters", "abc", "characters must be null or a number of labels: got 'abc'."),
    ("prior", "BetaBinomial", "the array 'blocks.0.prior.a' is missing."),
    ("more", 1, "Words has the unknown parameter 'more'."),
]


@pytest.mark.parametrize(("name", "value", "said"), PARAMETERS)
def test_parameters_that_no_words_have(name, value, said, tmp_path):
    made = stored(sf.Words(), tmp_path)
    schema = made.schema
    (block,) = schema["blocks"]
    block["parameters"][name] = value
    made.schema = schema
    assert said in refused(made, tmp_path)
