"""C or Python? Multinomial naive Bayes over seven punctuation symbols, on real source files.

python examples/c_or_python.py
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import suffice as sf

SYMBOLS = ["{}", "[]", "()", ":", ";", ".", ","]  # an opening and a closing bracket are one symbol
# Files of every Python installation: the standard library, and the headers for extension modules.
PLACES = {"C": (sysconfig.get_path("include"), "*.h"), "Python": (sysconfig.get_path("stdlib"), "*.py")}
MOST = 200


def sources(language: str) -> list[str]:
    folder, pattern = PLACES[language]
    paths = sorted(Path(folder).rglob(pattern) if language == "C" else Path(folder).glob(pattern))[:MOST]
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def log_ratios(model: sf.Model) -> dict[str, float]:
    """b of each symbol, ln p(symbol | Python) − ln p(symbol | C): what one occurrence adds to the log-odds."""
    ratio = model.with_options(estimate="mean").llr([""], positive="Python")
    return {weight.level: weight.b for weight in ratio.b}


def main() -> None:
    files = {language: sources(language) for language in PLACES}
    train = {language: texts[::2] for language, texts in files.items()}
    test = [(text, language) for language, texts in files.items() for text in texts[1::2]]
    texts = [text for of_language in train.values() for text in of_language]
    languages = [language for language, of_language in train.items() for _ in of_language]
    # A token is one of these symbols; all other characters are separators.
    tokens = sf.Chars(ngrams=1, across=True, characters=SYMBOLS)
    model = sf.fit(texts, languages, columns=tokens, calibrate=False)
    counts = ", ".join(f"{len(of_language)} in {language}" for language, of_language in train.items())
    print(f"{len(texts)} training files: {counts}\n")

    b = log_ratios(model)
    print("   evidence of each symbol, in nats")
    for symbol in sorted(b, key=b.__getitem__):
        print(f"      {symbol:2}   b = {b[symbol]:+.2f}   evidence for {'Python' if b[symbol] > 0 else 'C'}")

    for line in ("int main(void) { return f(x); }", "def main(self): return [x for x in self.items()]"):
        odds = sum(line.count(character) * b[symbol] for symbol in SYMBOLS for character in symbol)
        (language,) = model.with_options(estimate="mean", class_prior="uniform").predict([line])
        print(f"\n   {line}\n      Σ b = {odds:+.2f}: {language}")

    predicted = model.predict([text for text, _ in test])
    correct = sum(guess == language for guess, (_, language) in zip(predicted.tolist(), test, strict=True))
    print(f"\n   test files: {correct} of {len(test)} correct")
    print("   model.with_options(...) changes the estimate or the prior without reading a file again.")


if __name__ == "__main__":
    main()
