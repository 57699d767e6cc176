"""Idioms that users copy, with the laws that say where each holds and witnesses of failures."""

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
    """A program that the page prints and the self-tests run.

    Args:
        about: one sentence that says what it shows.
        code: Python code; it may use the names of `hypothesis_pytrees.core.recipe.IMPORTS`.
        raises: name of the error that it raises, `"AssertionError"` if its result is wrong without
            an error; empty if it raises nothing.
        versions: PEP 440 specifiers by package for which this is true; default all versions.
    """

    about: str
    code: str
    raises: str = ""
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        """The code as a recipe, which knows what to import."""
        return Recipe(statements=(self.code.strip(),))

    @property
    def runs_here(self) -> bool:
        """Whether its libraries are installed, in one of its versions."""
        used = {_PACKAGES[name] for name in imported_names(self.code) if name in _PACKAGES}
        if any(map(absence, sorted(used))):
            return False
        return all(compat.matches(package, spec) for package, spec in self.versions.items())

    def outcome(self) -> str:
        """Run it and return the name of the error that it raises, or `""`."""
        try:
            self.recipe.run()
        except Exception as raised:
            return type(raised).__name__
        return ""

    def printed(self) -> str:
        """Return the program as Markdown."""
        end = f"\n# {self.raises}" if self.raises else ""
        where = ", ".join(f"{package} {spec}" for package, spec in self.versions.items())
        about = f"{self.about} ({where})" if where else self.about
        return f"{about}:\n\n```python\n{self.recipe.source().strip()}{end}\n```\n"


@dataclasses.dataclass(frozen=True)
class Idiom:
    """One recommended way to do something.

    Args:
        title: heading on the page.
        verdict: `"holds"`, `"holds in part"` or `"fails"`.
        advice: one or two sentences for readers who must choose a way.
        laws: the laws that say where it holds, or how it fails.
        example: a program that raises nothing.
        witnesses: programs that show where it fails.
    """

    title: str
    verdict: str
    advice: str
    laws: tuple[Law, ...]
    example: Text | None = None
    witnesses: tuple[Text, ...] = ()

    def printed(self) -> str:
        """Return it as Markdown."""
        facts = "".join(map(_fact, self.laws))
        parts = [f"### {self.title}: {self.verdict}\n", _wrapped(self.advice), facts]
        texts = ([self.example] if self.example else []) + list(self.witnesses)
        return "\n".join([*parts, *(text.printed() for text in texts)])


@dataclasses.dataclass(frozen=True)
class Problem:
    """A task that users ask about, and the ways to do it.

    Args:
        title: heading on the page.
        question: the question in one to three sentences.
        threads: links to discussions and documentation.
        idioms: the ways to do it; those that hold come first.
    """

    title: str
    question: str
    threads: tuple[str, ...]
    idioms: tuple[Idiom, ...]

    def printed(self) -> str:
        """Return it as Markdown."""
        links = ", ".join(f"[{_short(link)}]({link})" for link in self.threads)
        idioms = "\n".join(idiom.printed() for idiom in self.idioms)
        return f"## {self.title}\n\n{_wrapped(self.question)}\nAsked in {links}.\n\n{idioms}"

    def texts(self) -> Iterator[Text]:
        """Yield every program of its part of the page."""
        for idiom in self.idioms:
            if idiom.example:
                yield idiom.example
            yield from idiom.witnesses


def _fact(law: Law) -> str:
    """Return a law as Markdown, with the first paragraph of its docstring."""
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
