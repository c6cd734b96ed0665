"""Speed on raw text: `fit` and `predict` with Words on documents, against scikit-learn and fastText.

    python -m benchmarks.texts [--news FOLDER] [--megabytes 200] [--repeat 5] [--only NAME …]

The corpora are a folder with one subfolder of documents per class (--news, for example 20 Newsgroups, unpacked) and
synthetic documents whose words follow Zipf's law, 20 classes, about 500 words per document. Each corpus is a list of
str, loaded before the timing starts. The peers:

    words        CountVectorizer + MultinomialNB          pairs     the same with ngram_range=(1, 2)
    hashed       HashingVectorizer + partial_fit, 2²⁰ columns, in batches of 1,000 documents
    fasttext     fastText, supervised, one epoch, from a file

Both sides alternate. The table shows medians, the ratio, MB/s, and the speed relative to `wc -w`; --memory also reports
the peak of resident memory beyond the documents, measured in a separate process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import suffice as sf
from benchmarks.memory import risen
from benchmarks.timing import Reading, seconds

CLASSES = 20
COLUMNS = 20
BATCH = 1_000


class Corpus(NamedTuple):
    name: str
    texts: list[str]
    labels: list[str]

    @property
    def megabytes(self) -> float:
        return sum(len(text.encode("utf-8")) for text in self.texts) / 1e6


class Line(NamedTuple):
    work: str
    ours: float
    peer: float


def folder_corpus(folder: Path) -> Corpus:
    texts: list[str] = []
    labels: list[str] = []
    for of_class in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted(of_class.iterdir()):
            texts.append(path.read_text(encoding="latin-1"))
            labels.append(of_class.name)
    return Corpus(folder.name, texts, labels)


def zipf_corpus(megabytes: float, seed: int = 1) -> Corpus:
    """Draw from 200,000 words of 3 to 11 letters with probability ∝ 1/rank^1.1; each class has its own ranks."""
    rng = np.random.default_rng(seed)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkqjxz", dtype=np.uint8)
    words = np.array(
        sorted({bytes(rng.choice(letters, size=n)).decode() for n in rng.integers(3, 12, size=200_000)}), dtype=object
    )
    rng.shuffle(words)
    chance = 1.0 / np.arange(1, len(words) + 1) ** 1.1
    heights = np.cumsum(chance / chance.sum())
    orders = [np.concatenate([np.arange(300), 300 + rng.permutation(len(words) - 300)]) for _ in range(CLASSES)]
    texts: list[str] = []
    labels: list[str] = []
    size = 0
    while size < megabytes * 1e6:
        c = int(rng.integers(CLASSES))
        drawn = np.searchsorted(heights, rng.random(int(rng.integers(100, 900))))
        text = " ".join(words[orders[c][np.minimum(drawn, len(words) - 1)]])
        texts.append(text.capitalize() + ".\n")
        labels.append(f"class {c:02d}")
        size += len(texts[-1])
    return Corpus(f"Zipf, {megabytes:g} MB", texts, labels)


def lines(corpus: Corpus, repeat: int, only: list[str]) -> Iterator[Line]:
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts, labels = corpus.texts, corpus.labels
    for name, ngrams in (("words", (1, 1)), ("pairs", (1, 2))):
        if name in only:
            peer = make_pipeline(CountVectorizer(ngram_range=ngrams), MultinomialNB())
            yield from both_ways(
                name, sf.NaiveBayes(sf.Words(ngrams=ngrams), estimate="smoothed"), peer, corpus, repeat
            )
    if "hashed" in only:
        classes = sorted(set(labels))

        def hashing() -> None:
            vectorizer = HashingVectorizer(n_features=1 << COLUMNS, alternate_sign=False, norm=None)
            model = MultinomialNB()
            for start in range(0, len(texts), BATCH):
                batch = slice(start, start + BATCH)
                model.partial_fit(vectorizer.transform(texts[batch]), labels[batch], classes=classes)

        hashed = sf.NaiveBayes(sf.Words(hashed=COLUMNS), estimate="smoothed")
        yield timed("hashed: fit", lambda: hashed.fit(texts, labels), hashing, max(1, repeat // 2))
    if "fasttext" in only:
        yield from fasttext_line(corpus, repeat)


def both_ways(name: str, ours: Any, peer: Any, corpus: Corpus, repeat: int) -> Iterator[Line]:
    texts, labels = corpus.texts, corpus.labels
    yield timed(f"{name}: fit", lambda: ours.fit(texts, labels), lambda: peer.fit(texts, labels), repeat)
    same = ours.predict(texts) == peer.predict(texts)
    yield timed(f"{name}: predict_proba", lambda: ours.predict_proba(texts), lambda: peer.predict_proba(texts), repeat)
    print(f"  {name}: {same.mean():.6f} of the predictions agree", file=sys.stderr)


def fasttext_line(corpus: Corpus, repeat: int) -> Iterator[Line]:
    try:
        import fasttext
    except ImportError:
        print("  fastText is not installed: pip install fasttext-wheel", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        with path.open("w", encoding="utf-8") as file:
            for text, label in zip(corpus.texts, corpus.labels, strict=True):
                file.write(f"__label__{label.replace(' ', '_')} {' '.join(text.split())}\n")
        model = sf.NaiveBayes(sf.Words(), estimate="smoothed")
        yield timed(
            "fasttext: one epoch",
            lambda: model.fit(corpus.texts, corpus.labels),
            lambda: fasttext.train_supervised(str(path), epoch=1, thread=os.cpu_count(), verbose=0),
            max(1, repeat // 2),
        )


def timed(work: str, ours: Callable[[], Any], peer: Callable[[], Any], repeat: int) -> Line:
    ours()
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(repeat):
        mine.append(seconds(ours))
        theirs.append(seconds(peer))
    return Line(work, median(mine), median(theirs))


def word_count_speed(corpus: Corpus) -> float:
    """Return the MB/s of `wc -w` on the same bytes."""
    with tempfile.NamedTemporaryFile() as file:
        for text in corpus.texts:
            file.write(text.encode("utf-8") + b"\n")
        file.flush()
        command = [shutil.which("wc") or "wc", "-w", file.name]
        run = [seconds(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(3)]
        return Path(file.name).stat().st_size / min(run) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.texts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--news", metavar="FOLDER", type=Path, help="folder with one subfolder of text files per class")
    parser.add_argument(
        "--megabytes", metavar="N", type=float, default=200, help="size of the synthetic corpus; 0 for none"
    )
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="number of runs per median")
    parser.add_argument("--only", nargs="*", default=["words", "pairs", "hashed", "fasttext"], help="peers to run")
    parser.add_argument("--memory", action="store_true", help="also measure the peak of memory")
    parser.add_argument("--peak", action="store_true", help="only print the bytes that fit needs beyond its documents")
    options = parser.parse_args()
    if options.peak:
        small, corpus = zipf_corpus(1), zipf_corpus(options.megabytes)
        sf.fit(small.texts, small.labels, columns=sf.Words(), calibrate=False)
        print(risen(lambda: sf.fit(corpus.texts, corpus.labels, columns=sf.Words(), calibrate=False)))
        return
    console = Console(width=None if sys.stdout.isatty() else 130)
    reading = Reading.over(1 << 30)
    console.print(f"read bandwidth {(1 << 30) / min(seconds(reading) for _ in range(5)) / 1e9:.1f} GB/s")
    if options.news:
        report(folder_corpus(options.news), options.repeat, options.only, console)
    if options.megabytes:
        report(zipf_corpus(options.megabytes), max(1, options.repeat // 2), options.only, console)
        if options.memory:
            command = [sys.executable, "-m", "benchmarks.texts", "--peak", "--megabytes", str(options.megabytes)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            above = float(done.stdout) / 1e6
            console.print(f"peak beyond the documents: {above:.0f} MB, {above / options.megabytes:.2f} of their size")


def report(corpus: Corpus, repeat: int, only: list[str], console: Console) -> None:
    size, counting = corpus.megabytes, word_count_speed(corpus)
    console.print(f"{corpus.name}: {len(corpus.texts):,} documents, {size:.1f} MB; wc -w reads {counting:.0f} MB/s")
    table = Table("work", "ours, ms", "peer, ms", "ratio", "MB/s", "of wc -w")
    for line in lines(corpus, repeat, only):
        speed = size / line.ours
        cells = f"{line.ours * 1e3:.0f}", f"{line.peer * 1e3:.0f}", f"{line.peer / line.ours:.1f}×", f"{speed:.0f}"
        table.add_row(line.work, *cells, f"{speed / counting:.0%}")
        console.print(f"  {line.work}: {line.peer / line.ours:.1f}×", highlight=False)
    console.print(table)


if __name__ == "__main__":
    main()
