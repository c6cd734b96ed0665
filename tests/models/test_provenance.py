"""Provenance adds and subtracts along with the statistics, and is ignored by ==."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import suffice as sf
from suffice.models import Provenance
from suffice.sources.files.source import Dialect


def test_sum_keeps_the_earliest_and_the_latest_date_and_each_source_once() -> None:
    a = Provenance(3, ("a.csv", "b.csv"), "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "label")
    b = Provenance(
        2, ("b.csv", "c.csv"), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", weights="w", dialect=Dialect(";")
    )
    assert a + b == Provenance(
        5, ("a.csv", "b.csv", "c.csv"), "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", "label", "w", Dialect(";")
    )


def test_nothing_is_the_zero() -> None:
    a = Provenance(3, ("a.csv",), "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", 4, 5, Dialect(","))
    assert a + Provenance() == a
    assert Provenance() + a == a
    assert a - Provenance() == a


def test_what_is_forgotten_leaves_its_rows_and_sources() -> None:
    a, b = Provenance(3, ("a.csv",)), Provenance(2, ("b.csv",))
    assert a + b - b == a
    assert (a - b).rows == 1
    assert (b - a).rows == 0  # never below none


def test_a_source_is_known_by_its_digest() -> None:
    here, away = Provenance(3, ("a.csv",), digests=("x",)), Provenance(2, ("b.csv", "a.csv"), digests=("x", "y"))
    both = here + away
    assert both.files == (("a.csv", "x"), ("a.csv", "y"))
    assert (both - Provenance(1, ("c.csv",), digests=("y",))).files == here.files
    without = Provenance(1, ("a.csv",))  # of an older file, or standard input
    assert (here + without).files == (("a.csv", "x"), ("a.csv", ""))
    assert (without - here).files == ()
    assert (here + without - here).digests == ()


def test_moment_is_written_in_utc_to_the_second() -> None:
    moment = datetime(2026, 11, 15, 13, 43, 40, 999, tzinfo=UTC)
    assert Provenance().at(moment).first == Provenance().at(moment).last == "2026-11-15T13:43:40Z"
    assert Provenance().at().first >= "2026"


def test_models_carry_it_along() -> None:
    frame = {"fur": ["black", "white", None], "sex": ["f", "m", None], "n": [1, 2, 1]}
    with pytest.warns(sf.errors.DroppedRowsWarning):
        model = sf.fit(frame, "sex", weights="n", calibrate=False)
    told = model.provenance
    assert (told.rows, told.sources, told.target, told.weights) == (2, (), "sex", "n")
    assert (
        model.with_options(estimate="mle").provenance == model.scale(2).provenance == model.prune(3).provenance == told
    )
    more = model.update({"fur": ["black"]}, ["f"])
    assert more.provenance.rows == 3
    assert more.provenance.target == "sex"
    assert more.forget({"fur": ["black"]}, ["f"]).provenance.rows == 2
    assert (model + model).provenance.rows == 4
    collector = sf.Collector(like=model)
    collector.add({"fur": ["black", "white"]}, ["f", "m"])
    assert collector.model().provenance.rows == 2


def test_models_from_elsewhere_are_equal() -> None:
    model = sf.fit({"fur": ["black", "white"]}, ["f", "m"], calibrate=False)
    assert model.provenance.target is None
    assert model == sf.fit({"fur": ["black", "white"], "sex": ["f", "m"]}, "sex", calibrate=False)
