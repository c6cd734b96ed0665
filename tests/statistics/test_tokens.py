"""Tokens: storage, arithmetic and errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError, ParameterError
from suffice.statistics import Axis, Tokens
from suffice.statistics.tokens import NO_WORDS, Vocabulary, tokens_from_valid
from tests.oracles import token_counts

DAMAGED = "The stored statistics are damaged: write them again."
MAIL = Tokens.of({"ham": {"meeting": 2}, "spam": {"win": 3, "meeting": 1}}, {"ham": 2, "spam": 2})


def made(**changes: Any) -> Tokens:
    """Return two classes and three words, with some of it changed."""
    given: dict[str, Any] = {
        "classes": Axis.of(["a", "b"]),
        "vocabulary": Vocabulary.of(["x", "y", "z"]),
        "starts": [0, 2, 3],
        "tokens": np.array([0, 2, 1], np.int32),
        "counts": [1.0, 2.0, 3.0],
        "documents": [1.0, 1.0, 2.0],
        "weights": [1.0, 2.0],
        "columns": 0,
    }
    return Tokens(**{**given, **changes})


def hashed(**changes: Any) -> Tokens:
    return made(**{"vocabulary": NO_WORDS, "columns": 16, **changes})


def test_counts_by_class_and_word() -> None:
    assert MAIL.classes.labels == ("ham", "spam")
    assert MAIL.vocabulary.words == ("meeting", "win")
    assert [MAIL.tokens[some].tolist() for some in MAIL.rows()] == [[0], [0, 1]]
    assert MAIL.counts.tolist() == [2, 1, 3]
    assert MAIL.documents.tolist() == [1, 1, 1]
    assert MAIL.weights.tolist() == [2, 2]
    assert MAIL.width == 2
    assert MAIL.name_of(1) == "win"
    assert hashed().name_of(1) == 1
    assert hashed().width == 16


def test_what_is_shown() -> None:
    assert repr(MAIL) == "Tokens(2 classes × 2 tokens, 3 pairs, total 6)"
    assert repr(Tokens.of({"a": {"x": 1.5}}, {"a": 1})) == "Tokens(1 class × 1 token, 1 pairs, total 1.5)"
    assert repr(hashed()) == "Tokens(2 classes × 16 columns, 3 pairs, total 6)"


def test_arrays_cannot_be_written() -> None:
    for value in (MAIL, MAIL + MAIL, MAIL.scale(2), MAIL - Tokens.zero()):
        own = value.starts, value.tokens, value.counts, value.documents, value.weights
        for array in (*own, value.vocabulary.text, value.vocabulary.ends):
            assert not array.flags.writeable
    counts = np.array([1.0, 2.0, 3.0])
    kept = made(counts=counts)
    counts[0] = 9
    assert kept.counts[0] == 1


def test_words_and_classes_that_are_gone_were_never_seen() -> None:
    more = Tokens.of({"news": {"win": 1, "zebra": 1}}, {"news": 1})
    both = MAIL + more
    assert both.classes.labels == ("ham", "news", "spam")
    assert both.vocabulary.words == ("meeting", "win", "zebra")
    assert both - more == MAIL
    assert both - MAIL == more
    assert both - both == Tokens.zero()
    left = both - Tokens.of({"news": {"win": 1, "zebra": 1}}, {"news": 0.5})  # the class stays for its weight
    assert left.classes.labels == ("ham", "news", "spam")
    assert left.vocabulary.words == ("meeting", "win")
    assert left.tight()


def test_a_declared_class_stays() -> None:
    declared = Tokens.zero()
    declared = tokens_from_valid(
        Axis.of(["a", "b"], declared=[True, False]),
        NO_WORDS,
        np.zeros(3, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0),
        np.zeros(0),
        np.zeros(2),
    )
    assert declared.classes.labels == ("a",)
    assert (declared + MAIL).classes.labels == ("a", "ham", "spam")
    assert (declared + MAIL - MAIL) == declared


def test_scaling_and_taking() -> None:
    assert MAIL.scale(2) == MAIL + MAIL
    assert MAIL.scale(1) == MAIL
    assert MAIL.scale(0) == Tokens.zero()
    assert MAIL.take(np.array([False, True])) == Tokens(
        MAIL.classes, Vocabulary.of(["win"]), [0, 0, 1], np.zeros(1, np.int32), [3.0], [1.0], [2.0, 2.0]
    )
    assert hashed().take(np.arange(16) == 2).tokens.tolist() == [2]
    assert MAIL.take(np.array([False, False])).classes == MAIL.classes


def test_hashed_columns_merge_by_their_number() -> None:
    other = hashed(tokens=np.array([1, 2, 1], np.int32))
    both = hashed() + other
    assert [both.tokens[some].tolist() for some in both.rows()] == [[0, 1, 2], [1]]
    assert both.counts.tolist() == [1, 1, 4, 6]
    assert both - other == hashed()
    assert Tokens.zero(16) + other == other


def test_many_pairs_merge_in_groups_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(row % 7, " ".join(f"w{(row * k) % 31}" for k in range(9)), 1.0) for row in range(60)]
    cuts = [rows[:20], rows[20:35], rows[35:]]
    whole = token_counts.as_statistic(rows)
    for at_once in (1, 5, 2**22):
        monkeypatch.setattr("suffice.statistics.tokens._PAIRS_AT_ONCE", at_once)
        parts = [token_counts.as_statistic(cut) for cut in cuts]
        assert parts[0] + parts[1] + parts[2] == whole
        assert whole - parts[1] == parts[0] + parts[2]


def test_stored_and_pickled() -> None:
    for value in (
        MAIL,
        hashed(),
        Tokens.zero(),
        Tokens.zero(32),
        made(),
        token_counts.as_statistic([("é", "été", 0.5)]),
    ):
        arrays = {name: np.array(array) for name, array in value.to_arrays().items()}
        assert Tokens.from_arrays(arrays) == value
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  what was just written
        assert copy.deepcopy(value) == value


def test_equality() -> None:
    assert made() == made()
    assert made() != 3
    for change in (
        {"counts": [1.0, 2.0, 4.0]},
        {"documents": [1.0, 1.0, 3.0]},
        {"weights": [1.0, 3.0]},
        {"classes": Axis.of(["a", "c"])},
        {"vocabulary": Vocabulary.of(["x", "y", "zz"])},
    ):
        assert made(**change) != made()
    assert hashed() != hashed(columns=32)


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        MAIL + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        MAIL - 1  # pyright: ignore[reportOperatorIssue]


def test_hashed_and_exact_do_not_add() -> None:
    do = "Collect both with the same tokenizer."
    cases = [
        (MAIL, hashed(), "one side has no hashed columns, the other 16"),
        (hashed(), MAIL, "one side has 16 hashed columns, the other none"),
        (hashed(), hashed(columns=32), "one side has 16 hashed columns, the other 32"),
    ]
    for left, right, said in cases:
        for merge in (Tokens.__add__, Tokens.__sub__):
            with pytest.raises(MergeError) as error:
                merge(left, right)
            assert str(error.value) == f"token counts must have the same form: {said}. {do}"


@pytest.mark.parametrize(
    ("gone", "where"),
    [
        (made(counts=[2.0, 2.0, 3.0]), "class 'a', token 'x' has count 1.0, but 2.0 would be removed"),
        (made(documents=[1.0, 1.0, 3.0]), "class 'b', token 'y' has documents 2.0, but 3.0 would be removed"),
        (made(weights=[1.0, 2.5]), "class 'b' has document weight 2.0, but 2.5 would be removed"),
        (
            made(vocabulary=Vocabulary.of(["x", "y", "zz"])),
            "class 'a', token 'zz' has count 0.0, but 2.0 would be removed",
        ),
        (made(classes=Axis.of(["a", "c"])), "class 'c' has document weight 0.0, but 2.0 would be removed"),
    ],
)
def test_more_than_was_put_in_is_refused(gone: Tokens, where: str) -> None:
    do = "Remove only rows that were added, with the same weights."
    with pytest.raises(MergeError) as error:
        made() - gone
    assert str(error.value) == f"cannot remove rows that were not added: {where}. {do}"


def test_more_than_was_put_in_a_hashed_column_is_refused() -> None:
    with pytest.raises(MergeError, match=r"class 'a', token 2 has count 2\.0, but 5\.0 would be removed"):
        hashed() - hashed(counts=[1.0, 5.0, 3.0])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"starts": [0, 2]}, "starts must have shape (3,): got shape (2,). Pass one entry for each label."),
        ({"starts": [0, 2, 2]}, "starts must increase from 0 to the number of pairs, 3: got [0, 2, 2]."),
        ({"starts": [0, 4, 3]}, "starts must increase from 0 to the number of pairs, 3: got [0, 4, 3]."),
        ({"starts": [1, 2, 3]}, "starts must increase from 0 to the number of pairs, 3: got [1, 2, 3]."),
        ({"tokens": np.array([0, 3, 1], np.int32)}, "tokens must be from 0 to 2: got 0 … 3."),
        ({"tokens": np.array([-1, 2, 1], np.int32)}, "tokens must be from 0 to 2: got -1 … 2."),
        ({"tokens": np.array([2, 0, 1], np.int32)}, "the tokens of a class must increase."),
        ({"tokens": np.array([1, 1, 1], np.int32)}, "the tokens of a class must increase."),
        ({"counts": [1.0, 2.0]}, "counts must have shape (3,): got shape (2,). Pass one entry for each label."),
        ({"counts": [1.0, -2.0, 0.0]}, "counts must be finite and ≥ 0: pair 1 has -2.0. Pass finite counts ≥ 0."),
        (
            {"documents": [1.0, 2.0, float("nan")]},
            "documents must be finite and ≥ 0: pair 2 has nan. Pass finite counts ≥ 0.",
        ),
        (
            {"weights": [1.0, float("inf")]},
            "weights must be finite and ≥ 0: class 'b' has inf. Pass finite weights ≥ 0.",
        ),
        ({"columns": 16}, "the number of hashed columns must be a power of two, without a vocabulary: got 16."),
        (
            {"columns": 24, "vocabulary": NO_WORDS},
            "the number of hashed columns must be a power of two, without a vocabulary: got 24.",
        ),
        (
            {"columns": -4, "vocabulary": NO_WORDS},
            "the number of hashed columns must be a power of two, without a vocabulary: got -4.",
        ),
    ],
)
def test_what_cannot_be_counts_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as error:
        made(**change)
    assert str(error.value) == said


def test_sums_that_overflow_are_refused() -> None:
    huge = made(counts=[1e308, 1.0, 1.0])
    with pytest.raises(DataError) as error:
        huge + huge
    assert str(error.value) == "counts must be finite and ≥ 0: pair 0 has inf. Pass finite counts ≥ 0."
    with pytest.raises(DataError, match="pair 0 has inf"):
        huge.scale(10)
    with pytest.raises(ParameterError) as refused:
        made().scale(-1)
    assert str(refused.value) == (
        "the scale factor must be finite and ≥ 0: got -1.0. To remove data, subtract its statistic."
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": None}, f"text is missing from the stored arrays. {DAMAGED}"),
        (
            {"tokens": np.zeros(3)},
            f"tokens must be int32 with 1 dimensions: got float64 with 1. {DAMAGED}",
        ),
        ({"counts": np.ones((3, 1))}, f"counts must be float64 with 1 dimensions: got float64 with 2. {DAMAGED}"),
        (
            {"columns": np.zeros(2, np.int64)},
            "columns must have shape (1,): got shape (2,). Pass one entry for each label.",
        ),
        (
            {"text": np.frombuffer(b"xyyz", np.uint8)},
            f"the ends of tokens must increase from 0 to the number of bytes, 4. {DAMAGED}",
        ),
        ({"text": np.frombuffer(b"xzy", np.uint8)}, f"tokens must be sorted and distinct. {DAMAGED}"),
        ({"starts": np.array([0, 2, 9])}, "starts must increase from 0 to the number of pairs, 3: got [0, 2, 9]."),
        ({"tokens": np.array([0, 2**31 - 1, 1], np.int32)}, "tokens must be from 0 to 2: got 0 … 2147483647."),
        (
            {"tokens": np.array([0, 2, 2], np.int32)},
            f"every token and every class must have a positive count. {DAMAGED}",
        ),
        (
            {"counts": np.array([0.0, 2, 3]), "documents": np.array([0.0, 1, 2])},
            f"every token and every class must have a positive count. {DAMAGED}",
        ),
    ],
)
def test_damaged_arrays_are_refused(change: dict[str, Any], said: str) -> None:
    arrays: dict[str, Any] = {**made().to_arrays(), **change}
    if arrays["text"] is None:
        del arrays["text"]
    with pytest.raises(DataError) as error:
        Tokens.from_arrays(arrays)
    assert str(error.value) == said


def test_a_stored_class_without_anything_is_refused() -> None:
    empty = made(starts=[0, 3, 3], tokens=np.array([0, 1, 2], np.int32), weights=[1.0, 0.0])
    with pytest.raises(DataError, match=r"^every token and every class must have a positive count\."):
        Tokens.from_arrays(empty.to_arrays())


def test_what_does_not_belong_is_refused() -> None:
    with pytest.raises(DataError, match="more"):
        Tokens.from_arrays({**made().to_arrays(), "more": np.zeros(1)})


def test_the_oracle_knows_a_small_corpus_by_heart() -> None:
    rows = [("a", "Win win now", 2.0), ("a", None, 1.0), ("b", "", 1.0), ("b", "now", 0.0)]
    found = token_counts.counted(rows)
    assert found.counts == {"a": {"win": 4, "now": 2}}
    assert found.documents == {"a": {"win": 2, "now": 2}}
    assert found.weights == {"a": 2, "b": 1}
    assert token_counts.as_statistic(rows).counts.tolist() == [2, 4]
