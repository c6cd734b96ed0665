"""The documentation is correct: its Python code runs, its commands exist, and its links resolve."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
PYTHON, SHELL, PROSE = {"python", "pycon"}, {"sh"}, {"text"}


def blocks(page: Path, languages: set[str]) -> list[tuple[int, str]]:
    """Fenced blocks in one of the languages, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [
        (text[: found.start()].count("\n") + 2, found[2]) for found in FENCE.finditer(text) if found[1] in languages
    ]


def commands(page: Path) -> list[list[str]]:
    """The commands of a page, `a && b` being two, as lists of words."""
    lines = [line for _, block in blocks(page, SHELL) for line in block.splitlines()]
    return [shlex.split(part) for line in lines for part in line.split("&&")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_what_they_show(page):
    space: dict[str, object] = {}
    for line, block in blocks(page, PYTHON):
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, space, page.name, str(page), line - 1)
            report: list[str] = []
            failed, tried = doctest.DocTestRunner().run(example, out=report.append, clear_globs=False)
            space = example.globs
            assert tried
            assert not failed, "".join(report)
        else:
            exec(compile(block, page.name, "exec"), space)  # noqa: S102  running the page is the test


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    languages = {found[1] for found in FENCE.finditer(page.read_text(encoding="utf-8"))}
    assert languages <= PYTHON | SHELL | PROSE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_name_programs_and_files_that_exist(page):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    tools = {re.split(r"[\[<>=]", requirement)[0] for requirement in extras["dev"]} | {
        "cd",
        "ctest",
    }  # of the shell, and of cmake
    for words in commands(page):
        program, arguments = words[0], words[1:]
        found = shutil.which(program, path=sysconfig.get_path("scripts")) or shutil.which(program)
        assert found or program in tools or (ROOT / program).is_file(), words
        if arguments[:1] == ["-m"] and program == "python":
            module = arguments[1].partition(".")[0]
            assert importlib.util.find_spec(module) or module in tools, words
        if arguments[:1] == ["install"] and program == "pip":
            extra = re.fullmatch(r"\.(?:\[(\w+)\])?", arguments[1])
            assert extra, words
            assert extra[1] is None or extra[1] in extras, words
        for word in arguments:
            if word.endswith(".py"):
                assert (ROOT / word).is_file(), words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_readme_links_every_page_of_the_documentation():
    linked = set(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {str(page.relative_to(ROOT)) for page in PAGES if page.parent != ROOT} <= linked


def test_readme_prints_exactly_two_commands_the_demo_and_the_tests():
    lines = [line for _, block in blocks(ROOT / "README.md", SHELL) for line in block.splitlines()]
    assert lines == [
        "pip install . && suffice demo",
        'pip install ".[test]" && python -m pytest -n auto',
    ]


def test_readme_is_short_and_its_transcripts_fit_on_a_screen():
    assert all(transcript.count("\n") <= 24 for _, transcript in blocks(ROOT / "README.md", PYTHON))
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_this_python_is_one_that_readme_promises():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert "Python 3.11" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert sys.version_info >= (3, 11)
