"""The worked numbers of docs/mathematics.md §11, from frames of text as a person would type them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from suffice.api import fit
from suffice.likelihoods import Categorical

PROPOSALS = """
    handsome good short  ambitious   accept
    plain    good tall   ambitious   accept
    handsome good tall   unambitious accept
    plain    good medium ambitious   accept
    handsome good medium ambitious   accept
    plain    bad  tall   ambitious   accept
    handsome bad  short  unambitious decline
    plain    good short  ambitious   decline
    handsome bad  short  ambitious   decline
    handsome bad  short  ambitious   decline
    handsome good short  unambitious decline
    handsome good short  unambitious decline
"""
NAMES = ["looks", "temper", "height", "ambition", "answer"]
ROWS = [line.split() for line in PROPOSALS.strip().splitlines()]
QUERY = [["plain", "bad", "short", "unambitious"]]

FUR = [("black", "male"), ("orange", "male"), ("black", "female"), ("orange", "male"), ("white", "male")]
FUR += [("white", "female"), ("white", "male"), ("white", "female"), ("black", "female"), ("calico", "female")]


def frames(rows, names):
    yield pd.DataFrame(rows, columns=names)
    yield pd.DataFrame(rows, columns=names, dtype=object)
    yield pd.DataFrame(rows, columns=names).astype("category")
    yield pl.DataFrame(rows, schema=names, orient="row")


@pytest.mark.parametrize("at", range(4))
def test_twelve_proposals(at):
    model = fit(list(frames(ROWS, NAMES))[at], "answer", columns=Categorical(), estimate="mle", calibrate=False)
    query = list(frames(QUERY, NAMES[:-1]))[at]
    assert model.classes == ("accept", "decline")
    np.testing.assert_allclose(np.exp(model.log_joint(query)), [[1 / 864, 1 / 48]], rtol=1e-13)
    np.testing.assert_allclose(model.predict_proba(query), [[1 / 19, 18 / 19]], rtol=1e-13)
    smoothed = model.with_options(estimate="smoothed", alpha=1)
    np.testing.assert_allclose(smoothed.predict_proba(query), [[1 / 8, 7 / 8]], rtol=1e-13)
    np.testing.assert_allclose(
        smoothed.predict_proba(query[["ambition", "height", "temper", "looks"]]), [[1 / 8, 7 / 8]]
    )
    assert model.predict(query).tolist() == ["decline"]


@pytest.mark.parametrize("at", range(4))
def test_fur_colour(at):
    model = fit(list(frames(FUR, ["fur", "sex"]))[at], "sex", columns=Categorical(), estimate="mle", calibrate=False)
    found = {(row.label, row.level): row.value for row in model.parameters() if row.column == "fur"}
    female = {"black": 0.4, "orange": 0, "white": 0.4, "calico": 0.2}
    male = {"black": 0.2, "orange": 0.4, "white": 0.4, "calico": 0}
    expected = {("female", fur): p for fur, p in female.items()} | {("male", fur): p for fur, p in male.items()}
    assert found == pytest.approx(expected, rel=1e-15)
