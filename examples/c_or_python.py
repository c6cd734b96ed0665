"""C or Python? Ten punctuation marks tell them apart: the naive Bayes of the notes, on real source files.

python examples/c_or_python.py
"""

from __future__ import annotations

import math
import sysconfig
from pathlib import Path

import suffice as sf

PUNCTUATION = "{}[]():;.,"
# What every installation of Python has: its standard library, and the headers that extensions are compiled with.
PLACES = {"C": (sysconfig.get_path("include"), "*.h"), "Python": (sysconfig.get_path("stdlib"), "*.py")}
MOST = 200


def sources(language: str) -> list[str]:
    folder, pattern = PLACES[language]
    paths = sorted(Path(folder).rglob(pattern) if language == "C" else Path(folder).glob(pattern))[:MOST]
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def ratios(model: sf.Model) -> dict[str, float]:
    """b of each mark: ln p(mark | Python) − ln p(mark | C), which an occurrence adds to the log-odds of Python."""
    theta = {
        (row.label, row.level): row.value
        for row in model.with_options(estimate="mean").parameters()
        if row.column is not None
    }
    return {mark: math.log(theta["Python", mark] / theta["C", mark]) for mark in PUNCTUATION}


def main() -> None:
    files = {language: sources(language) for language in PLACES}
    train = [(text, language) for language, texts in files.items() for text in texts[::2]]
    test = [(text, language) for language, texts in files.items() for text in texts[1::2]]
    texts, languages = zip(*train, strict=True)
    # A token is one of these characters; everything else only stands between them.
    model = sf.fit(
        list(texts), list(languages), columns=sf.Chars(ngrams=1, across=True, characters=PUNCTUATION), calibrate=False
    )
    print(
        f"{len(train)} files to learn from: {', '.join(f'{len(found)} of {name}' for name, found in files.items())}\n"
    )

    b = ratios(model)
    print("   what each mark says, in nats")
    for mark in sorted(b, key=b.__getitem__):
        print(f"      {mark}   b = {b[mark]:+.2f}   speaks for {'Python' if b[mark] > 0 else 'C'}")

    for line in ("int main(void) { return f(x); }", "def main(self): return [x for x in self.items()]"):
        odds = sum(b.get(sign, 0.0) for sign in line)
        (language,) = model.with_options(estimate="mean", class_prior="uniform").predict([line])
        print(f"\n   {line}\n      Σ b = {odds:+.2f}: {language}")

    found = model.predict([text for text, _ in test])
    right = sum(guess == language for guess, (_, language) in zip(found.tolist(), test, strict=True))
    print(f"\n   files that it has not seen: {right} of {len(test)} right")
    print("   The counts stay as they are: model.with_options(...) reads no file again.")


if __name__ == "__main__":
    main()
