"""Tables and colours in a real terminal: a pseudo-terminal of 80 and 100 columns, a pipe, and NO_COLOR."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

import suffice as sf
from suffice.cli import terminal
from suffice.cli.output import round_digits

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(words: list[str], columns: int, **variables: str) -> str:
    """Return what a command prints to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-m", "suffice", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **variables},
    ) as child:
        os.close(theirs)
        text = b""
        while True:
            try:
                ready, _, _ = select.select([ours], [], [], 60)
                part = os.read(ours, 1 << 16) if ready else b""
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            text += part
    os.close(ours)
    assert child.returncode == 0, text.decode()
    return text.decode().replace("\r\n", "\n")


SCREENS = {
    "fit": ["fit", "train.csv", "-t", "churned", "-o", "m.suffice"],
    "show": ["show", "model.suffice"],
    "show a column": ["show", "model.suffice", "--column", "plan"],
    "show numbers": ["show", "model.suffice", "--column", "minutes"],
    "explain": ["explain", "model.suffice", "new.csv", "--row", "3"],
    "evaluate": ["evaluate", "train.csv", "-t", "churned", "--bootstrap", "10", "--folds", "3", "--readings"],
    "evaluate twelve": ["evaluate", "twelve.csv", "-t", "y", "--bootstrap", "0", "--folds", "3"],
    "screen": ["screen", "train.csv", "-t", "churned"],
    "screen many": ["screen", "many.csv", "-t", "y", "--folds", "2"],
    "predict": ["predict", "model.suffice", "new.csv", "--estimate-prior", "-o", "o.csv"],
    "decide": ["decide", "model.suffice", "new.csv", "--costs", "costs.csv", "--estimate-prior", "-o", "o.csv"],
    "decide alerts": ["decide", "model.suffice", "new.csv", "--recall", "0.9", "--on", "tuesday.csv", "-o", "o.csv"],
    "concepts": ["concepts", "16", "8", "2", "64"],
    "demo": ["demo"],
}


def write_wide_files() -> None:
    """Write rows of twelve classes with four-digit counts, and 120 columns of which few tell two classes apart."""
    rng = np.random.default_rng(2)
    classes = rng.integers(0, 12, 14_000)
    rows = np.column_stack([rng.normal(2 * classes), rng.normal(size=len(classes))]).round(1).tolist()
    lines = (f"{a},{b},class {label:02}\n" for (a, b), label in zip(rows, classes.tolist(), strict=True))
    Path("twelve.csv").write_text("a,b,y\n" + "".join(lines), encoding="utf-8")
    two = rng.integers(0, 2, 200)
    cells = (rng.normal(size=(200, 120)) + two[:, None] * np.linspace(1, 0, 120)).round(2)
    names = ",".join(f"column_{at}" for at in range(120))
    many = (f"{','.join(map(str, row))},{'ab'[label]}\n" for row, label in zip(cells.tolist(), two, strict=True))
    Path("many.csv").write_text(f"{names},y\n" + "".join(many), encoding="utf-8")


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("name", SCREENS)
def test_no_line_is_wider_than_the_terminal(folder, name, columns):
    sf.fit("train.csv", "churned").save("model.suffice")
    write_wide_files()
    shown = STYLE.sub("", in_terminal(SCREENS[name], columns))
    lines = shown.splitlines()
    assert max(map(cell_len, lines)) <= columns, max(lines, key=cell_len)
    assert not [line for line in lines if re.fullmatch(r"\s*[█▉▊▋▌▍▎▏│]+", line)], "a bar stands on a line of its own"


def test_a_table_that_is_too_wide_is_printed_in_parts(folder):
    write_wide_files()
    shown = STYLE.sub("", in_terminal(SCREENS["evaluate twelve"], 80))
    matrix = shown.split("confusion matrix")[1].split("\n\nreliability")[0].splitlines()[1:]
    titles = [line for line in matrix if line.count("class") > 1]
    assert len(matrix) == len(titles) * 14 - 1  # titles and twelve lines each, with a blank line between the parts
    assert re.findall(r"class \d\d", " ".join(titles)) == [f"class {at:02}" for at in range(12)]
    assert len(titles) > 1


@pytest.mark.parametrize("columns", [80, 100])
def test_help_is_as_wide_as_the_terminal(columns):
    widest = max(map(len, in_terminal(["fit", "--help"], columns).splitlines()))
    assert columns - 10 < widest <= columns


def test_a_terminal_has_colours_and_headings_in_bold(folder):
    shown = in_terminal(SCREENS["explain"], 100)
    assert shown.startswith("\x1b[1mrow 3: ")
    lines = shown.splitlines()
    for line in lines[2:]:
        nats = re.search(r"\x1b\[(\d+)m([+-])\d", line)
        assert nats is not None
        assert nats[1] == ("36" if nats[2] == "+" else "35")
    assert "\x1b[1mcolumns\x1b[0m" in in_terminal(SCREENS["show"], 100)


def test_no_color_pipes_and_json_are_plain(folder, run):
    plain = in_terminal(SCREENS["explain"], 100, NO_COLOR="1")
    assert "\x1b" not in plain
    assert plain == STYLE.sub("", in_terminal(SCREENS["explain"], 100))
    assert "\x1b" not in run(*SCREENS["explain"]).stdout
    assert "\x1b" not in in_terminal([*SCREENS["show"], "--json"], 100)


def test_messages_break_between_words(folder):
    sf.fit("train.csv", "churned").save("model.suffice")
    shown = in_terminal(["update", "model.suffice", "train.csv"], 60)
    warning, _, rest = shown.partition("forget`.")
    assert max(map(len, warning.splitlines())) <= 60
    assert " ".join(warning.split()).endswith("If that is not intended, remove them with `suffice")
    assert "rows/s" in rest


def test_wide_characters_line_up(folder, run):
    rows = "".join(f"{('東京都千代田区', 'a😀')[at % 2]},{('猫', 'dog')[at % 2]}\n" for at in range(20))
    (folder / "wide.csv").write_text(f"都市,y\n{rows}", encoding="utf-8")
    sf.fit("wide.csv", "y").save("w.suffice")
    lines = run("show", "w.suffice").stdout.splitlines()
    bars = [line for line in lines if "│" in line]
    assert len(bars) == 2
    assert len({cell_len(line.partition("│")[0]) for line in bars}) == 1
    narrow = STYLE.sub("", in_terminal(["show", "w.suffice"], 60)).splitlines()
    assert max(map(cell_len, narrow)) <= 60


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 4, "abc…"),
        ("東京都", 5, "東京…"),
        ("東京都", 4, "東… "),
        ("😀😀", 4, "😀😀"),
        ("", 2, "  "),
    ],
)
def test_text_in_so_many_cells(text, width, shown):
    assert terminal.fit_width(text, width) == shown
    assert cell_len(shown) == width


def test_lists_are_cut_with_the_number_that_is_left(capsys):
    terminal.print_table(terminal.cut_rows([[f"c{at}", "1"] for at in range(30)], 20, "columns"), ("column", "rows"))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 22
    assert lines[0] == "  column  rows"
    assert lines[-1] == "  … 10 more columns"


def test_many_unlike_columns_are_cut_and_like_ones_are_one_line(folder, run):
    names = ",".join(f"c{at}" for at in range(60))
    cells = ["b", "0.5", "a text of some words"]
    rows = "".join(f"k{row % 2},{','.join(f'{cells[at % 2]}{row % 3}' for at in range(60))}\n" for row in range(40))
    (folder / "many.csv").write_text(f"y,{names}\n{rows}", encoding="utf-8")
    lines = run("fit", "many.csv", "-t", "y", "--no-calibrate").stdout.splitlines()
    assert "  … 40 more columns" in [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "a … b ± ∞ – é"), ("latin-1", "a ... b ± inf - é"), ("ascii", "a ... b +/- inf - \\xe9")],
)
def test_characters_that_the_terminal_lacks(monkeypatch, encoding, shown):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.say("a … b ± ∞ – é")
    stream.flush()
    assert stream.buffer.getvalue().decode(encoding) == f"{shown}\n"


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.5, "50.0 %"),
        (0.99994, "99.994 %"),
        (0.999, "99.9 %"),
        (1 - 1e-12, "100.000000 %"),
        (1e-5, "0.001 %"),
        (0, "0 %"),
    ],
)
def test_percentages(share, shown):
    assert terminal.percent(share) == shown


def test_rounding_to_significant_digits():
    rng = np.random.default_rng(0)
    values = rng.normal(size=2000) * 10.0 ** rng.integers(-40, 40, 2000)
    values[:6] = [0.0, np.inf, -np.inf, 5e-324, 1.7976931348623157e308, -0.0]
    for digits in (1, 3, 6, 12):
        expected = [float(f"{value:.{digits}g}") for value in values.tolist()]
        np.testing.assert_allclose(round_digits(values, digits), expected, rtol=10.0 ** (1 - digits) * 1.0001)
        usual = (np.abs(values) > 1e-5) & (np.abs(values) < 1e5)
        # A tie between two decimal numbers is the one exception: both are as near.
        same = round_digits(values, digits)[usual] == np.array(expected)[usual]
        assert same.mean() > 0.999
    assert np.isnan(round_digits(np.array([np.nan]), 3))[0]
