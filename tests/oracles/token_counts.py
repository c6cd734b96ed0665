r"""Counts of tokens by loops over documents: a Counter for each, added up class by class in fractions.

A row is (label, text or None, weight). Tokens are those of scikit-learn's default pattern unless a function is given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from suffice.statistics import Axis, Tokens
from suffice.statistics.tokens import Vocabulary

Row = tuple[Any, "str | None", float]


class Counted(NamedTuple):
    """{label: {token: count}}, {label: {token: documents}}, {label: weight}."""

    counts: dict[Any, dict[str, Fraction]]
    documents: dict[Any, dict[str, Fraction]]
    weights: dict[Any, Fraction]


def words(text: str) -> list[str]:
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def counted(rows: Sequence[Row], tokens: Callable[[str], list[str]] = words) -> Counted:
    """Return what was seen of documents that are there and weigh something."""
    found = Counted({}, {}, {})
    for label, text, weight in rows:
        if text is None or weight == 0:
            continue
        found.weights[label] = found.weights.get(label, Fraction(0)) + Fraction(weight)
        for token, x in Counter(tokens(text)).items():
            for table, much in ((found.counts, x), (found.documents, 1)):
                row = table.setdefault(label, {})
                row[token] = row.get(token, Fraction(0)) + Fraction(weight) * much
    return found


def as_statistic(rows: Sequence[Row], tokens: Callable[[str], list[str]] = words) -> Tokens:
    """Return the counts as a statistic."""
    found = counted(rows, tokens)
    classes = Axis.of(list(found.weights))
    vocabulary = Vocabulary.of({token for row in found.counts.values() for token in row})
    place = {word: at for at, word in enumerate(vocabulary.words)}
    starts, which, much, seen = [0], [], [], []
    for label in classes:
        for token in sorted(found.counts.get(label, {}), key=place.__getitem__):
            which.append(place[token])
            much.append(float(found.counts[label][token]))
            seen.append(float(found.documents[label][token]))
        starts.append(len(which))
    weights = [float(found.weights[label]) for label in classes]
    return Tokens(classes, vocabulary, starts, np.array(which, np.int32), much, seen, weights)
