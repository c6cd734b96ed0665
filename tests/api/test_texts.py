"""Text through the public model: folders, updates, collectors, readings, draws, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError

TEXTS = [
    "Win a prize now, win CASH",
    "Lunch now? The meeting is over",
    "Claim the prize: cash prize",
    "meeting notes, and the lunch menu",
    "notes of the meeting",
]
LABELS = ["spam", "ham", "spam", "ham", "ham"]
COMPLEMENT = sf.Words(model="complement", alpha=0.5)


@pytest.fixture
def mail(tmp_path, monkeypatch):
    """A folder of texts, each class in a folder of its own, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for at, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)):
        Path("mail", label).mkdir(parents=True, exist_ok=True)
        Path("mail", label, f"{at}.txt").write_text(text, encoding="utf-8")
    return "mail"


def test_a_folder_is_the_texts_in_it(mail):
    model = sf.fit(mail, calibrate=False)
    assert model == sf.fit({"text": TEXTS}, LABELS, columns=sf.Words(prior="evidence"), calibrate=False)
    assert model.provenance.sources == ("mail",)
    assert model.provenance.target == "folder"
    order = [1, 3, 4, 0, 2]  # class by class, each in the order of its names
    np.testing.assert_array_equal(model.predict_proba(mail), model.predict_proba({"text": [TEXTS[at] for at in order]}))
    assert model.predict(mail).tolist() == ["ham", "ham", "ham", "spam", "spam"]


def test_a_folder_with_a_likelihood_of_its_own(mail):
    same = sf.fit({"text": TEXTS}, LABELS, columns=sf.Words(ngrams=(1, 2)), calibrate=False)
    assert sf.fit(mail, columns=sf.Words(ngrams=(1, 2)), calibrate=False) == same
    assert sf.fit(mail, columns={"text": sf.Words(ngrams=(1, 2))}, calibrate=False) == same
    assert sf.fit(Path(mail), "folder", columns={"t*": sf.Words(ngrams=(1, 2))}, calibrate=False) == same


def test_few_and_short_texts_in_a_folder_are_texts_all_the_same(tmp_path):
    for label, text in (("a", "x"), ("b", "yes no")):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1").write_text(text, encoding="utf-8")
    assert sf.fit(tmp_path, calibrate=False).schema.blocks[0].likelihood == sf.Words(prior="evidence")


def test_a_folder_updates_and_is_forgotten(mail):
    model = sf.fit(mail, calibrate=False)
    assert model.update(mail).forget(mail) == model
    assert model.update(mail) == model + model
    fresh = sf.fit(
        {"text": TEXTS[:1]}, LABELS[:1], columns=sf.Words(prior="evidence"), calibrate=False
    )  # which knows no name of a target
    assert fresh.provenance.target is None
    with pytest.warns(sf.errors.UnseenClassesWarning, match="'ham'"):
        assert fresh.update(mail) == fresh + model
    assert sf.fit(mail, like=fresh, calibrate=False) == model


def test_documents_are_forgotten_one_by_one():
    for likelihood in (sf.Words(), sf.Chars(), sf.Words(hashed=8), sf.Words(tf="log"), COMPLEMENT):
        model = sf.fit(TEXTS, LABELS, columns=likelihood, calibrate=False)
        without = model.forget(TEXTS[2:3], LABELS[2:3])
        again = sf.fit(TEXTS[:2] + TEXTS[3:], LABELS[:2] + LABELS[3:], columns=likelihood, calibrate=False)
        if likelihood.tf == "count":
            assert without == again
        np.testing.assert_allclose(without.log_joint(TEXTS), again.log_joint(TEXTS), rtol=1e-12)
        assert again.update(TEXTS[2:3], LABELS[2:3]).core.tally == model.core.tally


def test_text_in_a_frame_beside_other_columns(tmp_path):
    frame = pl.DataFrame({"body": TEXTS, "hour": [9, 12, 23, 12, 10], "label": LABELS})
    columns = {"body": sf.Words(ngrams=(1, 2)), "hour": sf.Gaussian()}
    model = sf.fit(frame, "label", columns=columns, calibrate=False)
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_parquet(tmp_path / "rows.parquet")
    for path in ("rows.csv", "rows.parquet"):
        assert sf.fit(tmp_path / path, "label", columns=columns, calibrate=False) == model
    text, hour = (
        sf.fit({"body": TEXTS}, LABELS, columns=columns["body"], calibrate=False),
        sf.fit({"hour": frame["hour"]}, LABELS, columns=sf.Gaussian(), calibrate=False),
    )
    prior = np.log([3 / 5, 2 / 5])
    together = text.log_joint({"body": TEXTS}) + hour.log_joint({"hour": frame["hour"]}) - prior
    np.testing.assert_allclose(model.log_joint(frame), together, rtol=1e-12)


def test_a_collector_learns_text_row_by_row():
    whole = sf.fit(
        {"body": TEXTS, "hour": [9, 12, 23, 12, 10]},
        LABELS,
        columns={"body": sf.Words(), "hour": sf.Categorical()},
        calibrate=False,
    )
    collector = sf.Collector({"body": sf.Words(), "hour": sf.Categorical()})
    for text, hour, label in zip(TEXTS, [9, 12, 23, 12, 10], LABELS, strict=True):
        collector.add_row({"body": text, "hour": hour}, label)
    assert collector.model() == whole
    collector.forget([{"body": TEXTS[0], "hour": 9}], LABELS[:1])
    assert collector.model() == whole.forget({"body": TEXTS[:1], "hour": [9]}, LABELS[:1])


def test_a_collector_takes_batches_of_texts():
    collector = sf.Collector(sf.Words())
    collector.add(TEXTS[:3], LABELS[:3])
    collector.add(TEXTS[3:], LABELS[3:])
    assert collector.model() == sf.fit(TEXTS, LABELS, columns=sf.Words(), calibrate=False)
    many = sf.Collector(like=collector.model())
    many.add(TEXTS * 200, LABELS * 200)
    assert many.model() == sf.fit(TEXTS * 200, LABELS * 200, columns=sf.Words(), calibrate=False)


def test_a_collector_names_the_row_that_holds_no_text():
    collector = sf.Collector({"body": sf.Words()})
    collector.add_row({"body": "win"}, "spam")
    collector.add_row({"body": b"bytes"}, "spam")
    collector.add_row({"body": "lunch"}, "ham")
    with pytest.raises(DataError) as said:
        collector.model()
    assert (said.value.row, said.value.column, said.value.got) == (1, "body", b"bytes")
    assert "The row was dropped; all other rows were kept." in str(said.value)
    assert collector.model() == sf.fit(
        {"body": ["win", "lunch"]}, ["spam", "ham"], columns={"body": sf.Words()}, calibrate=False
    )


def test_the_model_says_how_many_tokens_it_reads():
    model = sf.fit([f"word{at} other{at}" for at in range(600)], ["a", "b"] * 300, columns=sf.Words(), calibrate=False)
    assert model.selected_forms == {0: "1,200 tokens"}
    assert "    modelled as 1,200 tokens: 0" in repr(model).splitlines()
    assert model.with_options(priors={0: sf.Words(max_features=7)}).selected_forms == {0: "7 of 1,200 tokens"}
    assert sf.fit(["aa", "aa"], ["a", "b"], columns=sf.Words(), calibrate=False).selected_forms == {0: "1 token"}
    chosen = sf.fit(TEXTS, LABELS, columns=sf.Words(prior="evidence"), calibrate=False)
    assert chosen.selected_forms[0].startswith("14 tokens, alpha ")
    assert "    modelled as 14 tokens: 0" in repr(chosen).splitlines()
    hashed = sf.fit(TEXTS, LABELS, columns=sf.Words(hashed=10), calibrate=False)
    assert hashed.selected_forms[0].endswith(" of 1,024 columns")


def test_the_complement_has_scores_and_no_density():
    model = sf.fit(TEXTS, LABELS, columns=COMPLEMENT, calibrate=False)
    assert np.isfinite(model.log_joint(TEXTS)).all()
    assert model.predict(TEXTS).tolist() == LABELS
    with pytest.raises(ParameterError) as said:
        model.log_density(TEXTS)
    assert str(said.value) == (
        "log p(x) does not exist: the scores of column 0 are not log-likelihoods. Use "
        "model.predict_proba(...), or fit the column with the text model multinomial or bernoulli."
    )
    beside = sf.fit(
        {"body": TEXTS, "hour": [1, 2, 3, 4, 5]},
        LABELS,
        columns={"body": COMPLEMENT, "hour": sf.Gaussian()},
        calibrate=False,
    )
    with pytest.raises(ParameterError, match="the scores of column 'body' are not log-likelihoods"):
        beside.log_density({"body": TEXTS, "hour": [1, 2, 3, 4, 5]})
    with pytest.raises(ParameterError, match="has no marginal likelihood"):
        model.log_evidence()


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("estimate", ["mean", "predictive", "mle"])
def test_the_density_of_other_readings_is_the_sum_over_classes(model, estimate):
    read = sf.fit(TEXTS, LABELS, columns=sf.Words(model=model), calibrate=False).with_options(estimate=estimate)
    joint = read.log_joint(TEXTS)
    np.testing.assert_allclose(read.log_density(TEXTS), np.logaddexp.reduce(joint, axis=1), rtol=1e-12)


def test_show_prints_words_with_their_counts():
    model = sf.fit(TEXTS, LABELS, columns=sf.Words(alpha=1.0), calibrate=False).with_options(estimate="mean")
    shown = model.show(1)
    assert [row.token for row in shown.words["spam"]] == ["prize"]
    ham, spam, words = 6 + 6 + 4, 5 + 5, 14  # words of two letters or more
    assert repr(shown).splitlines() == [
        "average evidence of a cell, in nats",
        f"  0: {shown.columns[0].evidence:.3g}",
        "'ham'",
        f"  {np.log((3 + 1) / (ham + words) * (spam + words)):+.3g}  meeting: 3 times in the class, 0 in the others",
        "'spam'",
        f"  {np.log((3 + 1) / (spam + words) * (ham + words)):+.3g}  prize: 3 times in the class, 0 in the others",
    ]


def test_show_prints_levels_and_columns_of_counts_too():
    model = sf.fit(
        {"fur": ["black", "orange", "orange"], "n": [1, 2, 3]},
        [0, 1, 1],
        columns={"fur": sf.Categorical(), "n": sf.Multinomial()},
        calibrate=False,
    )
    lines = repr(model.with_options(estimate="mean").show(3)).splitlines()
    assert "  -0.981  fur = black: 0.25 in the class, 0.667 in the others" in lines
    assert any(line.endswith("n: 1 in the class, 1 in the others") for line in lines)


def test_show_of_many_classes_and_of_one():
    many = sf.fit([f"word{at}" for at in range(13)], list(range(13)), columns=sf.Words(), calibrate=False)
    assert repr(many.show(1)).splitlines()[-1] == "… 13 classes in all"
    assert len(many.show(1).words) == 13
    one = sf.fit(TEXTS, ["a"] * 5, columns=sf.Words(), calibrate=False)
    assert repr(one.show()) == "no evidence: the model has fewer than two classes, or no columns"
    with pytest.raises(ParameterError) as said:
        one.show(0)
    assert str(said.value) == "top must be a whole number ≥ 1: got 0. Give an int."


def test_texts_drawn_are_texts_that_the_model_takes_back():
    model = sf.fit(TEXTS, LABELS, columns=sf.Words(), calibrate=False).with_options(estimate="mean")
    data, target = model.sample(2000, seed=3)
    words = set(model.core.parts[0][0].vocabulary.words)
    assert set(" ".join(data[0]).split()) <= words
    again = sf.fit(data, target, columns=sf.Words(), calibrate=False)
    theta = {(p.label, p.level): p.value for p in model.parameters() if p.level}
    drawn = {(p.label, p.level): p.value for p in again.with_options(estimate="mle").parameters() if p.level}
    assert max(abs(theta[key] - drawn[key]) for key in theta) < 0.02
    assert model.predict(data).shape == (2000,)


def test_the_length_of_texts_is_the_number_of_words():
    model = sf.fit({"body": TEXTS}, LABELS, columns=sf.Words(), calibrate=False)
    data, _ = model.sample(5, seed=1, length=[0, 1, 2, 3, 9])
    assert [len(text.split()) for text in data["body"]] == [0, 1, 2, 3, 9]


def test_a_class_is_asked_for_where_nobody_says_it(mail):
    said = "the target is missing. Give target=: an array, or the name of a column."
    for call in (
        lambda: sf.fit(TEXTS, calibrate=False),
        lambda: sf.fit(TEXTS, like=sf.fit(TEXTS, LABELS, columns=sf.Words(), calibrate=False), calibrate=False),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value) == said
    Path("loose").mkdir()
    Path("loose", "a").write_text("win", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        sf.fit("loose", calibrate=False)
    assert str(caught.value) == (
        "the target column of loose is not given. Give target=: its name or its position, −1 for the last. "
        "Documents need none if each class has its own subdirectory."
    )
    assert sf.fit(mail, calibrate=False).predict("loose").tolist() == ["spam"]


def test_a_folder_in_another_encoding(tmp_path):
    for label in ("a", "b"):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1").write_bytes(f"größe {label}{label}".encode("latin-1"))
    model = sf.fit(sf.Files(tmp_path, encoding="latin-1"), calibrate=False)
    assert model.core.parts[0][0].vocabulary.words == ("aa", "bb", "größe")
    assert model.update(tmp_path).core.parts[0][0].vocabulary.words == ("aa", "bb", "größe")  # as it remembers


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement"])
def test_a_text_that_is_missing_or_has_no_known_word_keeps_the_class_prior(model, estimate):
    texts = {"body": ["win a prize", "lunch meeting", "cash prize", "notes of lunch", "win"]}
    fitted = sf.fit(texts, list("shshs"), columns={"body": sf.Words(model=model)}, estimate=estimate, calibrate=False)
    prior = [[2 / 5, 3 / 5]]
    np.testing.assert_allclose(fitted.predict_proba({"body": [None]}), prior)
    if model != "bernoulli":  # for which a word that is absent is evidence
        for text in ("", "zzz yyy"):
            np.testing.assert_allclose(fitted.predict_proba({"body": [text]}), prior)
    for data in ([None], ["", "zzz"]):
        (said, *_) = fitted.explain({"body": data})
        assert not np.isnan(said.score)
