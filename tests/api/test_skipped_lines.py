"""Lines that are skipped are told once, by whatever reads a file: fitting, calibrating, measuring, choosing, deciding."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import suffice as sf


@pytest.fixture
def files(tmp_path):
    """A file of 200 rows and two bad lines."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    lines = [f"{x:.3f},{'ab'[k]}" for x, k in zip(rng.normal(y), y, strict=True)]
    lines[40:40] = ["1,2,3", "4,5,6"]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y", *lines, ""]), encoding="utf-8")
    return sf.Files(tmp_path / "rows.csv", skip_bad_lines=True)


TOLD = {
    "fit": lambda model, files: sf.fit(files, "y", calibrate=False),
    "fit and calibrate": lambda model, files: sf.fit(files, "y", calibrate="auto"),
    "calibrate": sf.Model.calibrate,
    "model.evaluate": lambda model, files: model.evaluate(files, bootstrap=0),
    "evaluate": lambda model, files: sf.evaluate(files, "y", folds=2, bootstrap=0, calibrate=False),
    "threshold": lambda model, files: model.threshold(files, "y", recall=0.5),
    "predict": lambda model, files: model.predict(files),
}


@pytest.mark.parametrize("how", TOLD)
def test_skipped_lines_are_told_once(files, how):
    with pytest.warns(sf.errors.SkippedLinesWarning):
        model = sf.fit(files, "y", calibrate=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        TOLD[how](model, files)
    (told,) = [each.message for each in said if issubclass(each.category, sf.errors.SkippedLinesWarning)]
    assert (told.file, told.line) == (files.paths[0], 42)
    assert "2 bad lines were skipped" in str(told)


def test_one_line_is_one(tmp_path):
    lines = ["x,y", *["1,a", "2,b", "3,a"] * 9, "1,2,3", ""]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    for read in (sf.fit, lambda files, target: sf.evaluate(files, target, folds=2, bootstrap=0, calibrate=False)):
        with pytest.warns(sf.errors.SkippedLinesWarning, match="This line was skipped"):
            read(sf.Files(tmp_path / "rows.csv", skip_bad_lines=True), "y")
