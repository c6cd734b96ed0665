r"""The same tokens and counts as scikit-learn's CountVectorizer, on any text that Python can hold.

One difference, on purpose: half a surrogate pair has no spelling in UTF-8, so in n-grams of characters it is U+FFFD.
Words never hold one, in Python's \w neither.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from suffice import _core
from suffice.engines.documents import count_tokens, token_matrix, tokenizer_of, tokens_of
from suffice.errors import DataError
from suffice.likelihoods.block_statistics import Tokenizing
from suffice.statistics import Axis
from tests.oracles import unicode_14

# What each setting of ours is called there.
SETTINGS = {
    "defaults": (Tokenizing(), {}),
    "bigrams": (Tokenizing(ngrams=(1, 2)), {"ngram_range": (1, 2)}),
    "five words": (Tokenizing(ngrams=(2, 5)), {"ngram_range": (2, 5)}),
    "case kept": (Tokenizing(lowercase=False), {"lowercase": False}),
    "accents off": (Tokenizing(strip_accents=True), {"strip_accents": "unicode"}),
    "accents off, case kept": (
        Tokenizing(strip_accents=True, lowercase=False),
        {"strip_accents": "unicode", "lowercase": False},
    ),
    "stop words": (
        Tokenizing(ngrams=(1, 2), stop_words=("aa", "the", "οδος")),
        {"ngram_range": (1, 2), "stop_words": ["aa", "the", "οδος"]},
    ),
    "single letters": (Tokenizing(min_length=1), {"token_pattern": r"(?u)\b\w+\b"}),
    "chars": (Tokenizing("chars", (1, 3)), {"analyzer": "char", "ngram_range": (1, 3)}),
    "chars of three": (Tokenizing("chars", (3, 3)), {"analyzer": "char", "ngram_range": (3, 3)}),
    "chars, accents off": (
        Tokenizing("chars", (1, 2), strip_accents=True),
        {"analyzer": "char", "ngram_range": (1, 2), "strip_accents": "unicode"},
    ),
    "chars in words": (Tokenizing("chars in words", (2, 4)), {"analyzer": "char_wb", "ngram_range": (2, 4)}),
    "chars in words, case kept": (
        Tokenizing("chars in words", (1, 5), lowercase=False),
        {"analyzer": "char_wb", "ngram_range": (1, 5), "lowercase": False},
    ),
}
SURROGATES = re.compile("[\ud800-\udfff]")

OLD = unicodedata.unidata_version == unicode_14.VERSION
ASSIGNED = [(0, 0x10FFFF)] if OLD else unicode_14.assigned()

# Case, sigma, marks, what is passed over beside a sigma, dots on i, ligatures, syllables, spaces, halves of pairs.
TELLING = (
    "aAbBzZ_019 \t\n\x0b\x1c\x85\xa0\u1680\u2028\u3000.':^`,;-\x00\x7f\xad\xb5\xaa\u0301\u0307\u0345\u02b0"
    "ΣσςΑαΩΌßẞſéÉÅåİıiI\u0130\u0131ﬁﬀŉǅǆǰΐ가각힣水あア\ufe0f\u200d\u200b\ufeff\ufffd٣४²½Ⅷⓐ"
    "𐐀𐐨𝒳😀🇦🇧\U000e0100\U0010ffff\ud800\udbff\udc00\udfff"
)

characters = st.one_of(
    st.sampled_from(TELLING),
    st.sampled_from("aB Σ."),
    st.sampled_from(ASSIGNED).flatmap(lambda run: st.integers(*run)).map(chr),
)
texts = st.lists(characters, max_size=150).map("".join)
documents = st.lists(texts, max_size=5)
settings_of = pytest.mark.parametrize("name", SETTINGS)


def analysed(name: str, text: str) -> list[str]:
    """Return scikit-learn's tokens of a text."""
    _, options = SETTINGS[name]
    known = text if "analyzer" not in options else SURROGATES.sub("\ufffd", text)
    return CountVectorizer(**options).build_analyzer()(known)


@settings_of
@given(text=texts)
@example(text="")
@example(text="ΟΔΟΣ ΟΔΌΣ. ΑΣ'Α Σ aΣ\u0301 1Σ")
@example(text="İstanbul ISPARTA ılık \u0130")
@example(text="\ufb01n \ufb03x ǅ Ǆ ŉa")
@example(text="a\u0301b e\u0301é \u1e9e Straße STRASSE")
@example(text="👩‍👩‍👧‍👦 ok 🇩🇪 \U0001f600x")
@example(text="ab\ud800cd \ud83d\ude00 \udfff")
@example(text="nul\x00nul \x00")
@example(text=" " * 63 + "wörd" + " " * 60 + "ΑΣ")
@example(text="x" * 64 + " " + "Y" * 128)
@example(text="a\x1cb\x1fc\x85d\xa0e \u2029 f")
def test_the_tokens_of_a_text_are_scikit_learns(name, text):
    tokenizing, _ = SETTINGS[name]
    assert Counter(tokens_of(tokenizing, text)) == Counter(analysed(name, text))


@given(text=texts)
def test_words_come_in_the_order_of_the_text(text):
    assert tokens_of(Tokenizing(), text) == analysed("defaults", text)


@settings_of
@given(rows=documents, threads=st.sampled_from([1, 3]))
def test_counts_and_vocabulary_are_scikit_learns(name, rows, threads):
    tokenizing, _ = SETTINGS[name]
    expected = [Counter(analysed(name, text)) for text in rows]
    words = sorted(set().union(*expected))
    held = _core.documents_of_texts(list(rows))
    found = count_tokens(tokenizing, held, np.arange(len(rows)), Axis.of(range(len(rows))), threads=threads)
    assert found.vocabulary.words == tuple(words)
    assert found.weights.tolist() == [1.0] * len(rows)
    assert (found.documents == 1).all()
    for row, (some, want) in enumerate(zip(found.rows(), expected, strict=True)):
        pairs = zip(found.tokens[some].tolist(), found.counts[some].tolist(), strict=True)
        assert {words[token]: count for token, count in pairs} == want, row


@settings_of
@given(rows=documents)
def test_the_matrix_is_scikit_learns(name, rows):
    tokenizing, options = SETTINGS[name]
    if "analyzer" in options:
        rows = [SURROGATES.sub("\ufffd", text) for text in rows]
    held = _core.documents_of_texts(list(rows))
    vocabulary = count_tokens(tokenizing, held, np.zeros(len(rows), np.int64), Axis.of(["all"])).vocabulary
    index = _core.TokenIndex(vocabulary.text, vocabulary.ends, None)
    starts, columns, values = token_matrix(tokenizing, index, held)
    if not len(vocabulary):
        assert not len(columns)
        return
    for binary in (False, True):
        there = CountVectorizer(**options, binary=binary)
        matrix = there.fit_transform(rows)
        matrix.sort_indices()
        assert there.get_feature_names_out().tolist() == list(vocabulary.words)
        assert starts.tolist() == matrix.indptr.tolist()
        assert columns.tolist() == matrix.indices.tolist()
        assert (np.minimum(values, 1) if binary else values).tolist() == matrix.data.tolist()


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("accents", [True, False])
def test_every_character_belongs_to_words_and_is_rewritten_as_in_python(lowercase, accents):
    options = {"lowercase": lowercase, "strip_accents": "unicode" if accents else None, "token_pattern": r"(?u)\b\w+\b"}
    analyse = CountVectorizer(**options).build_analyzer()
    tokenizing = Tokenizing(lowercase=lowercase, strip_accents=accents, min_length=1)
    for first, last in ASSIGNED:
        for start in range(first, last + 1, 2**14):
            text = " ".join(f"a{chr(code)}a {chr(code)}" for code in range(start, min(last + 1, start + 2**14)))
            assert tokens_of(tokenizing, text) == analyse(text), hex(start)


@pytest.mark.parametrize("form", ["{}Σ", "a{}Σ", "aΣ{}", "aΣ{}a", "{}Σ{}"])
def test_every_character_beside_a_capital_sigma_is_as_in_python(form):
    tokenizing = Tokenizing("chars", (1, 1))
    for first, last in ASSIGNED:
        for start in range(first, last + 1, 2**14):
            # A line between them, which neither joins words nor is passed over.
            text = "|".join(form.format(chr(code), chr(code)) for code in range(start, min(last + 1, start + 2**14)))
            known = SURROGATES.sub("\ufffd", text)
            sigmas = "".join(c for c in tokens_of(tokenizing, text) if c in "σς|")
            assert sigmas == "".join(c for c in known.lower() if c in "σς|"), hex(start)


def test_half_a_surrogate_pair_is_a_replacement_character():
    assert tokens_of(Tokenizing("chars", (1, 1)), "\ud83d|\ude00") == ["\ufffd", "|", "\ufffd"]
    assert CountVectorizer(analyzer="char").build_analyzer()("\ud83d") == ["\ud83d"]
    assert tokens_of(Tokenizing("chars", (1, 1)), "\ud83d\ude00") == ["\ufffd", "\ufffd"]
    assert tokens_of(Tokenizing(), "ab\ud800cd") == ["ab", "cd"]


def test_the_version_of_unicode_is_fixed():
    assert _core.unicode_version() == unicode_14.VERSION


def test_lengths_are_counted_in_characters():
    tokenizing = Tokenizing(min_length=2, max_length=3)
    assert tokens_of(tokenizing, "ä äö äöü äöüß 𝒳𝒴𝒵 𝒳𝒴𝒵𝒳") == ["äö", "äöü", "𝒳𝒴𝒵"]


def test_tokens_of_a_set_of_characters():
    source = "if (x) { y[0]; }"
    assert tokens_of(Tokenizing(characters=tuple("(){}[];"), min_length=1), source) == ["(", ")", "{", "[", "];", "}"]
    assert tokens_of(Tokenizing("chars", (1, 1), characters=(";", "]")), source) == ["]", ";"]


def test_texts_in_every_kind_of_column_are_counted_alike():
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    rows = ["Buy now, buy", None, "", "été — " + "long " * 50, "x\x00yz", "Buy"]
    columns = [
        pl.Series(rows),
        pd.Series(rows, dtype="str"),
        pd.Series(rows, dtype="category"),
        pd.Series(rows, dtype=object),
        pd.Series(rows, dtype=pd.ArrowDtype(pa.large_string())),
        pa.chunked_array([pa.array(rows[:2]), pa.array(rows[2:])]),
        pa.chunked_array([pa.array(rows, pa.large_string())]),
        pa.chunked_array([pa.array(rows, pa.string_view())]),
    ]
    from suffice.engines.documents import documents_of
    from suffice.sources.in_memory import table_of

    def counted(column):
        table = table_of({"text": column})
        held = documents_of(table, "text")
        assert held.missing == 1
        assert held.is_missing().tolist() == [text is None for text in rows]
        assert held.bytes == sum(len(text.encode()) for text in rows if text is not None)
        return count_tokens(Tokenizing(), held, np.array([0, 0, 0, 1, 1, 1]), Axis.of(["a", "b"]))

    first = counted(rows)
    assert first.vocabulary.words == ("buy", "long", "now", "yz", "été")
    for column in columns:
        assert counted(column) == first, type(column)


class TestFailures:
    def test_a_column_of_something_else(self):
        from suffice.engines.documents import documents_of
        from suffice.sources.in_memory import table_of

        do = "Convert the column to strings, or exclude it with columns={'x': None}."
        with pytest.raises(DataError, match=re.escape(f"row 1, column 'x': must be text: got 7. {do}") + "$"):
            documents_of(table_of({"x": ["ab", 7]}), "x")
        table = table_of({"x": np.array([1.5, 2.5])})
        with pytest.raises(DataError, match=r"^column 'x': must be text: .*" + re.escape(do) + "$"):
            documents_of(table, "x")

    def test_weights_below_zero(self):
        held = _core.documents_of_texts(["ab", "cd"])
        text = (
            "row 1: weights must be finite and ≥ 0: got -0.5. Remove the row; to subtract rows, use model.forget(...)."
        )
        with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
            count_tokens(Tokenizing(), held, np.zeros(2, np.int64), Axis.of(["a"]), [1.0, -0.5])

    def test_codes_without_a_class_and_arrays_of_other_lengths(self):
        held = _core.documents_of_texts(["ab", "cd"])
        cases = [
            ([0, 1], None, "codes must be below the number of classes, 1: row 1 has 1."),
            ([0], None, "codes must have 2 entries: got 1."),
            ([0, 0], [1.0], "weights must have 2 entries: got 1."),
        ]
        for codes, weights, text in cases:
            with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
                count_tokens(Tokenizing(), held, np.array(codes), Axis.of(["a"]), weights)

    def test_the_native_door(self):
        tokenizer, held = tokenizer_of(Tokenizing()), _core.documents_of_texts(["ab", None])
        with pytest.raises(ValueError, match=r"^unit must be words, chars or chars_in_words: got lines\.$"):
            _core.Tokenizer("lines", 1, 1, 2, 9, True, False, [], [])
        with pytest.raises(ValueError, match=r"^n-gram lengths must be from 1 to 64: got 2 to 1\.$"):
            _core.Tokenizer("words", 2, 1, 2, 9, True, False, [], [])
        for row in (1, 2):
            with pytest.raises(IndexError, match=r"^the row is out of range or missing$"):
                tokenizer.tokens(held, row)
        for columns in (8, 24, 2**31):
            text = f"columns must be a power of two from 2⁴ to 2³⁰: got {columns}."
            with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
                _core.count_tokens(tokenizer, held, np.zeros(2, np.int64), None, 1, False, False, columns, 1)
        with pytest.raises(ValueError, match=r"^columns must be a power of two up to 2³⁰: got 24\.$"):
            _core.TokenIndex.hashed(24, None)
        for kept in ([3, 2], [2, 2], [-1], [16]):
            with pytest.raises(ValueError, match=r"^kept columns must increase from 0 to 15"):
                _core.TokenIndex.hashed(16, np.array(kept, dtype=np.int64))
        index = _core.TokenIndex.hashed(16, None)
        with pytest.raises(ValueError, match=r"^table must have 16 entries: got 3\.$"):
            _core.score_tokens(tokenizer, index, held, False, False, np.ones((3, 2)), np.zeros(2), False, 1)
        with pytest.raises(ValueError, match=r"^start must have 2 entries: got 1\.$"):
            _core.score_tokens(tokenizer, index, held, False, False, np.ones((16, 2)), np.zeros(1), False, 1)
