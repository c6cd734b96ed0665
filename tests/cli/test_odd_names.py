"""Labels, levels, columns and files with names that a terminal or a file cannot take as they are."""

from __future__ import annotations

import csv
import json
import re

import pytest

import suffice as sf
from suffice.statistics.labels import label_text

ODD = "\x1b[2J\x07\x9b31m\x7f\u202eabc\u2066\u2028\nline"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
PAIRLESS = "caf\udce9"


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A folder with a file and a model in which everything has an odd name."""
    monkeypatch.chdir(tmp_path)
    rows = [[f"{ODD}{'ab'[at % 2]}", f"{'xy'[at // 3 % 2]}{ODD}", at % 7] for at in range(60)]
    with (tmp_path / f"{ODD}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[f"{ODD}target", f"{ODD}level", "number"], *rows])
    sf.fit(f"{ODD}.csv", f"{ODD}target").save("m.suffice")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["fit", f"{ODD}.csv", "-t", f"{ODD}target", "-o", f"{ODD}.suffice"],
        ["fit", f"{ODD}.csv", "-t", f"{ODD}targe", "-o", f"{ODD}.suffice"],
        ["fit", f"{ODD}.csv", "-t", f"{ODD}target", "-o", f"{ODD}/m.suffice"],
        ["fit", f"gone{ODD}.csv", "-t", "y", "-o", "n.suffice"],
        ["show", "m.suffice"],
        ["show", "m.suffice", "--column", f"{ODD}level"],
        ["show", f"{ODD}.csv"],
        ["update", "m.suffice", f"{ODD}.csv"],
        ["calibrate", "m.suffice", f"{ODD}.csv"],
        ["merge", "m.suffice", "m.suffice", "-o", f"{ODD}.suffice"],
        ["set", "m.suffice", "--estimate", "map", "-o", f"{ODD}.suffice"],
        ["predict", "m.suffice", f"{ODD}.csv", "-o", f"{ODD}out.csv"],
        ["predict", "m.suffice", f"{ODD}.csv", "--class-prior", f"{ODD}a=0.5,{ODD}b=0.5", "-o", "o.csv"],
        ["explain", "m.suffice", f"{ODD}.csv", "--row", "0"],
        ["evaluate", f"{ODD}.csv", "-t", f"{ODD}target", "--bootstrap", "0"],
        ["evaluate", f"{ODD}.csv", "--model", "m.suffice", "--bootstrap", "0"],
        ["screen", f"{ODD}.csv", "-t", f"{ODD}target", "-o", f"{ODD}.suffice"],
        ["decide", "m.suffice", f"{ODD}.csv", "--alerts", "3", "-o", f"{ODD}out.csv"],
        ["decide", "m.suffice", f"{ODD}.csv", "--cost", f"{ODD},c=x"],
        ["export", "m.suffice", "--to", "csv", "-o", f"{ODD}out.csv"],
        ["sample", "m.suffice", "-n", "3", "-o", f"{ODD}out.csv"],
    ],
    ids=lambda words: "_".join(re.sub(r"[^\w-]", "", word) for word in words),
)
def test_no_control_character_reaches_the_terminal(run, odd, words):
    done = run(*words)
    assert done.exit_code in (0, 1, 2)
    assert FORBIDDEN.search(done.stdout + done.stderr) is None
    assert not re.search(r"^line", done.stdout, re.MULTILINE)  # nor breaks a line


@pytest.mark.parametrize(
    "words",
    [
        ["show", "m.suffice"],
        ["update", "m.suffice", f"{ODD}.csv"],
        ["explain", "m.suffice", f"{ODD}.csv", "--row", "0"],
        ["evaluate", f"{ODD}.csv", "--model", "m.suffice", "--bootstrap", "0"],
        ["predict", "m.suffice", f"{ODD}.csv", "-o", "o.csv"],
    ],
    ids=lambda words: words[0],
)
def test_json_holds_the_names_as_they_are_in_escapes(run, odd, words):
    done = run(*words, "--json")
    assert done.exit_code == 0
    assert FORBIDDEN.search(done.stdout) is None
    assert f"{ODD}a" in strings(json.loads(done.stdout))


def strings(value):
    if isinstance(value, dict):
        return set().union(*map(strings, value), *map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) else set()


def test_rows_that_are_written_keep_their_labels(run, odd):
    assert run("predict", "m.suffice", f"{ODD}.csv", "-o", "o.csv").exit_code == 0
    with (odd / "o.csv").open(newline="", encoding="utf-8") as file:
        assert {row["predicted"] for row in csv.DictReader(file)} <= {f"{ODD}a", f"{ODD}b"}


def test_names_that_are_completed_are_printable(odd):
    from types import SimpleNamespace

    from suffice.cli.completion import complete_column

    assert list(complete_column(SimpleNamespace(params={"data": [f"{ODD}.csv"]}, args=[]), "")) == []


@pytest.fixture
def pairless(tmp_path, monkeypatch):
    """A folder with a model whose labels, levels and columns have unpaired surrogates."""
    monkeypatch.chdir(tmp_path)
    labels = [PAIRLESS, "tea"] * 10
    sf.fit({"x": ["a", "b"] * 10, PAIRLESS: [f"l{PAIRLESS}", "c"] * 10}, labels).save("m.suffice")
    (tmp_path / "x.csv").write_text("x\na\nb\n", encoding="utf-8")
    return tmp_path


@pytest.mark.filterwarnings("ignore::suffice.errors.MissingColumnsWarning")
def test_unpaired_surrogates_are_printed_and_written_as_escapes(run, pairless):
    shown = PAIRLESS.encode("ascii", "backslashreplace").decode()
    assert shown in run("show", "m.suffice").stdout
    assert PAIRLESS in strings(json.loads(run("show", "m.suffice", "--json").stdout))
    done = run("predict", "m.suffice", "x.csv", "-o", "o.ndjson", "--proba", "--json")
    assert {"label": PAIRLESS, "rows": 1} in json.loads(done.stdout)["predicted"]
    rows = [json.loads(line) for line in (pairless / "o.ndjson").read_text(encoding="utf-8").splitlines()]
    assert rows[0]["predicted"] == shown
    assert f"p({shown})" in rows[0]
    explained = run("explain", "m.suffice", "x.csv", "--json").stdout.splitlines()
    assert json.loads(explained[0])["label"] == PAIRLESS
    assert run("explain", "m.suffice", "x.csv", "-o", "e.ndjson").exit_code == 0
    assert (pairless / "e.ndjson").read_text(encoding="utf-8").splitlines() == explained
    for to in ("csv", "json"):
        assert run("export", "m.suffice", "--to", to, "-o", "e.txt").exit_code == 0
        assert shown in (pairless / "e.txt").read_text(encoding="utf-8")
        assert run("export", "m.suffice", "--to", to).stdout == (pairless / "e.txt").read_text(encoding="utf-8")
    assert run("sample", "m.suffice", "-n", "50", "--seed", "1", "-o", "s.csv").exit_code == 0
    with (pairless / "s.csv").open(newline="", encoding="utf-8") as file:
        assert {row["class"] for row in csv.DictReader(file)} == {shown, "tea"}
    done = run("decide", "m.suffice", "x.csv", "-o", "d.csv", "--json")
    assert {each["action"]: each["rows"] for each in json.loads(done.stdout)["actions"]} == {PAIRLESS: 1, "tea": 1}


@pytest.mark.parametrize("labels", [[5, 2**63], [5, 2**200], [5, "a", True]], ids=["int64", "long", "mixed"])
def test_labels_that_no_column_of_numbers_holds_are_written_as_text(run, tmp_path, monkeypatch, labels):
    monkeypatch.chdir(tmp_path)
    sf.fit({"x": [f"l{label_text(label)}" for label in labels] * 10}, labels * 10).save("m.suffice")
    assert run("sample", "m.suffice", "-n", "60", "--seed", "1", "-o", "s.csv").exit_code == 0
    with (tmp_path / "s.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["class"] for row in rows} == {label_text(label) for label in labels}
    done = run("predict", "m.suffice", "s.csv", "-o", "p.csv", "--json")
    assert done.exit_code == 0
    counts = {label_text(each["label"]): each["rows"] for each in json.loads(done.stdout)["predicted"]}
    assert sum(counts.values()) == 60
    assert set(counts) == {label_text(label) for label in labels}
    with (tmp_path / "p.csv").open(newline="", encoding="utf-8") as file:
        assert [row["predicted"] for row in csv.DictReader(file)] == [row["x"][1:] for row in rows]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("deep.json", b"[" * 100_000, "nested"),
        ("binary.csv", b"\xff\xfe\x00action", "UTF-8"),
        ("binary.json", b"\x80\x81", "UTF-8"),
        ("twice.json", b'{"call": 1, "leave": {"no": 0, "yes": 1}, "call": 2}', "'call' twice"),
        ("twice_within.json", b'{"call": {"no": 1, "no": 2, "yes": 3}}', "'no' twice"),
    ],
)
def test_costs_that_cannot_be_read_are_refused_in_words(run, folder, name, content, said):
    (folder / name).write_bytes(content)
    done = run("decide", "model.suffice", "new.csv", "--costs", name)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"suffice: {name}")
    assert said in done.stderr
