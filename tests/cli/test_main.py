"""The command line: what it prints where, and the code it leaves with."""

from __future__ import annotations

import resource
import runpy
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from suffice.cli.main import app, run
from suffice.errors import DataError

INSTALLED = str(Path(sysconfig.get_path("scripts")) / "suffice")
WAYS = {"suffice": [INSTALLED], "python -m suffice": [sys.executable, "-m", "suffice"]}


@pytest.fixture(params=WAYS)
def command(request: pytest.FixtureRequest):
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*WAYS[request.param], *arguments], capture_output=True, text=True, check=False)

    return call


def test_version_goes_to_stdout(command):
    done = command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"suffice {version('suffice')}\n", "")


def test_no_arguments_show_the_help(command):
    done = command()
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout == command("--help").stdout
    assert done.stdout.startswith("Usage: suffice [OPTIONS] COMMAND")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["--vershion"], "No such option: --vershion"), (["fitt"], "No such command 'fitt'")],
)
def test_wrong_usage_leaves_with_2_and_says_so_on_stderr(command, arguments, complaint):
    done = command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert complaint in done.stderr
    assert "suffice --help" in done.stderr
    assert "Traceback" not in done.stderr


def test_shell_completion_is_on(command, monkeypatch):
    # typer looks for the shell among the parents of the process; a scheduler or a container has none there.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = command("--show-completion", "bash")
    assert done.returncode == 0
    assert "_SUFFICE_COMPLETE=complete_bash" in done.stdout


def worked() -> float:
    """Return the seconds that children worked so far: on a machine that others use too, waiting is not ours."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_help_teaches_and_is_there_at_once(command):
    took = []
    for _ in range(5):
        start = worked()
        text = command("--help").stdout
        took.append(worked() - start)
    assert "sufficient statistics" in text
    assert "suffice demo" in text
    assert "suffice fit train.csv --target churned" in text
    assert min(took) < 0.3


def test_the_demo_is_over_in_five_seconds(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start = worked()
    done = command("demo")
    assert worked() - start < 5
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "suffice-demo" / "model.suffice").exists()
    assert "try next" in done.stdout


def test_the_callbacks_in_process():
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).output == f"suffice {version('suffice')}\n"
    assert runner.invoke(app, []).exit_code == 0
    assert runner.invoke(app, ["fitt"]).exit_code == 2


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (DataError("row 17 has weight -0.5."), "suffice: row 17 has weight -0.5.\n"),
        (
            FileNotFoundError(2, "No such file or directory", "a.csv"),
            "the file or folder 'a.csv' does not exist. Check the path.",
        ),
    ],
)
def test_a_data_problem_leaves_with_1_and_one_message_on_stderr(problem, message, monkeypatch, capsys):
    failing = typer.Typer(pretty_exceptions_enable=False)

    @failing.command()
    def fail() -> None:
        raise problem

    monkeypatch.setattr(sys, "argv", ["suffice"])
    with pytest.raises(SystemExit) as left:
        run(failing)
    assert left.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1


def test_python_dash_m_runs_the_same_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["suffice", "--version"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("suffice", run_name="__main__")
    assert left.value.code == 0
    assert capsys.readouterr().out == f"suffice {version('suffice')}\n"
