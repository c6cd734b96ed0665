"""More classes × tokens than memory can hold: the counts are kept, and the error names the remedy."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.likelihoods.block_statistics import BlockStatistics, Reading
from suffice.statistics import Axis, Tokens
from suffice.statistics.tokens import Vocabulary


def test_weights_that_exceed_memory_are_refused_and_fewer_tokens_fit():
    words = [f"w{k:06d}" for k in range(300_000)]
    classes = Axis(range(2_000))
    one_each = np.arange(len(words), dtype=np.int32)
    starts = np.minimum(np.arange(len(classes) + 1) * 150, len(words))
    ones = np.where(one_each < 40, 5.0, 1.0)
    tokens = Tokens(classes, Vocabulary.of(words), starts, one_each, ones, ones, np.full(len(classes), 150.0))
    seen = BlockStatistics((tokens,), ("body",), classes, Reading("mean"), tokens.weights)
    with pytest.raises(sf.errors.ParameterError) as error:
        sf.Words().terms(seen)
    assert str(error.value) == (
        "column 'body' has 300,000 tokens in 2,000 classes; their weights would need 4 GiB. Reduce the vocabulary "
        "with min_df=, min_count= or max_features=, which require no refit."
    )
    (term,) = sf.Words(min_count=2).terms(seen)
    assert term.weight.shape == (40, 2_000)
