"""Explanations: they add up to the score under every likelihood and reading, and each entry is what its cell adds."""

from __future__ import annotations

import json
import math
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import DataError, ParameterError
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles.explanation_slow import added_by_cell, added_by_draws

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning"),
]

NAN = float("nan")
WIDTH = 6
COLUMNS = [
    {0: sf.Gaussian(), 1: sf.Bernoulli(), 2: sf.Categorical(unseen="mass"), (3, 4): sf.Multinomial(), 5: sf.Poisson()},
    {
        0: sf.Categorical(missing="level"),
        (1, 2): sf.MultivariateGaussian(covariance="full"),
        (3, 4): sf.Joint(),
        5: sf.Numeric(),
    },
    {
        (0, 1): sf.MultivariateGaussian(covariance="shared"),
        2: sf.Histogram(missing="level"),
        (3, 4, 5): sf.Multinomial(alpha=0.3),
    },
    {(0, 1): sf.Numeric(missing="level"), 2: sf.Gaussian(missing="level"), (3, 4, 5): sf.Joint(alpha="evidence")},
    {(0, 1, 2): sf.MultivariateGaussian(covariance="diagonal"), (3, 4): sf.Bernoulli("evidence"), 5: None},
    *(
        sf.Gaussian(),
        sf.Histogram(),
        sf.Numeric(),
        sf.Bernoulli(),
        sf.Categorical(),
        sf.Multinomial(),
        sf.Poisson(),
        sf.MultivariateGaussian(covariance="full"),
        sf.Numeric(form="cells", missing="level"),
        sf.Categorical(form="groups", unseen="mass"),
    ),
]
cells = st.one_of(st.integers(0, 4).map(float), st.just(NAN))
labels = st.sampled_from(["ham", "news", "spam"])


@st.composite
def tables(draw, least, most=10):
    rows = draw(st.integers(least, most))
    x = [[draw(cells) for _ in range(WIDTH)] for _ in range(rows)]
    y = [draw(labels) for _ in range(rows)]
    return np.array(x, dtype=float).reshape(rows, WIDTH), y, np.array([draw(st.integers(1, 3)) for _ in range(rows)])


def require_sum(each, joint, log_prior):
    """Its parts add up to its score, which is the difference of log p(c, x): to 1e-9 of the largest of all terms."""
    parts = [each.prior.nats, *(entry.nats for entry in each.entries), each.others_nats]
    assert not any(map(math.isnan, [*parts, each.score, each.probability]))
    if each.impossible:
        return
    if math.isinf(each.score):
        assert each.score in parts
        return
    largest = max(1.0, np.abs(joint[np.isfinite(joint)]).max(initial=0.0), *map(abs, parts))
    assert abs(math.fsum(parts) - each.score) <= 1e-9 * largest


@given(
    tables(2), tables(1, 4), st.sampled_from(COLUMNS), st.sampled_from(ESTIMATES), st.sampled_from(["rest", None, 0])
)
def test_the_parts_add_up_to_the_score(seen, asked, columns, estimate, against):
    x, y, w = seen
    model = sf.fit(x, y, columns=columns, estimate=estimate, weights=w, calibrate=False)
    if len(model.classes) < 2:
        return
    against = model.classes[0] if against == 0 else against
    joint = model.log_joint(asked[0])
    proba = model.predict_proba(asked[0])
    predicted = model.predict(asked[0])
    log_prior = model.core.log_prior
    for row, each in enumerate(model.explain(asked[0], against=against)):
        c = model.classes.index(each.label)
        assert each.row == row
        assert each.probability == pytest.approx(proba[row, c], rel=1e-9, abs=1e-12)
        if against is None:
            assert each.label == predicted[row]
        require_sum(each, joint[row], log_prior)
        sizes = [abs(entry.nats) for entry in each.entries]
        assert sizes == sorted(sizes, reverse=True)
        if each.impossible:
            continue
        if each.against is None:
            others = np.delete(joint[row], c)
            expected = joint[row, c] - np.logaddexp.reduce(others)
        else:
            expected = joint[row, c] - joint[row, model.classes.index(each.against)]
        largest = np.abs(joint[row][np.isfinite(joint[row])]).max(initial=1.0)
        if math.isinf(expected):
            assert each.score == expected
        else:
            assert abs(each.score - expected) <= 1e-9 * largest


WORDS = ["win", "prize", "cash", "lunch", "notes", "menu"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=3, max_size=8)
TEXTS = [
    sf.Words(),
    sf.Words(prior="evidence"),
    sf.Words(binary=True),
    sf.Words(idf=True, tf="log", unit_length=True),
    sf.Words(model="bernoulli"),
    sf.Words(model="complement"),
    sf.Words(hashed=4),
    sf.Words(min_df=2),
    sf.Chars(ngrams=2),
]


@given(texts, st.sampled_from(TEXTS), st.sampled_from(ESTIMATES), st.sampled_from(["rest", None]))
def test_documents_add_up_too(documents, kind, estimate, against):
    y = ["abc"[k % 3] for k in range(len(documents))]
    data = {"body": documents, "size": [float(len(each) % 4) for each in documents]}
    model = sf.fit(data, y, columns={"body": kind, "size": sf.Gaussian()}, estimate=estimate, calibrate=False)
    asked = {"body": [*documents[:2], "win unknown lunch lunch", None, ""], "size": [1.0, NAN, 2.0, 3.0, 0.0]}
    joint = model.log_joint(asked)
    for row, each in enumerate(model.explain(asked, against=against)):
        require_sum(each, joint[row], model.core.log_prior)


ROW = {"fur": "soft", "age": 3.5, "wet": 1.0, "cats": 2.0, "size": 1.25, "odd": 6.0}
KINDS = {
    "fur": sf.Categorical(),
    "age": sf.Gaussian(),
    "wet": sf.Bernoulli(),
    "cats": sf.Poisson(),
    "size": sf.Histogram(),
    "odd": sf.Numeric(),
}


def animals(rows=60, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(["cat", "dog", "emu"], rows)
    k = np.array([{"cat": 0, "dog": 1, "emu": 2}[each] for each in y])
    return {
        "fur": rng.choice(["soft", "wiry", "none"], rows),
        "age": rng.normal(2 + k, 1),
        "wet": rng.random(rows) < 0.2 + 0.3 * k,
        "cats": rng.poisson(1.0 + k),
        "size": rng.exponential(1 + k),
        "odd": np.where(k == 0, rng.normal(-5, 1, rows), rng.choice([6.0, 7.0, 60.0], rows)),
    }, y


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_an_entry_is_the_score_with_its_cell_less_that_without(estimate):
    data, y = animals()
    model = sf.fit(data, y, columns=KINDS, estimate=estimate, calibrate=False)
    whole = {name: [value] for name, value in ROW.items()}
    for label, against in [("cat", "dog"), ("emu", "cat")]:
        (each,) = model.explain(whole, against=against, positive=label)
        c, d = model.classes.index(label), model.classes.index(against)
        assert {entry.column for entry in each.entries} == set(ROW)
        for entry in each.entries:
            added = added_by_cell(model, ROW, entry.column)
            assert entry.nats == pytest.approx(added[c] - added[d], rel=1e-9, abs=1e-11)
            assert entry.kind == "cell"
            assert entry.value == ROW[entry.column]
        (each,) = model.explain(whole, against="rest", positive=label)
        joint = model.log_joint(whole)[0]
        share = np.exp(joint - np.logaddexp.reduce(np.delete(joint, c)))
        share[c] = 0
        for entry in each.entries:
            if entry.kind == "other classes":
                assert entry.nats == pytest.approx((share[share > 0] * np.log(share[share > 0])).sum(), rel=1e-9)
            else:
                added = added_by_cell(model, ROW, entry.column)
                others = added[share > 0] @ share[share > 0]
                assert entry.nats == pytest.approx(added[c] - others, rel=1e-9, abs=1e-11)


def test_draws_that_are_integrated_out_share_what_they_add_over_all_orders():
    x = np.array([[3.0, 0, 1], [1, 4, 0], [0, 1, 5], [2, 2, 2]])
    y = ["a", "b", "b", "a"]
    model = sf.fit(x, y, columns=sf.Multinomial(alpha=[0.5, 1.0, 2.0]), calibrate=False)
    counts = [2, 1, 3]
    (each,) = model.explain(np.array([counts]), against="b", positive="a")
    alphas = {c: [x[[k == c for k in y], j].sum() + a for j, a in enumerate([0.5, 1.0, 2.0])] for c in "ab"}
    slow = np.array(added_by_draws(alphas["a"], counts)) - added_by_draws(alphas["b"], counts)
    found = {entry.column: entry.nats for entry in each.entries}
    np.testing.assert_allclose([found[j] for j in range(3)], slow, rtol=1e-12)


def test_words_of_a_document_share_what_they_add_over_all_orders():
    documents = ["win win cash", "cash lunch", "lunch menu lunch", "win menu"]
    model = sf.fit(documents, ["a", "a", "b", "b"], columns=sf.Words(alpha=0.5), calibrate=False)
    vocabulary = ["cash", "lunch", "menu", "win"]
    counted = {c: [0.5] * 4 for c in "ab"}
    for text, c in zip(documents, "aabb", strict=True):
        for word in text.split():
            counted[c][vocabulary.index(word)] += 1
    counts = [1, 3, 0, 2]
    (each,) = model.explain(["win lunch lunch cash win lunch other"], against="b", positive="a")
    slow = np.array(added_by_draws(counted["a"], counts)) - added_by_draws(counted["b"], counts)
    found = {entry.value: entry for entry in each.entries}
    assert set(found) == {"cash", "lunch", "win"}
    for word, expected, count in zip(vocabulary, slow, counts, strict=True):
        if count:
            assert found[word].nats == pytest.approx(expected, rel=1e-12)
            assert found[word].occurrences == count


def test_c_or_python_by_one_count_of_each_sign():
    c_rows = [(6, 8, 14, 1, 10, 1, 7), (8, 10, 14, 0, 11, 1, 7), (12, 22, 34, 1, 21, 2, 13), (4, 6, 10, 1, 6, 1, 4)]
    python = [(6, 14, 30, 6, 2, 16, 16), (2, 8, 14, 3, 1, 9, 8), (4, 14, 26, 7, 2, 15, 14)]
    model = sf.fit(
        np.array([*c_rows, *python]),
        ["C"] * 4 + ["Python"] * 3,
        columns=sf.Multinomial(),
        estimate="mle",
        calibrate=False,
    )
    found = model.explain(np.eye(7), against="Python", positive="C")
    b = [entry.nats for each in found for entry in each.entries]
    assert [round(nats, 3) for nats in b] == [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]
    np.testing.assert_allclose(b, model.log_joint(np.eye(7)) @ [1, -1] - np.log(4 / 3), rtol=1e-9)
    semicolon = found[4].entries[0]
    assert semicolon.column == 4
    assert [(each.name, each.here, each.there) for each in semicolon.support] == [("times", 48, 5), ("of", 235, 217)]


def test_presence_of_words_lists_those_that_are_there_and_all_others_as_one():
    documents = ["win cash", "cash", "lunch menu", "win menu"]
    model = sf.fit(
        documents, ["a", "a", "b", "b"], columns=sf.Words(model="bernoulli"), estimate="mean", calibrate=False
    )
    theta = {(p.label, p.level): p.value for p in model.parameters() if p.column is not None}
    (each,) = model.explain(["win lunch"], against="b", positive="a")
    found = {entry.value: entry for entry in each.entries}
    assert [entry.kind for entry in each.entries].count("absent words") == 1
    for word in ("win", "lunch"):
        assert found[word].nats == pytest.approx(math.log(theta["a", word] / theta["b", word]), rel=1e-12, abs=1e-15)
    absent = sum(math.log((1 - theta["a", word]) / (1 - theta["b", word])) for word in ("cash", "menu"))
    assert found[None].nats == pytest.approx(absent, rel=1e-9, abs=1e-14)
    assert found["win"].support == (("times", 1, 1), ("of", 2, 2))


def test_what_stands_behind_an_entry_was_counted():
    data, y = animals()
    model = sf.fit(data, y, columns=KINDS, calibrate=False)
    (each,) = model.explain({name: [value] for name, value in ROW.items()}, against="dog", positive="cat")
    cat, dog = y == "cat", y == "dog"
    behind = {entry.column: {b.name: (b.here, b.there) for b in entry.support} for entry in each.entries}
    soft = data["fur"] == "soft"
    assert behind["fur"] == {"times": ((soft & cat).sum(), (soft & dog).sum()), "of": (cat.sum(), dog.sum())}
    assert behind["wet"] == {
        "times": ((data["wet"] & cat).sum(), (data["wet"] & dog).sum()),
        "of": (cat.sum(), dog.sum()),
    }
    for name in ("age", "cats"):
        means = behind[name]["mean"]
        assert means == pytest.approx((data[name][cat].mean(), data[name][dog].mean()), rel=1e-12)
    assert behind["age"]["sd"] == pytest.approx((data["age"][cat].std(), data["age"][dog].std()), rel=1e-12)
    assert set(behind["size"]) == {"share"}
    (rest,) = model.explain({name: [value] for name, value in ROW.items()}, against="rest", positive="cat")
    behind = {entry.column: {b.name: (b.here, b.there) for b in entry.support} for entry in rest.entries}
    assert behind["fur"]["times"] == ((soft & cat).sum(), (soft & ~cat).sum())
    assert behind["age"]["sd"] == pytest.approx((data["age"][cat].std(), data["age"][~cat].std()), rel=1e-12)
    assert rest.prior.support[0] == pytest.approx(("share", cat.mean(), 1 - cat.mean()))


def test_blocks_are_one_entry_with_all_their_cells():
    x = np.array([[0.0, 1, 5, 6], [1, 1, 4, 6], [1, 0, 7, 9], [0, 0, 8, 7], [1, 1, 6, 9], [0, 1, 5, 9.5]])
    y = ["a", "a", "b", "b", "a", "b"]
    names = {f"c{j}": x[:, j] for j in range(4)}
    model = sf.fit(
        names,
        y,
        columns={("c0", "c1"): sf.Joint(), ("c2", "c3"): sf.MultivariateGaussian(covariance="full")},
        calibrate=False,
    )
    asked = {"c0": [1.0, NAN], "c1": [1.0, 1.0], "c2": [5.0, NAN], "c3": [7.0, NAN]}
    whole, gaps = model.explain(asked, against="b", positive="a")
    found = {entry.column: entry for entry in whole.entries}
    assert set(found) == {"c0, c1", "c2, c3"}
    assert found["c0, c1"].value == (1, 1)
    assert found["c0, c1"].support == (("times", 2, 0), ("of", 3, 3))
    assert found["c2, c3"].value == (5.0, 7.0)
    assert all(entry.kind == "block" for entry in whole.entries)
    (left,) = gaps.entries
    assert left.value == (None, 1)
    assert left.support == (("times", 3, 1), ("of", 3, 3))


def test_columns_that_share_a_matrix_add_up_one_by_one():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 80)
    x = rng.normal(size=(80, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]]) + 2 * y[:, None]
    model = sf.fit(x, y, columns=sf.MultivariateGaussian(covariance="shared"), estimate="mle", calibrate=False)
    means = np.array([x[y == c].mean(axis=0) for c in (0, 1)])
    away = x - means[y]
    inverse = np.linalg.inv(away.T @ away / 80)
    (each,) = model.explain(x[:1], against=0, positive=1)
    slow = (inverse @ (means[1] - means[0])) * (x[0] - means.mean(axis=0))
    found = {entry.column: entry.nats for entry in each.entries}
    np.testing.assert_allclose([found[j] for j in range(3)], slow, rtol=1e-8)
    assert [entry.kind for entry in each.entries] == ["cell"] * 3
    gaps = np.array([[x[0, 0], NAN, x[0, 2]]])
    (each,) = model.explain(gaps, against=0, positive=1)
    some = np.ix_([0, 2], [0, 2])
    inverse = np.linalg.inv((away.T @ away / 80)[some])
    slow = (inverse @ (means[1] - means[0])[[0, 2]]) * (x[0] - means.mean(axis=0))[[0, 2]]
    found = {entry.column: entry.nats for entry in each.entries}
    np.testing.assert_allclose([found[0], found[2]], slow, rtol=1e-8)


def test_missing_and_unseen_cells_are_no_entries_unless_they_speak():
    data = {"fur": ["soft", "wiry", None, "wiry"], "age": [1.0, 2.0, NAN, 4.0]}
    y = ["cat", "cat", "dog", "dog"]
    asked = {"fur": [None, "new"], "age": [NAN, 3.0]}
    quiet = sf.fit(data, y, columns={"fur": sf.Categorical(), "age": sf.Gaussian()}, calibrate=False).explain(asked)
    assert quiet[0].entries == ()
    assert quiet[0].score == quiet[0].prior.nats == 0
    assert [entry.column for entry in quiet[1].entries] == ["age"]
    loud = {"fur": sf.Categorical(missing="level", unseen="mass"), "age": sf.Gaussian(missing="level")}
    first, second = sf.fit(data, y, columns=loud, calibrate=False).explain(asked, against="cat", positive="dog")
    found = {entry.column: entry for entry in first.entries}
    assert found["fur"].value is found["age"].value is None
    assert found["fur"].support == (("times", 1, 0), ("of", 2, 2))
    assert found["age"].nats > 0
    assert found["age"].support[0].name == "share"
    assert {entry.column: entry.value for entry in second.entries} == {"fur": "new", "age": 3.0}
    assert {entry.column: entry.support for entry in second.entries}["fur"] == (("times", 0, 0), ("of", 2, 2))


def test_a_row_that_cannot_be_is_told_apart():
    x = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    model = sf.fit(x, ["a", "a", "a", "b"], columns=sf.Bernoulli(), estimate="mle", calibrate=False)
    possible, impossible = model.explain(np.array([[1, 0], [1, 1]]), positive="a")
    assert possible.score == math.inf
    assert math.inf in [entry.nats for entry in possible.entries]
    assert not possible.impossible
    model = sf.fit(x, ["a", "a", "b", "b"], columns=sf.Bernoulli(), estimate="mle", calibrate=False).with_options(
        class_prior=[0.8, 0.2]
    )
    (impossible,) = model.explain(np.array([[1, 1]]))
    assert impossible.impossible
    assert impossible.score == pytest.approx(math.log(4))
    assert impossible.probability == pytest.approx(0.8)
    assert "probability 0 under both classes: the odds are those of the class prior" in str(impossible)


def test_a_row_that_cannot_be_warns():
    x = np.array([[1, 0], [0, 1]])
    model = sf.fit(x, ["a", "b"], columns=sf.Bernoulli(), estimate="mle", calibrate=False)
    with pytest.warns(sf.errors.ImpossibleRowsWarning, match="1 of 1 rows are impossible under every class"):
        model.explain(np.array([[1, 1]]))


def test_the_weightiest_are_listed_and_the_others_told_in_one_number():
    data, y = animals()
    model = sf.fit(data, y, columns=KINDS, calibrate=False)
    whole = {name: [value] for name, value in ROW.items()}
    (full,), (short,), (none,) = (model.explain(whole, top=top) for top in (None, 2, 0))
    assert short.entries == full.entries[:2]
    assert short.others == 4
    assert short.others_nats == pytest.approx(sum(entry.nats for entry in full.entries[2:]), rel=1e-12)
    assert none.entries == ()
    assert none.others == 6
    assert none.score == full.score
    assert full.others == 0


def test_it_prints_as_bars():
    model = sf.fit(
        {"fur": ["soft", "soft", "wiry", "wiry"], "age": [1.0, 2.0, 7.0, 9.0]},
        ["cat", "cat", "dog", "dog"],
        columns={"fur": sf.Categorical(), "age": sf.Gaussian()},
        estimate="mean",
        calibrate=False,
    )
    (each,) = model.explain({"fur": ["soft"], "age": [7.5]})
    assert str(each).splitlines() == [
        "row 0: 'cat' rather than 'dog', log-odds +0.5002, p = 0.6225",
        "  class prior  +0                    │              share 0.5 in 'cat', 0.5 in 'dog'",
        "  fur = soft   +1.099                │████████████  2 of 2 in 'cat', 0 of 2 in 'dog'",
        "  age = 7.5    -0.5984        ███████│              mean 1.5 ± 0.5 in 'cat', 8 ± 1 in 'dog'",
    ]
    assert str(model.explain({"fur": ["soft"], "age": [7.5]}, top=1)[0]).splitlines()[-1] == "  … 1 more     -0.5984"


def test_it_is_what_json_takes():
    data, y = animals()
    model = sf.fit({**data, "note": ["aa bb", "cc"] * 30}, y, columns={**KINDS, "note": sf.Words()}, calibrate=False)
    (each,) = model.explain({**{name: [value] for name, value in ROW.items()}, "note": ["aa cc cc"]})
    record = json.loads(json.dumps(each.as_record()))
    assert record["label"] == each.label
    assert record["score"] == each.score
    assert [entry["nats"] for entry in record["entries"]] == [entry.nats for entry in each.entries]
    words = [entry for entry in record["entries"] if entry["kind"] == "word"]
    assert {(word["value"], word["occurrences"], word["name"]) for word in words} == {
        ("aa", 1, "note: aa"),
        ("cc", 2, "note: cc × 2"),
    }
    assert words[0]["support"][0].keys() == {"name", "here", "there"}


def test_sparse_frames_and_files_say_the_same(tmp_path):
    from scipy.sparse import csr_matrix

    x = np.array([[3.0, 0, 1], [1, 4, 0], [0, 1, 5], [2, 2, 2]])
    model = sf.fit(x, ["a", "b", "b", "a"], columns=sf.Multinomial(), calibrate=False)
    dense, sparse = model.explain(x), model.explain(csr_matrix(x))
    assert [each.entries for each in dense] == [each.entries for each in sparse]
    assert [each.score for each in dense] == pytest.approx([each.score for each in sparse], rel=1e-12)
    data, y = animals()
    pets = sf.fit(data, y, columns=KINDS, calibrate=False)
    path = tmp_path / "pets.csv"
    rows = zip(*(data[name] for name in KINDS), strict=True)
    lines = [",".join(KINDS), *(",".join(str(int(v) if isinstance(v, np.bool_) else v) for v in row) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    told, again = pets.explain(data), pets.explain(str(path))
    assert [each.score for each in told] == [each.score for each in again]
    assert [[e.nats for e in each.entries] for each in told] == [[e.nats for e in each.entries] for each in again]


def test_an_unknown_class_is_named():
    model = sf.fit({"fur": ["b", "o"], "y": ["x", "y"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False)
    with pytest.raises(ParameterError) as said:
        model.explain({"fur": ["b"]}, against="q")
    assert str(said.value) == "the model has no class 'q'. Its classes are 'x', 'y'."
    with pytest.raises(ParameterError) as said:
        model.explain({"fur": ["b"]}, against="x", positive="x")
    assert str(said.value) == "class 'x' cannot be compared with itself. Compare it with another class."
    with pytest.raises(ParameterError) as said:
        model.explain({"fur": ["b"]}, top=-1)
    assert str(said.value) == "top must be a whole number ≥ 0: got -1. Give an int."


def test_one_class_or_none_has_nothing_to_explain():
    with pytest.raises(ParameterError) as said:
        sf.fit({"fur": ["b"], "y": ["x"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False).explain(
            {"fur": ["b"]}
        )
    assert str(said.value) == (
        "there is nothing to explain: the model has only one class, 'x'. Fit it on rows of two classes or more."
    )
    model = sf.fit({"fur": ["b"], "y": ["x"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False)
    with pytest.raises(DataError) as said:
        (model - model).explain({"fur": ["b"]})
    assert str(said.value) == (
        "the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it."
    )


def test_a_class_called_rest_is_that_class():
    model = sf.fit(
        {"fur": ["b", "o", "b"], "y": ["rest", "x", "y"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False
    )
    (each,) = model.explain({"fur": ["o"]}, against="rest", positive="x")
    assert each.against == "rest"


def test_no_rows_no_explanations():
    model = sf.fit(np.array([[1.0], [2.0]]), ["a", "b"], columns=sf.Gaussian(), calibrate=False)
    assert model.explain(np.empty((0, 1))) == ()


def test_against_the_winner_the_best_of_the_others_is_explained():
    data, y = animals()
    model = sf.fit(data, y, columns=KINDS, calibrate=False)
    winner = model.predict(data)
    for each, won in zip(model.explain(data, against="cat"), winner, strict=True):
        assert each.against == "cat"
        assert each.label == won if won != "cat" else each.label != "cat"


@pytest.mark.parametrize("cell", [1e20, 1e155, 1e300, -1e300])
@pytest.mark.parametrize("estimate", ["predictive", "mean", "mle"])
def test_cells_far_beyond_all_others_add_up_too(cell, estimate):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    model = sf.fit(rng.normal(y, 1 + y)[:, None], y, columns=sf.Gaussian(), estimate=estimate, calibrate=False)
    (each,) = model.explain([[cell]], against=1, positive=0)
    require_sum(each, model.log_joint([[cell]])[0], model.core.log_prior)


@pytest.mark.parametrize("likelihood", [sf.Histogram(missing="level"), sf.Numeric(missing="level")])
def test_a_cell_that_is_impossible_on_both_sides_says_nothing(likelihood):
    # In "spam" the column is never known, in "news" it is always 0: a 1 is impossible under both, for two reasons.
    x = np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [0.0], [NAN], [NAN], [NAN]])
    model = sf.fit(x, ["ham"] * 3 + ["news"] * 5 + ["spam"], columns=likelihood, estimate="mle", calibrate=False)
    for label, against in (("news", "spam"), ("spam", "news")):
        (each,) = model.explain([[1.0]], against=against, positive=label)
        assert each.impossible
        assert [entry.nats for entry in each.entries] == [0.0]


def cell_offset(line, sign):
    """Return how many cells of a terminal stand before a sign; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line[: line.index(sign)])


def test_wide_characters_are_aligned():
    frame = {
        "长相": ["帅", "不帅", "帅", "不帅", "帅", "帅"],
        "temper": ["好", "bad", "好", "好", "bad", "好"],
        "身高 height": ["高", "矮", "高", "矮", "矮", "高"],
    }
    model = sf.fit(frame, ["嫁", "不嫁", "嫁", "不嫁", "不嫁", "嫁"], estimate="mean", calibrate=False)
    for shown in (model.explain(frame), model.explain(frame, top=1)):
        for each in shown:
            lines = str(each).splitlines()[1:]
            assert len({cell_offset(line, "│") for line in lines if "│" in line}) == 1
            numbers = [f"{entry.nats:+.4g}" for entry in (each.prior, *each.entries)]
            numbers += [f"{each.others_nats:+.4g}"] * bool(each.others)
            assert len({cell_offset(line, f"  {number}") for line, number in zip(lines, numbers, strict=True)}) == 1
    costs = repr(sf.Costs([[0, 10], [2, 0]], actions=["等", "act now"], classes=["嫁", "不嫁"])).splitlines()[1:]
    assert [cell_offset(line + "|", "|") for line in costs] == [cell_offset(costs[0] + "|", "|")] * 3
