"""A folder with the files that the examples of the commands name, and a way to run them."""

from __future__ import annotations

import csv
import gzip
import os
import subprocess
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import suffice as sf
from suffice.cli import main
from suffice.cli.demo import TARGET, subscribers, write_rows
from suffice.cli.main import app

INSTALLED = str(Path(sysconfig.get_path("scripts")) / "suffice")
ROWS = subscribers(600)
MAIL = [
    ("spam", "Win a prize now, win CASH"),
    ("ham", "Lunch now? The meeting is over"),
    ("spam", "Claim the prize: cash prize, über fast"),
    ("ham", "meeting notes, and the lunch menu"),
    ("ham", "notes of the über meeting"),
]

TOTALS = """class,column,level,count,n,mean,variance
no,,,5,,,
yes,,,3,,,
no,plan,basic,4,,,
yes,plan,basic,1,,,
yes,plan,plus,2,,,
no,minutes,,,5,210.5,100.25
yes,minutes,,,3,90,64
"""


@pytest.fixture(autouse=True)
def _process_as_it_was(monkeypatch):
    """A command that runs here must not set up the process as its own: others measure its memory."""
    monkeypatch.setattr(main, "keep_freed_memory", lambda: True)
    monkeypatch.setattr(main, "gc", SimpleNamespace(set_threshold=lambda _: None, freeze=lambda: None))


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def close(one, other):
    """Whether two models say the same to 1e-9 about every parameter and about their evidence."""
    mine, theirs = one.parameters(), other.parameters()
    assert [each[:5] for each in mine] == [each[:5] for each in theirs]
    numbers = [np.array([each.value for each in rows]) for rows in (mine, theirs)]
    np.testing.assert_allclose(*numbers, rtol=1e-9)
    return bool(np.isclose(one.log_evidence(), other.log_evidence(), rtol=1e-12))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Make the files once; tests get a copy each."""
    folder = tmp_path_factory.mktemp("made")
    write_rows(ROWS[:300], folder / "train.csv")
    write_rows(ROWS[300:400], folder / "tuesday.csv")
    write_rows(ROWS[400:], folder / "new.csv")
    write_rows(ROWS[17:18], folder / "one_customer.csv")
    (folder / "logs").mkdir()
    for day, some in (("01", ROWS[:100]), ("02", ROWS[100:300])):
        with gzip.open(folder / "logs" / f"2026-11-{day}.csv.gz", "wt", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["?" if cell is None else cell for cell in row.values()] for row in some])
    sf.fit(str(folder / "train.csv"), TARGET, calibrate=False).save(folder / "model.suffice")
    (folder / "totals.csv").write_text(TOTALS, encoding="utf-8")
    (folder / "costs.csv").write_text("action,no,yes\nleave,0,100\ncall,5,40\n", encoding="utf-8")
    with (folder / "mail.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("label", "body"), *MAIL])
    for at, (label, body) in enumerate(MAIL):
        (folder / "mail" / label).mkdir(parents=True, exist_ok=True)
        (folder / "mail" / label / f"{at}.txt").write_text(body, encoding="utf-8")
    sf.fit(str(folder / "mail"), calibrate=False).save(folder / "mail.suffice")
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """Return a folder with copies of the files, which is the current one."""
    import shutil

    shutil.copytree(made, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def run():
    """Run a command in this process: exit_code, stdout, stderr."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def shell():
    """Run a line of shell, `suffice` being the installed one."""
    path = os.pathsep.join([str(Path(INSTALLED).parent), os.environ["PATH"]])

    def call(line: str, **options) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
            **options,
        )

    return call
