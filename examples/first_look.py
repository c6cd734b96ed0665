"""A first look at suffice: a coin, ten cats, and data in two places that adds up to the whole.

python examples/first_look.py
"""

from __future__ import annotations

import numpy as np

import suffice as sf
from suffice.engines import arrays

CATS = """black male, orange male, black female, orange male, white male,
          white female, white male, white female, black female, calico female"""


def coin() -> None:
    print("1. A coin has fallen heads three times out of three. Can it fall tails?\n")
    counted = sf.BetaBinomial.mle(successes=3, failures=0)
    print(f"   Counting alone says        P(tails) = {1 - counted:.3f}   never seen, so impossible: a black swan")
    posterior = sf.BetaBinomial(1, 1).update(successes=3, failures=0)
    print(
        f"   From a uniform prior       P(tails) = {1 - posterior.mean:.3f}   the rule of succession, (0 + 1) / (3 + 2)"
    )
    low, high = posterior.interval(0.95)
    print(f"   and with 95% probability   P(heads) lies between {low:.3f} and {high:.3f}\n")


def cats() -> None:
    print("2. Ten cats, five of each sex. Is an orange one male?\n")
    colour, sex = zip(*(cat.split() for cat in CATS.replace("\n", " ").split(",")), strict=True)
    colours, sexes = sf.statistics.Axis(set(colour)), sf.statistics.Axis(set(sex))
    (fur,) = arrays.levels(colours.positions(colour)[:, None], sexes.positions(sex), sexes, levels=[colours])

    counted = sf.DirichletMultinomial.mle(fur)
    smoothed = sf.DirichletMultinomial([1, 1, 1, 1]).update(fur).mean
    print(" " * 29 + "".join(f"{name:>9}" for name in fur.levels.labels))
    for s, name in enumerate(fur.classes.labels):
        print(f"   {name:8}counted           " + "".join(f"{share:9.3f}" for share in counted[s]))
        print(f"   {'':8}one added to each " + "".join(f"{share:9.3f}" for share in smoothed[s]))
    male, orange = fur.classes.index("male"), fur.levels.index("orange")
    for what, share in (("Counting alone", counted), ("One added to each", smoothed)):
        print(f"\n   {what:19}P(male | orange) = {share[male, orange] / share[:, orange].sum():.3f}", end="")
    print("\n\n   The counts stay as they are and the prior enters when they are read: another prior needs no cats.\n")


def shards() -> None:
    rng = np.random.default_rng(7)
    rows, classes = 100_000, ["ham", "spam"]
    codes = rng.integers(0, 2, rows)
    x = 1e8 + rng.standard_normal((rows, 3)) + codes[:, None]  # far from zero, where sums of squares lose everything
    first = rows // 3
    print(f"3. {rows:,} rows of 3 columns around 1e8, held in two places.\n")
    here = arrays.moments(x[:first], codes[:first], classes)
    there = arrays.moments(x[first:], codes[first:], classes)
    whole = arrays.moments(x, codes, classes)
    both = here + there
    print("   variance of spam")
    print(f"      in one pass over everything    {variance_of_spam(whole)}")
    print(f"      here + there                   {variance_of_spam(both)}")
    print(f"      here                           {variance_of_spam(here)}")
    print(f"      (here + there) - there         {variance_of_spam(both - there)}\n")
    print("   Statistics of separate data add up to those of all of it, and what was added can be taken out again.")


def variance_of_spam(moments: sf.statistics.Moments) -> str:
    spam = moments.classes.index("spam")
    return "  ".join(f"{variance:.12f}" for variance in moments.dp[spam] / moments.weight[spam])


if __name__ == "__main__":
    coin()
    cats()
    shards()
