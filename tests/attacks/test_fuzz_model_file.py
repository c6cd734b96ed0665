"""The fuzzer of model files runs, finds nothing, and reaches behind the checksum."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).parent / "fuzz_model_file.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="alarms, and the bound on memory")


def fuzzed(seconds: int, seed: int) -> dict[str, int]:
    command = [sys.executable, FUZZER, "--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"seed {seed}: {done.stdout}\n{done.stderr}"
    return json.loads(done.stdout)


def test_ten_seconds_of_it():
    found = fuzzed(10, secrets.randbits(32))
    for change in ("bits", "splice", "header", "schema", "arrays"):
        assert found[f"{change}: refused"] > 0
    assert found["arrays: whole"] > 0  # another number is another model: the checksum did not stop it


@pytest.mark.slow
def test_ten_minutes_of_it():
    assert sum(fuzzed(600, secrets.randbits(32)).values()) > 10_000
