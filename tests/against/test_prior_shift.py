"""A class prior that shifted is found again from rows without classes, on resampled public data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import suffice as sf
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
    rows = len(frame)
    number = round(share * rows)
    drawn = [random.choice(np.flatnonzero(mask), k) for mask, k in ((wanted, number), (~wanted, rows - number))]
    return frame.iloc[np.concatenate(drawn)].drop(columns=target)
