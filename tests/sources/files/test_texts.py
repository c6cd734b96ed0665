"""Folders of texts: which files are documents of which class, in what encoding, in batches of any size."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.files import Batches, Files, texts
from suffice.sources.files.paths import text_at, texts_in


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def rows_of(paths, columns=None, rows=10, **options):
    with Batches(Files(paths, **options), rows) as found:
        frames = [batch.frame for batch in found(found.names if columns is None else columns)]
    return [row for frame in frames for row in frame.rows()]


def test_a_file_is_a_document_and_its_folder_the_class():
    written({"mail/spam/b": "win", "mail/spam/a.txt": "prize", "mail/ham/2.eml": "lunch", "mail/README": "no mail"})
    with Batches(Files("mail"), 10) as found:
        assert found.names == ("text", "path", "folder")
        assert (found.target, found.texts, found.beside) == ("folder", ("text",), ("path",))
        assert found.paths == ("mail",)
        assert found.dialect is None
        assert found.head().rows == 3
    assert rows_of("mail") == [
        ("lunch", "mail/ham/2.eml", "ham"),
        ("prize", "mail/spam/a.txt", "spam"),
        ("win", "mail/spam/b", "spam"),
    ]


def test_the_first_folder_counts_however_deep_a_text_lies():
    written({"mail/spam/2005/05/1": "win", "mail/spam/0": "prize", "mail/ham/x/y": "lunch"})
    assert rows_of("mail", ["path", "folder"]) == [
        ("mail/ham/x/y", "ham"),
        ("mail/spam/0", "spam"),
        ("mail/spam/2005/05/1", "spam"),
    ]


def test_hidden_files_and_folders_are_no_texts():
    written({"mail/ham/1": "a", "mail/ham/.swp": "b", "mail/.git/2": "c", "mail/ham/.cache/3": "d"})
    assert rows_of("mail", ["text"]) == [("a",)]


def test_a_link_to_a_folder_above_ends():
    written({"mail/ham/1": "a"})
    Path("mail/ham/up").symlink_to("..", target_is_directory=True)
    assert rows_of("mail", ["text"]) == [("a",)]


def test_a_folder_of_a_class_may_be_a_link_and_a_pipe_is_no_text():
    written({"elsewhere/1": "a", "mail/ham/2": "b"})
    Path("mail/spam").symlink_to(Path("elsewhere").resolve(), target_is_directory=True)
    os.mkfifo("mail/ham/pipe")
    assert rows_of("mail", ["text", "folder"]) == [("b", "ham"), ("a", "spam")]


def test_texts_without_folders_have_no_class():
    written({"new/b.txt": "two", "new/a": "one"})
    with Batches(Files("new"), 10) as found:
        assert (found.names, found.target) == (("text", "path"), None)
    assert rows_of("new") == [("one", "new/a"), ("two", "new/b.txt")]
    assert rows_of("new/*", format="texts") == [("one", "new/a"), ("two", "new/b.txt")]
    assert rows_of("new/b.txt", format="texts") == [("two", "new/b.txt")]


def test_several_folders_are_read_one_after_the_other():
    written({"mon/ham/1": "a", "tue/ham/2": "b", "loose/3": "c"})
    assert rows_of(["tue", "mon", "loose"], ["text", "folder"]) == [("b", "ham"), ("a", "ham"), ("c", None)]


def test_files_of_rows_go_before_texts_unless_it_is_said():
    written({"mail/rows.csv": "x,y\n1,2\n", "mail/ham/1": "a"})
    assert rows_of("mail") == [(1, 2)]
    assert rows_of("mail", ["text", "folder"], format="texts") == [("a", "ham")]
    written({"data/ham/rows.csv": "x,y\n"})
    assert rows_of("data", ["text"], format="texts") == [("x,y\n",)]


MARKED = [
    ("größe".encode(), None, "größe"),
    (codecs.BOM_UTF8 + "größe".encode(), None, "größe"),
    ("größe".encode("utf-16"), None, "größe"),
    ("größe".encode("utf-32"), "latin-1", "größe"),
    ("größe".encode("latin-1"), "latin-1", "größe"),
    ("größe".encode("latin-1"), None, "gr\ufffd\ufffde"),
    (b"\xff\xfe\xfd"[1:], None, "\ufffd\ufffd"),
    (b"a\0b", None, "a\0b"),
    (b"", None, ""),
    (b"\x81", "cp1252", "\ufffd"),
]


@pytest.mark.parametrize(("raw", "encoding", "text"), MARKED, ids=lambda each: repr(each)[:20])
def test_bytes_are_decoded_and_never_refused(raw, encoding, text):
    written({"mail/ham/1": raw})
    assert rows_of("mail", ["text"], encoding=encoding) == [(text,)]


def test_the_encoding_is_remembered():
    written({"mail/ham/1": "größe".encode("latin-1")})
    with Batches(Files("mail", encoding="latin-1"), 10) as found:
        assert found.dialect.encoding == "latin-1"
    with Batches(Files("mail").like(found.dialect), 10) as again:
        (batch,) = again(["text"])
    assert batch.frame.rows() == [("größe",)]


@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_batches_hold_some_bytes_and_tell_how_far_it_is(size, monkeypatch):
    monkeypatch.setattr(texts, "_BYTES", size)
    monkeypatch.setattr("suffice.sources.files.batches._BYTES", size)
    written({f"mail/{label}/{at}": "x" * at for at in range(9) for label in ("ham", "spam")})
    with Batches(Files("mail"), 4) as found:
        assert found.head().rows == 4
        batches = list(found(["text", "folder"]))
        done = found.done(18)
    assert sum(len(batch.frame) for batch in batches) == 18
    assert [batch.start for batch in batches] == [sum(len(b.frame) for b in batches[:at]) for at in range(len(batches))]
    shares = [batch.progress.share for batch in batches]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert (len(batches) == 1) == (size == 10**6)
    assert done.described == ("18 documents, one per file, in 2 folders (the classes)",)


def test_documents_that_are_all_empty_have_a_progress_too():
    written({f"mail/ham/{at}": "" for at in range(3)})
    assert rows_of("mail", ["text"]) == [("",)] * 3


def test_a_table_of_long_texts_is_cut_by_bytes(monkeypatch):
    monkeypatch.setattr("suffice.sources.files.batches._BYTES", 1000)
    monkeypatch.setattr("suffice.sources.files.blocks._BLOCK", 400)
    written({"rows.csv": "body,y\n" + f"{'word ' * 30},a\n" * 40})
    with Batches(Files("rows.csv"), 10) as found:
        sizes = [len(batch.frame) for batch in found(found.names)]
    assert sum(sizes) == 40
    assert len(sizes) > 3


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
def test_a_name_that_is_no_text_is_shown_as_well_as_it_can_be():
    name = os.fsdecode(b"mail/h\xff/\xfe")
    try:
        written({name: "a"})
    except OSError:
        pytest.skip("this disk takes no such name")
    assert rows_of("mail") == [("a", "mail/h?/?", "h?")]


LABELS = st.sampled_from(["ham", "spam", "news", "größe", "a b"])
NAMES = st.text("abcxyz09_-", min_size=1, max_size=8)


@given(st.dictionaries(st.tuples(LABELS, NAMES), st.text(max_size=40), min_size=1, max_size=12), st.integers(1, 60))
def test_every_text_is_there_once_whatever_the_batches(tmp_path_factory, found, size):
    root = tmp_path_factory.mktemp("drawn")
    for (label, name), text in found.items():
        (root / label).mkdir(exist_ok=True)
        (root / label / name).write_bytes(text.encode("utf-8"))
    before = texts._BYTES
    texts._BYTES = size
    try:
        rows = rows_of(root)
    finally:
        texts._BYTES = before
    expected = sorted((str(root / label / name), label, text) for (label, name), text in found.items())
    assert sorted((path, label, text) for text, path, label in rows) == [
        (path, label, text.encode().decode("utf-8-sig")) for path, label, text in expected
    ]
    assert [row[1] for row in rows] == [text.path for text in texts_in(str(root))]


def test_a_text_by_itself():
    written({"a": "größe"})
    assert text_at("a") == ("a", None, 7)


def fails(said, call):
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == said


def test_what_is_no_folder_of_texts():
    nothing = "empty contains no table (.csv, .ndjson, .parquet, .xlsx, …), and no subdirectories of texts."
    Path("empty/inside").mkdir(parents=True)
    fails(nothing, lambda: rows_of("empty"))
    fails(nothing, lambda: rows_of("empty", format="texts"))
    written({"mail/ham/1": "a"})
    fails(nothing.replace("empty", "mail"), lambda: rows_of("mail", format="csv"))
    written({"hive/year=2026/rows.parquet": b"PAR1"})
    fails(
        "hive contains no table; hive/year=2026/rows.parquet is in a subdirectory. Give its directory or a "
        "pattern; if every file is a document, use format='texts'.",
        lambda: rows_of("hive"),
    )
    fails(
        "documents are read one per file, not from standard input. Write the text to a file first.",
        lambda: rows_of("-", format="texts"),
    )
    fails(
        "types apply to tables, and mail is read as documents. Omit types.",
        lambda: rows_of("mail", types={"text": "text"}),
    )
    written({"rows.csv": "x\n1\n"})
    fails(
        "files must be of one format: rows.csv is csv, mail is texts. Fit one model per format, and add the models.",
        lambda: rows_of(["mail", "rows.csv"]),
    )
