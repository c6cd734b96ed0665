"""A schema as lines of text comes back as what it was, or says that no line holds it."""

from __future__ import annotations

import pytest
import typer

import suffice as sf
from suffice.cli.columns import schema_from, schema_lines
from suffice.errors import ModelFileError, ParameterError

DATA = {
    "x": [1.0, 2.5, 3.5],
    "z": [0.5, 0.1, 0.9],
    "fur": ["black", "white", "black"],
    "tail": ["long", "short", "long"],
    "wet": [True, False, True],
    "n": [1, 2, 7],
    "m": [0, 0, 3],
    "id": ["q", "r", "s"],
    "y": ["a", "b", "b"],
}


@pytest.mark.parametrize(
    "columns",
    [
        None,
        {"*": sf.Categorical(alpha=0.5, unseen="mass")},
        {("x", "z"): sf.MultivariateGaussian(covariance="shared"), "id": None},
        {"x": sf.Gaussian(sf.NormalInverseGamma(location=0, strength=1, shape=2, scale=3)), "z": sf.Histogram(bins=8)},
        {("fur", "tail"): sf.Joint(alpha=2), ("n", "m"): sf.Multinomial(coefficients=False)},
        {"fur": sf.Categorical(levels=["black", "orange"]), "tail": sf.Categorical(missing="level")},
        {"fur": sf.Words(), "tail": sf.Chars()},
        {"fur": sf.Words(model="bernoulli", prior=sf.BetaBinomial(2, 5)), "tail": sf.Words(coefficients=True)},
        {("fur", "tail"): sf.Words(ngrams=(1, 2), prior="evidence by class", stop_words=["the", "1", "é"], min_df=0.5)},
        {"fur": sf.Words(characters=" ,|=:abc#", alpha=0.5, hashed=5, accents="strip", max_length=4)},
        {"fur": sf.Chars(characters=["{}", "ab", " \t", "é'"])},
        {"fur": sf.Chars(across=True, characters=",", model="bernoulli", binary=True, idf=True)},
        {"n": sf.Poisson(sf.GammaPoisson(1, 2), factorials=False), "wet": sf.Bernoulli(threshold=0.5)},
        {"fur": sf.Categorical(sf.DirichletMultinomial([1, 2])), "tail": sf.Categorical(levels=["1", "2"])},
        {"fur": sf.Categorical({"black": 2, "gray": 1}), "tail": sf.Categorical()},
        {"fur": sf.Words(characters="a\n"), "tail": sf.Words(stop_words=["a,b"])},
        {("n", "m"): sf.Multinomial(alpha=[1, 2])},
    ],
)
def test_a_schema_comes_back(columns, tmp_path):
    model = sf.fit(DATA, "y", columns=columns)
    (tmp_path / "columns.txt").write_text("# of a model\n\n" + "\n".join(schema_lines(model)), encoding="utf-8")
    again = sf.fit(DATA, "y", columns=schema_from(tmp_path / "columns.txt"))
    assert again.schema == model.schema
    assert again == model


def test_a_model_is_a_schema_too(tmp_path):
    model = sf.fit(DATA, "y")
    model.save(tmp_path / "m.suffice")
    assert schema_from(tmp_path / "m.suffice") == model


def test_a_likelihood_that_no_line_holds():
    class Own(sf.Categorical):
        pass

    model = sf.fit(DATA, "y", columns={"fur": Own(), "*": None})
    with pytest.raises(ParameterError, match="Use the model itself: --schema MODEL") as said:
        schema_lines(model)
    assert said.value.column == ("fur",)


@pytest.mark.parametrize(
    "name", ["C++", "a=b", "#", " x ", "it's", 'say "x"', "new\nline", "3", "x[1]", "none", "é", ""]
)
def test_a_name_comes_back_whatever_it_is(name, tmp_path):
    data = {name: [1.5, 2.5, 3.5], "other": [1, 0, 1], "y": ["a", "b", "b"]}
    model = sf.fit(data, "y", columns={(name, "other"): sf.Gaussian()})
    (tmp_path / "columns.txt").write_text("\n".join(schema_lines(model)), encoding="utf-8")
    assert sf.fit(data, "y", columns=schema_from(tmp_path / "columns.txt")) == model


def test_files_that_are_no_schema(tmp_path):
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(ParameterError) as said:
        schema_from(tmp_path / "empty.txt")
    assert said.value.file == str(tmp_path / "empty.txt")
    assert "contains no columns" in str(said.value)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00" * 99)
    with pytest.raises(ModelFileError):
        schema_from(tmp_path / "binary")
    (tmp_path / "bad.txt").write_text("plan\n", encoding="utf-8")
    with pytest.raises(typer.BadParameter):
        schema_from(tmp_path / "bad.txt")
    with pytest.raises(FileNotFoundError):
        schema_from(tmp_path / "gone.txt")
