"""Commands that change one model at the same time: none loses what another did, whatever is killed."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import suffice as sf

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL")

NEW, OLD = 10, 5  # files that are not in the model at first, and files that are


def lines(name, number):
    """Rows of a file: a level of their own and counts that tell which file was seen how often."""
    return [f"{'ab'[row % 2]},{name},{row % 3},{number + row}" for row in range(number + 1)]


def written(path, *files):
    path.write_text("\n".join(["y,x,n,m", *itertools.chain(*files)]) + "\n", encoding="utf-8")


def folder_of_files(folder):
    """Return the changes, (command, file) each, and what each file adds to the model."""
    folder.mkdir()
    base = [lines("base", 5), *(lines(f"old{at}", at) for at in range(OLD))]
    written(folder / "base.csv", *base)
    kinds = {"x": sf.Categorical(), "n": sf.Poisson(), "m": sf.Poisson()}
    model = sf.fit(str(folder / "base.csv"), "y", columns=kinds, calibrate=False)
    model.save(folder / "model.suffice")
    adds = {}
    for name, number in [*((f"old{at}", at) for at in range(OLD)), *((f"new{at}", at) for at in range(NEW))]:
        written(folder / f"{name}.csv", lines(name, number))
        adds[name] = sf.fit(str(folder / f"{name}.csv"), like=model, calibrate=False)
    changes = [("update", f"new{at}") for at in range(NEW)]
    changes += [("forget", f"old{at}") for at in range(OLD)] + [("forget", f"new{at}") for at in range(NEW - OLD)]
    return model, changes, adds


def rounds_of(folder, rounds, kills, seed):
    model, changes, adds = folder_of_files(folder / "files")
    plan = {"folder": str(folder / "files"), "commands": [[do, "model.suffice", f"{name}.csv"] for do, name in changes]}
    plan |= {"rounds": rounds, "kills": kills, "seed": seed, "seconds": 3.0}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    command = [sys.executable, str(Path(__file__).with_name("commands_at_once.py")), "plan.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    for number, line in enumerate(done.stdout.splitlines()):
        ends = dict(zip(changes, json.loads(line), strict=True))
        said = {change: (folder / f"round{number}" / f"{at}.txt") for at, change in enumerate(changes)}
        yield model, adds, ends, sf.load(folder / f"round{number}" / "model.suffice"), said


def require_a_serial_order(model, adds, ends, found, said):
    for (do, name), end in ends.items():
        if end not in (0, None):  # rows that are not there yet cannot be forgotten
            assert (do, name[:3], end) == ("forget", "new", 1)
            text = said[do, name].read_text(encoding="utf-8")
            assert all(line.startswith("suffice: ") for line in text.splitlines())
            assert "cannot remove rows that were not added" in text.splitlines()[-1]
    killed = [change for change, end in ends.items() if end is None]
    for some in itertools.product((False, True), repeat=len(killed)):
        happened = {change for change, end in ends.items() if end == 0}
        happened |= {change for change, did in zip(killed, some, strict=True) if did}
        if any(do == "forget" and name.startswith("new") and ("update", name) not in happened for do, name in happened):
            continue  # in no order
        expected = model
        for do, name in sorted(happened, reverse=True):  # every update before its forget
            expected = expected + adds[name] if do == "update" else expected - adds[name]
        if found == expected:
            assert found.provenance.rows == expected.provenance.rows
            return len(killed)
    raise AssertionError(f"no serial order of {ends} gives this model: {found.parameters()}")


def test_twenty_changes_at_once_are_as_in_some_order(tmp_path):
    for each in rounds_of(tmp_path, 3, kills=3, seed=1):
        require_a_serial_order(*each)


@pytest.mark.slow
def test_a_hundred_times_twenty_changes_at_once(tmp_path):
    killed = [require_a_serial_order(*each) for each in rounds_of(tmp_path, 100, kills=4, seed=2)]
    assert len(killed) == 100
    assert sum(killed) > 100


@pytest.mark.parametrize(
    "words",
    [
        ["update", "link.suffice", "tuesday.csv"],
        ["forget", "model.suffice", "one_customer.csv"],
        ["calibrate", "model.suffice", "train.csv", "--method", "scale", "-o", "./model.suffice"],
        ["merge", "other.suffice", "model.suffice", "-o", "model.suffice"],
        ["set", "model.suffice", "--estimate", "map", "-o", "link.suffice"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_waits_for_the_file_that_it_replaces_and_says_so(folder, words):
    (folder / "link.suffice").symlink_to("model.suffice")
    (folder / "other.suffice").write_bytes((folder / "model.suffice").read_bytes())
    before = sf.load("model.suffice")
    command = [sys.executable, "-m", "suffice", *words]
    with (folder / "model.suffice").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waits:
            assert "being changed by another process" in waits.stderr.readline()
            waits.send_signal(signal.SIGINT)
            assert waits.wait() == 130
        assert sf.load("model.suffice") == before
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waits:
            assert "being changed by another process" in waits.stderr.readline()
            fcntl.flock(held, fcntl.LOCK_UN)
            waits.communicate()
            assert waits.returncode == 0
    after = sf.load("model.suffice")
    assert after != before or after.calibration is not None


def test_another_output_waits_for_nobody(run, folder):
    with (folder / "model.suffice").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert run("update", "model.suffice", "tuesday.csv", "-o", "week.suffice").exit_code == 0
        assert run("merge", "model.suffice", "model.suffice", "-o", "twice.suffice").exit_code == 0
