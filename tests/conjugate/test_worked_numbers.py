"""Worked examples with known results: fur colour, C or Python by punctuation, twelve proposals."""

from __future__ import annotations

import numpy as np

from suffice.conjugate import BetaBinomial, DirichletMultinomial

# black, orange, white, calico
FEMALE, MALE = [2, 0, 2, 1], [1, 2, 2, 0]

# {} [] () : ; . ,
C_ROWS = [(6, 8, 14, 1, 10, 1, 7), (8, 10, 14, 0, 11, 1, 7), (12, 22, 34, 1, 21, 2, 13), (4, 6, 10, 1, 6, 1, 4)]
PYTHON_ROWS = [(6, 14, 30, 6, 2, 16, 16), (2, 8, 14, 3, 1, 9, 8), (4, 14, 26, 7, 2, 15, 14)]

# plain, bad tempered, height (0 short, 1 medium, 2 tall), unambitious; row 7 is tall
ACCEPTED = [(0, 0, 0, 0), (1, 0, 2, 0), (0, 0, 2, 1), (1, 0, 1, 0), (0, 0, 1, 0), (1, 1, 2, 0)]
DECLINED = [(0, 1, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 0, 1)]


def test_fur_colour() -> None:
    np.testing.assert_allclose(
        DirichletMultinomial.mle(counts=[FEMALE, MALE]), [[0.4, 0, 0.4, 0.2], [0.2, 0.4, 0.4, 0]]
    )
    smoothed = DirichletMultinomial([1, 1, 1, 1]).update(counts=[FEMALE, MALE]).mean
    np.testing.assert_allclose(smoothed, [[3 / 9, 1 / 9, 3 / 9, 2 / 9], [2 / 9, 3 / 9, 3 / 9, 1 / 9]])


def test_c_or_python_by_punctuation() -> None:
    tokens = [np.sum(C_ROWS, axis=0), np.sum(PYTHON_ROWS, axis=0)]
    theta = DirichletMultinomial.mle(counts=tokens)
    assert theta[0].round(3).tolist() == [0.128, 0.196, 0.306, 0.013, 0.204, 0.021, 0.132]
    assert theta[1].round(3).tolist() == [0.055, 0.166, 0.323, 0.074, 0.023, 0.184, 0.175]
    b = np.log(theta[0]) - np.log(theta[1])
    assert b.round(3).tolist() == [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]


def _scores(reading: str) -> list[float]:
    scores = []
    for rows in (ACCEPTED, DECLINED):
        plain, bad, height, unambitious = np.array(rows).T
        if reading == "mle":
            short = DirichletMultinomial.mle(codes=height, levels=3)[0]
            of_binary = [float(BetaBinomial.mle(column)) for column in (plain, bad, unambitious)]
        else:
            short = DirichletMultinomial([1, 1, 1]).update(codes=height).mean[0]
            of_binary = [float(BetaBinomial(1, 1).update(column).mean) for column in (plain, bad, unambitious)]
        scores.append(float(np.prod(of_binary) * short / 2))
    return scores


def test_twelve_proposals() -> None:
    accept, decline = _scores("mle")
    np.testing.assert_allclose([accept, decline], [1 / 864, 1 / 48], rtol=1e-13)
    np.testing.assert_allclose(accept / (accept + decline), 1 / 19, rtol=1e-13)
    accept, decline = _scores("mean")
    np.testing.assert_allclose(accept / (accept + decline), 1 / 8, rtol=1e-13)
