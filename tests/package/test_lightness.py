"""`import suffice` is cheap, and using a name brings only what that name needs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

import pytest

HEAVY = {"sklearn", "pandas", "polars", "scipy.stats", "matplotlib", "narwhals"}
TIMER = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
MODULES = "import json, sys; {}; print(json.dumps(sorted(sys.modules)))"


def child(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def loaded(statement: str) -> set[str]:
    return set(json.loads(child(MODULES.format(statement))))


def test_importing_costs_at_most_three_times_numpy():
    ours, numpys = [], []
    for _ in range(7):  # in turn, so that a busy moment hits both
        ours.append(float(child(TIMER.format("import suffice"))))
        numpys.append(float(child(TIMER.format("import numpy"))))
    assert statistics.median(ours) <= 3 * statistics.median(numpys)


def test_importing_brings_nothing_from_outside_the_standard_library():
    plain, ours = loaded("pass"), loaded("import suffice")
    brought = {name.partition(".")[0] for name in ours - plain}
    assert brought - sys.stdlib_module_names == {"suffice"}


@pytest.mark.parametrize(
    "statement",
    [
        "import suffice; suffice.BetaBinomial",
        "import suffice; [getattr(suffice, name) for name in suffice.__all__ if not name.endswith(('NB', 'NaiveBayes', 'Discriminant'))]",
        "import suffice; suffice.BetaBinomial(1, 1).update(successes=3, failures=0).mean",
        "import suffice.engines.arrays",
        "import suffice.cli.main",
    ],
)
def test_using_the_names_brings_nothing_heavy(statement):
    assert not loaded(statement) & HEAVY


def test_the_errors_need_neither_numpy_nor_scipy():
    assert not loaded("import suffice; suffice.SufficeError") & {"numpy", "scipy"}


def test_the_version_option_needs_no_numbers():
    assert not loaded("import suffice.cli.main; suffice.__version__") & {"numpy", "scipy"}
