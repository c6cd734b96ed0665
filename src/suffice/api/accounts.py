"""How a model accounts for itself: what it has learnt, why it says so, how sure and how good it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.api.answers import Answers
from suffice.api.explaining import explained
from suffice.api.files import OnProgress
from suffice.api.measuring import measured_model
from suffice.api.novelty import novelty_of
from suffice.api.sampling import Sample, sampled
from suffice.api.showing import Shown, shown_of
from suffice.api.uncertainty import interval_of
from suffice.evidence import CredibleInterval, Explanation, Novelty, NoveltyReference, telling
from suffice.evidence.evaluation import Asked, DetectionCosts, Evaluation
from suffice.likelihoods import Parameter

__all__ = ["Accounts"]


class Accounts(Answers):
    """The methods of `Model` that give reasons and measures beside its answers; each is one call down."""

    __slots__ = ()

    def log_evidence(self) -> float:
        """Return log p(D) of the rows it has seen, classes and cells, all parameters integrated out.

        The priors are those that the reading uses (for "mle", which uses none, those of "mean"), so the λ of
        `read(estimate="smoothed", alpha=λ)` with the greatest evidence is the one that the data speak for.
        """
        return self._model().naive_bayes.log_evidence()

    def parameters(self, level: float = 0.95) -> list[Parameter]:
        """Return every parameter as it is read: class, column, level, name, estimate, value, lower, upper.

        The interval of that level is the equal-tailed one of its posterior. The list of named tuples is what a frame
        library takes: `pandas.DataFrame(model.parameters())`. A constant real column has no rows.
        """
        return list(self._model().naive_bayes.parameters(level))

    def show(self, top: int = 10) -> Shown:
        """Return what tells the classes apart, from the statistics alone: columns, levels and words, the loudest first.

        It prints as lines of text, and holds the same as records: `columns` with what each says on average,
        `levels[class]` and `words[class]` with what speaks for the class, in nats; words with their counts.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], Words())
        >>> [(word.token, word.occurrences) for word in model.show(1).words["spam"]]
        [('win', 2.0)]
        """
        return shown_of(telling(self._model().naive_bayes), top)

    def explain(
        self, data: Any, against: Any = None, top: int | None = None, *, label: Any = None
    ) -> list[Explanation]:
        """Return for each row why it is taken for its class: what the prior and each cell or word add to the log-odds.

        Parameters
        ----------
        data : as in `predict`
        against : label or "rest", optional
            The class that it is compared with, or all others together; by default the most probable of the others.
        top : int, optional
            How many entries to list, the weightiest; what the others add is told in one number. By default all.
        label : label, optional
            The class that is explained; by default the most probable one of each row.

        Returns
        -------
        list of Explanation
            Each prints as bars; `prior`, `entries` and `others_nats` add up to `score`, the log-odds in nats of
            `predict_proba`, and `as_record()` is what JSON takes. What a calibration takes back or adds is an entry
            of its own.

        Examples
        --------
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Words
        >>> model = fit(["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"], Words(), estimate="mean")
        >>> print(model.explain(["lunch now", "win"])[1])
        row 1: 'spam' rather than 'ham', log-odds +1.504, p = 0.8182
          class prior  +0.6931               │██████████    share 0.667 in 'spam', 0.333 in 'ham'
          0: win       +0.8109               │████████████  2 of 4 in 'spam', 0 of 2 in 'ham'
        """
        return list(explained(self._model(), data, label, against, top))

    def evaluate(
        self,
        data: Any,
        target: Any = None,
        weights: Any = None,
        *,
        readings: Any = None,
        bootstrap: int = 1000,
        seed: int = 0,
        level: float = 0.95,
        positive: Any = None,
        detection_prior: float = 0.5,
        cost_miss: float = 1.0,
        cost_false_alarm: float = 1.0,
        progress: OnProgress | None = None,
    ) -> Evaluation:
        """Return how good the model is on rows that it has not seen; parameters as in `sf.evaluate`.

        On rows that it has seen the numbers flatter it: `sf.evaluate` holds rows out. Files are read a batch at a time.

        Examples
        --------
        >>> from suffice.api import fit
        >>> model = fit({"fur": ["black", "black", "white", "white"]}, ["cat", "cat", "dog", "dog"])
        >>> model.evaluate({"fur": ["black", "white", "white"]}, ["cat", "dog", "cat"], bootstrap=0).confusion
        array([[1., 1.],
               [0., 1.]])
        """
        costs = DetectionCosts(detection_prior, cost_miss, cost_false_alarm)
        asked = Asked(bootstrap, seed, level, positive=positive, costs=costs)
        return measured_model(self._model(), data, target, weights, asked, readings, progress)

    def interval(
        self,
        data: Any,
        level: float = 0.95,
        method: str = "auto",
        draws: int = 1000,
        seed: int | np.random.Generator | None = None,
    ) -> CredibleInterval:
        """Return between what p(c | x) lies, given how few or many rows the model has seen.

        The parameters of every class have a posterior, and p(c | x) is a function of them: the interval is that of its
        log-odds. A probability from 5 rows has a wide one. It is about what the parameters are, not about whether
        columns are independent: see docs/uncertainty.md.

        Parameters
        ----------
        data : as in `predict_proba`
        level : float between 0 and 1
            The probability that p(c | x) of the true parameters lies inside, where these come from the prior.
        method : "auto", "delta" or "draws"
            "delta" takes mean, variance and skewness of the log-odds in closed form; "draws" draws parameters from
            their posterior and scores the rows with each. "auto" draws where a class has fewer than 30 rows, where
            columns go together or share a variance, and for rows whose log-odds are far from normal.
        draws : int
            How many draws, at least 10/(1 − level) and at most 1,000,000.
        seed : int ≥ 0 or Generator, optional
            The same seed gives the same draws.

        Raises
        ------
        ParameterError
            Where parameters have no posterior: alpha=0, Words(model="complement"), or a likelihood that does not say.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Bernoulli
        >>> x, y = np.array([[1], [1], [0], [0], [0]]), ["spam", "spam", "ham", "ham", "ham"]
        >>> few = fit(x, y, Bernoulli()).interval([[1]], seed=0)
        >>> many = fit(np.tile(x, (40, 1)), y * 40, Bernoulli()).interval([[1]], seed=0)
        >>> bool(few.lower[0, 1] < 0.45 < 0.9 < many.lower[0, 1] < many.probability[0, 1] < many.upper[0, 1])
        True
        """
        return interval_of(self._model(), data, level, method, draws, seed)

    def novelty(self, data: Any, reference: NoveltyReference | None = None) -> Novelty:
        """Return how odd each row is beside those that the model has learnt from.

        Parameters
        ----------
        data : as in `predict_proba`
        reference : NoveltyReference, optional
            By default the one that was kept when the model was calibrated, and is stored with it; else what
            `novelty_reference` makes of rows and this model. One that has seen more or fewer rows since, or is read
            otherwise, needs another; another class prior changes nothing.

        Returns
        -------
        Novelty
            `share` is the share of the rows of the reference that are no more probable: 0 for a row such as none of
            them. `order()` has the oddest rows first.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> x = np.random.default_rng(0).normal(size=(500, 2))
        >>> model = fit(x, x[:, 0] > 0, Gaussian(), calibrate="loo")
        >>> model.novelty([[0.5, 0.1], [9.0, 9.0]]).share.round(1)
        array([0.9, 0. ])
        """
        return novelty_of(self._model(), data, reference)

    def sample(
        self,
        n: int,
        seed: int | np.random.Generator | None = None,
        classes: Any = None,
        posterior: bool = False,
        length: npt.ArrayLike | None = None,
    ) -> Sample:
        """Return n rows drawn from the model as it is read, and their classes.

        Each class is drawn from the class prior, and its cells from their likelihoods: under the predictive estimate
        with parameters of their own for every row (Student-t, Pólya, negative binomial), else with those that are read.

        Parameters
        ----------
        n : int ≥ 0
        seed : int ≥ 0 or Generator, optional
            The same seed gives the same rows.
        classes : label, sequence of n labels, or mapping {label: number of rows}, optional
            The classes of the rows, instead of a draw; of a mapping one class after the other.
        posterior : bool
            Draw the parameters once from their posterior, the class prior too unless it is given or uniform, and then
            all rows with these: calls differ by as much as the parameters are uncertain.
        length : int ≥ 0 or array of n, optional
            The total of each row of multinomial counts, or the number of words of each text, of which the model says
            nothing. By default the mean of the row's class, rounded, at least 1.

        Returns
        -------
        Sample
            `data` is a 2-D array of floats where the model is one of an array whose used columns hold numbers, NaN in
            the others; else a mapping {name: array} of the columns in use. The model takes either back. `target` holds
            the classes. No cell is missing, but of levels with missing="level" and of columns that were never observed.
            The mass of unseen levels (unseen="mass") is drawn as a level that the column does not have: "(unseen)", or
            the least whole number among numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from suffice.api import fit
        >>> from suffice.likelihoods import Gaussian
        >>> model = fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"], Gaussian())
        >>> data, target = model.read("mle").sample(1000, seed=0)
        >>> data[target == "high"].mean().round(1)
        np.float64(8.5)
        """
        return sampled(self._model().naive_bayes, n, seed, classes, length, posterior=posterior)
