"""Fitting and predicting on a mixed frame where it must survive: after a fork, from many threads, on any number of them."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf

SCRIPT = "import sys\nfrom tests.api.test_processes import bits\nsys.stdout.buffer.write(bits())\n"


def frame(rows=3000):
    rng = np.random.default_rng(3)
    return {
        "real": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
        "skew": rng.exponential(size=rows) ** 3,
        "fur": rng.choice(["black", "white", "calico"], rows).astype(object),
        "wet": rng.random(rows) < 0.3,
        "sex": rng.choice(["f", "m"], rows),
    }


def bits(make=dict):
    """Everything that a model says of the rows that it was fitted on."""
    data = make(frame())
    model = sf.fit(data, "sex", calibrate=False)
    found = [model.with_options(estimate=estimate).log_joint(data) for estimate in ("mle", "map", "predictive")]
    return b"".join(each.tobytes() for each in [*found, model.predict_proba(data), model.log_density(data)])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_after_a_fork(make):
    want = bits(make)  # threads have run in the parent before it forks
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(bits, [make] * 4) == [want] * 4


def test_in_a_pool_of_threads():
    model, data = sf.fit(frame(), "sex", calibrate=False), frame(200)
    want = model.predict_proba(data).tobytes()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: model.predict_proba(data).tobytes(), range(64))) == {want}
        assert set(pool.map(lambda _: bits(), range(8))) == {bits()}


@pytest.mark.parametrize("name", ["SUFFICE_NUM_THREADS", "OMP_NUM_THREADS", "SUFFICE_ISA"])
def test_whatever_the_environment_says(name):
    value = "plain" if name == "SUFFICE_ISA" else "1"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env={**os.environ, name: value}, capture_output=True, check=True
    )
    assert done.stdout == bits()
