"""A model of adult's columns from the GROUP BY of a database equals the model of its rows.

The data stays where the environment variable SUFFICE_DATA says (`../shared/data` by default).
"""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import suffice as sf

DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the public data is not in {DATA}; SUFFICE_DATA says where it is"
)


def test_totals_of_a_database_equal_the_rows():
    rows = pd.read_csv(DATA / "adult.data.gz", header=None, na_values="?", skipinitialspace=True)
    rows = rows.rename(columns={14: "income"}).rename(columns=str)
    real = [name for name in rows.columns if rows[name].dtype.kind in "if"]
    levels = [name for name in rows.columns if name not in (*real, "income")]
    assert (len(real), len(levels)) == (6, 8)
    assert rows[levels].isna().any().any()
    columns = {**dict.fromkeys(levels, sf.Categorical()), **dict.fromkeys(real, sf.Gaussian())}
    queries = ["SELECT income AS class, NULL AS 'column', NULL AS level, count(*) AS count FROM rows GROUP BY 1"]
    level = "SELECT income, 'NAME', \"NAME\", count(*) FROM rows GROUP BY ALL"
    queries += [level.replace("NAME", name) for name in levels]
    moment = (
        "SELECT income AS class, 'NAME' AS 'column', count(\"NAME\") AS n, avg(\"NAME\") AS mean, "
        'var_pop("NAME") AS variance FROM rows GROUP BY 1'
    )
    moments = [moment.replace("NAME", name) for name in real]
    with duckdb.connect() as database:
        database.register("rows", rows)
        tables = [database.sql(" UNION ALL ".join(each)).pl() for each in (queries, moments)]
    made = sf.Model.from_statistics(tables, columns=columns)
    fitted = sf.fit(rows[[*levels, *real, "income"]], "income", columns=columns, calibrate=False)
    assert made.schema == fitted.schema
    assert made.core.tally == fitted.core.tally
    (counts, (mine,)), (others, (theirs,)) = made.statistics.values(), fitted.statistics.values()
    assert counts == others
    np.testing.assert_array_equal(mine.weight, theirs.weight)
    np.testing.assert_allclose(mine.mean, theirs.mean, rtol=1e-12)
    np.testing.assert_allclose(mine.dp, theirs.dp, rtol=1e-12)
    np.testing.assert_allclose(made.log_joint(rows), fitted.log_joint(rows), rtol=1e-10)
    assert (made.predict(rows) == fitted.predict(rows)).all()
