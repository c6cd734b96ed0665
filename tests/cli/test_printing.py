"""Bars, tables, JSON, progress and complaints: what they look like, also where a terminal can print little."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from suffice.cli import output
from suffice.cli.failures import explained, guarded
from suffice.cli.progress import Reporter
from suffice.errors import DataError, SufficeWarning


@pytest.mark.parametrize(
    ("value", "shown"),
    [(8, "████████"), (4, "████"), (1, "█"), (0.5, "▌"), (0.001, "▏"), (0, ""), (-1, ""), (math.nan, "")],
)
def test_a_bar_is_as_long_as_its_share(value, shown):
    assert output.bar(value, 8, 8) == shown


def test_bars_where_the_terminal_has_no_blocks(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert output.bar(3, 4, 8) == "######"
    assert output.signed_bar(-1, 2, 4) == "  ##|"


def test_signed_bars_stand_on_both_sides():
    assert output.signed_bar(2, 2, 4) == "    │████"
    assert output.signed_bar(-2, 2, 4) == "████│"
    assert output.signed_bar(-math.inf, 2, 4) == "████│"
    assert output.signed_bar(-0.001, 2, 4) == "   █│"


def test_json_is_one_object_without_nan(capsys):
    output.emit(
        {"a": math.nan, "b": [math.inf, np.float64(1.5), np.int64(2)], "c": Path("x"), "d": ("é", b"z"), "e": True}
    )
    said = capsys.readouterr().out
    assert said == '{"a": null, "b": ["inf", 1.5, 2], "c": "x", "d": ["é", "z"], "e": true, "warnings": []}\n'
    json.loads(said)


def test_a_table_lines_up_and_folds_nothing_that_fits(capsys):
    output.table([["short", "1"], ["a longer one", "1,000"]], right=(1,))
    assert capsys.readouterr().out == "  short             1\n  a longer one  1,000\n"


def test_a_table_of_nothing_is_nothing(capsys):
    output.table([])
    assert capsys.readouterr().out == ""


def test_a_table_takes_brackets_as_they_are(capsys):
    output.table([["[red]x[/red]", "[0, 1.5)"]])
    assert capsys.readouterr().out == "  [red]x[/red]  [0, 1.5)\n"


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB")]
)
def test_sizes(tmp_path, size, shown):
    (tmp_path / "f").write_bytes(b"x" * size)
    assert output.size_of(tmp_path / "f") == shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


def reported(monkeypatch, stream, seconds, sights):
    clock = iter([*seconds, *[seconds[-1]] * 100])
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("suffice.cli.progress.time.monotonic", lambda: next(clock))
    with Reporter("reading") as report:
        for sight in sights:
            report(sight)
    return report, stream.getvalue()


def sight(rows, share):
    return SimpleNamespace(rows=rows, share=share, skipped=3, described=("comma, header",))


SIGHTS = [sight(500, 0.25), sight(1000, 0.5)]


def test_progress_is_quiet_for_a_second_and_where_nobody_looks(monkeypatch):
    assert reported(monkeypatch, Terminal(), [0.0, 0.0, 0.4, 0.8], SIGHTS)[1] == ""
    report, shown = reported(monkeypatch, io.StringIO(), [0.0, 0.0, 5.0, 9.0], SIGHTS)
    assert shown == ""
    assert (report.rows, report.skipped, report.described) == (1000, 3, ("comma, header",))


@pytest.mark.parametrize(
    ("share", "left"), [(0.5, ", 4 s left"), (0.02, ", 3 min left"), (0.001, ", 1 h 06 min left"), (None, "")]
)
def test_progress_shows_rows_speed_and_time_left(monkeypatch, share, left):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    _, shown = reported(monkeypatch, Terminal(), [0.0, 0.0, 4.0], [sight(8000, share)])
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "reading" in plain
    assert f"8,000 rows, 2,000 rows/s{left}" in plain


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (DataError("row 17 has weight -0.5."), "row 17 has weight -0.5."),
        (FileNotFoundError(2, "x", "a.csv"), "there is no file or folder 'a.csv'. Check the path."),
        (IsADirectoryError(21, "x", "d"), "'d' is a folder. Give the path of a file."),
        (
            PermissionError(13, "x", Path("d")),
            "no permission for 'd'. Choose another place with -o, or change its rights.",
        ),
        (OSError(30, "x", "d"), "'d' is on a disk that can only be read. Choose another place with -o."),
        (
            OSError(28, "x", "d"),
            "no space is left on the disk for 'd', and nothing was half-written. Make room, or choose another place "
            "with -o.",
        ),
        (OSError("cannot write 'd': the disk is full."), "cannot write 'd': the disk is full."),
        (OSError(28, "x", "tmp", None, "d"), None),
        (OSError(28, "x"), None),
        (OSError(5, "Input/output error", "d"), "[Errno 5] Input/output error: 'd'"),
        (
            MemoryError(),
            "not enough memory. Give a column with very many distinct values another likelihood, or leave it out with "
            "--drop.",
        ),
    ],
)
def test_problems_in_words(problem, message):
    assert message is None or explained(problem) == message
    assert "None" not in explained(problem)


def outcome(action):
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(guarded(action))
    return CliRunner().invoke(app, [])


@pytest.mark.parametrize(
    ("problem", "code", "message"),
    [
        (DataError("no."), 1, "suffice: no.\n"),
        (FileNotFoundError(2, "x", "a"), 1, "suffice: there is no file or folder 'a'. Check the path.\n"),
        (KeyboardInterrupt(), 130, "suffice: interrupted. What was there before is as it was.\n"),
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
