"""Predictive quality: suffice, by default and uncalibrated, against four classifiers on public tables.

    python -m benchmarks.quality [--data FOLDER] [--only TABLE …] [--peers PEER …] [--cache FILE] [--ours-only]
                                 [--refresh PEER …] [--markdown]

The tables are those of `benchmarks/datasets.py`; a table whose file is absent from the data folder is skipped. Classes
with fewer than 10 rows are dropped, because every fold needs them, and mnist is a stratified sample of 10,000 rows,
the same for every model. The models, each with its default parameters unless stated:

ours          `sf.fit(x, y)`
uncalibrated  `sf.fit(x, y, calibrate=False)`
lr            LogisticRegression(max_iter=1000); numbers: mean imputation and StandardScaler, categories: one-hot with a
              level for missing cells, unknown levels ignored
hgb           HistGradientBoostingClassifier with native categories, at most 254 levels per column
ebm           ExplainableBoostingClassifier on all cores (optional: pip install interpret-core)
khiops        KhiopsClassifier (optional: pip install khiops)

There are two protocols:

5 folds       ours, uncalibrated, lr and hgb: stratified, shuffled with seed 0; metrics of the out-of-fold predictions
70/30 split   ours, lr, hgb, ebm and khiops on tables of at most 60 columns: stratified, seed 0, at most 30,000 training
              rows (a stratified sample); classes with fewer than 5 training rows are dropped

Metrics: accuracy; log loss in nats, probabilities clipped at 1e-15; expected calibration error (ECE) of the most
probable class in 15 bins of equal mass, where rows with the same probability share a bin; seconds to fit and to predict
the held-out rows, the preparation of a peer's columns included, median of the folds. Each model is first fitted once to
100 rows per class with shuffled labels to warm it up.

suffice is measured on every run. The results of peers are stored in the cache, a JSON list with one object per table,
protocol, peer and version of its package, which also describes the machine, and are measured only if absent or named by
--refresh; --ours-only measures no peer. A peer that is not installed is shown with its stored result, if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import rankdata
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import suffice as sf
from benchmarks.datasets import DATA, DATASETS
from benchmarks.measure import cores, processor
from benchmarks.table import duration
from benchmarks.timing import Reading, seconds

CACHE = Path(__file__).with_suffix(".json")
MAX_ROWS = {"mnist": 10_000}
SLACK_NATS = 0.003


# Models


class Fitted(NamedTuple):
    classes: Any
    predict_proba: Callable[[pd.DataFrame], Any]


class Side(NamedTuple):
    """A classifier: its title in tables, the package that implements it, and a function that fits it."""

    title: str
    package: str
    fit: Callable[[pd.DataFrame, Any], Fitted]


def fit_suffice(x: pd.DataFrame, y: Any, **options: Any) -> Fitted:
    model = sf.fit(x, y, **options)
    return Fitted(model.classes, model.predict_proba)


def fit_estimator(estimator: Any, x: pd.DataFrame, y: Any) -> Fitted:
    estimator.fit(x, y)
    return Fitted(estimator.classes_, estimator.predict_proba)


def fit_logistic_regression(x: pd.DataFrame, y: Any) -> Fitted:
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    return fit_estimator(make_pipeline(columns, LogisticRegression(max_iter=1000)), x, y)


def fit_boosted_trees(x: pd.DataFrame, y: Any) -> Fitted:
    levels = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=254)
    categories = make_column_selector(dtype_exclude="number")(x)
    columns = make_column_transformer((levels, categories), remainder="passthrough")  # categories come first
    trees = HistGradientBoostingClassifier(categorical_features=list(range(len(categories))), random_state=0)
    return fit_estimator(make_pipeline(columns, trees), x, y)


def fit_explainable_boosting(x: pd.DataFrame, y: Any) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    return fit_estimator(ExplainableBoostingClassifier(n_jobs=-1), x, y)


def fit_khiops(x: pd.DataFrame, y: Any) -> Fitted:
    scripts = sysconfig.get_path("scripts")  # Khiops looks for its native programs on PATH
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = scripts + os.pathsep + os.environ["PATH"]
    from khiops.sklearn import KhiopsClassifier

    return fit_estimator(KhiopsClassifier(), x, y)


OURS = {
    "ours": Side("suffice", "suffice", fit_suffice),
    "uncalibrated": Side("suffice, uncalibrated", "suffice", partial(fit_suffice, calibrate=False)),
}
PEERS = {
    "lr": Side("LogisticRegression", "scikit-learn", fit_logistic_regression),
    "hgb": Side("HistGradientBoosting", "scikit-learn", fit_boosted_trees),
    "ebm": Side("EBM", "interpret-core", fit_explainable_boosting),
    "khiops": Side("Khiops", "khiops", fit_khiops),
}
SIDES = OURS | PEERS


def installed(peer: str) -> str | None:
    """Return the installed version of a peer's package."""
    try:
        return version(PEERS[peer].package)
    except PackageNotFoundError:
        return None


# Protocols


class Rows(NamedTuple):
    """A table, its labels as text, and remarks on rows that were left out."""

    name: str
    x: pd.DataFrame
    y: NDArray[np.str_]
    remarks: list[str]


Parts = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
"""Training rows and test rows of each fit."""


class Protocol(NamedTuple):
    name: str
    sides: Sequence[str]
    max_columns: int | None
    parts: Callable[[NDArray[np.str_]], Parts]


def load(name: str, data: Path, min_rows: int = 10) -> Rows:
    """Read a table without its rare classes."""
    frame, target = DATASETS[name](data)
    remarks: list[str] = []
    rows_of_class = frame[target].map(frame[target].value_counts())
    rare = rows_of_class < min_rows
    if rare.any():
        classes = frame.loc[rare, target].nunique()
        remarks.append(f"{name}: classes with fewer than {min_rows} rows dropped: {classes} ({rare.sum()} rows)")
        frame = frame[~rare]
    if len(frame) > MAX_ROWS.get(name, len(frame)):
        remarks.append(f"{name}: stratified sample of {MAX_ROWS[name]:,} of {len(frame):,} rows for every model")
        frame, _ = train_test_split(frame, train_size=MAX_ROWS[name], stratify=frame[target], random_state=0)
    x = frame.drop(columns=target).reset_index(drop=True)
    return Rows(name, x, np.array(frame[target].astype(str), dtype=np.str_), remarks)


def folds(y: NDArray[np.str_]) -> Parts:
    return list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def split(y: NDArray[np.str_], max_train: int = 30_000, min_rows: int = 5) -> Parts:
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=0)
    if len(train) > max_train:
        train, _ = train_test_split(train, train_size=max_train, stratify=y[train], random_state=0)
    classes, sizes = np.unique(y[train], return_counts=True)
    kept = np.isin(y, classes[sizes >= min_rows])
    return [(train[kept[train]], test[kept[test]])]


FOLDS = Protocol("5 folds", ("ours", "uncalibrated", "lr", "hgb"), None, folds)
SPLIT = Protocol("70/30 split", ("ours", "lr", "hgb", "ebm", "khiops"), 60, split)
PROTOCOLS = (FOLDS, SPLIT)


# Metrics


class Quality(NamedTuple):
    log_loss: float
    accuracy: float
    ece: float
    fit_seconds: float
    predict_seconds: float


METRICS = {
    "log_loss": ("log loss", "{:.4f}".format),
    "accuracy": ("accuracy", "{:.4f}".format),
    "ece": ("ECE", "{:.4f}".format),
    "fit_seconds": ("fit", duration),
    "predict_seconds": ("predict", duration),
}


def score(p: NDArray[np.float64], codes: NDArray[np.intp], bins: int = 15) -> tuple[float, float, float]:
    """Return log loss, accuracy and expected calibration error of probabilities (rows × classes)."""
    rows = np.arange(len(p))
    best = p.argmax(axis=1)
    confidence, correct = p[rows, best], best == codes
    bin_of_row = (rankdata(confidence, "min").astype(np.intp) - 1) * bins // len(p)
    gaps = np.bincount(bin_of_row, confidence - correct, minlength=bins)
    log_loss = -np.log(np.clip(p[rows, codes], 1e-15, 1.0)).mean()
    return float(log_loss), float(correct.mean()), float(np.abs(gaps).sum() / len(p))


def measure(side: Side, rows: Rows, parts: Parts) -> Quality:
    """Fit and predict every part, after a warm-up."""
    x, y = rows.x, rows.y
    train = parts[0][0]
    classes = np.unique(y[train])
    few = np.concatenate([train[y[train] == label][:100] for label in classes])
    shuffled = np.random.default_rng(0).permutation(y[few])  # boosting could train for minutes on a few separable rows
    side.fit(x.iloc[few], shuffled).predict_proba(x.iloc[few])
    fit_seconds: list[float] = []
    predict_seconds: list[float] = []
    probabilities: list[NDArray[np.float64]] = []
    for train, test in parts:
        x_train, y_train, x_test = x.iloc[train], y[train], x.iloc[test]
        start = time.perf_counter()
        fitted = side.fit(x_train, y_train)
        middle = time.perf_counter()
        columns = fitted.predict_proba(x_test)
        fit_seconds.append(middle - start)
        predict_seconds.append(time.perf_counter() - middle)
        p = np.zeros((len(test), len(classes)))
        p[:, np.searchsorted(classes, np.asarray(fitted.classes, dtype=np.str_))] = columns
        probabilities.append(p)
    codes = np.searchsorted(classes, y[np.concatenate([test for _, test in parts])])
    return Quality(*score(np.concatenate(probabilities), codes), median(fit_seconds), median(predict_seconds))


# Results


def describe_machine(reading: Reading) -> dict[str, Any]:
    load = os.getloadavg()[0]
    read = median(seconds(reading) for _ in range(5))
    return {
        "processor": processor(),
        "cores": cores(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "read_gb_per_second": round(reading.x.nbytes / read / 1e9, 1),
        "load": round(load, 1),  # the one-minute average before the run
    }


def busy(machine: dict[str, Any]) -> bool:
    return machine["load"] > 0.5 * machine["cores"]


class Cache:
    """Results of peers in a JSON file, written after each measurement."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.records: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []

    def find(self, package_version: str | None, **key: object) -> dict[str, Any] | None:
        """Return the result of this version, or the latest result of any version if the version is None."""
        found = [
            record
            for record in self.records
            if package_version in (None, record["version"]) and all(record[name] == key[name] for name in key)
        ]
        return max(found, key=lambda record: record["date"], default=None)

    def store(self, record: dict[str, Any]) -> None:
        key = ("protocol", "table", "peer", "version")
        self.records = [old for old in self.records if any(old[name] != record[name] for name in key)]
        self.records = sorted([*self.records, record], key=lambda each: [each[name] for name in key])
        lines = ",\n".join(json.dumps(each) for each in self.records)
        partial_file = self.file.with_name(self.file.name + ".part")
        partial_file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        partial_file.replace(self.file)


class Result(NamedTuple):
    """The qualities of all models on one table under one protocol."""

    rows: Rows
    protocol: Protocol
    by_side: dict[str, Quality]


@dataclass
class Run:
    """The requested measurements. Remarks collect what a reader of the results must know, each once."""

    data: Path
    peers: Sequence[str]
    refresh: Sequence[str]
    ours_only: bool
    cache: Cache
    machine: dict[str, Any]
    log: Console
    remarks: dict[str, None] = field(default_factory=dict[str, None])

    def results(self, tables: Sequence[str]) -> Iterator[Result]:
        """Measure, or take from the cache, every requested model on every table that is present."""
        if busy(self.machine):
            self.remarks[f"times of suffice were measured on a busy machine, load {self.machine['load']}"] = None
        for name in tables:
            try:
                rows = load(name, self.data)
            except FileNotFoundError as error:
                self.remarks[f"{name}: skipped, {error.filename} is absent"] = None
                continue
            self.remarks |= dict.fromkeys(rows.remarks)
            for protocol in PROTOCOLS:
                if protocol.max_columns is None or rows.x.shape[1] <= protocol.max_columns:
                    yield Result(rows, protocol, dict(self._qualities(rows, protocol)))

    def _qualities(self, rows: Rows, protocol: Protocol) -> Iterator[tuple[str, Quality]]:
        parts = protocol.parts(rows.y)
        dropped = len(np.unique(rows.y)) - len(np.unique(rows.y[parts[0][0]]))
        if dropped:
            self.remarks[f"{rows.name}, {protocol.name}: classes with too few training rows dropped: {dropped}"] = None
        for side in protocol.sides:
            if side in OURS:
                quality = measure(OURS[side], rows, parts)
            elif side in self.peers:
                quality = self._peer_quality(side, rows, protocol, parts)
            else:
                quality = None
            if quality is not None:
                taken = f"{duration(quality.fit_seconds)} to fit"
                self.log.print(f"{rows.name}, {protocol.name}, {side}: log loss {quality.log_loss:.4f}, {taken}")
                yield side, quality

    def _peer_quality(self, peer: str, rows: Rows, protocol: Protocol, parts: Parts) -> Quality | None:
        title, package, _ = PEERS[peer]
        key = {"protocol": protocol.name, "table": rows.name, "peer": peer, "rows": len(rows.x)}
        package_version = installed(peer)
        record = self.cache.find(package_version, **key)
        if package_version and not self.ours_only and (record is None or peer in self.refresh):
            try:
                quality = measure(PEERS[peer], rows, parts)
            except Exception as error:  # a peer that fails on one table must not end a run of hours
                self.remarks[f"{title} failed on {rows.name}, {protocol.name}: {type(error).__name__}: {error}"] = None
                return None
            date = datetime.now(UTC).date().isoformat()
            record = key | {"version": package_version} | quality._asdict() | {"date": date, "machine": self.machine}
            self.cache.store(record)
        elif record is None:
            record = self.cache.find(None, **key)
        if record is None:
            missing = "not in the cache" if package_version else f"{package} is not installed"
            self.remarks[f"no result of {title} on {rows.name}, {protocol.name}: {missing}"] = None
            return None
        if any(record["machine"][name] != self.machine[name] for name in ("processor", "cores", "memory_gib")):
            self.remarks[f"times of {title} were measured on another machine: {record['machine']}"] = None
        elif busy(record["machine"]):
            self.remarks[f"times of {title} were measured on a busy machine (--refresh {peer} measures again)"] = None
        return Quality(**{name: record[name] for name in Quality._fields})


# Output


def rich_table(protocol: Protocol, shown: Sequence[Result]) -> Table:
    """Return one line per table and model."""
    table = Table(title=protocol.name)
    for heading in ("table", "model"):
        table.add_column(heading)
    for heading, _ in METRICS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for result in shown:
        classes = len(np.unique(result.rows.y))
        rows, columns = result.rows.x.shape
        titles = [f"{result.rows.name}", f"{rows:,} × {columns}", f"{classes} classes"]
        for k, (side, quality) in enumerate(result.by_side.items()):
            cells = [form(getattr(quality, metric)) for metric, (_, form) in METRICS.items()]
            table.add_row(titles[k] if k < len(titles) else "", SIDES[side].title, *cells)
        table.add_section()
    return table


def markdown(protocol: Protocol, shown: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of one table per metric, with a row per data table and a column per model."""
    sides = [side for side in protocol.sides if any(side in result.by_side for result in shown)]
    for metric, (heading, form) in METRICS.items():
        yield f"\n{protocol.name}, {heading}:\n"
        yield "| table | rows | columns | classes | " + " | ".join(SIDES[side].title for side in sides) + " |"
        yield "|---|" + "--:|" * (3 + len(sides))
        for rows, _, by_side in shown:
            cells = [form(getattr(by_side[side], metric)) if side in by_side else "" for side in sides]
            size = f"{len(rows.x):,} | {rows.x.shape[1]} | {len(np.unique(rows.y))}"
            yield f"| {rows.name} | {size} | " + " | ".join(cells) + " |"


def compare(title: str, peers: Sequence[str], shown: Sequence[Result], slack: float) -> str:
    """Count the tables on which the log loss of suffice is within the slack of the best of the peers."""
    losses = {
        result.rows.name: (result.by_side["ours"].log_loss, min(result.by_side[peer].log_loss for peer in peers))
        for result in shown
        if all(peer in result.by_side for peer in peers)
    }
    worse = {
        name: (ours, best) for name, (ours, best) in losses.items() if ours > max(best * (1 + slack), best + SLACK_NATS)
    }
    line = f"log loss {title} (slack {slack:.0%} or {SLACK_NATS} nats): "
    if not losses:
        return line + "no results"
    line += f"{len(losses) - len(worse)} of {len(losses)} tables"
    if worse:
        line += "; not on " + ", ".join(f"{name} ({ours:.4f}, {best:.4f})" for name, (ours, best) in worse.items())
    return line


def compare_times(peer: str, shown: Sequence[Result], min_rows: int = 10_000) -> str:
    """Return the ratios of the fit times on large tables, peer ÷ suffice."""
    ratios = {
        result.rows.name: result.by_side[peer].fit_seconds / result.by_side["ours"].fit_seconds
        for result in shown
        if peer in result.by_side and len(result.rows.x) > min_rows
    }
    line = f"fit time, {PEERS[peer].title} ÷ suffice, tables above {min_rows:,} rows: "
    if not ratios:
        return line + "no results"
    each = ", ".join(f"{name} {ratio:,.1f}×" for name, ratio in ratios.items())
    return f"{line}median {median(ratios.values()):,.1f}× ({each})"


def summary(shown: Sequence[Result]) -> Iterator[str]:
    by_folds = [result for result in shown if result.protocol is FOLDS]
    by_split = [result for result in shown if result.protocol is SPLIT]
    yield compare("no worse than LogisticRegression, 5 folds", ["lr"], by_folds, 0.01)
    yield compare("no worse than Khiops, 70/30 split", ["khiops"], by_split, 0.01)
    yield compare("close to the better of EBM and HistGradientBoosting, 70/30 split", ["ebm", "hgb"], by_split, 0.05)
    yield compare_times("lr", by_folds)
    yield compare_times("khiops", by_split)
    yield compare_times("ebm", by_split)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names, peers = list(DATASETS), list(PEERS)
    parser.add_argument("--data", metavar="FOLDER", type=Path, default=DATA, help=f"data folder (default: {DATA})")
    parser.add_argument("--only", metavar="TABLE", nargs="+", choices=names, default=names, help=", ".join(names))
    parser.add_argument("--peers", metavar="PEER", nargs="*", choices=peers, default=peers, help=", ".join(peers))
    parser.add_argument("--cache", metavar="FILE", type=Path, default=CACHE, help="results of peers (JSON)")
    parser.add_argument("--refresh", metavar="PEER", nargs="+", choices=peers, default=[], help="measure again")
    parser.add_argument("--ours-only", action="store_true", help="measure suffice only; show stored results of peers")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, *, reading_bytes: int = 1 << 30) -> None:
    options = parse(arguments)
    machine = describe_machine(Reading.over(reading_bytes))
    log = Console(stderr=True, soft_wrap=True, highlight=False)
    cache = Cache(options.cache)
    run = Run(options.data, options.peers, options.refresh, options.ours_only, cache, machine, log)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = list(run.results(options.only))
    console = Console(width=None if sys.stdout.isatty() else 120)
    print(", ".join(f"{name} {value}" for name, value in machine.items()))
    for protocol in PROTOCOLS:
        of_protocol = [result for result in shown if result.protocol is protocol]
        if options.markdown:
            print("\n".join(markdown(protocol, of_protocol)))
        else:
            console.print(rich_table(protocol, of_protocol))
    print()
    for line in (*run.remarks, *summary(shown)):
        print(f"- {line}")


if __name__ == "__main__":
    main()
