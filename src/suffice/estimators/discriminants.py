"""Linear and quadratic discriminant analysis: scikit-learn estimators of MultivariateGaussian, with mle parameters."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real
from suffice.errors import ParameterError
from suffice.estimators.classifier import GaussianClassifier, require_finite
from suffice.estimators.contract import SklearnAxes
from suffice.likelihoods import MultivariateGaussian
from suffice.models.gaussian_parameters import (
    class_covariances,
    class_means,
    discriminant_axes,
    impute_missing,
    linear_weights,
)
from suffice.models.linear import LinearScore
from suffice.statistics.arrays import FloatArray

__all__ = ["LinearDiscriminant", "QuadraticDiscriminant"]

_LEAST_SMOOTHING = 1e-12


class Discriminant(GaussianClassifier):
    """A classifier with one MultivariateGaussian block."""

    _sparse = False

    @property
    def means_(self) -> FloatArray:
        """The mean of each class and column."""
        return class_means(self.model_.core)

    @property
    def priors_(self) -> FloatArray:
        """The probability of each class."""
        return self._prior_probabilities()

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return log p(c | x), rows × classes; for two classes log p(1 | x) − log p(0 | x), one number for each row.

        With more than two classes, scikit-learn's scores may differ by a constant for each row.
        """
        logs = self.predict_log_proba(X)
        if logs.shape[1] != 2:
            return logs
        return logs[:, 1] - logs[:, 0]


@final
class LinearDiscriminant(SklearnAxes, Discriminant):
    """Linear discriminant analysis with scikit-learn's interface: x ~ Normal(μ_c, Σ), one Σ for all classes.

    Parameters
    ----------
    solver : "svd", "lsqr" or "eigen"
        Accepted for compatibility with scikit-learn and ignored; results agree with its "svd".
    shrinkage : None, float from 0 to 1, "oas", "evidence" or "auto"
        Intensity with which the covariance matrix is shrunk toward its diagonal; "auto" means "oas". The result does
        not depend on the units of the columns.
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default the class frequencies.
    n_components : int, optional
        Number of axes that `transform` returns: by default all, min(classes − 1, columns).
    store_covariance : bool
        Accepted for compatibility; `covariance_` is always available.
    tol : float from 0 to 1
        A direction is dropped if its within-class standard deviation is at most this fraction of that of the columns.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, priors_ : array (classes,)
    means_ : array (classes, columns)
    xbar_ : array (columns,)
        The mean of the class means, weighted by the priors.
    covariance_ : array (columns, columns)
        The covariance matrix that the classes share, after shrinkage.
    coef_, intercept_ : array (classes, columns) and (classes,); for two classes (1, columns) and (1,)
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
        """The mean of the class means, weighted by the priors."""
        return self.priors_ @ self.means_

    @property
    def covariance_(self) -> FloatArray:
        """The covariance matrix that the classes share."""
        return class_covariances(self.model_.core)[0]

    def _linear_score(self) -> LinearScore:
        # As in scikit-learn: relative to the mean of the class means.
        coef, intercept = linear_weights(self.model_.core)
        return LinearScore(tuple((name, None) for name in self.model_.schema.names), coef.T, intercept)

    @property
    def scalings_(self) -> FloatArray:
        """The discriminant axes, as columns."""
        return discriminant_axes(self.model_.core).scalings

    @property
    def explained_variance_ratio_(self) -> FloatArray:
        """The fraction of the variance between classes along each axis."""
        return discriminant_axes(self.model_.core).explained[: self._components()]

    def transform(self, X: Any) -> FloatArray:
        """Project rows onto the discriminant axes, rows × axes.

        Missing cells are replaced by their conditional expectation, given the other cells of the row.
        """
        x = self._rows(X)
        require_finite(x)
        known = self.model_.core
        if np.isnan(x).any():
            x = impute_missing(known, x, self._scores(x, "posterior"))
        axes = discriminant_axes(known)
        return (x - axes.centre) @ axes.scalings[:, : self._components()]

    @property
    def _n_features_out(self) -> int:
        return min(self.scalings_.shape[1], self._components())

    def _components(self) -> int:
        most = max(min(len(self.classes_) - 1, self.n_features_in_), 0)
        return most if self.n_components is None else min(self.n_components, most)

    def _likelihood(self) -> MultivariateGaussian:
        _require_solver(self.solver, ("svd", "lsqr", "eigen"))
        _require_fraction("tol", self.tol, "1e-4")
        wanted = self.n_components
        if wanted is not None and (isinstance(wanted, bool) or not is_real(wanted) or wanted < 1 or wanted % 1):
            raise ParameterError(
                "n_components must be a whole number ≥ 1, or None for all", parameter="n_components", got=wanted
            )
        var_smoothing = max(float(self.tol) ** 2, _LEAST_SMOOTHING)
        return MultivariateGaussian(
            covariance="shared", shrinkage=_shrinkage_of(self.shrinkage), var_smoothing=var_smoothing
        )

    def _estimate(self, model: Any) -> Any:
        count, width = len(model.classes), model.schema.width
        most = max(min(count - 1, width), 0)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components cannot be larger than min(classes − 1, columns) = {most}: got {self.n_components} "
                f"for {count} class{'' if count == 1 else 'es'} and {width} columns.",
                parameter="n_components",
            )
        return super()._estimate(model)


@final
class QuadraticDiscriminant(Discriminant):
    """Quadratic discriminant analysis with scikit-learn's interface: x ~ Normal(μ_c, Σ_c), a Σ for each class.

    Parameters
    ----------
    solver : "svd" or "eigen"
        Accepted for compatibility with scikit-learn and ignored.
    shrinkage : None, float from 0 to 1, "oas", "evidence" or "auto"
        Intensity with which the matrix of each class is shrunk toward a multiple of the identity, in columns
        standardised by their variance within classes ("evidence": toward the variances over all rows); "auto" means
        "oas".
    priors : array-like of one probability for each class, or {class: probability}, optional
        By default the class frequencies.
    reg_param : float from 0 to 1
        Intensity with which the matrix of each class is shrunk toward the columns' variances over all rows, as
        scikit-learn does with columns standardised by StandardScaler. Cannot be combined with shrinkage.
    store_covariance : bool
        Accepted for compatibility; `covariance_` is always available.
    tol : float
        Accepted for compatibility and ignored: rank-deficient matrices are allowed. Eigenvalues are at least 1e-9, in
        units in which every column has variance 1.

    Attributes
    ----------
    model_ : Model
        The fitted model.
    classes_, class_count_, priors_ : array (classes,)
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
        """The covariance matrix of each class."""
        return list(class_covariances(self.model_.core))

    def _likelihood(self) -> MultivariateGaussian:
        _require_solver(self.solver, ("svd", "eigen"))
        _require_fraction("reg_param", self.reg_param, "0.1")
        shrinkage = _shrinkage_of(self.shrinkage)
        if not self.reg_param:
            toward = "diagonal" if shrinkage == "evidence" else "spherical"
            return MultivariateGaussian(covariance="full", shrinkage=shrinkage, toward=toward)
        if shrinkage is not None:
            raise ParameterError(
                f"reg_param and shrinkage cannot be combined: got {self.reg_param!r} and {self.shrinkage!r}. "
                "Give one of them.",
                parameter="reg_param",
            )
        return MultivariateGaussian(covariance="full", shrinkage=float(self.reg_param), toward="total")


def _shrinkage_of(given: Any) -> Any:
    # scikit-learn's "auto" is "oas" here.
    if isinstance(given, str) and given == "auto":
        return "oas"
    if given is None or (isinstance(given, str) and given in ("oas", "evidence")):
        return given
    if is_real(given) and 0 <= float(given) <= 1:
        return given
    raise ParameterError(
        "shrinkage must be None, a number from 0 to 1, 'auto', 'oas' or 'evidence'", parameter="shrinkage", got=given
    )


def _require_solver(given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ParameterError(
            f"solver must be one of {', '.join(map(repr, known))}, which all give the same result",
            parameter="solver",
            got=given,
        )


def _require_fraction(name: str, given: Any, example: str) -> None:
    if not is_real(given) or not 0 <= given <= 1:
        raise ParameterError(
            f"{name} must be a number from 0 to 1", parameter=name, got=given, advice=f"Use for example {example}."
        )
