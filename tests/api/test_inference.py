"""Every row of the table in api/inference.py, what goes before it, and what cannot be inferred."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from suffice.api import fit
from suffice.api.inference import Numeric, schema_of
from suffice.errors import ParameterError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Joint, Multinomial, Poisson, Words
from suffice.sources.in_memory import table_of

RNG = np.random.default_rng(20)
LEVELS = Categorical(alpha="evidence")
NUMERIC = Numeric()
UNKNOWN = "no known value in the first 100,000 rows; give it a likelihood if later rows have values"
TIMES = "dates and times; their parts (hour, weekday, month) can be modelled"


def schema(data, columns=None, **options):
    table = table_of(data)
    return schema_of(columns, table.names, lambda: table, **options)


def of(values, **options):
    """Return the likelihood of a column by itself, or why it is left out."""
    found = schema({"x": values}, **options)
    if found.blocks:
        assert not found.left_out
        return found.blocks[0].likelihood
    ((name, reason),) = found.left_out
    assert name == "x"
    return reason


def an_id(distinct, known):
    return f"probably an id ({distinct} of {known} values are distinct); give it a likelihood to use it"


class TestTypes:
    def test_bools(self):
        for values in ([True, False], np.array([True, False]), [True, None], pd.Series([True, None], dtype="boolean")):
            assert of(values) == Bernoulli()

    def test_floats_and_decimals(self):
        for values in (
            [0.5, None],
            np.array([1.0, 2.5]),
            np.array([1, 2.5], dtype=np.float32),
            [Decimal("1.5"), None],
            [1, 0.5],
            pd.Series([1.5, None], dtype="Float64"),
            pl.Series([Decimal("1.50"), None]),
        ):
            assert of(values) == NUMERIC

    def test_text_categories_and_what_is_mixed(self):
        for values in (
            ["a", None, "b"],
            np.array(["a", "b"]),
            pd.Series(["a", "b"], dtype=object),
            pd.Categorical(["a", "b"]).astype(object),
            pd.Series([3, 4, 3], dtype="category"),  # levels, and no quantity
            pd.Series([0.25, 0.5], dtype="category"),
            ["a", 1],
            [True, 1],
        ):
            assert of(values) == LEVELS

    def test_times(self):
        for values in (
            np.array(["2020-01-01"], dtype="datetime64[ns]"),
            np.array([5], dtype="timedelta64[s]"),
            [datetime.date(2020, 1, 1), None],
            [datetime.timedelta(1)],
            pd.Series(pd.to_datetime(["2020-01-01"])),
            pd.Series(pd.date_range("2020", periods=2, tz="Europe/Zurich")),
            pd.Series(pd.period_range("2020", periods=2)),
            pl.Series([datetime.date(2020, 1, 1)]),
            pl.Series([datetime.time(12)]),
            pl.Series([datetime.datetime(2020, 1, 1)]),
        ):
            assert of(values) == TIMES

    def test_nothing_but_missing_cells(self):
        for values in (
            [None, None],
            [float("nan"), None],
            np.full(3, np.nan),
            pd.Series([None, None], dtype="Int64"),
            pd.Series([None, None], dtype="boolean"),
            pd.Series([None, None], dtype="category"),
            pl.Series([None, None]),
            pl.Series([None, None], dtype=pl.String),
            pl.Series([None, None], dtype=pl.Int8),
            np.ma.masked_all(2, dtype=np.int64),
            [],
            np.zeros(0),
        ):
            assert of(values) == UNKNOWN
        assert schema(np.array([[np.nan, 1.0], [np.nan, 2.0]])).left_out == ((0, UNKNOWN),)

    @pytest.mark.parametrize(
        "values",
        [
            [[1, 2], [3, 4]],
            [[1], None, [2, 3]],
            [{"a": 1}],
            [(1, 2)],
            [b"a", b"b"],
            [np.zeros(2), np.zeros(2)],
            pl.Series([[1], [2]]),
            pl.Series([{"a": 1}]),
            pl.Series([b"a"]),
        ],
    )
    def test_lists_structs_maps_and_bytes_are_left_out(self, values):
        assert of(values).endswith("which no likelihood can model; extract their values into separate columns")

    @pytest.mark.parametrize(
        ("cells", "likelihood"),
        [
            ([0, 1, 1], Bernoulli()),
            ([True, False, True], Bernoulli()),
            ([1.0, np.nan, 1.0], Bernoulli()),
            ([0.0, 0.0, 0.0], Bernoulli()),
            ([0, 1, 2], Multinomial()),
            ([0.0, 3.0, np.nan], Multinomial()),
            ([0.5, 1.0, 2.0], Gaussian()),
            ([-1, 1, 1], Gaussian()),
        ],
    )
    def test_sparse_matrices(self, cells, likelihood):
        found = schema(sparse.csr_matrix(np.array([cells, cells])))
        assert [(block.columns, block.likelihood) for block in found.blocks] == [((0, 1, 2), likelihood)]


def rule_for_integers(values):
    """Return "levels", "id" or "numeric" as the table says, by counting."""
    known = [value for value in values if value is not None]
    n, distinct = len(known), set(known)
    if len(distinct) <= 2 or (len(distinct) <= 32 and len(distinct) ** 2 <= n):
        return "levels"
    rises = all(a <= b for a, b in pairwise(known))
    fills = max(known) - min(known) < 2 * n
    if n >= 100 and len(distinct) >= 0.95 * n and (rises or fills):
        return "id"
    return "numeric"


def kind_of(found):
    return (
        "levels"
        if found == LEVELS
        else "numeric"
        if found == NUMERIC
        else "id"
        if found.startswith("probably an id")
        else found
    )


class TestIntegers:
    def test_few_values(self):
        assert of([0, 1]) == LEVELS  # 2 are always few
        assert of([5]) == LEVELS
        assert of([1, 2, 3]) == NUMERIC
        assert of(np.arange(9) % 3) == LEVELS  # 3 ≤ √9
        assert of(np.arange(8) % 3) == NUMERIC
        assert of(np.arange(32**2) % 32) == LEVELS
        assert of(np.arange(33**2) % 33) == NUMERIC  # more than 32
        assert of([7, None, 7, None, 9]) == LEVELS

    def test_ids_rise_or_fill_their_range(self):
        n = 1000
        assert of(np.arange(n) + 5) == an_id("1,000", "1,000")
        assert of(RNG.permutation(n)) == an_id("1,000", "1,000")  # fill their range
        rising = np.cumsum(RNG.integers(1, 10**6, n))
        assert of(rising) == an_id("1,000", "1,000")
        assert of(RNG.permutation(rising)) == NUMERIC  # neither
        assert of(np.arange(99)) == NUMERIC  # fewer than 100

    def test_salaries_are_mostly_distinct_and_no_ids(self):
        salaries = np.unique(RNG.integers(20_000, 200_000, 3000))
        salaries = RNG.permutation(salaries)[:900]
        assert len(set(salaries.tolist())) == 900
        assert of(salaries) == NUMERIC

    def test_large_ids_in_records_are_counted_exactly(self):
        ids = [2**60 + k for k in range(200)]
        found = schema([{"x": value} for value in ids])
        assert found.left_out == (("x", an_id(200, 200)),)
        assert of(np.array(ids)) == an_id(200, 200)
        assert of([*ids, None]) == an_id(200, 200)
        assert of([2**70 + k for k in range(200)]) == an_id(200, 200)

    @given(
        st.one_of(
            st.lists(st.integers(-3, 3), min_size=1, max_size=60),
            st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=60),
            st.tuples(st.integers(95, 140), st.integers(0, 2**32), st.sampled_from([1, 2, 3, 1000])).map(
                lambda drawn: (
                    np.random.default_rng(drawn[1]).choice(drawn[0] * drawn[2], drawn[0], replace=False).tolist()
                )
            ),
            st.tuples(st.integers(95, 140), st.integers(1, 10**6)).map(
                lambda drawn: [k * drawn[1] for k in range(drawn[0])]
            ),
        ),
        st.sampled_from([None, 0, 5]),
    )
    def test_the_rule_by_counting(self, values, gaps):
        expected = rule_for_integers(values)
        assert kind_of(of(np.array(values))) == expected
        cells = list(values) if gaps is None else [None] * gaps + list(values)
        assert kind_of(of(cells)) == expected
        assert kind_of(of(pd.Series(cells, dtype="Int64"))) == expected

    def test_many_rows_are_counted_as_few_are(self):
        # 5,000 rows: more than the quick look takes.
        for values in (
            np.arange(5000),
            np.repeat(np.arange(2500), 2),
            np.concatenate([np.arange(4500), np.arange(4500)[::-1]]),
            np.concatenate([np.zeros(4096, dtype=int), np.arange(1000)]),
            RNG.integers(0, 10**9, 5000),
        ):
            assert kind_of(of(values)) == rule_for_integers(values.tolist())


class TestTexts:
    def test_ids(self):
        codes = [f"K{k:05}" for k in range(200)]
        assert of(codes) == an_id(200, 200)
        assert of(codes[:99]) == LEVELS
        assert of([*codes, None, None]) == an_id(200, 200)
        assert of(codes[:189] + ["K00000"] * 11) == LEVELS  # 94.5 % are distinct
        assert of(codes[:190] + ["K00000"] * 10) == an_id(190, 200)

    def test_free_text(self):
        free = Words(prior="evidence")
        assert of([f"{k:>40}" for k in range(200)]) == free
        words = [f"what {k} said" for k in range(200)]
        assert of(words) == free
        assert of(words[:101] + [words[0]] * 99) == free
        assert of(words[:100] + [words[0]] * 100) == LEVELS  # half are distinct, not most
        assert of(words[:99]) == LEVELS

    def test_few_cells_are_free_text_if_nearly_all_are_distinct_sentences(self):
        free = Words(prior="evidence")
        mail = [f"{who} will {what} us at noon" for who in ("Ann", "Bob", "Eve") for what in ("see", "call", "join")]
        assert of(mail) == of(mail[:2]) == of([*mail, mail[0]]) == free  # nine of ten are distinct
        assert of([*mail, mail[0], mail[1]]) == LEVELS
        assert of([*mail[:5], None, None, "yes"]) == free
        assert of([*mail[:5], *"abcdef"]) == LEVELS  # most cells are short
        assert of([*mail, *range(20)]) == LEVELS
        assert schema({"x": mail, "y": mail}).blocks[0].columns == ("x", "y")

    @pytest.mark.parametrize(
        "values",
        [
            [
                "Never married yet",
                "Married, spouse present",
                "Divorced for years",
                "Lives with partner",
                "Not known yet",
            ]
            * 3,
            ["Never married yet", "Married, spouse present", "Divorced for years", "Never married yet"],
            ["San Francisco", "New York City", "Los Angeles", "Buenos Aires"],
            ["+44 20 7946 0958", "+44 20 7946 0123", "+44 20 7946 0777"],
            ["3 March 2021", "4 March 2021", "17 April 2022"],
            ["1 234 567", "2 345 678", "3 456 789"],
            ["12 High Street", "7 Mill Lane", "99 Station Road"],
        ],
        ids=lambda values: values[0],
    )
    def test_few_cells_with_several_words_that_stay_categories(self, values):
        assert of(values) == LEVELS

    def test_a_list_of_texts_of_three_words_is_text_however_few(self):
        free = Words(prior="evidence")
        for listed in (
            ["Win a prize now", "Lunch at noon today"],
            ["Win a prize now"],
            ["Win a big prize now", "yes"] * 2 + [None],
            np.array(["Win a prize now", "See you at home"]),
            pd.Series(["Win a prize now", "See you at home"], name="mail"),
            pl.Series("mail", ["Win a prize now", "See you at home"]),
            pd.DataFrame(["Win a prize now", "See you at home"]),  # a column without a name
            ["Never married yet", "Married, spouse present"] * 60,
        ):
            assert [(block.columns, block.likelihood) for block in schema(listed).blocks] == [((0,), free)]
        for listed in (["black", "white"] * 3, ["San Francisco", "Los Angeles"] * 60, ["a b c d", "a", "b", "c"]):
            assert [block.likelihood for block in schema(listed).blocks] == [LEVELS]

    def test_too_many_levels(self):
        values = [f"K{k}" for k in range(150)] * 2
        text = "150 distinct values in the first rows, more than the limit of 149; give it a likelihood to use it"
        assert of(values, max_levels=149) == text
        assert of(values, max_levels=150) == LEVELS
        model = fit({"x": values}, ["a", "b"] * 150, max_levels=149, calibrate=False)
        assert model.schema.left_out == (("x", text),)
        many = [f"K{k}" for k in range(10_001)] * 2
        assert of(many).startswith("10,001 distinct values in the first rows, more than the limit of 10,000")


def test_four_mails_classify_a_fifth_by_its_words():
    mails = [
        "Win a cash prize now",
        "Claim your free cash prize",
        "Lunch with us at noon",
        "Notes of the meeting today",
    ]
    model = fit(mails, ["spam", "spam", "ham", "ham"])
    assert model.predict(["cash prize waiting", "the lunch meeting"]).tolist() == ["spam", "ham"]
    assert (model.predict_proba(["cash prize waiting"]) != 0.5).all()
    frame = {"mail": mails, "label": ["spam", "spam", "ham", "ham"]}
    assert fit(frame, "label").predict({"mail": ["cash prize waiting", "the lunch meeting"]}).tolist() == [
        "spam",
        "ham",
    ]


def test_a_schema_shows_what_it_chose():
    data = {
        "flag": [True, False] * 60,
        "size": RNG.normal(size=120),
        "kind": ["x", "y", "z"] * 40,
        "id": np.arange(120),
        "when": np.full(120, "2020-01-01", dtype="datetime64[D]"),
        "level": [1, 2, 3] * 40,
    }
    assert repr(fit(data, ["a", "b"] * 60, calibrate=False).schema) == (
        f"6 columns\n  'flag': Bernoulli()\n  'size': {NUMERIC!r}\n  'kind', 'level': Categorical(alpha='evidence')\n"
        "  'id' left out: probably an id (120 of 120 values are distinct); give it a likelihood to use it\n"
        f"  'when' left out: {TIMES}"
    )


class TestTheFirstRows:
    """One function of the first 100,000 rows in order."""

    def test_later_rows_in_any_order_change_nothing(self):
        n, more = 100_000, 20_000
        first = {"i": np.arange(n) % 30, "t": np.array(["a", "b"], dtype=object)[np.arange(n) % 2]}
        later = {"i": np.arange(more) * 7, "t": np.array([f"t{k}" for k in range(more)], dtype=object)}
        y = np.arange(n + more) % 2
        expected = fit(first, y[:n], calibrate=False).schema
        assert [block.likelihood for block in expected.blocks] == [LEVELS]
        for order in (np.arange(more), RNG.permutation(more)):
            data = {name: np.concatenate([first[name], later[name][order]]) for name in first}
            assert fit(data, y, calibrate=False).schema == expected
            assert fit(pd.DataFrame(data), y, calibrate=False).schema == expected
        turned = {name: np.concatenate([later[name], first[name]]) for name in first}
        assert fit(turned, y, calibrate=False).schema != expected

    def test_a_name_that_comes_later(self):
        records = [{"a": k % 2} for k in range(100_000)] + [{"a": 1, "late": 0.5}]
        model = fit(records, ["x", "y"] * 50_000 + ["x"], calibrate=False)
        assert model.schema.left_out == (("late", UNKNOWN),)
        assert model.schema.names == ("a", "late")

    def test_pandas_columns_whose_index_is_no_place(self):
        cells = pd.Series([0.5, 1.5, 2.5], index=[7.5, 1.0, 3.0])
        assert fit({"x": cells}, ["a", "b", "b"], calibrate=False).schema.blocks[0].likelihood == NUMERIC


class TestWhatTheUserSays:
    DATA = {"age": [30.5, 40.0], "agent": ["x", "y"], "wage": [3, 4], "*odd": [1, 2], "city": ["u", "v"]}  # noqa: RUF012

    def blocks(self, columns, data=None):
        found = schema(self.DATA if data is None else data, columns)
        return {name: block.likelihood for block in found.blocks for name in block.columns}

    def test_by_name_and_none(self):
        found = self.blocks({"age": Categorical(), "city": None})
        assert found == {"age": Categorical(), "agent": LEVELS, "wage": LEVELS, "*odd": LEVELS}

    def test_a_name_goes_before_a_pattern_wherever_it_stands(self):
        for columns in ({"age": Gaussian(), "a*": Categorical()}, {"a*": Categorical(), "age": Gaussian()}):
            found = self.blocks({**columns, "*": None})
            assert found == {"age": Gaussian(), "agent": Categorical()}

    def test_an_earlier_pattern_goes_before_a_later_one(self):
        assert self.blocks({"ag?": Poisson(), "*age": Gaussian(), "*": None}) == {"age": Poisson(), "wage": Gaussian()}
        assert self.blocks({"*age": Gaussian(), "ag?": Poisson(), "*": None}) == {"age": Gaussian(), "wage": Gaussian()}
        assert self.blocks({"*": None, "*age": Gaussian()}) == {}
        assert self.blocks({"[cw]*": Categorical(), "*": None}) == {"wage": Categorical(), "city": Categorical()}

    def test_a_name_that_looks_like_a_pattern_is_a_name(self):
        assert self.blocks({"*odd": Poisson(), "*": None}) == {"*odd": Poisson()}

    def test_by_position_and_range(self):
        assert self.blocks({0: Gaussian(), -1: Categorical(), "*": None}) == {"age": Gaussian(), "city": Categorical()}
        assert self.blocks({range(1, 3): Categorical(), "*": None}) == {"agent": Categorical(), "wage": Categorical()}
        assert self.blocks({("city", 0): Categorical(), "*": None}) == {"age": Categorical(), "city": Categorical()}
        numbered = pd.DataFrame({7: [1.5, 2.5], 0: [3.5, 4.5]})
        assert self.blocks({0: Poisson(), "*": None}, numbered) == {0: Poisson()}

    def test_blocks_stand_in_the_order_of_the_data(self):
        found = schema(self.DATA, {("wage", "age"): Gaussian(), ("city", "agent"): Joint(), "*": None})
        assert [block.columns for block in found.blocks] == [("age", "wage"), ("agent", "city")]

    def test_no_column_for_a_star(self):
        assert schema({}, {"*": Gaussian()}).blocks == ()

    @pytest.mark.parametrize(
        ("columns", "text"),
        [
            ({"agee": Gaussian()}, "column 'agee' is not in the data. Did you mean 'age'?"),
            (
                {"zzz": Gaussian()},
                "column 'zzz' is not in the data. The columns are 'age', 'agent', 'wage', '*odd', 'city'.",
            ),
            (
                {"z*": Gaussian()},
                "no column matches the pattern 'z*'. The columns are 'age', 'agent', 'wage', '*odd', 'city'.",
            ),
            ({5: Gaussian()}, "column 5 is not in the data: there are 5 columns, numbered 0 to 4."),
            (
                {"age": Gaussian(), 0: Poisson()},
                "column 'age' matches both columns['age'] and columns[0]. Remove it from one of them.",
            ),
            ({("age", 0): Gaussian()}, "columns[('age', 0)] contains a column twice. Remove the duplicate."),
            ({"age": 7}, "columns['age'] must be a likelihood: got 7. Give one of "),
            ({"age": "gausian"}, "columns['age'] must be a likelihood: got 'gausian'. Did you mean 'gaussian'?"),
        ],
    )
    def test_the_whole_text(self, columns, text):
        end = "" if text.endswith("Give one of ") else "$"
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}{end}"):
            fit(self.DATA, ["a", "b"], columns=columns, calibrate=False)

    def test_many_names_are_not_all_shown(self):
        text = "column 'zzz' is not in the data. The columns are 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', …."
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
            fit({f"c{k}": [1, 2] for k in range(9)}, ["a", "b"], columns={"zzz": Gaussian()}, calibrate=False)
