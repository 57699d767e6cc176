"""Idioms that users copy: the laws that say where each holds, and witnesses where it fails."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Iterator, Mapping

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.availability import absence
from hypothesis_pytrees.core.recipe import imported_names
from treelaws import compat
from treelaws.core.law import Law

VERDICTS = ("holds", "holds in part", "fails")
_PACKAGES = {"eqx": "equinox", "nnx": "flax", "flax": "flax", "optax": "optax", "chex": "chex"}


@dataclasses.dataclass(frozen=True)
class Text:
    """A text that is printed on the page and run by the project's own tests.

    Args:
        about: one sentence: what it shows.
        code: Python text; it may use the names of `hypothesis_pytrees.recipe.IMPORTS`.
        raises: name of the error with which it ends, `"AssertionError"` where the result is wrong
            without an error; empty for a text that runs through.
        versions: PEP 440 specifiers by package under which that is so; default all.
    """

    about: str
    code: str
    raises: str = ""
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        """The text as a recipe, which knows what to import."""
        return Recipe(statements=(self.code.strip(),))

    @property
    def runs_here(self) -> bool:
        """Whether its libraries are installed, in versions for which it is written."""
        used = {_PACKAGES[name] for name in imported_names(self.code) if name in _PACKAGES}
        if any(map(absence, sorted(used))):
            return False
        return all(compat.matches(package, spec) for package, spec in self.versions.items())

    def outcome(self) -> str:
        """Run it and give the name of the error that it ends with, or `""`."""
        try:
            self.recipe.run()
        except Exception as raised:
            return type(raised).__name__
        return ""

    def printed(self) -> str:
        """Give the text as Markdown."""
        end = f"\n# {self.raises}" if self.raises else ""
        where = ", ".join(f"{package} {spec}" for package, spec in self.versions.items())
        about = f"{self.about} ({where})" if where else self.about
        return f"{about}:\n\n```python\n{self.recipe.source().strip()}{end}\n```\n"


@dataclasses.dataclass(frozen=True)
class Idiom:
    """One way to do something, as it is recommended.

    Args:
        title: what is done.
        verdict: `"holds"`, `"holds in part"` or `"fails"`.
        advice: one sentence for the reader who must choose.
        laws: the laws that say where it holds, or that state the failure.
        example: a text that runs through.
        witnesses: texts that show where it fails.
    """

    title: str
    verdict: str
    advice: str
    laws: tuple[Law, ...]
    example: Text | None = None
    witnesses: tuple[Text, ...] = ()

    def printed(self) -> str:
        """Give it as Markdown."""
        facts = "".join(map(_fact, self.laws))
        parts = [f"### {self.title}: {self.verdict}\n", _wrapped(self.advice), facts]
        texts = ([self.example] if self.example else []) + list(self.witnesses)
        return "\n".join([*parts, *(text.printed() for text in texts)])


@dataclasses.dataclass(frozen=True)
class Problem:
    """A task that users bring, and the ways to do it.

    Args:
        title: heading on the page.
        question: what is asked, in one or two sentences.
        threads: links to where it is discussed.
        idioms: the ways, those that hold first.
    """

    title: str
    question: str
    threads: tuple[str, ...]
    idioms: tuple[Idiom, ...]

    def printed(self) -> str:
        """Give it as Markdown."""
        links = ", ".join(f"[{_short(link)}]({link})" for link in self.threads)
        idioms = "\n".join(idiom.printed() for idiom in self.idioms)
        return f"## {self.title}\n\n{_wrapped(self.question)}\nAsked in {links}.\n\n{idioms}"

    def texts(self) -> Iterator[Text]:
        """Give every text on its part of the page."""
        for idiom in self.idioms:
            if idiom.example:
                yield idiom.example
            yield from idiom.witnesses


def _fact(law: Law) -> str:
    """Give a law and, where its docstring states one, its domain."""
    domain = (inspect.getdoc(law.check) or "").partition("\n\n")[0]
    stated = f"{law.statement}. {' '.join(domain.split())}" if domain else law.statement
    return f"- {stated} (`{law.id}`)\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 100) + "\n"


def _short(link: str) -> str:
    if not link.startswith("https://github.com/"):
        return "the documentation"
    _, name, _, number = link.removeprefix("https://github.com/").split("/")
    return f"{name} #{number}"
