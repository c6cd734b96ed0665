"""What the words of a text say about a class, word by word in plain Python from documents that are cut by a regex."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence


def cut(text: str) -> list[str]:
    return re.findall(r"\b\w\w+\b", text.lower())


class SlowWords:
    """Counts by class, and the shares of the words as they are read with a pseudo-count (α) under "mean"."""

    def __init__(self, texts: Sequence[str], labels: Sequence[str], alpha: float = 1.0) -> None:
        self.labels = sorted(set(labels))
        self.documents = {
            c: [cut(text) for text, label in zip(texts, labels, strict=True) if label == c] for c in self.labels
        }
        self.words = sorted({word for found in self.documents.values() for words in found for word in words})
        self.count = {c: Counter(word for words in found for word in words) for c, found in self.documents.items()}
        self.present = {
            c: Counter(word for words in found for word in set(words)) for c, found in self.documents.items()
        }
        self.alpha = alpha

    def theta(self, c: str, word: str, model: str) -> float:
        if model == "bernoulli":
            return (self.present[c][word] + self.alpha) / (len(self.documents[c]) + 2 * self.alpha)
        total = sum(self.count[c].values())
        return (self.count[c][word] + self.alpha) / (total + self.alpha * len(self.words))

    def rest(self, c: str, word: str, model: str) -> float:
        others = [each for each in self.labels if each != c]
        rows = sum(len(self.documents[each]) for each in others)
        return sum(len(self.documents[each]) * self.theta(each, word, model) for each in others) / rows

    def complement(self, c: str, word: str) -> float:
        left = {w: sum(self.count[o][w] for o in self.labels if o != c) + self.alpha for w in self.words}
        return -math.log(left[word] / sum(left.values()))

    def evidence(self, c: str, word: str, model: str) -> float:
        if model == "complement":
            others = [each for each in self.labels if each != c]
            rows = sum(len(self.documents[each]) for each in others)
            mean = sum(len(self.documents[each]) * self.complement(each, word) for each in others) / rows
            return self.complement(c, word) - mean
        return math.log(self.theta(c, word, model) / self.rest(c, word, model))

    def column(self, c: str, model: str) -> float:
        if model == "bernoulli":
            total = 0.0
            for word in self.words:
                p, q = self.theta(c, word, model), self.rest(c, word, model)
                total += p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
            return total
        mean = {word: self.count[c][word] / len(self.documents[c]) for word in self.words}
        return sum(mean[word] * self.evidence(c, word, model) for word in self.words)
