"""Real numbers: x_j ~ Normal(μ_jc, σ²_jc) in class c, each column by itself, or several columns together.

Symbols: n, x̄, dp of the rows of class c in which x_j is observed; m and v the column's mean and variance over all rows,
whatever their class; the posterior as in gaussian_posterior.py.

    mle          μ = x̄, σ² = dp/n, at least var_smoothing · v; where n = 0, μ = m and σ² = v
    smoothed     the mle with λ pseudo-rows of mean m and variance v: κ = λ, a = λ/2, b = λv/2, σ² = b'/a'
    map          the joint mode          mean          the posterior mean          predictive     Student-t
    shared       one σ²_j for all classes: the mle is Σ_c dp/Σ_c n
    missing      with missing="level", whether a cell is known has a term of its own (observation.py)
    term         −½ ln 2πσ² − (x − μ)²/2σ²          v = 0: the column says nothing and adds 0 to every class

Default prior, unit information (worth one row): location m, κ = 1, a = ½, b = ½ v. It is a function of the statistics,
so it merges, and class posteriors do not change under x → s x + t.

Columns together (`joint`) have their scatter collected, of rows in which none of them is missing, and can be read as

    full, shared    a matrix for each class (QDA), one for all (LDA)       gaussian_block.py
    spherical       one variance for all columns of a class                spherical_block.py
    diagonal        each column by itself, as above, of the same rows
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, final, get_args

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseGamma, NormalInverseWishart, StudentT
from suffice.conjugate.arguments import GREATEST, LEAST, is_real, option
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import by_class, of_columns, per_cell, table
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.draws import Draw, require_proper
from suffice.likelihoods.gaussian_block import GaussianBlock
from suffice.likelihoods.gaussian_posterior import (
    Prior,
    column_evidence,
    constants,
    normals,
    parameters_drawn,
    posterior,
    posterior_terms,
    students,
)
from suffice.likelihoods.likelihood import Likelihood, Parameter, Seen
from suffice.likelihoods.observation import Observation
from suffice.likelihoods.shrinkage import Shrinkage, Toward
from suffice.likelihoods.spherical_block import SphericalBlock
from suffice.likelihoods.standardised import Standardised, standardised
from suffice.likelihoods.terms import Quadratic, Term
from suffice.likelihoods.uncertain import ParabolasTerm, UncertainTerm, require_posterior
from suffice.statistics import Moments, Scatter
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Covariance", "Gaussian", "prior_of_columns"]

Covariance: TypeAlias = Literal["diagonal", "shared", "full", "spherical"]

_LEAST_SHARE = 1e-12
_COVARIANCES: tuple[Covariance, ...] = get_args(Covariance)
_TOWARD: tuple[Toward, ...] = get_args(Toward)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Gaussian(Likelihood):
    """Columns of real numbers.

    Parameters
    ----------
    prior : NormalInverseGamma or NormalInverseWishart, optional
        On mean and variance, in the unit of x; each of its parameters one number, one per column, or one per class and
        column. Of columns together on mean vector and covariance matrix, for all classes or for each. By default unit
        information (the page above).
    covariance : "diagonal", "full", "shared" or "spherical"
        Each column by itself; or the columns together, with a matrix for each class (quadratic boundaries, QDA), one
        for all (linear boundaries under plug-in readings, LDA), or one variance for all columns of a class.
    var_smoothing : float from 1e-12 to 1
        The least variance of the mle and smoothed readings, as a share of the column's own; of columns together the
        least eigenvalue. (Below 1e-12 the parabola (a z + b) z + c of a class would lose its digits.)
    missing : "ignore" or "level"
        A missing cell is left out, or says by being missing what that tells of the class.
    shrinkage : float from 0 to 1, "oas", "evidence" or None
        How far "full" and "shared" matrices are pulled `toward` a simpler shape (shrinkage.py); "oas" and "evidence"
        choose it by the statistics.
    toward : "diagonal", "spherical", "shared" or "total"
        What matrices are pulled toward: the columns' own variances, a sphere in standardised columns, the matrix that
        all classes share, or the columns' variances over all rows.
    joint : bool, optional
        Whether the columns are collected together: by default unless covariance is "diagonal". Then the model can be
        read with any covariance later; a row with a missing cell in the block is left out of it, and a warning counts
        such rows. False with "shared" is one variance for all classes in each column by itself, which is also meant
        where the prior is a NormalInverseGamma or missing="level".

    Examples
    --------
    >>> Gaussian(covariance="full", shrinkage=0.1)
    Gaussian(covariance='full', shrinkage=0.1)
    """

    column_by_column: ClassVar[bool] = True

    prior: NormalInverseGamma | NormalInverseWishart | None = None
    covariance: Covariance = "diagonal"
    var_smoothing: float = 1e-9
    missing: Literal["ignore", "level"] = "ignore"
    shrinkage: Shrinkage = None
    toward: Toward = "diagonal"
    joint: bool | None = None

    def __post_init__(self) -> None:
        known = NormalInverseGamma, NormalInverseWishart
        if self.prior is not None and not isinstance(self.prior, known):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"prior of Gaussian must be a NormalInverseGamma: got {self.prior!r}. "
                "Give NormalInverseGamma(location, strength, shape, scale), or a NormalInverseWishart for columns "
                "together."
            )
        option("covariance", self.covariance, _COVARIANCES)
        if not is_real(self.var_smoothing) or not _LEAST_SHARE <= self.var_smoothing <= 1:
            raise ParameterError(
                f"var_smoothing must be a share of the column's variance from 1e-12 to 1: got {self.var_smoothing!r}. "
                "Give for example 1e-9."
            )
        object.__setattr__(self, "var_smoothing", float(self.var_smoothing))
        option("missing", self.missing, ("ignore", "level"))
        option("toward", self.toward, _TOWARD)
        if self.joint is not None and not isinstance(self.joint, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(f"joint must be True or False: got {self.joint!r}. Leave it out to follow covariance.")
        said = None if self.joint is None or bool(self.joint) == self._together_by_default() else bool(self.joint)
        object.__setattr__(self, "joint", said)  # said or not, it is the same likelihood
        self._require_sense()

    @property
    def together(self) -> bool:
        """Whether the columns are collected together."""
        return self._together_by_default() if self.joint is None else bool(self.joint)

    def _together_by_default(self) -> bool:
        apart = isinstance(self.prior, NormalInverseGamma) or self.missing == "level"
        return self.covariance in ("full", "spherical") or (self.covariance == "shared" and not apart)

    def _require_sense(self) -> None:
        if not self.together and self.covariance in ("full", "spherical"):
            raise ParameterError(
                f"covariance={self.covariance!r} is of columns together: got joint=False. Leave it out."
            )
        if self.together and self.missing == "level":
            raise ParameterError(
                "columns together cannot say which of them are missing: got missing='level'. Leave it out, or give "
                "covariance='diagonal'."
            )
        matrices = self.covariance in ("full", "shared") and self.together
        of_matrices = isinstance(self.prior, NormalInverseWishart)
        if self.prior is not None and (of_matrices != matrices or self.covariance == "spherical"):
            give = "a NormalInverseWishart" if matrices else "a NormalInverseGamma"
            give = "no prior" if self.covariance == "spherical" else give
            raise ParameterError(
                f"covariance={self.covariance!r} of columns {'together' if self.together else 'by themselves'} takes "
                f"{give}: got {self.prior!r}."
            )
        shrinkage = self.shrinkage
        if shrinkage is None:
            return
        if not matrices:
            raise ParameterError(
                f"shrinkage is of the matrices of columns together: got {shrinkage!r} with covariance="
                f"{self.covariance!r}. Give covariance='full' or 'shared'."
            )
        if isinstance(shrinkage, str) and shrinkage in ("oas", "evidence"):
            if self.toward != "diagonal" and (shrinkage == "evidence" or self.toward in ("shared", "total")):
                raise ParameterError(
                    f"shrinkage={shrinkage!r} knows no way toward {self.toward!r}. Give toward='diagonal', or a number."
                )
        elif not is_real(shrinkage) or not 0 <= float(shrinkage) <= 1:
            raise ParameterError(
                f"shrinkage must be a number from 0 to 1, 'oas' or 'evidence': got {shrinkage!r}. Give for example 0.1."
            )
        else:
            object.__setattr__(self, "shrinkage", float(shrinkage))
        if self.toward == "shared" and self.covariance == "shared":
            raise ParameterError("a shared matrix cannot be pulled toward itself. Give toward='diagonal'.")

    def collect(self, columns: Columns) -> Collect:
        """Ask for weight, mean and squared deviations of each column, or for the scatter of all together."""
        return Collect("scatter" if self.together else "moments", columns)

    def restrict(self, stay: BoolArray) -> Gaussian:
        """Return the likelihood of some of its columns, with their priors."""
        prior = self.prior
        return replace(self, prior=prior_of_columns(prior, stay)) if isinstance(prior, NormalInverseGamma) else self

    def with_covariance(self, covariance: Any, shrinkage: Any, toward: Any) -> Gaussian:
        """Return the same statistics read with another covariance; a parameter that is None stays as it is."""
        wanted = self.covariance if covariance is None else covariance
        if not self.together and wanted in ("full", "spherical"):
            raise ParameterError(
                f"covariance={wanted!r} is of columns that were collected together, and these were not: {self!r}. "
                "Fit the model with Gaussian(covariance='full') or joint=True."
            )
        given: dict[str, Any] = {"covariance": wanted, "joint": self.together, "shrinkage": shrinkage}
        if shrinkage is None and wanted in ("full", "shared"):
            given["shrinkage"] = self.shrinkage
        if toward is not None:
            given["toward"] = toward
        elif wanted != "full":
            given["toward"] = "diagonal"
        prior = self.prior
        if isinstance(prior, NormalInverseWishart) and wanted == "diagonal":
            given["prior"] = prior.components
        return replace(self, **given)

    def stored_parameters(self) -> dict[str, Any]:
        """Return its parameters, with `joint` as it is, not as it was said."""
        return Likelihood.stored_parameters(self) | {"joint": self.together}

    def _block(self) -> GaussianBlock | SphericalBlock | None:
        # How columns together are read, where that is another way than each by itself.
        if not self.together or self.covariance == "diagonal":
            return None
        if self.covariance == "spherical":
            return SphericalBlock(self.var_smoothing)
        assert not isinstance(self.prior, NormalInverseGamma)
        return GaussianBlock(self.prior, self.covariance == "shared", self.var_smoothing, self.shrinkage, self.toward)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the parabolas of the plug-in readings, or Student-t; of columns together their joint densities."""
        block = self._block()
        if block is not None:
            return block.terms(seen)
        return *self._of_values(seen), *(each.term(seen) for each in self._observation(seen))

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return the posterior of means and variances, or of mean vectors and matrices."""
        block = self._block()
        if block is not None:
            return block.uncertain(seen)
        return *self.uncertain_columns(seen), *(each.uncertain(seen) for each in self._observation(seen))

    def uncertain_columns(self, seen: Seen) -> tuple[ParabolasTerm, ...]:
        """Return the posterior of the values of columns each by itself; none where all are constant."""
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return ()
        require_posterior(prior.kappa, _named(seen, values))
        after = posterior(values, prior, shared=self._shared)
        return (ParabolasTerm(_named(seen, values), values.centre, values.unit, after, self._shared),)

    def log_evidence(self, seen: Seen) -> float:
        """Return the log density of the values, means and variances integrated out; a constant column counts for 0."""
        block = self._block()
        if block is not None:
            return block.log_evidence(seen)
        known = sum((each.log_evidence() for each in self._observation(seen)), 0.0)
        return float(self.column_evidence(seen).sum()) + known

    def column_evidence(self, seen: Seen) -> FloatArray:
        """Return the log evidence of the values of each column (D)."""
        values, prior = self._standardised(seen)
        found = np.zeros(len(seen.columns))
        found[values.columns] = column_evidence(values, prior, shared=self._shared)
        return found

    def predictive(self, seen: Seen) -> tuple[Standardised, StudentT]:
        """Return the columns that say something and Student-t of each class and column of them, in their unit."""
        values, prior = self._standardised(seen)
        return values, posterior(values, prior, shared=self._shared).model().student_t()

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield location and variance (or location, scale and degrees of Student-t); none for a constant column."""
        block = self._block()
        if block is not None:
            yield from block.parameters(seen, credible)
            return
        yield from self._of_location_and_scale(seen, credible)
        for each in self._observation(seen):
            yield from each.parameters(seen, credible)

    def _observation(self, seen: Seen) -> Iterator[Observation]:
        if self.missing == "level":
            moments = _moments(seen)
            yield Observation.of(seen, by_class(moments.weight, moments.classes, seen.classes))

    def _of_values(self, seen: Seen) -> tuple[Term, ...]:
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return ()
        if seen.reading.estimate == "predictive":
            return tuple(posterior_terms(_named(seen, values), values, posterior(values, prior, shared=self._shared)))
        mu, variance = self._read(seen, values, prior)
        constant = -0.5 * np.log(2 * math.pi * variance) - np.log(values.unit)
        tables = table(mu), table(0.5 / variance), table(constant)
        return (Quadratic(_named(seen, values), values.centre, 1 / values.unit, *tables),)

    def _of_location_and_scale(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return
        after, unit = posterior(values, prior, shared=self._shared), values.unit
        nothing: FloatArray = np.full((2, *values.weight.shape), np.nan)
        by_location, by_variance = nothing, nothing
        if (prior.kappa > 0).all():
            of_location, of_variance = after.model().interval(credible)
            by_location = np.stack([values.centre + unit * bound for bound in of_location])
            with np.errstate(over="ignore"):  # the square of what is a float may be none
                by_variance = np.stack([unit**2 * bound for bound in of_variance])
        if seen.reading.estimate == "predictive":
            t = after.model().student_t()
            found = [("location", values.centre + unit * t.location, by_location)]
            found += [("scale", t.scale * unit, nothing), ("degrees", t.degrees, nothing)]
        else:
            mu, variance = self._read(seen, values, prior)
            found = [("location", values.centre + unit * mu, by_location)]
            with np.errstate(over="ignore"):
                found += [("variance", variance * unit**2, by_variance)]
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(_named(seen, values)):
                for name, value, (lower, upper) in found:
                    three = float(value[c, j]), float(lower[c, j]), float(upper[c, j])
                    yield Parameter(label, column, None, name, seen.reading.estimate, *three)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return normal numbers, or Student-t ones where the parameters are integrated out; NaN for missing cells."""
        block = self._block()
        if block is not None:
            return block.sample(seen, draw)
        moments = _moments(seen)
        values, prior = self._standardised(seen)
        cells = constants(moments, draw)
        if values.columns.size:
            after = posterior(values, prior, shared=self._shared)
            if draw.posterior:
                require_proper(prior.kappa, _named(seen, values))
                z = normals(*parameters_drawn(after, draw.rng, shared=self._shared), draw)
            elif seen.reading.estimate == "predictive":
                z = students(after, draw)
            else:
                z = normals(*self._read(seen, values, prior), draw)
            greatest = np.finfo(np.float64).max
            with np.errstate(over="ignore"):
                cells[:, values.columns] = np.clip(values.centre + values.unit * z, -greatest, greatest)
        for each in self._observation(seen):
            cells[each.missing_drawn(seen, draw)] = np.nan
        return [cells[:, j] for j in range(len(seen.columns))]

    @property
    def _shared(self) -> bool:
        return self.covariance == "shared"

    def _standardised(self, seen: Seen) -> tuple[Standardised, Prior]:
        moments = _moments(seen)
        given = None if seen.reading.estimate in ("mle", "smoothed") else self.prior
        if given is None:
            values = standardised(moments, seen.classes)
            rows = per_cell("alpha", 1.0 if seen.reading.alpha is None else seen.reading.alpha, *seen.shape)
            rows = rows[:, values.columns]
            return values, Prior(np.broadcast_to(values.pooled, rows.shape), rows, rows / 2, rows / 2)
        names = "location", "strength", "shape", "scale"
        m, kappa, a, b = (per_cell(name, getattr(given, name), *seen.shape) for name in names)
        # A constant column has no spread of its own; the prior's serves as its unit.
        values = standardised(moments, seen.classes, np.sqrt(b / a).max(axis=0, initial=0.0))
        some, unit = values.columns, values.unit
        scale = np.clip(b[:, some] / unit / unit, LEAST, GREATEST)
        return values, Prior((m[:, some] - values.centre) / unit, kappa[:, some], a[:, some], scale)

    def _read(self, seen: Seen, values: Standardised, prior: Prior) -> tuple[FloatArray, FloatArray]:
        estimate = seen.reading.estimate
        after = posterior(values, prior.nothing() if estimate == "mle" else prior, shared=self._shared)
        if estimate in ("mle", "smoothed"):
            some = after.a > 0
            variance = np.where(some, after.b / np.where(some, after.a, 1.0), 1.0)
            return after.m, np.maximum(variance, self.var_smoothing)
        if estimate == "map":
            after.model()  # which says so where b' is no float
            return after.m, after.b / (after.a + after.of_mode)
        return after.m, np.asarray(after.model().mean_estimate.variance)


def prior_of_columns(prior: NormalInverseGamma, stay: BoolArray) -> NormalInverseGamma:
    """Return the prior of the columns where `stay` is true."""
    given = prior.location, prior.strength, prior.shape, prior.scale
    return NormalInverseGamma(*(of_columns(each, stay) for each in given))


def _moments(seen: Seen) -> Moments:
    # Columns that were collected together are read each by itself from the diagonal.
    (part,) = seen.parts
    assert isinstance(part, (Moments, Scatter))
    return part.moments()


def _named(seen: Seen, values: Standardised) -> Columns:
    kept: list[int] = values.columns.tolist()
    return tuple(seen.columns[j] for j in kept)
