"""A user-defined likelihood is one file; its models explain, show, evaluate, calibrate and save like all others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.likelihoods.terms.term import Term
from suffice.storage.likelihoods import import_path
from tests.likelihoods.exponential import Exponential

RANDOM = np.random.default_rng(5)
Y = RANDOM.choice(["fast", "slow"], 300)
WAITS = RANDOM.exponential(np.where(Y == "fast", 1.0, 3.0)[:, None] * [1.0, 10.0], (300, 2))
WAITS[RANDOM.random(WAITS.shape) < np.where(Y == "fast", 0.1, 0.3)[:, None]] = np.nan


def known():
    """Return the likelihood of CONTRIBUTING.md, whose file is the block of the page."""
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?class Known\(Likelihood\).*?)^```$", page, re.MULTILINE | re.DOTALL)
    space = {"__name__": "known"}
    exec(compile(block, "known.py", "exec"), space)  # noqa: S102  the page is the file
    return space["Known"]


OWN = {"known": known()(), "exponential": Exponential(), "exponential with a prior": Exponential(2.0, rate=0.5)}


@pytest.fixture(params=OWN)
def own(request):
    """Return one likelihood after the other."""
    return OWN[request.param]


def test_an_exponential_scores_as_its_formula():
    model = sf.fit(WAITS, Y, columns=Exponential(2.0, 0.5))
    expected = np.zeros((len(WAITS), 2))
    for c, label in enumerate(["fast", "slow"]):
        rows = WAITS[label == Y]
        rate = (2.0 + (~np.isnan(rows)).sum(axis=0)) / (0.5 + np.nansum(rows, axis=0))
        cells = np.log(rate) - WAITS * rate
        expected[:, c] = np.log((label == Y).mean()) + np.nansum(cells, axis=1)
    assert_allclose(model.log_joint(WAITS), expected, rtol=1e-12)


def test_a_negative_time_is_refused_with_its_place():
    model = sf.fit(WAITS, Y, columns=Exponential())
    with pytest.raises(sf.errors.DataError, match=r"row 1, column 0"):
        model.predict(np.array([[1.0, 1.0], [-1.0, 1.0]]))


def test_it_explains(own):
    model = sf.fit(WAITS, Y, columns=own)
    joint = model.log_joint(WAITS)
    for each, row in zip(model.explain(WAITS), joint, strict=True):
        odds = row[1] - row[0] if each.label == "slow" else row[0] - row[1]
        added = each.prior.nats + sum(entry.nats for entry in each.entries)
        assert_allclose(added, odds, rtol=1e-9, atol=1e-12)
        assert {entry.column for entry in each.entries} <= {0, 1}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bare(Term):
    """A term that states its formula and nothing else."""

    columns: tuple[Any, ...]
    inner: Term

    def compile(self, layout):
        """Add the tables of another term."""
        self.inner.compile(layout)


def test_a_term_that_only_compiles_is_one_entry_for_all_its_columns(monkeypatch):
    joint = sf.fit(WAITS, Y, columns=Exponential()).log_joint(WAITS)
    terms = Exponential.terms
    monkeypatch.setattr(Exponential, "terms", lambda *given: tuple(Bare(term.columns, term) for term in terms(*given)))
    model = sf.fit(WAITS, Y, columns=Exponential())
    np.testing.assert_array_equal(model.log_joint(WAITS), joint)
    for each, x, row in zip(model.explain(WAITS), WAITS, joint, strict=True):
        odds = row[1] - row[0] if each.label == "slow" else row[0] - row[1]
        entries = [(entry.column, entry.value) for entry in each.entries]
        cells = tuple(None if np.isnan(cell) else cell for cell in x)
        assert entries == ([] if np.isnan(x).all() else [("0, 1", cells)])
        assert_allclose(each.prior.nats + sum(entry.nats for entry in each.entries), odds, rtol=1e-9, atol=1e-12)
    assert model.show().columns == ()
    (size,) = model.core.terms[0].size_terms(-1.0, set())
    np.testing.assert_array_equal(size.present, [[1.0, 0.0]] * 2)  # each known cell counts as one
    np.testing.assert_array_equal(size.absent, np.zeros((2, 2)))
    with pytest.raises(TypeError, match="the columns of Bare cannot be separated"):
        model.core.terms[0].restrict((0,))


def test_it_shows(own):
    model = sf.fit(WAITS, Y, columns=own)
    shown = model.show()
    assert shown.columns is not None
    rows = [row for row in model.parameters(credible=0.9) if row.column is not None]
    assert len(rows) == 4
    assert all(row.lower < row.value < row.upper for row in rows)
    assert repr(own) in repr(model.schema)


def test_it_evaluates(own):
    within = sf.fit(WAITS, Y, columns=own).evaluate(WAITS, Y, bootstrap=0)
    folds = sf.evaluate(WAITS, Y, columns=own, folds=5, bootstrap=0)
    for found in (within, folds):
        assert {metric.name: metric.value for metric in found.metrics}["log_loss"] < np.log(2)


def test_it_calibrates_on_folds(own):
    again = np.tile(WAITS, 4)  # columns that repeat others make the model too sure
    model = sf.fit(again, Y, columns=own, calibrate=False).calibrate(again, Y)
    assert model.calibration is not None
    assert_allclose(model.predict_proba(again).sum(axis=1), 1.0)


def test_it_is_saved_and_loaded_by_those_who_bring_it(own, tmp_path):
    path = tmp_path / "own.suffice"
    model = sf.fit(WAITS, Y, columns=own)
    model.save(path)
    again = sf.load(path, likelihoods=[type(own)])
    assert again == model
    np.testing.assert_array_equal(again.predict_proba(WAITS), model.predict_proba(WAITS))
    named = re.escape(repr(import_path(type(own))))
    with pytest.raises(
        sf.errors.ModelFileError, match=rf"likelihood {named}.*pass the class: load\(path, likelihoods=\[…\]\)"
    ):
        sf.load(path)


def test_it_merges_and_forgets(own):
    fit = partial(sf.fit, columns=own, calibrate=False)
    whole = fit(WAITS, Y)
    first, rest = (fit(WAITS[some], Y[some]) for some in (slice(0, 100), slice(100, 300)))
    assert_allclose((first + rest).predict_proba(WAITS), whole.predict_proba(WAITS), rtol=1e-12)
    assert_allclose((whole - rest).predict_proba(WAITS), first.predict_proba(WAITS), rtol=1e-12)


def test_options_change_the_parameters_that_have_their_names():
    given = Exponential(2.0, 3.0)
    assert given.with_options(rate=1.0, covariance="full") == Exponential(2.0, 1.0)
    assert given.with_options(covariance="full") is given
