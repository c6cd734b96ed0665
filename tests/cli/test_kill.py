"""`suffice update` and `suffice fit -o`, killed at any moment, leave the old model or the new one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import suffice as sf

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")

COMMANDS = {
    "update": ["update", "model.suffice", "tuesday.csv"],
    "fit": ["fit", "tuesday.csv", "--target", "churned", "-o", "model.suffice"],
}


def killed(folder, words, moments, seed):
    """Run the command over and over, each time killed at a random moment; which of the two models was there then."""
    path = folder / "model.suffice"
    before, old, files = path.read_bytes(), sf.load(path), set(folder.glob("*.suffice"))
    command = [sys.executable, "-m", "suffice", *words]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    takes = time.perf_counter() - start
    new = sf.load(path)
    assert new != old
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(moments):
        path.write_bytes(before)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder) as child:
            time.sleep(chance.uniform(0, 1.1 * takes))
            child.kill()
        there = sf.load(path)
        assert there in (old, new)
        found.append(there == new)
        assert set(folder.glob("*.suffice")) == files
    return found


@pytest.mark.parametrize(
    "command", ["update", *(pytest.param(c, marks=pytest.mark.slow) for c in COMMANDS if c != "update")]
)
def test_ten_random_moments(command, folder):
    killed(folder, COMMANDS[command], 10, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_hundred_random_moments(command, folder):
    found = killed(folder, COMMANDS[command], 100, seed=2)
    assert set(found) == {False, True}  # now the one, now the other
