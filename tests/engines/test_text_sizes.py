"""Documents of extreme sizes: none, empty, one that is everything, one token; and memory, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice import _core
from suffice.engines.documents import count_tokens
from suffice.likelihoods.block_statistics import Tokenizing
from suffice.statistics import Axis

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")


def counted(texts, tokenizing=None):
    held = _core.documents_of_texts(texts)
    return count_tokens(tokenizing or Tokenizing(), held, np.zeros(len(texts), np.int64), Axis.of(["all"]))


def in_child(script):
    """Return what a script prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_documents_and_empty_ones():
    assert counted([]).weights.tolist() == []
    empty = counted(["", "", None])
    assert empty.weights.tolist() == [2]
    assert empty.width == 0
    model = sf.fit(["", ""], ["a", "b"], columns=sf.Words(), calibrate=False)
    np.testing.assert_allclose(model.predict_proba(["", "anything"]), 0.5)
    assert model.log_evidence() == sf.fit([None, ""], ["a", "b"], columns=sf.Words(), calibrate=False).log_evidence()


@pytest.mark.parametrize("unit", ["words", "chars", "chars in words"])
def test_one_token_of_ten_megabytes(unit):
    size = 10 * MEGABYTE
    if unit == "words":
        found = counted(["Q" * size, "q" * size, "q" * (size - 1)])
        assert np.diff(found.vocabulary.ends).tolist() == [size - 1, size]
        assert found.counts.tolist() == [1, 2]
        model = sf.fit(["Q" * size, "other"], ["long", "short"], columns=sf.Words(), calibrate=False)
        assert model.predict(["q" * size, "other"]).tolist() == ["long", "short"]
    else:
        found = counted(["Q" * size], Tokenizing(unit, (2, 2)))
        expected = {"qq": size - 1} if unit == "chars" else {" q": 1, "q ": 1, "qq": size - 1}
        assert dict(zip(found.vocabulary.words, found.counts.tolist(), strict=True)) == expected


@pytest.mark.slow
@linux
def test_one_document_of_a_hundred_megabytes():
    found = in_child("""
import json
import numpy as np
from benchmarks.memory import risen
from suffice import _core
from suffice.engines.documents import count_tokens
from suffice.likelihoods.block_statistics import Tokenizing
from suffice.statistics import Axis
text = "Some words, Étés et 水火 again. " * 3_000_000
held = _core.documents_of_texts(["warm up", text])
codes, axis, found = np.zeros(2, np.int64), Axis.of(["all"]), []
extra = risen(lambda: found.append(count_tokens(Tokenizing(), held, codes, axis)))
print(json.dumps([len(text.encode()), extra, list(found[0].vocabulary.words), found[0].counts.tolist(), found[0].documents.tolist()]))
""")
    size, extra, words, counts, documents = found
    assert size >= 100 * MEGABYTE
    assert words == ["again", "et", "some", "up", "warm", "words", "étés", "水火"]
    assert counts == [3e6, 3e6, 3e6, 1, 1, 3e6, 3e6, 3e6]
    assert documents == [1] * 8
    assert extra <= 3 * size  # its tokens, which lie in memory that doubles as it grows, and are copied then


@pytest.mark.slow
@linux
def test_ten_million_empty_documents():
    extra, weights, width, posterior = in_child("""
import json
import numpy as np
from benchmarks.memory import risen
import suffice as sf
rows = 10_000_000
texts, labels = [""] * rows, np.arange(rows) % 4
sf.fit(["warm up"] * 4, [0, 1, 2, 3], columns=sf.Words(), calibrate=False).predict_proba(["up"])
found = []
extra = risen(lambda: found.append(sf.fit(texts, labels, columns=sf.Words(), calibrate=False)))
(tokens,), = found[0].core.parts
proba = found[0].predict_proba(texts)
print(json.dumps([extra, tokens.weights.tolist(), tokens.width, [float(proba.min()), float(proba.max())]]))
""")
    assert weights == [2_500_000.0] * 4
    assert width == 0
    assert posterior == [0.25, 0.25]
    # Of each document: a pointer in the array of objects and in two lists of them, where its bytes are (16), its code (8).
    assert extra <= 10_000_000 * (3 * 8 + 16 + 8) * 1.1


@pytest.mark.slow
@linux
def test_twenty_million_pairs_of_classes_and_words_take_less_than_a_gigabyte():
    held, merged, pairs, words, classes, total = in_child("""
import json
import numpy as np
from benchmarks.memory import risen
from suffice.statistics import Axis, Tokens
from suffice.statistics.tokens import tokens_from_valid
from suffice.statistics.tokens import Vocabulary
classes, words, each = 2_000, 500_000, 5_000
axis = Axis.of(range(classes))
vocabulary = Vocabulary.of(f"word{k:06}" for k in range(words))

def half(first):
    # 5,000 words a class, every hundredth from another start: those of the other half lie between them.
    tokens = (np.arange(0, words, words // each, dtype=np.int32)[None, :] + ((np.arange(classes) * 2 + first) % 100)[:, None])
    ones = np.ones(tokens.size)
    starts = np.arange(classes + 1, dtype=np.int64) * each
    return tokens_from_valid(axis, vocabulary, starts, tokens.astype(np.int32).ravel(), ones, ones.copy(), np.full(classes, 9.0))

kept = []
first = risen(lambda: kept.append(half(0)))
second = half(1)
merged = risen(lambda: kept.append(kept[0] + second))
both = kept[1]
size = sum(array.nbytes for array in both.to_arrays().values())
print(json.dumps([size, merged, len(both.tokens), both.width, len(both.classes), float(both.counts.sum())]))
""")
    assert (pairs, words, classes, total) == (20_000_000, 500_000, 2_000, 20_000_000)
    assert held < 1000 * MEGABYTE
    assert merged < 1000 * MEGABYTE
