"""Linear discriminant analysis: the scikit-learn face of Gaussian columns that share one covariance matrix."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.contract import SklearnAxes
from suffice.estimators.discriminant import Discriminant, checked_solver, shrinkage_of
from suffice.estimators.scores import require_finite
from suffice.likelihoods import Gaussian
from suffice.models.discriminant import class_covariances, completed, discriminant_axes, linear_weights
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["LinearDiscriminant"]

_LEAST_SHARE = 1e-12


@final
class LinearDiscriminant(SklearnAxes, Discriminant):
    """Linear discriminant analysis with scikit-learn's interface.

    Parameters
    ----------
    solver : "svd", "lsqr" or "eigen"
        Accepted, so that code for scikit-learn runs: there is one way here, and its numbers are those of "svd".
    shrinkage : None, float from 0 to 1, "oas", "evidence" or "auto"
        How far the covariance matrix is pulled toward its diagonal; "auto" is "oas". Units of columns do not matter.
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default how often each class was seen.
    n_components : int, optional
        How many axes `transform` gives: by default all, min(classes − 1, columns).
    store_covariance : bool
        Accepted; `covariance_` is there in any case.
    tol : float from 0 to 1
        A direction says nothing when the classes' spread along it is at most this share of the columns' own.

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, priors_ : array (classes,)
    means_ : array (classes, columns)
    xbar_ : array (columns,)
        The mean of the class means, weighed by the priors.
    covariance_ : array (columns, columns)
        The matrix that the classes share, after shrinkage.
    coef_, intercept_ : array (classes, columns) and (classes,), of two classes (1, columns) and (1,)
    scalings_ : array (columns, axes)
    explained_variance_ratio_ : array (axes,)
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> LinearDiscriminant().fit(x, ["low", "low", "low", "high", "high", "high"]).predict([[-0.8, -1]])
    array(['low'], dtype='<U4')
    """

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol

    @property
    def xbar_(self) -> FloatArray:
        """The mean of the class means, weighed by the priors."""
        return self.priors_ @ self.means_

    @property
    def covariance_(self) -> FloatArray:
        """The matrix that the classes share."""
        return class_covariances(self.model_.naive_bayes)[0]

    @property
    def coef_(self) -> FloatArray:
        """The weights of the columns in the score of each class; of two classes those of the second less the first."""
        coef = linear_weights(self.model_.naive_bayes).coef
        return coef[1:] - coef[:1] if len(coef) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        """The constant of each score."""
        intercept = linear_weights(self.model_.naive_bayes).intercept
        return intercept[1:] - intercept[:1] if len(intercept) == 2 else intercept

    @property
    def scalings_(self) -> FloatArray:
        """The axes, as columns."""
        return discriminant_axes(self.model_.naive_bayes).scalings

    @property
    def explained_variance_ratio_(self) -> FloatArray:
        """The share of the spread between the classes that each axis has."""
        return discriminant_axes(self.model_.naive_bayes).explained[: self._components()]

    def transform(self, X: Any) -> FloatArray:
        """Return the place of each row on the axes that tell the classes apart, rows × axes.

        A missing cell counts as what the other cells of its row make of it on average.
        """
        x = self._rows(X)
        require_finite(x)
        known = self.model_.naive_bayes
        if np.isnan(x).any():
            x = completed(known, x, self._scores(x, "posterior"))
        axes = discriminant_axes(known)
        return (x - axes.centre) @ axes.scalings[:, : self._components()]

    @property
    def _n_features_out(self) -> int:
        return min(self.scalings_.shape[1], self._components())

    def _components(self) -> int:
        most = max(min(len(self.classes_) - 1, self.n_features_in_), 0)
        return most if self.n_components is None else min(self.n_components, most)

    def _likelihood(self) -> Gaussian:
        checked_solver(self.solver, ("svd", "lsqr", "eigen"))
        if not is_real(self.tol) or not 0 <= self.tol <= 1:
            raise ParameterError(f"tol must be a share from 0 to 1: got {self.tol!r}. Give for example 1e-4.")
        wanted = self.n_components
        if wanted is not None and (isinstance(wanted, bool) or not is_real(wanted) or wanted < 1 or wanted % 1):
            raise ParameterError(f"n_components must be a whole number ≥ 1, or None for all: got {wanted!r}.")
        least = max(float(self.tol) ** 2, _LEAST_SHARE)
        return Gaussian(covariance="shared", var_smoothing=least, shrinkage=shrinkage_of(self.shrinkage))

    def _read(self, model: Any) -> Any:
        count, width = len(model.classes), model.schema.width
        most = max(min(count - 1, width), 0)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components cannot be larger than min(classes − 1, columns) = {most}: got {self.n_components} "
                f"for {count} class{'' if count == 1 else 'es'} and {width} columns."
            )
        return super()._read(model)
