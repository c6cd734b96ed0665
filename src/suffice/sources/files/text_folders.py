"""Folders of texts: a file is a document, and the folder that it lies in is its class.

    mail/ham/0001.txt         text, class "ham"
    mail/spam/2005/17.eml     text, class "spam": the first folder counts, whatever is inside it
    mail/README               beside folders of texts: left out; where there are none, a text without a class

Hidden files and folders are left out. A file may have any ending, or none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Text", "text_at", "texts_in"]


class Text(NamedTuple):
    """A file that is a document: its path, the folder that says its class, and its size in bytes."""

    path: str
    folder: str | None
    size: int


def texts_in(folder: str) -> list[Text]:
    """Return the texts of a folder, class by class, each class in the order of its paths."""
    inside = _sorted(folder)
    found = [text for each in inside if each.is_dir() for text in _under(each.path, each.name)]
    return found or [Text(each.path, None, each.stat().st_size) for each in inside if each.is_file()]


def text_at(path: str) -> Text:
    """Return a file as a text without a class."""
    return Text(path, None, Path(path).stat().st_size)


def _under(folder: str, label: str) -> Iterator[Text]:
    for each in _sorted(folder):
        if each.is_file():
            yield Text(each.path, label, each.stat().st_size)
        elif each.is_dir(follow_symlinks=False):  # a link may lead back to where it lies
            yield from _under(each.path, label)


def _sorted(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((each for each in entries if not each.name.startswith(".")), key=lambda each: each.name)
