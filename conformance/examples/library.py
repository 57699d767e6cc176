"""What a file of this folder says about one library."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from hypothesis_pytrees.core.availability import absence

HERE = Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Text:
    """Text that makes an instance, and what a plain text cannot say about it.

    Args:
        text: an expression in which `$0`, `$1`, ... stand for children, which are any tree.
        features: by which regions of known departures go, such as `"lineax:tag"`.
    """

    text: str
    features: tuple[str, ...] = ()


Texts = str | Text | tuple[str | Text, ...]


@dataclasses.dataclass(frozen=True)
class Cause:
    """Why some of a library's node types break some laws: what was judged by hand.

    Args:
        name: what the known departures of this cause are called.
        laws: ids or patterns of the laws.
        reason: what in the library does it, and which promise that breaks.
        meets: what a user meets in practice.
        subjects: public names or patterns of the node types; default each.
        region: conjunctions of features, where only some instances break the laws; default every
            case.
        issue: link to the report to the library; default none was found.
    """

    name: str
    laws: tuple[str, ...]
    reason: str
    meets: str
    subjects: tuple[str, ...] = ("*",)
    region: tuple[str, ...] = ("every case",)
    issue: str = "unreported"


# Instances that were copied before the law looks at them.
COPIED = ("history:deepcopy", "history:pickle", "history:map-pickle")
# What Equinox does to every Module whose constructor raises.
FAILED_CONSTRUCTION = Cause(
    "failed_construction_stays_alive",
    ("node.copies.failed_constructor_keeps_nothing",),
    "Equinox notes a Module that is being initialised in a table of strong references, and takes "
    "it out at the end of the constructor alone; one whose constructor raises stays there.",
    "each failed construction keeps its arguments, arrays included, until the process ends",
    issue="https://github.com/patrick-kidger/equinox/pull/1251",
)


@dataclasses.dataclass(frozen=True, eq=False)
class Library:
    """A library and its node types.

    Args:
        package: its top-level package.
        nodes: by the public name of a node type, texts that make instances; see `Text`. NamedTuples
            take any child, so those that are not named here are written by their fields.
        imports: what the texts need: imports, and helper functions.
        distribution: its name on the package index; default the package.
        not_tried: by the public name of a node type, or of a module and all in it, why there is no
            instance of it here.
        own: as `nodes`, of classes that `imports` declares as the library's documentation does.
        causes: why some of its node types break laws.
        searched: whether its public modules are searched for node types; `False` for a library that
            makes node types and has none.
    """

    package: str
    nodes: Mapping[str, Texts]
    imports: str
    distribution: str = ""
    not_tried: Mapping[str, str] = dataclasses.field(default_factory=dict)
    own: Mapping[str, Texts] = dataclasses.field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    searched: bool = True

    @property
    def absent(self) -> str:
        """Why it cannot be tried here; empty where it can."""
        return absence(self.package)

    @property
    def installed(self) -> str:
        """The version that is installed."""
        return version(self.distribution or self.package)

    @property
    def known(self) -> Path:
        """The file of its known departures, which need not exist."""
        return HERE / "known" / f"{self.package}.toml"


# Packages that a run is about; empty for each.
asked: list[str] = []


def packages() -> list[str]:
    """Name the packages that have a file, in alphabetical order."""
    names = sorted(found.name for found in pkgutil.iter_modules([str(HERE)]))
    files = [name for name in names if name.endswith("_nodes") and name != "test_nodes"]
    return [name.removesuffix("_nodes") for name in files]


def libraries() -> list[Library]:
    """Return what each file named `<package>_nodes.py` says, of those that were asked for."""
    chosen = [name for name in packages() if not asked or name in asked]
    return [importlib.import_module(f"{__package__}.{name}_nodes").LIBRARY for name in chosen]
