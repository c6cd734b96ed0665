"""What text likelihoods take and refuse: every parameter of Words, word for word. Chars shares them: test_chars.py."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.errors import ParameterError

GRAMS = "ngrams must be a number from 1 to 64, or two of them, (from, to): got {}. Give (1, 2) for words and pairs of words."
BAD = [
    ({"ngrams": 0}, GRAMS.format(0)),
    ({"ngrams": (2, 1)}, GRAMS.format("(2, 1)")),
    ({"ngrams": (1, 65)}, GRAMS.format("(1, 65)")),
    ({"ngrams": (1, 2, 3)}, GRAMS.format("(1, 2, 3)")),
    ({"ngrams": 1.5}, GRAMS.format(1.5)),
    ({"ngrams": True}, GRAMS.format(True)),
    ({"ngrams": "12"}, GRAMS.format("'12'")),
    ({"ngrams": None}, GRAMS.format(None)),
    ({"model": "poisson"}, "model must be 'multinomial' or 'bernoulli' or 'complement': got 'poisson'."),
    ({"tf": "sqrt"}, "tf must be 'count' or 'log': got 'sqrt'."),
    ({"accents": True}, "accents must be 'keep' or 'strip': got True."),
    *(
        ({"alpha": bad}, f"alpha must be a finite number > 0: got {bad!r}. Every token has the same.")
        for bad in (0, -1.0, math.inf, math.nan, "1", [1.0, 2.0], True)
    ),
    (
        {"prior": "flat"},
        "prior must be None, 'evidence' or 'evidence by class': got 'flat'. Give alpha= for a pseudo-count.",
    ),
    ({"prior": "evidence", "alpha": 1.0}, "a text has one prior: got prior= and alpha=. Leave one of them out."),
    *(
        ({name: bad}, f"{name} must be a finite number ≥ 0{none}: got {bad!r}.")
        for name, none in (("min_df", ""), ("max_df", " or None"), ("min_count", ""))
        for bad in (-1, math.nan, "2")
    ),
    ({"min_df": None}, "min_df must be a finite number ≥ 0: got None."),
    (
        {"min_df": 1.0},
        "min_df=1.0 would keep the tokens that every document has, and 1 those that one has. "
        "Give 1, or a share below 1.",
    ),
    ({"max_features": 0}, "max_features must be a whole number ≥ 1 or None: got 0."),
    ({"max_features": 1.5}, "max_features must be a whole number ≥ 1 or None: got 1.5."),
    *(({name: 1}, f"{name} must be True or False: got 1.") for name in ("binary", "unit_length", "idf", "lowercase")),
    (
        {"characters": ""},
        "characters must be a text of the characters that tokens are made of: got ''. Give for example '{}[]();'.",
    ),
    (
        {"characters": 7},
        "characters must be a text of the characters that tokens are made of: got 7. Give for example '{}[]();'.",
    ),
    (
        {"characters": "a\ud800"},
        r"characters must be characters: got half a surrogate pair in 'a\ud800', which no text has. Leave it out.",
    ),
    ({"hashed": 3}, "hashed must be from 4 to 30, for 2^hashed columns: got 3. Give 20 for about a million columns."),
    ({"hashed": 31}, "hashed must be from 4 to 30, for 2^hashed columns: got 31. Give 20 for about a million columns."),
    (
        {"hashed": 8.0},
        "hashed must be from 4 to 30, for 2^hashed columns: got 8.0. Give 20 for about a million columns.",
    ),
]
BAD_WORDS = [
    ({"min_length": 0}, "min_length must be a whole number ≥ 1: got 0."),
    ({"min_length": None}, "min_length must be a whole number ≥ 1: got None."),
    ({"max_length": 1}, "max_length must be a whole number ≥ 2 or None: got 1."),
    ({"stop_words": "the"}, "stop_words must be a list of words: got 'the'. Give for example ['the', 'of']."),
    ({"stop_words": 3}, "stop_words must be a list of words: got 3. Give for example ['the', 'of']."),
    ({"stop_words": ["the", 3]}, "stop_words must be words: got 3 among them."),
    ({"stop_words": [""]}, "stop_words must be words: got '' among them."),
    (
        {"stop_words": ["\ud800"]},
        r"stop_words must be characters: got half a surrogate pair in '\ud800', which no text has. Leave it out.",
    ),
]


@pytest.mark.parametrize(("given", "text"), [*BAD, *BAD_WORDS], ids=lambda each: ascii(each)[:60])
def test_what_words_cannot_be(given, text):
    with pytest.raises(ParameterError) as error:
        sf.Words(**given)
    assert str(error.value) == text


def test_what_is_given_has_one_form():
    assert sf.Words(ngrams=2) == sf.Words(ngrams=(2, 2)) == sf.Words(ngrams=[2, 2])
    assert sf.Words(ngrams=np.int64(2)).ngrams == (2, 2)
    assert sf.Words(stop_words=["b", "a", "b"]).stop_words == ("a", "b")
    assert sf.Words(characters="cab") == sf.Words(characters="abcc")
    assert sf.Words(max_df=1.0) == sf.Words()
    assert sf.Words(max_df=1) != sf.Words()
    assert sf.Words(alpha=np.float64(0.5)) == sf.Words(alpha=0.5)
    assert hash(sf.Words(alpha=0.5)) == hash(sf.Words(alpha=0.5))
    assert repr(sf.Words(ngrams=(1, 2), prior="evidence")) == "Words(ngrams=(1, 2), prior='evidence')"
    assert replace(sf.Words(), alpha=2.0).alpha == 2.0
