"""Text in the terminal: fitted from a table and from a folder, read otherwise, shown, changed, drawn, refused in words."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import suffice as sf
from tests.api.test_worked_numbers import C_ROWS, PYTHON_ROWS, SYMBOLS, THETA_C, THETA_PYTHON, B, source_code
from tests.cli.conftest import MAIL, read_rows
from tests.cli.test_commands import the_object

LABELS = [label for label, _ in MAIL]
BODIES = [body for _, body in MAIL]


def test_words_of_a_column_are_the_words_of_python(folder, run):
    done = run("fit", "mail.csv", "-t", "label", "-o", "m.suffice", "-c", "body=Words(ngrams=(1, 2), min_df=2)")
    assert (done.exit_code, done.stderr) == (0, "")
    likelihood = sf.Words(ngrams=(1, 2), min_df=2)
    assert sf.load("m.suffice") == sf.fit("mail.csv", "label", columns={"body": likelihood})
    kept, found = (len(CountVectorizer(ngram_range=(1, 2), min_df=least).fit(BODIES).vocabulary_) for least in (2, 1))
    assert ["body", repr(likelihood), f"{kept} of {found} tokens"] in [
        [word.strip() for word in line.split("  ") if word.strip()] for line in done.stdout.splitlines()
    ]


def test_a_small_table_of_mails_is_text(folder, run):
    assert run("fit", "mail.csv", "-t", "label", "-o", "m.suffice").exit_code == 0
    assert [repr(block) for block in sf.load("m.suffice").schema.blocks] == ["'body': Words(prior='evidence')"]
    (folder / "new.csv").write_text("body\nthe cash prize\nlunch notes\n", encoding="utf-8")
    assert run("predict", "m.suffice", "new.csv", "-o", "out.csv").exit_code == 0
    assert [row["predicted"] for row in read_rows(folder / "out.csv")] == ["spam", "ham"]


def test_a_beta_prior_of_words_is_given_shown_and_stored(folder, run):
    said = 'body=Words(model="bernoulli", prior=BetaBinomial(2, 5))'
    assert run("fit", "mail.csv", "-t", "label", "-o", "m.suffice", "--column", said).exit_code == 0
    likelihood = sf.Words(model="bernoulli", prior=sf.BetaBinomial(2, 5))
    assert sf.load("m.suffice") == sf.fit("mail.csv", "label", columns={"body": likelihood})
    assert repr(likelihood) in run("show", "m.suffice").stdout
    done = run("fit", "mail.csv", "-t", "label", "-o", "n.suffice", "--column", "body=Words(prior=BetaBinomial(2, 5))")
    assert done.exit_code == 2
    assert "model='bernoulli'" in done.stderr


def test_c_or_python_from_a_folder_of_sources_by_seven_symbols(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for language, rows in (("C", C_ROWS), ("Python", PYTHON_ROWS)):
        (tmp_path / "langs" / language).mkdir(parents=True)
        for number, counts in enumerate(rows):
            path = tmp_path / "langs" / language / f"{number}.txt"
            path.write_text(source_code(counts, number), encoding="utf-8")
    column = f"text=Chars(ngrams=1, across=True, characters={SYMBOLS})"
    options = ["--column", column, "--estimate", "mle", "--class-prior", "uniform", "--no-calibrate"]
    assert run("fit", "langs", "-o", "m.suffice", *options).exit_code == 0
    assert run("export", "m.suffice", "--to", "csv", "-o", "m.csv").exit_code == 0
    theta = {(row["class"], row["level"]): float(row["value"]) for row in read_rows(tmp_path / "m.csv")}
    assert [round(theta["C", symbol], 3) for symbol in SYMBOLS] == THETA_C
    assert [round(theta["Python", symbol], 3) for symbol in SYMBOLS] == THETA_PYTHON
    shown = the_object(run("show", "m.suffice", "--json"))["word_evidence"]
    b = {row["token"]: row["evidence"] * (1 if row["label"] == "C" else -1) for row in shown}
    assert [round(b[symbol], 3) for symbol in SYMBOLS] == B
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "a.c").write_text("f(x) { return g(y); }", encoding="utf-8")
    told = json.loads(run("explain", "m.suffice", "new", "--row", "0", "--class", "C", "--json").stdout)
    assert {entry["value"] for entry in told["entries"]} == {"()", "{}", ";"}


def test_a_folder_of_texts_needs_no_target(folder, run):
    found = the_object(run("fit", "mail/", "-o", "m.suffice", "--json"))
    assert found["rows"] == 5
    assert [each["label"] for each in found["classes"]] == ["ham", "spam"]
    assert found["files"] == ["5 documents, one per file, in 2 folders (the classes)"]
    assert found["columns"] == [
        {"name": "text", "likelihood": "Words(prior='evidence')", "details": found["columns"][0]["details"]}
    ]
    same = sf.fit({"text": BODIES}, LABELS, columns=sf.Words(prior="evidence"))
    assert sf.load("m.suffice") == same
    assert sf.load("m.suffice").provenance.sources == ("mail/",)


def test_the_next_step_after_a_folder_is_a_folder(folder, run):
    done = run("fit", "mail", "-o", "m.suffice")
    assert done.stdout.splitlines()[-2:] == ["next: suffice predict m.suffice NEW/", "      suffice show m.suffice"]


def test_predictions_of_a_folder_have_the_path_of_each_text(folder, run):
    assert run("predict", "mail.suffice", "mail", "-o", "out.csv", "--proba", "--keep", "folder").exit_code == 0
    rows = read_rows(folder / "out.csv")
    assert list(rows[0]) == ["path", "folder", "predicted", "p(ham)", "p(spam)"]
    assert [row["path"] for row in rows] == [f"mail/{p}" for p in ("ham/1.txt", "ham/3.txt", "ham/4.txt")] + [
        "mail/spam/0.txt",
        "mail/spam/2.txt",
    ]
    assert [row["predicted"] for row in rows] == [row["folder"] for row in rows]


def test_predictions_of_texts_that_lie_in_no_folder_of_a_class(folder, run):
    (folder / "new").mkdir()
    (folder / "new" / "b").write_text("cash prize", encoding="utf-8")
    (folder / "new" / "a.eml").write_text("lunch meeting", encoding="utf-8")
    (folder / "new" / ".hidden").write_text("cash", encoding="utf-8")
    expected = [("new/a.eml", "ham"), ("new/b", "spam")]
    for given in (["new"], ["new/a.eml", "new/b", "--format", "texts"], ["new/*", "--format", "texts"]):
        assert run("predict", "mail.suffice", *given, "-o", "out.csv").exit_code == 0
        assert [(row["path"], row["predicted"]) for row in read_rows(folder / "out.csv")] == expected


def test_a_model_of_a_table_predicts_a_folder_by_place(folder, run):
    rows = [(body, label) for label, body in MAIL]
    with (folder / "plain.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    words = ["--no-header", "-t", "1", "-c", "0=words", "-o", "m.suffice"]
    assert run("fit", "plain.csv", *words).exit_code == 0
    assert run("predict", "m.suffice", "mail", "-o", "out.csv").exit_code == 0
    assert [row["predicted"] for row in read_rows(folder / "out.csv")] == ["ham"] * 3 + ["spam"] * 2


def test_updating_with_a_folder_and_forgetting_it_again(folder, run):
    before = sf.load("mail.suffice")
    (folder / "more" / "news").mkdir(parents=True)
    (folder / "more" / "news" / "1").write_text("elections today", encoding="utf-8")
    assert run("update", "mail.suffice", "more").exit_code == 0
    after = sf.load("mail.suffice")
    assert after.classes == ("ham", "news", "spam")
    with pytest.warns(sf.errors.UnseenClassesWarning):
        assert after == before.update({"text": ["elections today"]}, ["news"])
    assert run("forget", "mail.suffice", "more").exit_code == 0
    assert sf.load("mail.suffice") == before


def test_forgetting_a_text_that_was_never_seen_is_an_error(folder, run):
    (folder / "more" / "ham").mkdir(parents=True)
    (folder / "more" / "ham" / "1").write_text("prize", encoding="utf-8")
    raw = (folder / "mail.suffice").read_bytes()
    done = run("forget", "mail.suffice", "more")
    assert done.exit_code == 1
    assert "class 'ham', token 'prize'" in done.stderr
    assert (folder / "mail.suffice").read_bytes() == raw


def test_shards_of_a_folder_merge_into_the_whole(folder, run):
    (folder / "part").mkdir()
    (folder / "mail" / "spam").rename(folder / "part" / "spam")
    for part in ("mail", "part"):
        assert run("fit", part, "--schema", "mail.suffice", "-o", f"{part}.part.suffice").exit_code == 0
    assert run("merge", "mail.part.suffice", "part.part.suffice", "-o", "both.suffice").exit_code == 0
    assert sf.load("both.suffice") == sf.load("mail.suffice")


@pytest.mark.parametrize(
    ("said", "likelihood"),
    [
        ("Words(model='complement', alpha=0.1)", sf.Words(model="complement", alpha=0.1)),
        ("Words(model='bernoulli', min_df=2)", sf.Words(model="bernoulli", min_df=2)),
        (
            "Words(model='bernoulli', prior=BetaBinomial(2, 5))",
            sf.Words(model="bernoulli", prior=sf.BetaBinomial(2, 5)),
        ),
        ("Words(idf=True, max_features=5)", sf.Words(idf=True, max_features=5)),
    ],
)
def test_text_is_read_otherwise_without_the_texts(said, likelihood, folder, run):
    found = the_object(run("set", "mail.suffice", "--prior", f"text={said}", "-o", "other.suffice", "--json"))
    other = sf.load("other.suffice")
    fresh = sf.fit("mail", columns={"text": likelihood})
    assert other == fresh
    np.testing.assert_array_equal(other.predict_proba("mail"), fresh.predict_proba("mail"))
    if likelihood.model == "bernoulli":
        assert found["log_evidence"] == pytest.approx(fresh.log_evidence())
    else:
        assert found["log_evidence"] is None


def test_text_that_was_cut_otherwise_is_not_read_so(folder, run):
    done = run("set", "mail.suffice", "--prior", "text=Words(ngrams=2)", "-o", "other.suffice")
    assert done.exit_code == 1
    assert done.stderr == (
        "suffice: the statistics of column 'text', collected for Words(prior='evidence'), do not suffice for "
        "Words(ngrams=(2, 2)). Fit the model again with it.\n"
    )


def test_show_lists_the_words_that_speak_for_each_class(folder, run):
    done = run("show", "mail.suffice", "--top", "2")
    assert (done.exit_code, done.stderr) == (0, "")
    text = done.stdout.splitlines()
    lines = [line.split() for line in text]
    at = text.index("words that favour spam (occurrences, evidence of each occurrence)")
    assert lines[at + 1] == ["word", "in", "spam", "in", "others", "nats"]
    assert lines[at + 2][:3] == ["prize", "3", "0"]
    assert lines[at + 3][0] in ("cash", "win")
    assert float(lines[at + 2][3]) > 0
    at = text.index("words that favour ham (occurrences, evidence of each occurrence)")
    assert lines[at + 2][:3] == ["meeting", "3", "0"]


def test_show_for_scripts_has_the_same_words_as_python(folder, run):
    found = the_object(run("show", "mail.suffice", "--top", "3", "--json"))
    shown = sf.load("mail.suffice").show(3)
    words = [json.loads(json.dumps(row._asdict())) for rows in shown.words.values() for row in rows]
    assert found["word_evidence"] == words
    assert len(words) == 6
    assert found["value_evidence"] == []
    assert found["informative_columns"] == [{"column": "text", "nats": shown.columns[0].evidence, "bits": None}]


def test_show_of_one_column_of_text_lists_words_and_not_every_parameter(folder, run):
    done = run("show", "mail.suffice", "--column", "text", "--top", "1")
    assert done.exit_code == 0
    assert "probability" not in done.stdout
    assert "prize" in done.stdout
    found = the_object(run("show", "mail.suffice", "--column", "text", "--top", "1", "--json"))
    assert found["parameters"] == []
    assert [row["token"] for row in found["word_evidence"]] == ["meeting", "prize"]


def test_show_of_a_column_beside_text_has_its_parameters(folder, run):
    rows = [{"label": label, "body": body, "hour": at % 3} for at, (label, body) in enumerate(MAIL)]
    model = sf.fit(rows, "label", columns={"body": sf.Words(), "hour": sf.Categorical()})
    model.save("both.suffice")
    found = the_object(run("show", "both.suffice", "--column", "hour", "--json"))
    assert [row["column"] for row in found["parameters"]] == ["hour"] * 6
    assert found["word_evidence"] == []


def test_a_token_with_a_space_is_shown_as_it_is(folder, run):
    sf.fit(BODIES, LABELS, columns=sf.Chars(ngrams=2)).save("c.suffice")
    done = run("show", "c.suffice", "--top", "8")
    assert done.exit_code == 0
    assert any(
        line.split("  ")[1].strip() in ("'m '", "' m'", "' p'", "'e '")
        for line in done.stdout.splitlines()
        if "'" in line
    )


@pytest.mark.parametrize("at_once", [7, 10_000])
def test_export_has_every_word_of_every_class(at_once, folder, run, monkeypatch):
    monkeypatch.setattr("suffice.cli.export._AT_ONCE", at_once)
    assert run("export", "mail.suffice", "--to", "csv", "-o", "p.csv").exit_code == 0
    model = sf.load("mail.suffice")
    rows = [row for row in read_rows(folder / "p.csv") if row["column"] == "text"]
    assert [(row["class"], row["level"]) for row in rows] == [
        (label, word) for label in model.classes for word in model.core.parts[0][0].vocabulary.words
    ]
    assert sum(float(row["value"]) for row in rows if row["class"] == "ham") == pytest.approx(1)
    said = the_object(run("export", "mail.suffice", "--to", "json", "-o", "p.json", "--json"))
    assert said["parameters"] == len(rows) + 2  # and the prior of both classes
    record = json.loads((folder / "p.json").read_text(encoding="utf-8"))
    assert [row["level"] for row in record["parameters"] if row["column"] == "text"] == [row["level"] for row in rows]
    assert run("export", "mail.suffice", "--to", "csv").stdout == (folder / "p.csv").read_text(encoding="utf-8")


def test_sample_writes_texts_of_words_that_were_seen(folder, run):
    assert run("sample", "mail.suffice", "-n", "4", "--seed", "1", "--class", "spam", "-o", "rows.csv").exit_code == 0
    rows = read_rows(folder / "rows.csv")
    assert [row["folder"] for row in rows] == ["spam"] * 4
    words = set(sf.load("mail.suffice").core.parts[0][0].vocabulary.words)
    assert all(set(row["text"].split()) <= words and row["text"] for row in rows)


FAILURES = [
    (
        ["fit", "mail", "-t", "label", "-o", "m.suffice"],
        "target column 'label' is not in mail. The columns are 'text', 'path', 'folder'.",
    ),
    (
        ["fit", "loose", "-o", "m.suffice"],
        "the target column of loose is not given. Give --target: its name or its position, −1 for the last. Documents "
        "need none if each class has its own subdirectory.",
    ),
    (
        ["fit", "empty", "-o", "m.suffice"],
        "empty contains no table (.csv, .ndjson, .parquet, .xlsx, …), and no subdirectories of texts.",
    ),
    (
        ["fit", "deep", "-o", "m.suffice"],
        "deep contains no table; deep/day/rows.csv is in a subdirectory. Give its directory or a pattern; if "
        "every file is "
        "a document, use --format texts.",
    ),
    (
        ["predict", "comp.suffice", "mail", "--log-density"],
        "log p(x) does not exist: the scores of column 'text' are not log-likelihoods. Use "
        "`suffice predict --proba`, or fit the column with the text model multinomial or bernoulli.",
    ),
    (
        ["sample", "comp.suffice", "-n", "1"],
        "Words(model='complement') has no distribution to draw from. Use model='multinomial'.",
    ),
    (
        ["sample", "chars.suffice", "-n", "1"],
        "Chars() cannot sample documents: its tokens are not single words. Use Words() to sample text.",
    ),
]


@pytest.mark.parametrize(("words", "complaint"), FAILURES, ids=lambda each: each[1] if isinstance(each, list) else "")
def test_what_cannot_be_is_said_in_one_message(words, complaint, folder, run):
    for name in ("loose", "empty", "deep/day"):
        (folder / name).mkdir(parents=True)
    (folder / "loose" / "a").write_text("one", encoding="utf-8")
    (folder / "deep" / "day" / "rows.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    sf.fit("mail", columns=sf.Words(model="complement")).save("comp.suffice")
    sf.fit("mail", columns=sf.Chars()).save("chars.suffice")
    done = run(*words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"suffice: {complaint}\n"
