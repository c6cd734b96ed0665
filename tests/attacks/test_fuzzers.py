"""Every fuzzer runs for a moment without a finding, and the runner reports what a fuzzer must find."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.planted_defects import DEFECTS

ROOT = Path(__file__).parents[2]
FUZZERS = sorted(path.stem for path in Path(__file__).parent.glob("fuzz_*.py"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory, and signals")


def run(module: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"tests.attacks.{module}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_a_hundred_cases(fuzzer):
    # The same each time, on any machine: chance is for .ci/full.
    done = run(fuzzer, "--seed", "1", "--cases", "100")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    tally = json.loads(done.stdout)
    assert sum(tally.values()) == 100
    # Both are reached: answers, and refusals (commands refuse by their exit code).
    assert any(outcome.endswith(("whole", "some refused")) for outcome in tally)
    assert any("refused" in outcome or "exit code 1" in outcome for outcome in tally)


def test_planted_defects_are_found():
    done = run("planted_defects", "--seed", "1", "--cases", str(len(DEFECTS) + 3))
    assert done.returncode == 1
    found = re.findall(
        r"^ +1 × (.*)\n +python -m tests\.attacks\.planted_defects --seed 1 --case (\d+)$", done.stdout, re.M
    )
    assert [int(case) for _, case in found] == list(range(len(DEFECTS)))
    for (name, _), pattern in zip(found, DEFECTS.values(), strict=True):
        assert re.match(pattern, name)
    again = run("planted_defects", "--seed", "1", "--case", "0")
    assert again.returncode == 1
    assert "ValueError: row 3" in again.stderr
