"""Screening on real transactions: chosen in the first 70% by time, measured on the rest (benchmarks/screened_fraud.py).

The data stays where the environment variable SUFFICE_DATA says (`../shared/data` by default).
"""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks.fraud import FILE
from benchmarks.screened_fraud import compare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILE.is_file(), reason=f"the public data is not at {FILE}; SUFFICE_DATA says where it is"),
]


@pytest.fixture(scope="module")
def result():
    return compare(pd.read_csv(FILE))


def test_the_screened_histograms_find_more_fraud_than_all_of_them(result):
    later = result.screening.later
    print("fraud, screened", later)
    assert later.screened >= 1.05 * later.unscreened


def test_they_find_more_than_gaussian_nb_however_it_ranks(result):
    # Ten times is of its decisions: by its probabilities it has 0.126, and average precision ends at 1.
    later = result.screening.later
    print("fraud, GaussianNB", result.peer)
    assert later.screened > max(result.peer.values())
    assert later.screened >= 10 * result.peer["predict"]


def test_the_curve_has_its_maximum_inside_the_range(result):
    values = [point.value for point in result.screening.curve]
    best = values.index(max(values))
    assert 0 < best < len(values) - 1


def test_some_columns_are_as_good_as_alike_and_some_are_not(result):
    alike = [each.similarity for each in result.screening.columns]
    assert alike == sorted(alike)
    assert alike[0] < 0.5
    assert alike[-1] > 0.9
