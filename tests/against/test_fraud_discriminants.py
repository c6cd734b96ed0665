"""Discriminants on real transactions, 70/30 by time, against scikit-learn's (benchmarks/fraud.py has the whole table).

The data stays where the environment variable SUFFICE_DATA says (`../shared/data` by default).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import average_precision_score

import suffice as sf
from benchmarks.fraud import FILE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILE.is_file(), reason=f"the public data is not at {FILE}; SUFFICE_DATA says where it is"),
]


@pytest.fixture(scope="module")
def split():
    frame = pd.read_csv(FILE)
    cut = int(0.7 * len(frame))
    x, y = frame.drop(columns="Class"), frame["Class"]
    return x.iloc[:cut], y.iloc[:cut], x.iloc[cut:], y.iloc[cut:]


def test_lda_is_at_least_as_precise_as_scikit_learns(split):
    x, y, later, truth = split
    ours, peer = sf.LinearDiscriminant().fit(x, y), LinearDiscriminantAnalysis().fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(later), peer.predict_proba(later), rtol=0, atol=1e-8)
    mine, theirs = (average_precision_score(truth, each.predict_proba(later)[:, 1]) for each in (ours, peer))
    print("fraud, LDA", mine, theirs)
    assert mine >= theirs - 1e-12


def test_a_mixed_model_of_a_block_and_histograms(split):
    x, y, later, truth = split
    model = sf.fit(
        x, y, columns={"V*": sf.MultivariateGaussian(covariance="shared"), "*": sf.Histogram()}, calibrate=False
    )
    log = model.predict_log_proba(later)
    mixed = average_precision_score(truth, log[:, 1] - log[:, 0])
    print("fraud, mixed", mixed)
    assert mixed >= 0.5
