"""Text in the terminal: fitted from a table and from a folder, read otherwise, shown, changed, drawn, refused in words."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import suffice as sf
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


def test_a_folder_of_texts_needs_no_target(folder, run):
    found = the_object(run("fit", "mail/", "-o", "m.suffice", "--json"))
    assert found["rows"] == 5
    assert [each["label"] for each in found["classes"]] == ["ham", "spam"]
    assert found["files"] == ["5 texts, a file each, in 2 folders: the class of each"]
    assert found["columns"] == [
        {"name": "text", "likelihood": "Words(prior='evidence')", "read_as": found["columns"][0]["read_as"]}
    ]
    same = sf.fit({"text": BODIES}, LABELS, columns=sf.Words(prior="evidence"))
    assert sf.load("m.suffice") == same
    assert sf.load("m.suffice").provenance.sources == ("mail/",)


def test_the_next_step_after_a_folder_is_a_folder(folder, run):
    done = run("fit", "mail", "-o", "m.suffice")
    assert done.stdout.splitlines()[-1] == "next: suffice predict m.suffice NEW/    or: suffice show m.suffice"


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
        "suffice: column 'text' was collected for Words(prior='evidence'), which does not hold what Words(ngrams=(2, 2)) "
        "needs. Fit the model again with it.\n"
    )


def test_show_lists_the_words_that_speak_for_each_class(folder, run):
    done = run("show", "mail.suffice", "--top", "2")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    at = lines.index(["spam:", "the", "words", "that", "speak", "most", "for", "it,", "nats", "each", "time"])
    assert lines[at + 1][:5] == ["prize", "3", "here", "0", "elsewhere"]
    assert lines[at + 2][0] in ("cash", "win")
    assert float(lines[at + 1][5]) > 0
    at = lines.index(["ham:", "the", "words", "that", "speak", "most", "for", "it,", "nats", "each", "time"])
    assert lines[at + 1][:5] == ["meeting", "3", "here", "0", "elsewhere"]


def test_show_for_scripts_has_the_same_words_as_python(folder, run):
    found = the_object(run("show", "mail.suffice", "--top", "3", "--json"))
    shown = sf.load("mail.suffice").show(3)
    words = [json.loads(json.dumps(row._asdict())) for rows in shown.words.values() for row in rows]
    assert found["telling_words"] == words
    assert len(words) == 6
    assert found["telling_levels"] == []
    assert found["telling_columns"] == [{"column": "text", "nats": shown.columns[0].evidence, "bits": None}]


def test_show_of_one_column_of_text_lists_words_and_not_every_parameter(folder, run):
    done = run("show", "mail.suffice", "--column", "text", "--top", "1")
    assert done.exit_code == 0
    assert "probability" not in done.stdout
    assert "prize" in done.stdout
    found = the_object(run("show", "mail.suffice", "--column", "text", "--top", "1", "--json"))
    assert found["parameters"] == []
    assert [row["token"] for row in found["telling_words"]] == ["meeting", "prize"]


def test_show_of_a_column_beside_text_has_its_parameters(folder, run):
    rows = [{"label": label, "body": body, "hour": at % 3} for at, (label, body) in enumerate(MAIL)]
    model = sf.fit(rows, "label", columns={"body": sf.Words(), "hour": sf.Categorical()})
    model.save("both.suffice")
    found = the_object(run("show", "both.suffice", "--column", "hour", "--json"))
    assert [row["column"] for row in found["parameters"]] == ["hour"] * 6
    assert found["telling_words"] == []


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
        (label, word) for label in model.classes for word in model.naive_bayes.parts[0][0].vocabulary.words
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
    words = set(sf.load("mail.suffice").naive_bayes.parts[0][0].vocabulary.words)
    assert all(set(row["text"].split()) <= words and row["text"] for row in rows)


FAILURES = [
    (
        ["fit", "mail", "-t", "label", "-o", "m.suffice"],
        "target column 'label' is not in mail. The columns are 'text', 'path', 'folder'.",
    ),
    (
        ["fit", "loose", "-o", "m.suffice"],
        "which column of loose holds the class? Give --target: its name or its position, −1 for the last. For texts it "
        "is not needed where they lie in one folder for each class.",
    ),
    (
        ["fit", "empty", "-o", "m.suffice"],
        "empty is a folder without a file that ends in .csv, .tsv, .tab, .psv, .ndjson, .jsonl, .parquet, .pq, .arrow, "
        ".feather, .ipc, and without folders of texts.",
    ),
    (
        ["fit", "deep", "-o", "m.suffice"],
        "deep has no file of rows, and deep/day/rows.csv lies too deep to be one. Give the folder that it is in, or a "
        "pattern; where every file is a text, use --format texts.",
    ),
    (
        ["predict", "comp.suffice", "mail", "--log-density"],
        "there is no log p(x): column 'text' is read as Words(model='complement'), whose scores are not those of a "
        "distribution. Use log_joint or predict_proba, or read it with model='multinomial' or 'bernoulli'.",
    ),
    (
        ["sample", "comp.suffice", "-n", "1"],
        "Words(model='complement') has no distribution to draw from. Read it with model='multinomial'.",
    ),
    (
        ["sample", "chars.suffice", "-n", "1"],
        "Chars() cannot write documents: its tokens are not single words. Use Words() to sample text.",
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
