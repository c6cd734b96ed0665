"""`suffice explain`: bars, lines of JSON and files, of all rows or of some; and what it refuses."""

from __future__ import annotations

import json

import pytest

import suffice as sf
from tests.evidence.test_explanation import cell_offset


def test_bars_of_one_row(folder, run):
    done = run("explain", "model.suffice", "new.csv", "--row", "3", "--top", "2")
    assert (done.exit_code, done.stderr) == (0, "")
    (each,) = sf.load("model.suffice").explain("new.csv", top=2)[3:4]
    lines = done.stdout.splitlines()
    other = "yes" if each.label == "no" else "no"
    assert lines[0].startswith(f"row 3: {each.label}, {100 * each.probability:.1f} % (log-odds against {other}: ")
    assert lines[1].split("  ")[1:2] == ["contribution"]
    assert lines[1].endswith(f"in {other}")
    assert lines[2].startswith("  class prior ")
    assert lines[3].startswith(f"  {each.entries[0].name}  ")
    assert f"  {each.entries[0].nats:+.2f}  " in lines[3]
    assert len(lines) == 6
    assert lines[5].startswith(f"  … {each.others} more ")
    assert "█" in done.stdout
    assert " of " in lines[3] or "±" in lines[3] or "%" in lines[3]


def test_lines_of_json_of_every_row(folder, run):
    done = run("explain", "model.suffice", "new.csv", "--json", "--top", "3", "--class", "yes", "--against", "no")
    assert (done.exit_code, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    told = sf.load("model.suffice").explain("new.csv", against="no", top=3, positive="yes")
    assert len(found) == len(told) == 200
    for record, each in zip(found, told, strict=True):
        assert (record["row"], record["label"], record["against"]) == (each.row, "yes", "no")
        assert record["score"] == each.score
        parts = [record["prior"]["nats"], record["others_nats"], *(entry["nats"] for entry in record["entries"])]
        assert sum(parts) == pytest.approx(record["score"], abs=1e-9)


def test_rows_in_the_order_of_the_file_and_a_blank_line_between(folder, run):
    done = run("explain", "model.suffice", "new.csv", "--row", "7", "--row", "2", "--row", "7")
    parts = done.stdout.split("\n\n")
    assert [part.split(":")[0] for part in parts] == ["row 2", "row 7"]


def test_into_a_file(folder, run):
    done = run("explain", "model.suffice", "new.csv", "-o", "why.ndjson", "--top", "1")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote why.ndjson: 200 rows in ")
    lines = (folder / "why.ndjson").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["row"] for line in lines] == list(range(200))
    record = json.loads(run("explain", "model.suffice", "new.csv", "-o", "why.ndjson", "--json").stdout)
    assert (record["output"], record["rows"], record["skipped_lines"]) == ("why.ndjson", 200, 0)


def test_words_against_the_rest(folder, run):
    done = run("explain", "mail.suffice", "mail", "--json", "--against", "rest")
    assert done.exit_code == 0
    for line in done.stdout.splitlines():
        record = json.loads(line)
        assert record["against"] is None
        assert any(entry["kind"] == "word" for entry in record["entries"])


def test_infinite_nats_are_text(folder, run):
    (folder / "fur.csv").write_text("fur,sex\ncalico,f\nblack,f\nblack,m\n", encoding="utf-8")
    assert run("fit", "fur.csv", "-t", "sex", "--estimate", "mle", "-o", "m.suffice").exit_code == 0
    record = json.loads(run("explain", "m.suffice", "fur.csv", "--row", "0", "--json").stdout)
    assert record["score"] == record["entries"][0]["nats"] == "inf"
    assert "+∞" in run("explain", "m.suffice", "fur.csv", "--row", "0").stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--class", "yse"], 1, "suffice: the model has no class 'yse'. Did you mean 'yes'?"),
        (["--against", "9"], 1, "suffice: the model has no class '9'. Its classes are 'no', 'yes'."),
        (
            ["--class", "yes", "--against", "yes"],
            1,
            "suffice: class 'yes' cannot be compared with itself. Compare it with another class.",
        ),
        (["--row", "900"], 1, "suffice: row 900 does not exist: the data have 200 rows, numbered from 0."),
        (["--row", "-1"], 2, "Invalid value for '--row': Input should be greater than or equal to 0"),
        (
            ["-o", "why.csv"],
            2,
            "explanations are written as lines of JSON: got why.csv. Give a name that ends in .ndjson.",
        ),
    ],
)
def test_what_is_refused(folder, run, words, code, message):
    done = run("explain", "model.suffice", "new.csv", *words)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())
    assert not (folder / "why.csv").exists()


def test_a_file_stays_as_it_was_where_a_row_is_not_there(folder, run):
    (folder / "why.ndjson").write_text("before", encoding="utf-8")
    assert run("explain", "model.suffice", "new.csv", "--row", "900", "-o", "why.ndjson").exit_code == 1
    assert (folder / "why.ndjson").read_text(encoding="utf-8") == "before"


def test_smoothing_by_evidence_on_the_command_line(folder, run):
    assert (
        run(
            "fit", "train.csv", "-t", "churned", "-o", "m.suffice", "--column", "plan=Categorical(alpha='evidence')"
        ).exit_code
        == 0
    )
    assert sf.load("m.suffice").selected_forms["plan"].startswith("alpha ")
    words = ["--column", "plan=Categorical(alpha='shared evidence')", "--column", "support_calls=Bernoulli('evidence')"]
    assert run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", "--no-calibrate", *words).exit_code == 0
    model = sf.load("m.suffice")
    kinds = {name: block.likelihood for block in model.schema.blocks for name in block.columns}
    assert kinds["plan"] == sf.Categorical(alpha="shared evidence")
    assert kinds["support_calls"] == sf.Bernoulli("evidence")
    assert run("export", "m.suffice", "--to", "schema", "-o", "columns.txt").exit_code == 0
    assert (
        run(
            "fit", "train.csv", "-t", "churned", "--schema", "columns.txt", "--no-calibrate", "-o", "again.suffice"
        ).exit_code
        == 0
    )
    again = {name: block.likelihood for block in sf.load("again.suffice").schema.blocks for name in block.columns}
    assert again == kinds
    done = run("set", "m.suffice", "--estimate", "smoothed", "--alpha", "shared-evidence", "-o", "s.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    smooth = sf.load("s.suffice")
    assert smooth.core.reading.alpha.shape == (9,)
    assert smooth.log_evidence() >= model.with_options(estimate="smoothed", alpha=0.5).log_evidence()
    done = run("set", "m.suffice", "--estimate", "smoothed", "--alpha", "best", "-o", "s.suffice")
    assert done.exit_code == 2
    assert "'best' is not a pseudo-count. Give a number ≥ 0, evidence or shared-evidence." in " ".join(
        done.stderr.split()
    )


def test_wide_characters_are_aligned(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["长相,temper,嫁与否", "帅,好,嫁", "不帅,bad,不嫁", "帅,好,嫁", "不帅,好,不嫁", "帅,bad,不嫁", "帅,好,嫁"]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert run("fit", "rows.csv", "-t", "嫁与否", "-o", "m.suffice", "--estimate", "mean").exit_code == 0
    done = run("explain", "m.suffice", "rows.csv", "--row", "1")
    lines = [line for line in done.stdout.splitlines() if "│" in line]
    assert len(lines) == 3
    assert len({cell_offset(line, "│") for line in lines}) == 1
