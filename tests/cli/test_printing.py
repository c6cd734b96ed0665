"""Bars, tables, JSON, progress and complaints: what they look like, also where a terminal can print little."""

from __future__ import annotations

import io
import json
import math
import re
import sys
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from suffice.cli import output, terminal
from suffice.cli.failures import guarded, message_of
from suffice.cli.progress import Reporter
from suffice.errors import DataError, SufficeWarning
from suffice.sources.files import rows
from suffice.sources.files.batches import Batches


@pytest.mark.parametrize(
    ("value", "shown"),
    [(8, "████████"), (4, "████"), (1, "█"), (0.5, "▌"), (0.001, "▏"), (0, ""), (-1, ""), (math.nan, "")],
)
def test_a_bar_is_as_long_as_its_share(value, shown):
    assert terminal.draw_bar(value, 8, 8) == shown


def test_bars_where_the_terminal_has_no_blocks(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert terminal.draw_bar(3, 4, 8) == "######"
    assert terminal.draw_signed_bar(-1, 2, 4) == "  ##|"


def test_signed_bars_stand_on_both_sides():
    assert terminal.draw_signed_bar(2, 2, 4) == "    │████"
    assert terminal.draw_signed_bar(-2, 2, 4) == "████│"
    assert terminal.draw_signed_bar(-math.inf, 2, 4) == "████│"
    assert terminal.draw_signed_bar(-0.001, 2, 4) == "   ▕│"
    assert terminal.draw_signed_bar(-0.75, 2, 4) == "  ▐█│"


def test_json_is_one_object_without_nan(capsys):
    output.emit(
        {"a": math.nan, "b": [math.inf, np.float64(1.5), np.int64(2)], "c": Path("x"), "d": ("é", b"z"), "e": True}
    )
    said = capsys.readouterr().out
    assert said == '{"a": null, "b": ["inf", 1.5, 2], "c": "x", "d": ["é", "z"], "e": true, "warnings": []}\n'
    json.loads(said)


def test_a_table_lines_up_and_folds_nothing_that_fits(capsys):
    terminal.print_table([["short", "1"], ["a longer one", "1,000"]], right=(1,))
    assert capsys.readouterr().out == "  short             1\n  a longer one  1,000\n"


def test_a_table_of_nothing_is_nothing(capsys):
    terminal.print_table([])
    assert capsys.readouterr().out == ""


def test_a_table_takes_brackets_as_they_are(capsys):
    terminal.print_table([["[red]x[/red]", "[0, 1.5)"]])
    assert capsys.readouterr().out == "  [red]x[/red]  [0, 1.5)\n"


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB")]
)
def test_sizes(tmp_path, size, shown):
    (tmp_path / "f").write_bytes(b"x" * size)
    assert terminal.size_of(tmp_path / "f") == shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


def sight(rows, share, seconds=4.0):
    return SimpleNamespace(rows=rows, share=share, skipped=3, described=("comma, header",), seconds=seconds)


def shown_by(monkeypatch, stream, reports, patience=0.0, quiet=False):
    """Return the reporter and what it has printed, colours left out, once the bar had time to appear."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal.quieted(quiet), Reporter("reading", "calibrating", patience) as report:
        for each in reports:
            report(each)
        end = time.monotonic() + (10 if patience == 0 and stream.isatty() and not quiet else 0.3)
        while time.monotonic() < end and "reading" not in stream.getvalue():
            time.sleep(0.02)
    return report, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())


def test_progress_is_silent_for_a_second_in_a_pipe_and_with_quiet(monkeypatch):
    reports = [sight(500, 0.25), sight(1000, 0.5)]
    assert shown_by(monkeypatch, Terminal(), reports, patience=60.0)[1] == ""
    assert shown_by(monkeypatch, Terminal(), reports, quiet=True)[1] == ""
    report, shown = shown_by(monkeypatch, io.StringIO(), reports)
    assert shown == ""
    assert (report.rows, report.skipped, report.described) == (1000, 3, ("comma, header",))


def test_progress_appears_before_the_first_rows(monkeypatch):
    assert "reading" in shown_by(monkeypatch, Terminal(), [])[1]


def test_progress_shows_the_rows(monkeypatch):
    assert "8,000 rows, " in shown_by(monkeypatch, Terminal(), [sight(8000, 0.5)])[1]


@pytest.mark.parametrize(
    ("share", "seconds", "text"),
    [
        (0.5, 4, "8,000 rows, 2,000 rows/s, 4 s left"),
        (0.02, 4, "8,000 rows, 2,000 rows/s, 3 min left"),
        (0.001, 4, "8,000 rows, 2,000 rows/s, 1 h 06 min left"),
        (None, 4, "8,000 rows, 2,000 rows/s"),
        (0.5, 7, "8,000 rows, 2,000 rows/s, 1 s left"),  # no report for three seconds
        (1.0, 15, "8,000 rows read; calibrating, 11 s"),  # after the last row the clock goes on
    ],
)
def test_progress_says_how_long_it_takes(monkeypatch, share, seconds, text):
    clock = [0.0]
    monkeypatch.setattr("suffice.cli.progress.time.monotonic", lambda: clock[0])
    with Reporter("reading", "calibrating") as report:
        clock[0] = 4.0
        report(sight(8000, share))
        clock[0] = float(seconds)
        assert report.text == text
    assert report.seconds == seconds  # the work after the pass is part of it


def test_each_pass_has_its_own_clock(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("suffice.cli.progress.time.monotonic", lambda: clock[0])
    with Reporter("choosing the threshold") as report:
        clock[0] = 100.0
        report(sight(8000, 1.0, seconds=100.0))
        report.begin("deciding")
        clock[0] = 103.0
        assert (report.doing, report.text) == ("deciding", "3 s")
        clock[0] = 104.0
        report(sight(1000, 0.5, seconds=4.0))
        assert report.text == "1,000 rows, 250 rows/s, 4 s left"
        clock[0] = 110.0
    assert report.seconds == 110
    with Reporter("evaluating") as report:  # the two passes of evaluate --test, with a calibration between them
        clock[0] = 120.0
        report(sight(8000, 1.0, seconds=10.0))
        clock[0] = 164.0
        report(sight(100, 0.25, seconds=4.0))
        assert report.text == "100 rows, 25 rows/s, 12 s left"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("fit.calibrate_kept", ["fit", "train.csv", "-t", "churned"]),
        ("deciding.estimate_prior_shift", ["predict", "model.suffice", "new.csv", "--estimate-prior", "-o", "o.csv"]),
        (
            "deciding.estimate_prior_shift",
            ["decide", "model.suffice", "new.csv", "--costs", "costs.csv", "--estimate-prior", "-o", "o.csv"],
        ),
        ("deciding.choose_model_threshold", ["decide", "model.suffice", "new.csv", "--alerts", "5", "-o", "o.csv"]),
        (
            "deciding.choose_model_threshold",
            ["decide", "model.suffice", "new.csv", "--recall", "0.5", "--on", "tuesday.csv", "-o", "o.csv"],
        ),
    ],
    ids=["calibration", "prior of predict", "prior of decide", "alerts", "recall"],
)
def test_the_seconds_of_a_command_are_those_of_all_its_passes(monkeypatch, folder, run, place, words):
    module, _, name = place.partition(".")
    slow = import_module(f"suffice.api.{module}")
    quick = getattr(slow, name)

    def delayed(*arguments, **options):
        time.sleep(1.0)
        return quick(*arguments, **options)

    monkeypatch.setattr(slow, name, delayed)
    assert json.loads(run(*words, "--json").stdout)["seconds"] > 1


def test_screening_and_evaluating_by_a_class_read_the_file_once(monkeypatch, folder, run):
    calls, opened = [], []
    monkeypatch.setattr(Reporter, "__call__", lambda report, seen: calls.append((report.doing, seen.rows)))
    monkeypatch.setattr(rows, "Batches", lambda files, *more: opened.append(files.paths) or Batches(files, *more))
    for command, doing in (("screen", "reading"), ("evaluate", "evaluating")):
        words = ["--class-prior", "yes=0.3,no=0.7", "--bootstrap", "0"] if command == "evaluate" else []
        assert run(command, "train.csv", "-t", "churned", "--positive", "yes", *words).exit_code == 0
        assert calls == [(doing, 300), (doing, 300)]  # after the batch, and at the end
        assert opened == [("train.csv",)]
        calls.clear()
        opened.clear()


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (DataError("row 17 has weight -0.5."), "row 17 has weight -0.5."),
        (FileNotFoundError(2, "x", "a.csv"), "the file or folder 'a.csv' does not exist. Check the path."),
        (IsADirectoryError(21, "x", "d"), "'d' is a folder. Give the path of a file."),
        (
            PermissionError(13, "x", Path("d")),
            "permission denied: 'd'. Choose another path with -o, or change the permissions.",
        ),
        (OSError(30, "x", "d"), "'d' is on a read-only disk. Choose another path with -o."),
        (
            OSError(28, "x", "d"),
            "no space left on the disk for 'd'; no file was changed. Free some space, or choose another path with -o.",
        ),
        (OSError("cannot write 'd': the disk is full."), "cannot write 'd': the disk is full."),
        (OSError(28, "x", "tmp", None, "d"), None),
        (OSError(28, "x"), None),
        (OSError(5, "Input/output error", "d"), "[Errno 5] Input/output error: 'd'"),
        (
            MemoryError(),
            "not enough memory. Choose another likelihood for columns with very many distinct values, or leave them out "
            "with --drop.",
        ),
    ],
)
def test_problems_in_words(problem, message):
    assert message is None or message_of(problem) == message
    assert "None" not in message_of(problem)


def outcome(action):
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(guarded(action))
    return CliRunner().invoke(app, [])


@pytest.mark.parametrize(
    ("problem", "code", "message"),
    [
        (DataError("no."), 1, "suffice: no.\n"),
        (FileNotFoundError(2, "x", "a"), 1, "suffice: the file or folder 'a' does not exist. Check the path.\n"),
        (KeyboardInterrupt(), 130, "suffice: interrupted. No file was changed.\n"),
        (typer.BadParameter("no", param_hint="-x"), 2, None),
    ],
)
def test_a_failure_is_one_message_and_a_code(problem, code, message):
    def fail() -> None:
        raise problem

    done = outcome(fail)
    assert done.exit_code == code
    assert done.stdout == ""
    if message is not None:
        assert done.stderr == message


def test_a_defect_of_our_own_is_not_hidden():
    def fail() -> None:
        raise ZeroDivisionError

    assert isinstance(outcome(fail).exception, ZeroDivisionError)


def test_warnings_are_lines_and_each_is_said_once():
    import warnings

    def warn() -> None:
        warnings.warn("3 of 10 rows have no class.", SufficeWarning, stacklevel=1)
        warnings.warn("4 of 10 rows have no class.", SufficeWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)

    done = outcome(warn)
    assert done.exit_code == 0
    assert done.stderr == "suffice: warning: 3 of 10 rows have no class.\nsuffice: warning: something else\n"
