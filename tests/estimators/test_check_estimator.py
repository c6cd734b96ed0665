"""All checks of scikit-learn's check_estimator pass, without expected failures or tags that skip checks."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import check_estimator

import suffice as sf

# The accuracy that the examination asks for is beyond these models on its blobs of real numbers; scikit-learn's own say
# so with the same tag. All other tags that loosen a check stay as they are by default.
POOR = {"BernoulliNB", "MultinomialNB", "ComplementNB"}
NAMES = ["GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB", "NaiveBayes"]
NAMES += ["LinearDiscriminant", "QuadraticDiscriminant"]
DENSE = {"CategoricalNB", "LinearDiscriminant", "QuadraticDiscriminant"}


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_check_passes(name):
    done = check_estimator(getattr(sf, name)(), on_skip=None, on_fail="raise")
    skipped = [check["check_name"] for check in done if check["status"] == "skipped"]
    assert skipped in ([], ["check_array_api_input"])  # it runs only where SCIPY_ARRAY_API was set before the import
    assert {check["status"] for check in done} <= {"passed", "skipped"}
    assert len(done) > 50


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning")
def test_every_check_passes_with_calibration():
    done = check_estimator(sf.NaiveBayes(calibrate="auto"), on_skip=None, on_fail="raise")
    assert {check["status"] for check in done} <= {"passed", "skipped"}
    assert len(done) > 50


@pytest.mark.parametrize("name", NAMES)
def test_the_tags_say_what_is_read(name):
    tags = getattr(sf, name)().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.input_tags.allow_nan
    assert tags.input_tags.sparse == (name not in DENSE)
    assert tags.input_tags.categorical == (name == "CategoricalNB")
    assert tags.input_tags.positive_only == (name in {"CategoricalNB", "MultinomialNB", "ComplementNB"})
    assert tags.classifier_tags.poor_score == (name in POOR)
    assert not tags.no_validation
    assert not tags.non_deterministic
    assert not tags._skip_test
    assert tags.requires_fit
    assert tags.target_tags.required
