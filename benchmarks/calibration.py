"""Quality of probabilities: held-out log loss of a calibrated model, against the best of scikit-learn's naive Bayes.

    python -m benchmarks.calibration [NAME …] [--folds 3]

Six public data sets: 20news, rt-polarity, enron1 (words), adult, kddcup (mixed columns), mnist (pixels), in the folder
given by the environment variable SUFFICE_DATA (default: `../shared/data`). Every applicable naive Bayes estimator of
scikit-learn is fitted on the same stratified folds, and the one with the lowest log loss is the peer. Multinomial,
Bernoulli and Complement get word counts; for mixed columns they and Categorical get one-hot codes and quantile bins,
and Gaussian gets the numbers; for pixels all of them are fitted. suffice is a single call of `fit`, which calibrates by
default. Probabilities are clipped at 1e-15 for the log loss, as in scikit-learn.

The expected calibration error (ECE) is computed for the most probable class, in 15 bins of equal width.
"""

from __future__ import annotations

import argparse
import tarfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

import suffice as sf
from benchmarks import datasets
from benchmarks.datasets import DATA

MAIL = sf.Words(model="complement", tf="log", unit_length=True, alpha=0.1)
COUNTED: list[Any] = [MultinomialNB(), BernoulliNB(), ComplementNB()]


class Task(NamedTuple):
    """Rows, their classes, the estimators of scikit-learn, and the call of suffice."""

    x: Any
    y: Any
    peers: dict[str, Callable[[], Any]]
    ours: Callable[[Any, Any], sf.Model]


class Quality(NamedTuple):
    loss: float
    accuracy: float
    error: float

    @classmethod
    def of(cls, classes: Any, p: Any, truth: Any) -> Quality:
        codes = np.searchsorted(classes, truth)
        own = np.clip(p[np.arange(len(p)), codes], 1e-15, 1.0)
        best = p.argmax(axis=1)
        sure, right = p[np.arange(len(p)), best], best == codes
        bins = np.minimum((sure * 15).astype(int), 14)
        gaps = [abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins.tolist())]
        return cls(float(-np.log(own).mean()), float(right.mean()), float(sum(gaps)))


def texts_of(raw: list[bytes], labels: list[str], likelihood: Any) -> Task:
    x = np.array([text.decode("latin-1") for text in raw], dtype=object)
    peers = {
        type(each).__name__: (lambda each=each: make_pipeline(CountVectorizer(), type(each)())) for each in COUNTED
    }
    return Task(x, np.array(labels), peers, lambda x, y: sf.fit(list(x), y, columns=likelihood))


def unpacked(name: str) -> tuple[list[bytes], list[str]]:
    raw: list[bytes] = []
    labels: list[str] = []
    with tarfile.open(DATA / name) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            parts = Path(member.name).parts
            file = archive.extractfile(member) if member.isfile() and len(parts) == 3 else None
            if file is not None:
                raw.append(file.read())
                labels.append(parts[1])
    return raw, labels


def news() -> Task:
    return texts_of(*unpacked("20news-bydate-train.tar.gz"), MAIL)


def enron() -> Task:
    return texts_of(*unpacked("enron1.tar.gz"), MAIL)


def polarity() -> Task:
    sides = [(DATA / f"rt-polarity.{side}").read_bytes().splitlines() for side in ("pos", "neg")]
    labels = ["pos"] * len(sides[0]) + ["neg"] * len(sides[1])
    return texts_of([*sides[0], *sides[1]], labels, sf.Words(ngrams=(1, 2)))


def mixed(frame: pd.DataFrame, target: str) -> Task:
    texts, numbers = make_column_selector(dtype_exclude="number"), make_column_selector(dtype_include="number")
    bins = KBinsDiscretizer(32, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    one_hot = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts),
        (make_pipeline(bins, OneHotEncoder(handle_unknown="ignore")), numbers),
    )
    codes = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), texts), (bins, numbers)
    )
    raised = FunctionTransformer(lambda x: np.asarray(x) + 1)
    real = make_column_transformer(("passthrough", numbers))
    kept = frame.groupby(target)[target].transform("size") >= 3  # a class must be in every fold
    x, y = frame[kept].drop(columns=target).copy(), frame.loc[kept, target].to_numpy()
    for name in texts(x):
        x[name] = x[name].astype(object).where(x[name].notna(), "missing")
    sizes = [int(x[name].nunique()) + 2 for name in texts(x)] + [34] * len(numbers(x))
    peers: dict[str, Callable[[], Any]] = {
        type(each).__name__: (lambda each=each: make_pipeline(one_hot, type(each)())) for each in COUNTED
    }
    peers["CategoricalNB"] = lambda: make_pipeline(codes, raised, CategoricalNB(min_categories=sizes))
    peers["GaussianNB"] = lambda: make_pipeline(real, GaussianNB())
    return Task(x, y, peers, sf.fit)


def adult() -> Task:
    return mixed(*datasets.adult(DATA))


def kddcup() -> Task:
    return mixed(*datasets.kddcup(DATA))


def mnist() -> Task:
    frame, target = datasets.mnist(DATA)
    x, y = frame.drop(columns=target).to_numpy(), frame[target].to_numpy(dtype=int)
    peers: dict[str, Callable[[], Any]] = {
        "GaussianNB": GaussianNB,
        "BernoulliNB": lambda: BernoulliNB(binarize=127),
        "MultinomialNB": MultinomialNB,
        "ComplementNB": ComplementNB,
        "CategoricalNB": lambda: CategoricalNB(min_categories=256),
    }
    return Task(x, y, peers, lambda x, y: sf.fit(x, y, columns=sf.Histogram(bins=16)))


TASKS = {"20news": news, "rt-polarity": polarity, "enron1": enron, "adult": adult, "kddcup": kddcup, "mnist": mnist}


def qualities(task: Task, folds: int) -> Iterator[tuple[str, Quality]]:
    """Yield each model and the quality of its probabilities on held-out rows."""
    split = StratifiedKFold(folds, shuffle=True, random_state=1)
    parts = list(split.split(np.zeros(len(task.y)), task.y))
    classes = np.unique(task.y)

    def rows(at: Any) -> Any:
        return task.x.iloc[at] if isinstance(task.x, pd.DataFrame) else task.x[at]

    def probabilities(name: str, train: Any, test: Any) -> Any:
        if name in task.peers:
            return task.peers[name]().fit(rows(train), task.y[train]).predict_proba(rows(test))
        later = rows(test)
        texts = isinstance(later, np.ndarray) and later.dtype == object
        return task.ours(rows(train), task.y[train]).predict_proba(list(later) if texts else later)

    for name in (*task.peers, "suffice"):
        p = np.zeros((len(task.y), len(classes)))
        for train, test in parts:
            p[test] = probabilities(name, train, test)
        yield name, Quality.of(classes, p, task.y)


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.calibration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(TASKS), metavar="NAME", help="data sets (default: all)")
    parser.add_argument("--folds", type=int, default=3, help="number of folds")
    options = parser.parse_args()
    table = Table("data", "peer", "its log loss", "ours", "ratio", "its accuracy", "ours", "its ECE", "ours")
    for name in options.names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = dict(qualities(TASKS[name](), options.folds))
        ours = results.pop("suffice")
        peer = min(results, key=lambda name: results[name].loss)
        best = results[peer]
        cells = [f"{best.loss:.4f}", f"{ours.loss:.4f}", f"{ours.loss / best.loss:.2f}"]
        cells += [f"{each:.4f}" for each in (best.accuracy, ours.accuracy, best.error, ours.error)]
        table.add_row(name, peer, *cells)
        print(name, peer, *cells, flush=True)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
