"""Intentional differences from scikit-learn, each with both results. docs/scikit-learn.md lists them."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn.naive_bayes as theirs
from scipy import sparse

import suffice as ours


def accuracy(package, x, y):
    half = len(y) // 2
    return package.GaussianNB().fit(x[:half], y[:half]).score(x[half:], y[half:])


def two_classes(rows=4000):
    """Two columns whose classes differ by one standard deviation, and two that know nothing of them."""
    random = np.random.default_rng(1)
    y = random.integers(0, 2, rows)
    x = random.normal(size=(rows, 4))
    x[:, :2] += 0.4 * y[:, None]
    return x, y


def test_the_unit_of_an_irrelevant_column_does_not_change_the_accuracy():
    x, y = two_classes()
    rescaled = x * [1, 1, 1, 1e6]
    assert accuracy(theirs, rescaled, y) < accuracy(theirs, x, y) - 0.05
    assert accuracy(ours, rescaled, y) == accuracy(ours, x, y)
    # The largest column's variance is the floor of all others: the two that matter have lost their own.
    assert theirs.GaussianNB().fit(rescaled, y).var_[:, 0].min() > 100
    np.testing.assert_allclose(ours.GaussianNB().fit(rescaled, y).var_[:, 0], 1, atol=0.1)


def test_a_time_in_milliseconds_does_not_change_the_accuracy():
    x, y = two_classes()
    milliseconds = 1.7e12 + 3.15e10 * np.random.default_rng(2).random(len(y))
    timed = np.column_stack([x, milliseconds])
    assert accuracy(theirs, timed, y) < accuracy(theirs, x, y) - 0.05
    assert abs(accuracy(ours, timed, y) - accuracy(ours, x, y)) < 0.01


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
def test_rescaling_and_shifting_a_column_changes_no_probability(scale):
    x, y = two_classes(300)
    mine, other = ours.GaussianNB().fit(x, y), x * [scale, 1, 1, 1]
    np.testing.assert_allclose(ours.GaussianNB().fit(other, y).predict_proba(other), mine.predict_proba(x), atol=1e-9)


def test_batches_equal_one_fit():
    x, y = two_classes(400)
    x = x * [1, 1, 1, 1e3]
    x[:200, 3] /= 1e6  # the first batch does not know how large the last column gets
    for package, right in ((theirs, False), (ours, True)):
        whole = package.GaussianNB(var_smoothing=1e-3).fit(x, y)
        parts = package.GaussianNB(var_smoothing=1e-3)
        for rows in (slice(0, 200), slice(200, 400)):
            parts.partial_fit(x[rows], y[rows], classes=[0, 1])
        same = np.allclose(whole.predict_log_proba(x), parts.predict_log_proba(x), rtol=1e-9, atol=1e-9)
        assert same is right, package.__name__


def test_a_constant_column_says_nothing_where_scikit_learn_divides_by_zero():
    x, y = np.array([[1.0, 7], [2, 7], [5, 7], [6, 7]]), [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(theirs.GaussianNB(var_smoothing=0).fit(x, y).predict_proba(x)).all()
    mine = ours.GaussianNB(var_smoothing=0).fit(x, y)
    alone = ours.GaussianNB(var_smoothing=0).fit(x[:, :1], y)
    np.testing.assert_array_equal(mine.predict_joint_log_proba(x), alone.predict_joint_log_proba(x[:, :1]))
    np.testing.assert_array_equal(mine.var_[:, 1], 0)
    np.testing.assert_array_equal(mine.theta_[:, 1], 7)


@pytest.mark.parametrize("share", [0, 1e-300, 1e-13])
def test_a_share_below_1e_12_is_1e_12(share):
    x, y = np.array([[1.0], [1], [5], [6]]), [0, 0, 1, 1]
    mine = ours.GaussianNB(var_smoothing=share).fit(x, y)
    np.testing.assert_allclose(mine.epsilon_, 1e-12 * x.var(axis=0))
    np.testing.assert_allclose(mine.var_[0], mine.epsilon_)
    assert np.isfinite(mine.predict_joint_log_proba(x)).all()


NAMES = ["GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB"]


@pytest.mark.parametrize("name", NAMES)
def test_missing_cells_are_left_out(name):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 60)
    x = random.integers(0, 5, (60, 4)).astype(float)
    gaps = random.random(x.shape) < 0.2
    x[gaps] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        getattr(theirs, name)().fit(x, y)
    mine = getattr(ours, name)().fit(x, y)
    answer = mine.predict_proba(x)
    assert np.isfinite(answer).all()
    np.testing.assert_allclose(answer.sum(axis=1), 1)
    nothing = mine.predict_proba(np.full((1, 4), np.nan))
    expected = np.full(3, 1 / 3) if name == "ComplementNB" else np.bincount(y) / 60  # all missing: the class prior
    np.testing.assert_allclose(nothing[0], expected)


@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "CategoricalNB"])
def test_a_column_that_is_missing_is_as_if_it_were_not_there(name):
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 60)
    x = random.integers(0, 5, (60, 4)).astype(float)
    short = getattr(ours, name)().fit(x[:, :3], y)
    hidden = x.copy()
    hidden[:, 3] = np.nan
    whole = getattr(ours, name)().fit(x, y)
    np.testing.assert_allclose(whole.predict_log_proba(hidden), short.predict_log_proba(x[:, :3]), atol=1e-12)


def test_a_masked_cell_is_missing():
    x, y = np.array([[1.0, 2], [2, 1], [5, 6], [6, 9]]), [0, 0, 1, 1]
    mask = np.array([[0, 1], [0, 0], [0, 0], [1, 0]], dtype=bool)
    masked = ours.GaussianNB().fit(np.ma.masked_array(x, mask), y)
    np.testing.assert_array_equal(masked.theta_, ours.GaussianNB().fit(np.where(mask, np.nan, x), y).theta_)


def test_without_pseudo_counts_a_word_not_seen_is_impossible_and_nothing_is_nan():
    x, y = np.array([[2, 0, 1], [1, 0, 2], [0, 3, 1]]), ["a", "a", "b"]
    asked = np.array([[1, 1, 0], [0, 0, 3], [4, 0, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(theirs.MultinomialNB(alpha=0).fit(x, y).predict_proba(asked)).any()
    mine = ours.MultinomialNB(alpha=0).fit(x, y)
    with pytest.warns(ours.errors.ImpossibleRowsWarning, match=r"^1 of 3 rows are impossible under every class"):
        answer = mine.predict_proba(asked)
    np.testing.assert_allclose(answer[0], [2 / 3, 1 / 3])  # no class has both words: the class prior
    np.testing.assert_array_equal(answer[2], [1, 0])
    assert np.isfinite(answer).all()


@pytest.mark.parametrize("norm", [False, True])
def test_complement_without_pseudo_counts_has_no_nan(norm):
    x, y = np.array([[2, 0, 0, 1], [0, 3, 0, 1], [0, 0, 1, 1]]), ["a", "b", "c"]
    asked = np.array([[1, 0, 0, 0], [2, 1, 0, 0], [0, 1, 2, 0], [1, 1, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(theirs.ComplementNB(alpha=0, norm=norm).fit(x, y).predict_proba(asked)).any()
    mine = ours.ComplementNB(alpha=0, norm=norm).fit(x, y)
    assert np.isfinite(mine.predict_joint_log_proba(asked)).all()
    np.testing.assert_allclose(mine.predict_proba(asked).sum(axis=1), 1)
    if not norm:
        assert mine.predict(asked[:3]).tolist() == ["a", "a", "c"]


def test_one_column_normed_is_no_nan():
    x, y = np.array([[2], [3], [1]]), [0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(theirs.ComplementNB(norm=True).fit(x, y).predict_proba(x)).all()
    np.testing.assert_array_equal(ours.ComplementNB(norm=True).fit(x, y).predict_proba(x), 0.5)


def test_an_unseen_level_is_missing():
    x, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 0, 1, 1]
    asked = np.array([[1, 7]])
    with pytest.raises(IndexError):
        theirs.CategoricalNB().fit(x, y).predict(asked)
    mine = ours.CategoricalNB().fit(x, y)
    expected = mine.predict_proba(np.array([[1, np.nan]]))
    for strange in (asked, asked.astype(float), [[1, 1e300]], [[1, -4]], [[1, -1]], asked.astype(np.uint8)):
        with pytest.warns(ours.errors.UnseenLevelsWarning, match=r"^column 1: 1 of 1 non-missing cells have levels"):
            answer = mine.predict_proba(strange)
        np.testing.assert_array_equal(answer, expected)


def test_a_level_may_come_with_a_later_batch():
    mine = ours.CategoricalNB().partial_fit(np.array([[0], [1]]), ["a", "b"])
    mine.partial_fit(np.array([[5], [1]]), ["a", "c"])
    assert mine.n_categories_.tolist() == [6]
    np.testing.assert_array_equal(mine.category_count_[0][:, [0, 1, 5]], [[1, 0, 1], [0, 1, 0], [0, 1, 0]])


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB"])
def test_cells_stored_in_parts_are_added_up(name):
    # Row 0 has 3 in column 1 as 1 + 2; row 1 has a stored pair that adds up to 0.
    starts, columns, cells = [0, 3, 5, 6, 7], [1, 0, 1, 2, 2, 0, 2], [1.0, 4, 2, 1, -1, 2, 3]
    parts = sparse.csr_array((cells, columns, starts), shape=(4, 3))
    assert not parts.has_canonical_format
    dense = np.array([[4.0, 3, 0], [0, 0, 0], [2, 0, 0], [0, 0, 3]])
    y = [0, 0, 1, 1]
    if name == "BernoulliNB":
        peer = theirs.BernoulliNB().fit(sparse.csr_array((cells, columns, starts), shape=(4, 3)), y)
        right = theirs.BernoulliNB().fit(dense, y)
        assert not np.allclose(peer.feature_count_, right.feature_count_)
    mine = getattr(ours, name)().fit(parts, y)
    expected = getattr(ours, name)().fit(dense, y).predict_log_proba(dense)
    again = sparse.csr_array((cells, columns, starts), shape=(4, 3))
    np.testing.assert_allclose(mine.predict_log_proba(again), expected, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_new_classes_may_come_with_any_batch(name):
    random = np.random.default_rng(6)
    x = random.integers(0, 4, (60, 3))
    y = np.sort(random.integers(0, 3, 60))  # the first batch has the first class alone
    peer = getattr(theirs, name)().partial_fit(x[:10], y[:10], classes=[0, 1])
    if name == "GaussianNB":
        with pytest.raises(ValueError, match="do not exist in the initial classes"):
            peer.partial_fit(x[10:], y[10:])
    else:  # rows of the third class are dropped without a word
        assert peer.partial_fit(x[10:], y[10:]).class_count_.sum() == np.count_nonzero(y < 2)
    mine = getattr(ours, name)()
    for rows in np.array_split(np.arange(60), 7):
        mine.partial_fit(x[rows], y[rows])
    whole = getattr(ours, name)().fit(x, y)
    np.testing.assert_array_equal(mine.classes_, [0, 1, 2])
    np.testing.assert_allclose(mine.predict_log_proba(x), whole.predict_log_proba(x), atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_classes_announced_have_a_column_before_they_come(name):
    mine = getattr(ours, name)().partial_fit(np.array([[0, 1], [1, 1]]), ["b", "b"], classes=["c", "b", "b"])
    assert mine.classes_.tolist() == ["b", "c"]
    expected = mine.predict_proba(np.array([[0, 1]]))
    assert expected.shape == (1, 2)
    if name != "ComplementNB":  # which has no class prior
        np.testing.assert_array_equal(expected, [[1, 0]])
    mine.partial_fit(np.array([[3, 0]]), ["a"])
    assert mine.classes_.tolist() == ["a", "b", "c"]
    assert mine.class_count_.tolist() == [1, 2, 0]


def test_pseudo_counts_for_each_column_of_bernoulli():
    random = np.random.default_rng(7)
    x, y, alpha = random.integers(0, 2, (50, 4)), random.integers(0, 3, 50), np.array([0.5, 1, 2, 4])
    with pytest.raises(ValueError, match="broadcast"):
        theirs.BernoulliNB(alpha=alpha).fit(x, y)
    mine = ours.BernoulliNB(alpha=alpha).fit(x, y)
    for j, each in enumerate(alpha):
        alone = theirs.BernoulliNB(alpha=each).fit(x[:, [j]], y)
        np.testing.assert_allclose(mine.feature_log_prob_[:, [j]], alone.feature_log_prob_, atol=1e-12)


def test_sparse_rows_of_real_numbers_are_read():
    random = np.random.default_rng(8)
    x = random.normal(size=(80, 5)) * (random.random((80, 5)) < 0.4)
    y = random.integers(0, 3, 80)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        theirs.GaussianNB().fit(sparse.csr_array(x), y)
    mine = ours.GaussianNB().fit(sparse.csr_array(x), y)
    dense = ours.GaussianNB().fit(x, y)
    np.testing.assert_allclose(mine.predict_log_proba(sparse.csr_array(x)), dense.predict_log_proba(x), atol=1e-9)


MEMORY = """
import json
from pathlib import Path
import numpy as np
from scipy import sparse
import {module} as package

def megabytes(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(what))

random = np.random.default_rng(0)
x = sparse.csr_array(random.poisson(0.2, (20_000, 50)).astype(float))
y = random.integers(0, 2000, 20_000)
package.MultinomialNB().fit(x[:100], y[:100])
Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
before = megabytes("VmRSS")
package.MultinomialNB().fit(x, y)
print(json.dumps(megabytes("VmHWM") - before))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")
def test_many_classes_take_no_matrix_of_rows_by_classes():
    def peak(module):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY.format(module=module)], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    assert peak("sklearn.naive_bayes") > 500
    assert peak("suffice") < 50  # the counts take 0.8 MB, twice with what was observed
