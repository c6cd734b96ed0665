"""Hashed text needs memory for the observed columns only, however many there may be."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf

TEXTS = ["aa bb cc", "cc dd", "aa aa ee", "ff gg", "hh", ""] * 4
LABELS = [0, 1, 0, 1, 2, 2] * 4
ASKED = ["aa dd", "cc cc hh", "never seen", "gg"]
READINGS = {
    "predictive": {},
    "bernoulli": {"model": "bernoulli"},
    "complement": {"model": "complement"},
    "idf": {"idf": True},
    "cut": {"min_df": 5, "max_features": 4},
    "evidence": {"prior": "evidence"},
}


@pytest.mark.parametrize("reading", READINGS)
def test_many_columns_are_read_as_few_are(reading):
    # No two of the tokens fall into one column of either.
    few, many = (
        sf.fit({"text": TEXTS}, LABELS, columns=sf.Words(hashed=hashed, **READINGS[reading]), calibrate=False)
        for hashed in (20, 30)
    )
    asked = {"text": ASKED}
    np.testing.assert_allclose(few.predict_proba(asked), many.predict_proba(asked), rtol=1e-12)
    pruned = many.prune(5)
    np.testing.assert_allclose(few.prune(5).predict_proba(asked), pruned.predict_proba(asked), rtol=1e-12)


SMALL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import suffice as sf
texts, labels = ["aa bb", "cc dd"] * 5, [0, 1] * 5
for model in ("multinomial", "bernoulli", "complement"):
    for estimate in ("predictive", "mle"):
        fitted = sf.fit(texts, labels, columns=sf.Words(hashed=30, model=model), estimate=estimate, calibrate=False)
        fitted.save(sys.argv[1])
        loaded = sf.load(sys.argv[1])
        loaded.predict(["aa"])
        loaded.explain(["aa cc"])
        loaded.update(texts, labels).forget(texts, labels).prune(2).predict(["cc"])
        list(loaded.parameters())
        sf.evaluate(texts, labels, columns=sf.Words(hashed=30, model=model), folds=2, bootstrap=0, calibrate=False)
# Of this process alone: ru_maxrss would start with what the process that started it has.
print(next(int(line.split()[1]) >> 10 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_a_small_file_takes_little_memory(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SMALL, str(tmp_path / "model.suffice")],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "SUFFICE_NUM_THREADS": "2"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 500
