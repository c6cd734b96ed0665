"""Documents drawn from Words, and operations that text models do not support."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError
from tests.likelihoods.test_words import ROWS, fitted


class TestSample:
    def test_words_are_drawn_with_their_probabilities(self):
        model = fitted(ROWS, sf.Words(), "mean")
        drawn = model.sample(300, seed=1, classes="spam", length=40)
        theta = {p.level: p.value for p in model.parameters() if p.label == "spam" and p.column == "text"}
        words = " ".join(drawn.data["text"]).split(" ")
        assert len(words) == 300 * 40
        for word, share in theta.items():
            deviation = math.sqrt(share * (1 - share) / len(words))
            assert abs(words.count(word) / len(words) - share) < 5 * deviation, word
        assert set(drawn.target) == {"spam"}

    def test_each_document_has_parameters_of_its_own_where_they_are_integrated_out(self):
        # Pólya: the count of a word in n draws varies by n θ(1 − θ)(n + A)/(1 + A), not by n θ(1 − θ).
        rows = [("a", "aa bb", 1.0)]
        counts = [
            text.split(" ").count("aa")
            for text in fitted(rows, sf.Words()).sample(4000, seed=2, length=20).data["text"]
        ]
        expected = 20 * 0.25 * (20 + 4) / (1 + 4)
        assert abs(np.var(counts) - expected) < 0.1 * expected

    def test_presence_of_each_word_by_itself(self):
        model = fitted(ROWS, sf.Words(model="bernoulli"), "mean")
        texts = model.sample(2000, seed=3, classes="ham").data["text"]
        for each in model.parameters():
            if each.label == "ham" and each.column == "text":
                share = np.mean([each.level in text.split(" ") for text in texts])
                assert abs(share - each.value) < 5 * math.sqrt(each.value * (1 - each.value) / 2000), each.level

    def test_lengths_are_those_of_the_class(self):
        texts = fitted(ROWS, sf.Words()).sample(5, seed=1, classes="ham").data["text"]
        assert {len(text.split(" ")) for text in texts} == {6}  # 7 and 5 words
        assert fitted([("a", "", 1.0)], sf.Words()).sample(2, seed=1).data["text"].tolist() == ["", ""]

    def test_the_same_seed_gives_the_same_documents(self):
        model = fitted(ROWS, sf.Words())
        one, two, three = (model.sample(6, seed=s, posterior=True).data["text"].tolist() for s in (1, 1, 2))
        assert one == two != three

    def test_invalid_draws(self):
        for likelihood in (sf.Words(ngrams=(1, 2)), sf.Words(hashed=8), sf.Chars()):
            text = (
                f"{likelihood!r} cannot sample documents: its tokens are not single words. Use Words() to sample text."
            )
            with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
                fitted(ROWS, likelihood).sample(1)
        text = "Words(model='complement') has no distribution to draw from. Use model='multinomial'."
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
            fitted(ROWS, sf.Words(model="complement")).sample(1)


class TestFailures:
    @pytest.mark.parametrize(
        "likelihood", [sf.Words(model="complement"), sf.Words(tf="log"), sf.Words(idf=True)], ids=repr
    )
    def test_no_evidence(self, likelihood):
        text = (
            f"{likelihood!r} has no marginal likelihood: its scores do not define a distribution. "
            'Use model="multinomial" or "bernoulli", tf="count", unit_length=False and idf=False.'
        )
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
            fitted(ROWS, likelihood).log_evidence()

    def test_presence_has_evidence_however_occurrences_count(self):
        expected = fitted(ROWS, sf.Words(model="bernoulli")).log_evidence()
        assert fitted(ROWS, sf.Words(model="bernoulli", tf="log", unit_length=True)).log_evidence() == expected

    def test_tokens_that_were_not_collected(self):
        model = fitted(ROWS, sf.Words())
        text = (
            "the statistics of column 'text', collected for Words(), do not suffice for Words(ngrams=(1, 2)). "
            "Fit the model again with it."
        )
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
            model.with_options(priors={"text": sf.Words(ngrams=(1, 2))})

    def test_numbers_are_no_text(self):
        text = "column 'text': must be text: "
        with pytest.raises(DataError, match=f"^{re.escape(text)}"):
            sf.fit({"text": [1.5, 2.5]}, ["a", "b"], columns={"text": sf.Words()}, calibrate=False)
        model = fitted(ROWS, sf.Words())
        with pytest.raises(DataError, match=f"^{re.escape(text)}"):
            model.predict({"text": [1.5]})


def test_a_minimum_length_beyond_every_word_keeps_no_token():
    model = sf.fit(["win win", "lunch"], ["spam", "ham"], columns=sf.Words(min_length=2**40), calibrate=False)
    assert model.predict_proba(["win"]).tolist() == [[0.5, 0.5]]
