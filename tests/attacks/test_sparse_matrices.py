"""Sparse matrices that are not what they claim: refused in words, wherever they enter, and the process lives on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from tests.attacks.damaged_sparse import COLS, DAMAGES, ROWS, X, Y, sound

ROOT = Path(__file__).parents[2]
FORMS = [f"{form}_{kind}" for form in DAMAGES for kind in ("array", "matrix")]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "SUFFICE_NUM_THREADS": "2"},
        check=False,
    )


@pytest.mark.parametrize("form", DAMAGES)
def test_a_damaged_matrix_is_a_data_error_everywhere(form):
    found = run("-m", "tests.attacks.damaged_sparse", form)
    lines = found.stdout.splitlines()
    assert found.returncode == 0, (lines[-1:], found.stderr[-500:])
    assert lines[-1] == "end"
    assert [line for line in lines if "WRONG" in line] == []
    assert len(lines) > 2 * len(DAMAGES[form]) * 30


@pytest.mark.parametrize("form", FORMS)
def test_every_format_gives_what_the_dense_matrix_gives(form):
    x = sound(*form.split("_"))
    for likelihood in (sf.Multinomial(), sf.Gaussian()):
        found, right = sf.fit(x, Y, columns=likelihood), sf.fit(X, Y, columns=likelihood)
        np.testing.assert_allclose(found.predict_proba(x), right.predict_proba(X), rtol=1e-12)
    estimator = sf.MultinomialNB().fit(x, Y)
    np.testing.assert_array_equal(estimator.predict_proba(x), sf.MultinomialNB().fit(X, Y).predict_proba(X))


@pytest.mark.parametrize("dtype", [">f8", ">i4", "f2", "i1", "?", "g"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_values_of_any_dtype_of_numbers(form, dtype):
    x = sound(form, "array")
    x.data = x.data.astype(dtype)
    dense = (X != 0 if dtype == "?" else X).astype(np.float64)
    assert sf.fit(x, Y, columns=sf.Multinomial()) == sf.fit(dense, Y, columns=sf.Multinomial())


def test_cells_stored_in_parts_are_their_sum():
    x = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert sf.fit(x, [0, 1], columns=sf.Multinomial()) == sf.fit(
        np.array([[0.0, 3.0], [4.0, 0.0]]), [0, 1], columns=sf.Multinomial()
    )


def test_diagonals_outside_of_the_matrix_hold_nothing():
    x = sparse.dia_array((np.ones((3, COLS)), np.array([0, 50, -70])), shape=(ROWS, COLS))
    assert sf.fit(x, Y, columns=sf.Multinomial()) == sf.fit(x.toarray(), Y, columns=sf.Multinomial())


@pytest.mark.parametrize("form", FORMS)
def test_complex_values_are_refused_as_dense_ones_are(form):
    made = getattr(sparse, form)
    with pytest.raises(sf.errors.DataError, match="complex128"):
        sf.fit(made(X * 1j), Y)


@pytest.mark.parametrize("made", [sparse.coo_array, sparse.csr_array, sparse.dok_array])
def test_one_dimension_is_refused(made):
    model = sf.fit(X, Y, columns=sf.Multinomial())
    for take in (model.predict, lambda x: sf.fit(x, Y), sf.MultinomialNB().fit(X, Y).predict):
        with pytest.raises(sf.errors.DataError, match="2-D"):
            take(made(np.ones(COLS)))


WIDE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np, suffice as sf
from scipy import sparse
x = sparse.csr_array((np.ones(2), np.array([0, 10**9 - 1]), np.array([0, 1, 2])), shape=(2, 10**9))
model = sf.fit(np.ones((2, 3)), [0, 1], columns=sf.Multinomial())
for take in (lambda: sf.fit(x, [0, 1], columns=sf.Multinomial()), lambda: model.predict(x), lambda: sf.MultinomialNB().fit(x, [0, 1])):
    try:
        take()
    except sf.errors.DataError as error:
        print(error)
# Of this process alone: ru_maxrss would start with what the process that started it has.
print(next(int(line.split()[1]) >> 10 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_more_columns_than_there_is_memory_for():
    found = run("-c", WIDE)
    *refused, peak = found.stdout.splitlines()
    assert len(refused) == 3, found.stderr
    assert all("1,000,000,000 columns" in line and "GB" in line for line in refused)
    assert int(peak) < 1000


SPARE = """
import numpy as np, suffice as sf
from scipy import sparse
dense = np.arange(12.0).reshape(4, 3) % 5
for kind in (sparse.csr_array, sparse.csr_matrix):
    x = kind(dense)
    x.indices = np.concatenate([x.indices, np.zeros(1_000_000, x.indices.dtype)])
    x.data = np.concatenate([x.data, np.full(1_000_000, 9.0)])
    for columns in ({0: sf.Gaussian(), 2: sf.Gaussian(), 1: None}, {0: sf.Poisson(), 1: sf.Gaussian(), 2: sf.Poisson()}):
        model = sf.fit(x, [0, 1, 0, 1], columns=columns)
        assert model == sf.fit(kind(dense), [0, 1, 0, 1], columns=columns)
        assert (model.predict_proba(x) == model.predict_proba(dense)).all()
"""


def test_entries_beyond_the_last_row_are_left_alone():
    found = run("-c", SPARE)
    assert found.returncode == 0, found.stderr
