"""A first look at suffice: a coin, ten cats, and data in two places whose models add up.

python examples/first_look.py
"""

from __future__ import annotations

import numpy as np

import suffice as sf

CATS = """black male, orange male, black female, orange male, white male,
          white female, white male, white female, black female, calico female"""


def coin() -> None:
    print("1. A coin shows heads in three of three tosses. Can it show tails?\n")
    frequency = sf.BetaBinomial.mle(successes=3, failures=0)
    print(f"   Relative frequency         P(tails) = {1 - frequency:.3f}   never observed, hence impossible")
    posterior = sf.BetaBinomial(1, 1).update(successes=3, failures=0)
    print(f"   With a uniform prior       P(tails) = {1 - posterior.mean:.3f}   rule of succession, (0 + 1)/(3 + 2)")
    low, high = posterior.interval(0.95)
    print(f"   95% credible interval      P(heads) between {low:.3f} and {high:.3f}\n")


def cats() -> None:
    print("2. Ten cats, five of each sex. Is an orange cat male?\n")
    colour, sex = zip(*(cat.split() for cat in CATS.replace("\n", " ").split(",")), strict=True)
    model = sf.fit({"colour": colour}, sex, columns=sf.Categorical(), estimate="mle", calibrate=False)
    estimates = {"relative frequency": model, "add-one smoothing": model.with_options(estimate="smoothed", alpha=1)}
    colours = sorted(set(colour))
    print(" " * 31 + "".join(f"{name:>9}" for name in colours))
    for label in model.classes:
        for name, estimate in estimates.items():
            theta = {
                row.level: row.value for row in estimate.parameters() if (row.label, row.column) == (label, "colour")
            }
            print(f"   {label:8}{name:20}" + "".join(f"{theta[level]:9.3f}" for level in colours))
    male = model.classes.index("male")
    for name, estimate in estimates.items():
        print(f"\n   {name:20}P(male | orange) = {estimate.predict_proba({'colour': ['orange']})[0, male]:.3f}", end="")
    print("\n\n   The model stores counts, and the prior is applied afterwards: another prior needs no data.\n")


def shards() -> None:
    rng = np.random.default_rng(7)
    rows = 100_000
    codes = rng.integers(0, 2, rows)
    x = 1e8 + rng.standard_normal((rows, 3)) + codes[:, None]  # far from zero, where Σx² would lose all digits
    y = np.array(["ham", "spam"])[codes]
    first = rows // 3
    print(f"3. {rows:,} rows of 3 columns around 1e8, stored in two places.\n")

    def fit(part: slice) -> sf.Model:
        return sf.fit(x[part], y[part], columns=sf.Gaussian(), estimate="mle", calibrate=False)

    whole, here, there = fit(slice(None)), fit(slice(first)), fit(slice(first, None))
    both = here + there
    print("   variances of class spam")
    print(f"      fitted in one pass             {variances(whole)}")
    print(f"      here + there                   {variances(both)}")
    print(f"      here                           {variances(here)}")
    print(f"      (here + there) - there         {variances(both - there)}\n")
    print("   Models of separate data add up to the model of all data, and can be subtracted again.")


def variances(model: sf.Model) -> str:
    rows = [row for row in model.parameters() if (row.label, row.name) == ("spam", "variance")]
    return "  ".join(f"{row.value:.12f}" for row in rows)


if __name__ == "__main__":
    coin()
    cats()
    shards()
