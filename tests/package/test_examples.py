"""Every example runs as printed, without complaint."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def output(example: Path, tmp_path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", example], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_it_runs_anywhere_and_leaves_nothing_behind(example, tmp_path):
    assert output(example, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_first_look_shows_the_worked_numbers(tmp_path):
    shown = output(EXAMPLES[0].with_name("first_look.py"), tmp_path).splitlines()
    numbers = [[float(word) for word in line.split() if word.replace(".", "").isdigit()] for line in shown]
    assert [0.0] in numbers  # P(tails), counting alone: the black swan
    assert [0.398, 0.994] in numbers  # Beta(4, 1): 0.025^(1/4) and 0.975^(1/4)
    assert [0.4, 0.2, 0.0, 0.4] in numbers  # female cats: black, calico, orange, white
    assert [0.2, 0.0, 0.4, 0.4] in numbers  # male cats
    assert [1.0] in numbers  # P(male | orange), counting alone
    assert [0.75] in numbers  # (2 + 1)/(5 + 4) over (2 + 1)/(5 + 4) + (0 + 1)/(5 + 4)
    (whole,) = (line.split()[-3:] for line in shown if "in one pass" in line)
    (added,) = (line.split()[-3:] for line in shown if "  here + there" in line)
    (here,) = (line.split()[-3:] for line in shown if line.startswith("      here  "))
    (taken_out,) = (line.split()[-3:] for line in shown if "- there" in line)
    assert added == whole
    assert taken_out == here


def test_number_game_shows_when_the_data_overrule_the_prior(tmp_path):
    shown = output(EXAMPLES[0].with_name("number_game.py"), tmp_path).splitlines()
    best = {int(line.split()[1]): line.split("most probable: ")[1] for line in shown if "most probable" in line}
    assert [n for n, line in best.items() if line.startswith("powers of two   ")] == [4, 20, 37]
    assert [n for n, line in best.items() if line.startswith("powers of two except 32 ")] == [38, 60]
    assert "   p(h|D) = 0.9963   powers of two (6 numbers)" in shown


def test_c_or_python_shows_the_evidence_of_each_symbol(tmp_path):
    shown = output(EXAMPLES[0].with_name("c_or_python.py"), tmp_path).splitlines()
    b = {line.split()[0]: float(line.split()[3]) for line in shown if " b = " in line and "Σ" not in line}
    assert set(b) == {"{}", "[]", "()", ":", ";", ".", ","}
    assert b["{}"] < 0  # C has blocks in braces and ends statements, Python has not
    assert b[";"] < -1
    assert b[":"] > 1
    (c, python) = (line for line in shown if "Σ b" in line)
    assert c.endswith(": C")
    assert python.endswith(": Python")
    (result,) = (line.split(": ")[1].split() for line in shown if "test files" in line)
    assert int(result[0]) / int(result[2]) > 0.9
    total, *parts = (int(word) for word in shown[0].split() if word.isdigit())
    assert total == sum(parts)


def test_customers_beats_the_majority_class(tmp_path):
    shown = output(EXAMPLES[0].with_name("customers.py"), tmp_path)
    words = next(line.split() for line in shown.splitlines() if line.startswith("test accuracy"))
    assert float(words[2]) > float(words[3].lstrip("(")) + 0.05
