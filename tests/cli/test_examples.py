"""Every example of every --help runs, and every command of docs/command-line.md runs as pasted."""

from __future__ import annotations

import os
import re
import shlex
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
    lines = text.split("For example:")[1].split("Arguments:")[0].split("Options:")[0].replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip()]


def page_lines() -> list[str]:
    return [line for block in FENCE.findall(PAGE.read_text(encoding="utf-8")) for line in block.splitlines()]


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
def test_the_help_of_a_command_has_examples_that_run(command, folder, run, shell):
    lines = examples(command)
    assert len(lines) >= 2
    if command == "forget":
        assert run("update", "model.suffice", "tuesday.csv").exit_code == 0
    if command == "predict":  # --novelty needs a reference, which the model of the tests does not have
        assert run("calibrate", "model.suffice", "train.csv").exit_code == 0
    for line in lines:
        assert f"suffice {command} " in f"{line} " or line.startswith("suffice fit ")
        if "|" in line:
            done = shell(line)
            assert (done.returncode, done.stderr) == (0, ""), line
        else:
            done = run(*shlex.split(line)[1:])
            assert (done.exit_code, done.stderr) == (0, ""), line


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_fits_a_narrow_terminal_and_does_not_show_types_of_python(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(app, [*([command] if command else []), "--help"]).output
    assert max(map(len, text.splitlines())) <= 80, max(text.splitlines(), key=len)
    assert not re.search(r"<path>|list\[|\{[A-Z]|x>=|<=x", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_speak_to_scripts(command):
    text = CliRunner().invoke(app, [command, "--help"]).output
    assert "--json" in text


def test_every_command_of_the_page_runs_as_pasted(tmp_path, shell):
    lines = page_lines()
    assert lines[0] == "suffice demo && cd suffice-demo"
    assert {line.split()[1] for line in lines if line.startswith("suffice ")} == set(COMMANDS)
    # One shell for all lines, as in a terminal; each line prints its number and the exit code of each of its commands.
    pasted = [f'{line}\necho {number} "${{PIPESTATUS[*]}}" >> ../codes.txt' for number, line in enumerate(lines)]
    done = shell("\n".join(pasted), cwd=tmp_path)
    codes = [line.split() for line in (tmp_path / "codes.txt").read_text(encoding="utf-8").splitlines()]
    assert [lines[int(number)] for number, *code in codes if {*code} - {"0", "141"}] == [], done.stderr  # 141: | head
    assert len(codes) == len(lines)


def test_the_demo_has_the_files_of_every_example(tmp_path, shell):
    assert shell("suffice demo --quiet", cwd=tmp_path).stdout == ""
    there = tmp_path / "suffice-demo"
    named = {
        word.strip("'")
        for command in COMMANDS
        for line in examples(command)
        for word in line.split()
        if word.endswith((".csv", ".suffice", "/", ".gz'")) and "=" not in word
    }
    written = {"scored.csv", "calls.csv", "parameters.csv", "rows.csv"}
    made = {line.split(" -o ")[1].split()[0] for command in COMMANDS for line in examples(command) if " -o " in line}
    missing = {name for name in named - made - written if not list(there.glob(name.rstrip("/")))}
    assert missing == set()


# Files as people publish them: no header, odd markers, tabs without quotes, gzip.
PUBLIC = {
    "spam": (
        "suffice fit sms_spam.tsv --no-header --no-quote --target 0 -o spam.suffice",
        "suffice predict spam.suffice sms_spam.tsv --proba -o spam.csv",
    ),
    "adult": (
        "suffice fit adult.data.gz --no-header --null '?' --target -1 -o adult.suffice",
        "suffice predict adult.suffice adult.data.gz --proba -o adult.csv",
    ),
    "kdd": (
        "suffice fit kddcup.data_10_percent.gz --no-header --target -1 -o kdd.suffice",
        "suffice predict kdd.suffice kddcup.data_10_percent.gz -o kdd.csv",
    ),
    "mushroom": (
        "suffice fit agaricus-lepiota.data --target edibility --null '?' -o mushroom.suffice",
        "suffice predict mushroom.suffice agaricus-lepiota.data --log-odds -o mushroom.csv",
    ),
    "fraud": (
        "suffice fit creditcard-first60.csv.gz --target Class --drop Time -o fraud.suffice",
        "suffice predict fraud.suffice creditcard-first60.csv.gz --proba --keep Amount -o fraud.csv",
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not in {DATA}; SUFFICE_DATA says where it is")
@pytest.mark.parametrize("name", PUBLIC)
def test_public_data(name, tmp_path, shell):
    for line in PUBLIC[name]:
        words = {Path(word).name for word in line.split()}
        for path in (*DATA.glob("*"), *DATA.glob("uci/*")):
            if path.name in words and not (tmp_path / path.name).exists():
                (tmp_path / path.name).symlink_to(path.resolve())
        done = shell(line, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    assert (tmp_path / f"{name}.csv").stat().st_size > 0
