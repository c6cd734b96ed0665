"""Real documents: the tokens and counts of CountVectorizer, and the log probabilities of scikit-learn's naive Bayes.

The data stays where the environment variable SUFFICE_DATA says (`../shared/data` by default).
"""

from __future__ import annotations

import os
import tarfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import suffice as sf

DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not in {DATA}; SUFFICE_DATA says where it is"),
]


def unpacked(name):
    raw, labels = [], []
    with tarfile.open(DATA / name) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            parts = Path(member.name).parts
            if member.isfile() and len(parts) == 3:
                raw.append(archive.extractfile(member).read())
                labels.append(parts[1])
    return raw, labels


def news():
    return unpacked("20news-bydate-train.tar.gz")


def enron():
    return unpacked("enron1.tar.gz")


def polarity():
    sides = [(DATA / f"rt-polarity.{side}").read_bytes().splitlines() for side in ("pos", "neg")]
    return [*sides[0], *sides[1]], ["pos"] * len(sides[0]) + ["neg"] * len(sides[1])


def sms():
    lines = [line.split(b"\t", 1) for line in (DATA / "sms_spam.tsv").read_bytes().split(b"\n") if line]
    return [text for _, text in lines], [label.decode() for label, _ in lines]


CORPORA = {"news": news, "enron": enron, "polarity": polarity, "sms": sms}


@lru_cache(maxsize=1)
def corpus(name):
    """Return the raw bytes of the documents, the documents as an Arrow column of those very bytes, and their classes."""
    raw, labels = CORPORA[name]()
    assert len(raw) == len(labels) > 5000
    assert name == "sms" or any(_is_broken(text) for text in raw)
    ends = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    # Arrow does not look whether the bytes are UTF-8: some are not.
    column = pa.Array.from_buffers(pa.large_string(), len(raw), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(raw))])
    return raw, pa.chunked_array([column]), labels


def _is_broken(text):
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


SETTINGS = {
    "defaults": (sf.Words(), {}),
    "bigrams": (sf.Words(ngrams=(1, 2)), {"ngram_range": (1, 2)}),
    "char_wb": (sf.Chars(ngrams=(2, 3)), {"analyzer": "char_wb", "ngram_range": (2, 3)}),
    "binary": (sf.Words(binary=True), {"binary": True}),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", CORPORA)
def test_tokens_and_counts_are_those_of_count_vectorizer(name, setting):
    raw, column, labels = corpus(name)
    likelihood, options = SETTINGS[setting]
    vectorizer = CountVectorizer(**options, decode_error="replace")
    matrix = vectorizer.fit_transform(raw)
    classes = sorted(set(labels))
    of_class = sparse.csr_matrix(
        (np.ones(len(labels)), ([classes.index(label) for label in labels], np.arange(len(labels))))
    )
    ((tokens,),) = sf.fit({"text": column}, labels, columns={"text": likelihood}, calibrate=False).core.parts
    assert list(tokens.classes) == classes
    assert list(tokens.vocabulary.words) == vectorizer.get_feature_names_out().tolist()
    # A binary reading counts documents.
    expected = {"documents": of_class @ (matrix > 0)} | ({} if setting == "binary" else {"counts": of_class @ matrix})
    for which, want in expected.items():
        values = getattr(tokens, which)
        found = sparse.csr_matrix((values, tokens.tokens, tokens.starts), shape=(len(classes), tokens.width))
        assert abs(found - want).nnz == 0, which
    assert tokens.weights.tolist() == [labels.count(label) for label in classes]


@pytest.mark.parametrize("name", CORPORA)
def test_log_probabilities_are_those_of_scikit_learn(name):
    raw, column, labels = corpus(name)
    matrix = CountVectorizer(decode_error="replace").fit_transform(raw)
    asked = slice(0, None, 7)
    data = {"text": pa.chunked_array([column.chunk(0).take(pa.array(np.arange(len(raw))[asked]))])}
    for kind, there in (("multinomial", MultinomialNB), ("bernoulli", BernoulliNB), ("complement", ComplementNB)):
        peer = there(alpha=0.5).fit(matrix, labels)
        model = sf.fit(
            {"text": column},
            labels,
            columns={"text": sf.Words(model=kind, alpha=0.5)},
            estimate="mean",
            class_prior="uniform" if kind == "complement" else "empirical",
            calibrate=False,
        )
        prior = -np.log(len(model.classes)) if kind == "complement" else 0.0
        expected = peer.predict_joint_log_proba(matrix[asked]) + prior
        np.testing.assert_allclose(model.log_joint(data), expected, rtol=1e-9, atol=1e-9)
        assert model.predict(data).tolist() == peer.predict(matrix[asked]).tolist()
