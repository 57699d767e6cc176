"""Code blocks of the written pages of the documentation, and a library that they name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treelaws.commands.pages import every_page

from .pytest_runs import ROOT
from .their_library import COUNTER

README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
# The generated pages have tests of their own.
GENERATED = every_page()
PAGES = [
    README,
    CONTRIBUTING,
    *(
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).as_posix() not in GENERATED
    ),
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BOX = """

@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, left: Any, right: Any):
        self.left, self.right = left, right

    def tree_flatten(self):
        return (self.left, self.right), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        box = object.__new__(cls)
        box.left, box.right = children
        return box
"""
# A correct node class and a broken one, under the names that the pages use.
MY_LIBRARY = f"{COUNTER}{_BOX}"


class Block(NamedTuple):
    """A code block of a page.

    Args:
        page: the file.
        line: number of its first line.
        language: the word behind the fence.
        text: the code.
    """

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks(*languages: str, pages: list[Path] | None = None) -> list[Block]:
    """Return the code blocks in these languages.

    Args:
        languages: the words behind the fences.
        pages: the files; default all written pages.
    """
    return [
        block
        for page in pages or PAGES
        for block in _of_page(page)
        if not languages or block.language in languages
    ]


def _of_page(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        yield Block(page, text.count("\n", 0, found.start()) + 2, found[1], found[2])


def commands(block: Block) -> list[list[str]]:
    """Return the words of each command of a shell block, without assignments before it."""
    found = []
    for line in block.text.splitlines():
        words: list[str] = []
        for word in [*_words(line), "&&"]:
            if word != "&&":
                words.append(word)
            elif words:
                found.append(words)
                words = []
    return found


def _words(line: str) -> list[str]:
    words = shlex.split(line, comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    return words
