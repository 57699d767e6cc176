"""What a file of this folder says about one library."""

from __future__ import annotations

import dataclasses
import fnmatch
import importlib
import pkgutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from hypothesis_pytrees.core.availability import absence

HERE = Path(__file__).resolve().parent

Texts = str | tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Judgement:
    """Why node types of a library fail laws, as found by a person who read both sources.

    Args:
        name: the cause in a few words.
        laws: ids or patterns of the laws that fail.
        reason: what in the library does it, and which sentence of documentation that breaks; of a
            false alarm, why the class is right.
        meets: what a user meets in practice; empty for a false alarm.
        subjects: public names or patterns of the node types; default all.
        message: text in the first line of the report; default any.
        false_alarm: whether the class is right and the law wrong.
        issue: link to the report to the library; default none was found.
    """

    name: str
    laws: tuple[str, ...]
    reason: str
    meets: str = ""
    subjects: tuple[str, ...] = ("*",)
    message: str = ""
    false_alarm: bool = False
    issue: str = "unreported"

    def explains(self, node_type: str, law: str, message: str) -> bool:
        """Return whether a failing law has this cause.

        Args:
            node_type: public name of the node type.
            law: id of the law.
            message: first line of the report.
        """
        named = any(fnmatch.fnmatchcase(node_type, one) for one in self.subjects)
        return (
            named
            and any(fnmatch.fnmatchcase(law, one) for one in self.laws)
            and self.message in message
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Library:
    """A library and its node types.

    Args:
        package: its top-level package.
        nodes: by the public name of a node type, one or more expressions that create instances;
            `$0`, `$1`, ... stand for arrays. Empty text, or no text at all, creates a NamedTuple
            from its fields.
        imports: what the expressions need: imports, and helper functions.
        distribution: its name on the package index; default the package.
        not_tried: by the public name of a node type, or of a module and all in it, the reason.
        rest: why the node types that are not named are not tried; default they must be named.
        own: as `nodes`, of classes that `imports` declares as the library's documentation does.
        judgements: why some of its node types fail laws.
        searched: whether its public modules are searched for node types; `False` for a library that
            makes node types and has none.
    """

    package: str
    nodes: Mapping[str, Texts]
    imports: str
    distribution: str = ""
    not_tried: Mapping[str, str] = dataclasses.field(default_factory=dict)
    rest: str = ""
    own: Mapping[str, Texts] = dataclasses.field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    searched: bool = True

    @property
    def absent(self) -> str:
        """Why it cannot be tried here; empty if it can."""
        return absence(self.package)

    @property
    def listed(self) -> str:
        """Its name on the package index."""
        return self.distribution or self.package

    @property
    def installed(self) -> str:
        """The version that is installed."""
        return version(self.listed)

    @property
    def results(self) -> Path:
        """The file of the verdicts of the last run."""
        return HERE / "results" / f"{self.package}.json"

    def judgement(self, node_type: str, law: str, message: str) -> Judgement | None:
        """Return the first judgement that explains a failing law; `None` if none does."""
        found = (one for one in self.judgements if one.explains(node_type, law, message))
        return next(found, None)


def packages() -> list[str]:
    """Return the packages that have a file, in alphabetical order."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(HERE)]))
    return [name.removesuffix("_nodes") for name in names if name.endswith("_nodes")]


def libraries(names: list[str] | None = None) -> list[Library]:
    """Return what each file named `<package>_nodes.py` says.

    Args:
        names: packages; default all.
    """
    chosen = names or packages()
    return [importlib.import_module(f"{__package__}.{name}_nodes").LIBRARY for name in chosen]
