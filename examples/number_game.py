"""The number game: four examples suffice to infer a rule, and the maximum-likelihood rule is not the most probable.

python examples/number_game.py
"""

from __future__ import annotations

import suffice as sf

GAMES = ([16], [16, 8, 2, 64], [60, 80, 10, 30], [60, 52, 57, 55])


def play(game: sf.concepts.ConceptLearner, data: list[int]) -> None:
    learner = game.update(data)
    print(f"{', '.join(map(str, data))}\n")
    for each in learner.posterior().top(4):
        print(f"   p(h|D) = {each.posterior:.4f}   {each.name} ({each.size} numbers)")
    others = [(p, x) for x, p in zip(learner.domain, learner.predictive(), strict=True) if x not in data]
    likely = sorted(others, key=lambda pair: -pair[0])[:6]
    print(f"   also in the set?  {'   '.join(f'{x} {p:.2f}' for p, x in likely)}\n")


def overrule(game: sf.concepts.ConceptLearner) -> None:
    print("How many examples without 32 does it take to believe in 'powers of two except 32'?\n")
    for number in (4, 20, 37, 38, 60):
        learner = game.update(([16, 8, 2, 64] * 15)[:number])
        print(f"   after {number:2}   most probable: {learner.map.name:25} maximum likelihood: {learner.mle.name}")
    print("\n   The prior is fixed and the likelihood grows with every example: MAP converges to MLE.")


if __name__ == "__main__":
    number_game = sf.concepts.number_game()
    for numbers in GAMES:
        play(number_game, numbers)
    overrule(number_game)
