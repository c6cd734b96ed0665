"""Imports follow the order of the layers, and the linter detects violations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Run the import check of this project over a source tree."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    return subprocess.run(
        [ROOT / ".ci" / "imports", source],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )


def test_the_road_is_kept():
    done = lint(ROOT / "src")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("room", "statement", "complaint"),
    [
        ("statistics", "from suffice.conjugate import BetaBinomial", "suffice.statistics -> suffice.conjugate"),
        ("statistics", "from suffice import BetaBinomial", "suffice.statistics -> suffice"),
        ("conjugate", "def late():\n    import suffice.engines.arrays", "suffice.conjugate -> suffice.engines.arrays"),
        ("statistics", "from suffice._core import read_sum", "suffice.statistics -> suffice._core"),
        ("cli", "from suffice import _core", "suffice.cli -> suffice._core"),
        ("novelty", "", "novelty"),
        ("decisions", "from suffice import _core", "suffice.decisions -> suffice._core"),
    ],
)
def test_an_import_against_the_road_is_caught(tmp_path, room, statement, complaint):
    shutil.copytree(ROOT / "src", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "suffice" / room / "__init__.py"
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as text:
        text.write(f"\n{statement}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert complaint in done.stdout
