"""Files after a fork: read where Polars had no threads before it, refused at once where it had; never waited for."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import os, signal, warnings
warnings.simplefilter("ignore")
import suffice as sf
open("rows.csv", "w").write("y,x,t\\n" + "a,1,u\\nb,2,v\\n" * 50)
DATA = {"x": [1, 2] * 50, "t": ["u", "v"] * 50}

def child(call):
    if (pid := os.fork()) == 0:
        signal.alarm(20)
        try:
            call()
            code = 0
        except sf.SufficeError as reason:
            code = 3 if "spawn" in str(reason) and "frame" in str(reason) else 4
        except BaseException:
            code = 5
        os._exit(code)
    status = os.waitpid(pid, 0)[1]
    print(os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}", flush=True)
"""
USED = BEGIN + 'model = sf.fit("rows.csv", "y", calibrate=False)\n'


def run(code, place):
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


@pytest.mark.parametrize(
    "call",
    [
        'sf.fit("rows.csv", "y", calibrate=False)',
        'model.predict("rows.csv")',
        'model.update("rows.csv")',
        'sf.evaluate("rows.csv", "y", calibrate=False)',
    ],
)
def test_files_are_refused_at_once_where_polars_had_threads(call, tmp_path):
    assert run(f"{USED}child(lambda: {call})\n", tmp_path) == ["3"]


def test_a_child_of_the_child_says_so_too(tmp_path):
    assert run(USED + 'child(lambda: child(lambda: sf.fit("rows.csv", "y", calibrate=False)))\n', tmp_path) == [
        "3",
        "0",
    ]


def test_a_frame_of_polars_starts_threads_too(tmp_path):
    code = BEGIN + 'import polars as pl\npl.read_csv("rows.csv").sort("x")\nsf.fit(DATA, ["a", "b"] * 50)\n'
    assert run(code + 'child(lambda: sf.fit("rows.csv", "y", calibrate=False))\n', tmp_path) == ["3"]


def test_what_is_in_memory_is_fitted_and_predicted_in_the_child(tmp_path):
    assert run(USED + 'child(lambda: sf.fit(DATA, ["a", "b"] * 50, calibrate=False).predict(DATA))\n', tmp_path) == [
        "0"
    ]
    assert run(USED + "child(lambda: model.predict(DATA))\n", tmp_path) == ["0"]


def test_files_are_read_in_the_child_where_polars_was_not_used_before(tmp_path):
    code = (
        BEGIN
        + 'import polars\nsf.fit(DATA, ["a", "b"] * 50)\nchild(lambda: sf.fit("rows.csv", "y", calibrate=False))\n'
    )
    assert run(code, tmp_path) == ["0"]


def test_the_parent_goes_on_reading_files(tmp_path):
    assert run(USED + 'child(lambda: None)\nprint(sf.fit("rows.csv", "y", calibrate=False) == model)\n', tmp_path) == [
        "0",
        "True",
    ]
