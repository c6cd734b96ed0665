"""Quantiles, cells of equal mass and cell masses, compared with NumPy and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis, Bins
from suffice.statistics.bin_layout import float_to_key
from tests.oracles import rows_bins

A = Axis.of(["a"])
NAN, INF = float("nan"), float("inf")
MOST = float(np.finfo(np.float64).max)
VALUES = st.lists(st.one_of(st.integers(-5, 5).map(float), st.floats(allow_nan=False)), min_size=1, max_size=12)


def of(values: list[float], codes: list[int] | None = None, limit: int = 4096) -> Bins:
    """Return the bins of one column in classes "a" and "b"."""
    return rows_bins.as_statistic([[v] for v in values], codes or [0] * len(values), ["a", "b"], 1, limit)


@given(values=VALUES, q=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_quantiles_are_those_of_numpy(values: list[float], q: list[float]) -> None:
    with np.errstate(invalid="ignore"):
        want = np.quantile(values, q, method="inverted_cdf")
    assert of(values).quantiles(q)[:, 0].tolist() == want.tolist()


@given(values=VALUES, q=st.floats(0, 1))
def test_a_coarse_quantile_is_the_lower_edge_of_the_bin_that_holds_it(values: list[float], q: float) -> None:
    bins = of(values, limit=3)
    with np.errstate(invalid="ignore"):
        exact = float(np.quantile(values, q, method="inverted_cdf"))
    (got,) = bins.quantiles(q)[0].tolist()
    at = np.flatnonzero(bins.lower() == got)
    assert got == exact if np.isinf(exact) else got <= exact <= bins.upper()[at[0]]


def test_quantiles_per_class() -> None:
    bins = of([1, 2, 3, 10, -INF], [0, 0, 0, 1, 1])
    assert bins.quantiles([0, 0.5, 1], per_class=True)[:, :, 0].tolist() == [[1, -INF], [2, -INF], [3, 10]]
    assert bins.quantiles(0.5).tolist() == [[2]]
    assert bins.quantiles([]).shape == (0, 1)


def test_quantiles_of_nothing_are_nan() -> None:
    assert np.isnan(Bins.zero(2).quantiles([0.5])).all()
    two = rows_bins.as_statistic([[1, NAN], [NAN, 2]], [0, 1], ["a", "b"], 2)
    np.testing.assert_array_equal(two.quantiles(0.5, per_class=True)[0], [[1, NAN], [NAN, 2]])


@pytest.mark.parametrize(("q", "shown"), [(1.5, "1.5"), ([0.5, NAN], "nan"), (-0.1, "-0.1")])
def test_other_quantiles_are_refused(q: Any, shown: str) -> None:
    with pytest.raises(ParameterError) as error:
        of([1]).quantiles(q)
    assert str(error.value) == f"q must be between 0 and 1: got {shown}."


def test_cells_of_equal_mass_by_hand() -> None:
    bins = of([float(v) for v in range(8)], [0, 0, 0, 0, 1, 1, 1, 1])
    (edges,) = bins.equal_mass_edges(4)
    assert edges.tolist() == [0, 1.5, 3.5, 5.5, np.nextafter(7, INF)]
    (masses,) = bins.masses([edges])
    assert masses.tolist() == [[2, 2, 0, 0], [0, 0, 2, 2]]
    assert of([5.0]).equal_mass_edges(3)[0].tolist() == [5, np.nextafter(5, INF)]
    assert of([1, 1, 1, 2]).equal_mass_edges(3)[0].tolist() == [1, 1.5, np.nextafter(2, INF)]
    assert of([1, 2]).equal_mass_edges(1)[0].tolist() == [1, np.nextafter(2, INF)]
    assert of([INF, NAN]).equal_mass_edges(4)[0].tolist() == []


def test_a_cut_goes_to_the_nearer_bin_and_the_lower_of_two() -> None:
    weighted = rows_bins.as_statistic([[0], [1], [2]], [0, 0, 0], ["a"], 1, weights=[2, 3, 3])
    assert weighted.equal_mass_edges(2)[0][1:-1].tolist() == [1.5]
    tied = rows_bins.as_statistic([[0], [1], [2]], [0, 0, 0], ["a"], 1, weights=[1, 2, 1])
    assert tied.equal_mass_edges(2)[0][1:-1].tolist() == [0.5]


def test_edges_at_the_ends_of_the_floats_rise() -> None:
    last = float(np.nextafter(MOST, 0))
    assert of([MOST]).equal_mass_edges(2)[0].tolist() == [last, MOST]
    assert of([last, MOST]).equal_mass_edges(2)[0].tolist() == [last, MOST]
    assert of([-MOST, MOST]).equal_mass_edges(2)[0].tolist() == [-MOST, 0, MOST]


@given(values=VALUES, cells=st.integers(1, 6), limit=st.sampled_from([2, 3, 4096]))
def test_edges_rise_split_no_bin_and_lose_no_mass(values: list[float], cells: int, limit: int) -> None:
    bins = of(values, [i % 2 for i in range(len(values))], limit)
    (edges,) = bins.equal_mass_edges(cells)
    (masses,) = bins.masses([edges])
    finite = [v for v in values if np.isfinite(v)]
    assert masses.sum() == len(finite)
    if not finite:
        return
    assert (edges[1:] > edges[:-1]).all()
    assert np.isfinite(edges).all()
    assert len(edges) <= cells + 1
    inner = edges[1:-1]
    assert (np.searchsorted(inner, bins.lower(), "right") == np.searchsorted(inner, bins.upper(), "right")).all()
    want = np.histogram(finite, [-np.inf, *inner, np.inf])[0]
    assert masses.sum(axis=0).tolist() == want.tolist()


@pytest.mark.parametrize("cells", [0, -1, NAN, 2.5, "x", True, None])
def test_at_least_one_cell(cells: Any) -> None:
    with pytest.raises(ParameterError) as error:
        of([1]).equal_mass_edges(cells)
    assert str(error.value) == f"cells must be an integer ≥ 1: got {cells!r}."


@pytest.mark.parametrize("wrong", ["x", [1, "x"], 1j, [[1], [1, 2]], np.ma.array([0.5], mask=[True])])
def test_what_is_no_number_is_refused(wrong: Any) -> None:
    for read, what in ((lambda: of([1]).quantiles(wrong), "q"), (lambda: of([1]).masses([wrong]), "cut points")):
        with pytest.raises(ParameterError) as error:
            read()
        text = str(error.value)
        assert text.startswith(f"{what} must be numbers: got ")
        assert text.endswith(". Pass integers or floats.")


def huge(*weights: float) -> Bins:
    """Return the bins of the values 0, 1, 2, … with weights whose sum is beyond the largest float."""
    values = float_to_key(np.arange(float(len(weights))))
    return Bins(A, ["x"], 9, [0], [0, len(weights)], values, [weights], [[0]], [[0]])


def test_weights_that_overflow_when_summed_still_have_quantiles() -> None:
    top = huge(1e308, 1e308, 1e308)
    both = top + Bins(Axis.of(["b"]), ["x"], 9, [0], [0, 1], float_to_key([7.0]), [[1e-300]], [[0]], [[0]])
    assert both.quantiles([0, 0.3, 0.5, 1]).tolist() == [[0], [0], [1], [2]]
    assert both.quantiles([0, 0.5, 1], per_class=True)[:, :, 0].tolist() == [[0, 7], [1, 7], [2, 7]]
    (cuts,) = top.equal_mass_edges(3)
    assert cuts.tolist() == [0, 0.5, 1.5, np.nextafter(2, 3)]
    assert [m.tolist() for m in top.masses([[0, 1, 2, 3]])] == [[[1e308, 1e308, 1e308]]]
    with pytest.raises(DataError) as error:
        top.masses([[0, 3]])
    assert str(error.value) == (
        "the mass of a cell must be finite: column 'x' has one that overflows float64. "
        "Scale the bins down first, for example with scale(1e-9)."
    )
    assert repr(top).endswith("3 bins, at most 9 per column, total weight above 1.79769e+308)")


def test_masses_take_other_cuts_too() -> None:
    (masses,) = of([0, 1, 2, 9]).masses([[1, 2, 3]])
    assert masses.tolist() == [[2, 2]]


@pytest.mark.parametrize("cuts", [[1.0], [2.0, 1.0], [1.0, 1.0], [[1.0, 2.0]], [1.0, NAN], []])
def test_other_cuts_are_refused(cuts: Any) -> None:
    with pytest.raises(ParameterError) as error:
        of([1]).masses([cuts])
    assert str(error.value) == (
        f"cut points must increase and include both ends: column 0 has {np.asarray(cuts, dtype=float)!r}. "
        "Use those of equal_mass_edges."
    )


def test_cuts_are_given_per_column() -> None:
    with pytest.raises(ParameterError) as error:
        of([1]).masses([])
    assert str(error.value) == "edges must have one array of cut points per column, 1 in all: got 0."
