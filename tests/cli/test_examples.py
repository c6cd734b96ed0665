"""Every example of every --help runs, in a folder that has the files it names, and so do the lines of the page."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suffice.cli.main import app

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(each.name or each.callback.__name__ for each in app.registered_commands)
PAGE = ROOT / "docs" / "command-line.md"
DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(command: str) -> list[str]:
    """Return the lines of the help that are indented as examples are."""
    text = CliRunner().invoke(app, [command, "--help"]).output
    lines = text.split("For example:")[1].split("Arguments:")[0].split("Options:")[0].splitlines()
    return [line.strip() for line in lines if line.strip()]


def page_lines() -> list[str]:
    return [line for block in FENCE.findall(PAGE.read_text(encoding="utf-8")) for line in block.splitlines()]


def names_public_data(line: str) -> list[Path]:
    """Return the files of the public data that a line of the page fits on or predicts."""
    words = {Path(word).name for word in line.split()}
    return [path for path in (*DATA.glob("*"), *DATA.glob("uci/*")) if path.name in words]


def test_there_are_commands():
    assert COMMANDS == [
        "calibrate",
        "concepts",
        "decide",
        "demo",
        "evaluate",
        "explain",
        "export",
        "fit",
        "forget",
        "merge",
        "predict",
        "sample",
        "screen",
        "set",
        "show",
        "update",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_examples_that_run(command, folder, shell):
    lines = examples(command)
    assert len(lines) >= 2
    if command == "forget":
        assert shell("suffice update model.suffice tuesday.csv").returncode == 0
    if command == "predict":  # --novelty needs what a second pass keeps
        assert shell("suffice calibrate model.suffice train.csv").returncode == 0
    for line in lines:
        assert f"suffice {command} " in f"{line} " or line.startswith("suffice fit ")
        done = shell(line)
        assert done.returncode == 0, (line, done.stderr)
        assert done.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_speak_to_scripts(command):
    text = CliRunner().invoke(app, [command, "--help"]).output
    assert "--json" in text


def test_the_lines_of_the_page_run_in_order(folder, shell):
    lines = [line for line in page_lines() if not is_of_public_data(line)]
    assert len(lines) >= 10
    for line in lines:
        done = shell(line)
        assert done.returncode == 0, (line, done.stderr)


PUBLIC = ("spam", "adult", "kdd", "mushroom", "fraud")


def is_of_public_data(line: str) -> bool:
    return any(f"{name}.suffice" in line for name in PUBLIC)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not in {DATA}; SUFFICE_DATA says where it is")
@pytest.mark.parametrize("name", PUBLIC)
def test_the_lines_of_the_page_on_public_data(name, tmp_path, shell):
    lines = [line for line in page_lines() if f"{name}.suffice" in line]
    assert len(lines) == 2
    for line in lines:
        for path in names_public_data(line):
            if not (tmp_path / path.name).exists():
                (tmp_path / path.name).symlink_to(path.resolve())
        done = shell(line, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    assert (tmp_path / f"{name}.csv").stat().st_size > 0
