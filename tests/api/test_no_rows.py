"""No rows at all: an empty list has no columns to speak of, so a model answers it with nothing, and none can be fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf

MODELS = {
    "texts": lambda: sf.fit(["win cash", "lunch now"], ["spam", "ham"], columns=sf.Words(), calibrate=False),
    "frame": lambda: sf.fit({"x": [1.0, 2.0], "fur": ["black", "white"]}, ["spam", "ham"], calibrate=False),
    "array": lambda: sf.fit(np.array([[1.0, 2.0], [3.0, 4.0]]), ["spam", "ham"], calibrate=False),
}
NOTHING = {
    "list": list,
    "tuple": tuple,
    "pandas": lambda: pd.Series([], dtype=str),
    "polars": lambda: pl.Series([], dtype=pl.String),
}


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("kind", MODELS)
def test_a_model_has_an_empty_answer(kind, nothing):
    model, data = MODELS[kind](), NOTHING[nothing]()
    assert model.predict(data).shape == (0,)
    assert model.predict(data).dtype == model.predict(model.sample(3, seed=0).data).dtype
    assert model.predict_proba(data).shape == (0, 2)
    assert model.log_density(data).shape == (0,)
    assert model.decide(data).action.shape == (0,)
    assert model.explain(data) == ()
    assert model.update(data, []) == model


@pytest.mark.parametrize("nothing", NOTHING)
def test_nothing_can_be_fitted(nothing):
    for columns in (None, sf.Words()):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(NOTHING[nothing](), [], columns=columns, calibrate=False)
        assert str(caught.value) == (
            "data has no rows, and the columns of an empty list are unknown. Give rows, or an empty table with "
            "columns, such as numpy.empty((0, 3))."
        )
    assert sf.fit(NOTHING[nothing](), [], like=MODELS["texts"](), calibrate=False).schema == MODELS["texts"]().schema


def test_columns_that_are_lacking_are_still_told():
    with pytest.warns(sf.errors.MissingColumnsWarning):
        assert MODELS["frame"]().predict({"x": []}).shape == (0,)


@pytest.mark.parametrize("data", [[], np.empty((0, 2))])
def test_nothing_to_screen(data):
    with pytest.raises(sf.errors.DataError) as caught:
        sf.screen(data, [])
    assert str(caught.value) == "there are no labelled rows to screen. Give rows and their classes."
