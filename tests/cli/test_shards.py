"""Models of 64 shards, merged from the shell, are the model of one fit; a shard forgotten was never seen."""

from __future__ import annotations

import suffice as sf
from suffice.cli.demo import subscribers, write_rows
from tests.cli.conftest import close

ROWS = subscribers(1280)


def sharded(folder):
    write_rows(ROWS, folder / "whole.csv")
    (folder / "shards").mkdir()
    for at in range(64):
        write_rows(ROWS[20 * at : 20 * at + 20], folder / "shards" / f"{at:02}.csv")


def test_merging_64_shards_is_one_fit(folder, shell, run):
    sharded(folder)
    assert run("fit", "whole.csv", "-t", "churned", "-o", "whole.suffice").exit_code == 0
    for at in range(64):
        done = run("fit", f"shards/{at:02}.csv", "--schema", "whole.suffice", "-o", f"shards/{at:02}.suffice")
        assert (done.exit_code, done.stderr) == (0, "")
    done = shell("suffice merge shards/*.suffice -o merged.suffice")
    assert done.returncode == 0, done.stderr
    whole, merged = sf.load("whole.suffice"), sf.load("merged.suffice")
    assert merged.provenance.rows == whole.provenance.rows == 1280
    assert merged.schema == whole.schema
    assert merged.core.tally == whole.core.tally
    assert close(merged, whole)
    assert run("predict", "merged.suffice", "new.csv", "-o", "a.csv").exit_code == 0
    assert run("predict", "whole.suffice", "new.csv", "-o", "b.csv").exit_code == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_forgetting_a_shard_is_never_having_seen_it(folder, run):
    sharded(folder)
    write_rows(ROWS[20:], folder / "without.csv")
    assert run("fit", "whole.csv", "-t", "churned", "-o", "whole.suffice").exit_code == 0
    assert run("fit", "without.csv", "--schema", "whole.suffice", "-o", "without.suffice").exit_code == 0
    assert run("forget", "whole.suffice", "shards/00.csv").exit_code == 0
    forgotten, without = sf.load("whole.suffice"), sf.load("without.suffice")
    assert forgotten.provenance.rows == without.provenance.rows == 1260
    assert close(forgotten, without)


def test_forgetting_an_absurd_value_prints_which_variance_is_lost(folder, run):
    ordinary = "".join(f"{5 + at % 7},{'ab'[at % 2]}\n" for at in range(100))
    (folder / "rows.csv").write_text("x,y\n" + ordinary)
    (folder / "outlier.csv").write_text("x,y\n1e17,a\n")
    gaussian = "--column", "x=gaussian"
    assert run("fit", "rows.csv", "-t", "y", *gaussian, "--no-calibrate", "-o", "m.suffice").exit_code == 0
    assert run("update", "m.suffice", "outlier.csv").exit_code == 0
    done = run("forget", "m.suffice", "outlier.csv")
    assert done.exit_code == 0
    assert "column 'x' in class 'a'" in " ".join(done.stderr.split())
