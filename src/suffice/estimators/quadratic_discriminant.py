"""Quadratic discriminant analysis: the scikit-learn face of Gaussian columns with a matrix for each class."""

from __future__ import annotations

from typing import Any, final

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.discriminant import Discriminant, checked_solver, shrinkage_of
from suffice.likelihoods import Gaussian
from suffice.models.discriminant import class_covariances
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["QuadraticDiscriminant"]


@final
class QuadraticDiscriminant(Discriminant):
    """Quadratic discriminant analysis with scikit-learn's interface.

    Parameters
    ----------
    solver : "svd" or "eigen"
        Accepted, so that code for scikit-learn runs: there is one way here.
    shrinkage : None, float from 0 to 1, "oas", "evidence" or "auto"
        How far the matrix of each class is pulled toward a sphere in columns standardised by their own variance within
        the classes ("evidence": toward the variances over all rows); "auto" is "oas".
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default how often each class was seen.
    reg_param : float from 0 to 1
        How far the matrix of each class is pulled toward the columns' variances over all rows: what scikit-learn's does
        to columns that StandardScaler has standardised. Without shrinkage only.
    store_covariance : bool
        Accepted; `covariance_` is there in any case.
    tol : float
        Accepted: a matrix that lacks rank is no reason to refuse. Its eigenvalues are at least 1e-9, in units in which
        every column's variance is 1.

    Attributes
    ----------
    model_ : Model
        What was seen, and all that can be asked of it.
    classes_, priors_ : array (classes,)
    means_ : array (classes, columns)
    covariance_ : list of arrays (columns, columns), one for each class
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> QuadraticDiscriminant().fit(x, ["low", "low", "low", "high", "high", "high"]).predict([[-0.8, -1]])
    array(['low'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol

    @property
    def covariance_(self) -> list[FloatArray]:
        """The matrix of each class."""
        return list(class_covariances(self.model_.naive_bayes))

    def _likelihood(self) -> Gaussian:
        checked_solver(self.solver, ("svd", "eigen"))
        share = self.reg_param
        if not is_real(share) or not 0 <= share <= 1:
            raise ParameterError(f"reg_param must be a share from 0 to 1: got {share!r}. Give for example 0.1.")
        shrinkage = shrinkage_of(self.shrinkage)
        if share:
            if shrinkage is not None:
                raise ParameterError(
                    f"reg_param and shrinkage pull in different directions: got {share!r} and {self.shrinkage!r}. "
                    "Give one of them."
                )
            return Gaussian(covariance="full", shrinkage=float(share), toward="total")
        return Gaussian(
            covariance="full", shrinkage=shrinkage, toward="diagonal" if shrinkage == "evidence" else "spherical"
        )
