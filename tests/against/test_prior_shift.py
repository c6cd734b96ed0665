"""A class prior that shifted is found again from rows without classes, on resampled public data.

Naive Bayes is too sure of itself where columns repeat each other, and then the estimate leans away from the truth, here
by up to 13 points. So its log-likelihood ratios are first calibrated, by a slope and an offset that held-out folds of
the training rows give.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice.api.seen import aligned_table, rows_of
from suffice.decisions import estimated_prior, log_likelihood_ratios
from suffice.evidence.folds import out_of_fold
from tests.against.test_real_data import DATA, adult, halves

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the public data is not in {DATA}; SUFFICE_DATA says where it is"),
    pytest.mark.filterwarnings("ignore::suffice.UnseenLevelsWarning"),
]


def resampled(frame, target, label, share, seed):
    """Return rows drawn so that such a share of them is of that class, without their class."""
    random = np.random.default_rng(seed)
    wanted = (frame[target] == label).to_numpy()
    number = round(share * len(frame))
    each = (wanted, number), (~wanted, len(frame) - number)
    drawn = [random.choice(np.flatnonzero(mask), size) for mask, size in each]
    return frame.iloc[np.concatenate(drawn)].drop(columns=target)


def slope_and_offset(model, train, target):
    """Return a and b of log-odds = a llr + b + log-odds of the prior, on scores of held-out folds."""
    rows = rows_of(train, target, None)
    table = aligned_table(rows.table, model.schema)
    folds = np.arange(table.rows) % 5
    joint = out_of_fold(model.naive_bayes, table, rows.target.codes, rows.target.classes, None, folds)
    prior = np.exp(model.naive_bayes.log_prior)
    llr = log_likelihood_ratios(joint - np.log(prior), prior)[:, 1:]
    found = LogisticRegression(C=1e9).fit(llr, rows.target.codes)
    return found.coef_[0, 0], found.intercept_[0] - np.log(prior[1] / prior[0])


def test_a_shifted_prior_of_adult_is_recovered_within_two_points():
    frame, target = adult()
    train, test = halves(frame)
    model = sf.fit(train, target)
    label = model.classes[1]
    before = np.exp(model.naive_bayes.log_prior)
    slope, offset = slope_and_offset(model, train, target)
    for share in (0.05, 0.1, 0.24, 0.5, 0.8):
        for seed in (0, 1):
            llr = model.decide(resampled(test, target, label, share, seed)).llr[:, 1]
            calibrated = np.stack([np.zeros(len(llr)), slope * llr + offset], axis=1)
            found = estimated_prior(calibrated, before, model.classes)
            print(share, found.class_prior[label], found.iterations, found.p_value)
            assert found.converged
            assert abs(found.class_prior[label] - share) <= 0.02
