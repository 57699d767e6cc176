"""What a mutant is: a library with one function replaced, or a node type with one fault."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from hypothesis_pytrees import CONTAINERS, Kind, trees
from treelaws.core.departures import known
from treelaws.core.law import Law
from treelaws.core.subject import Subject
from treelaws.strength.faults.libraries import Patched, in_text
from treelaws.subjects.registry import subject


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A subject with one fault.

    Args:
        subject: the broken subject.
        fault: what is broken, in one sentence.
        kills: ids of the laws that must notice.
    """

    subject: Subject
    fault: str
    kills: tuple[str, ...]


MUTANTS: dict[str, Mutant] = {}


def _add(found: Mutant) -> None:
    if MUTANTS.setdefault(found.subject.name, found) is not found:
        raise ValueError(f"two mutants are called {found.subject.name!r}")


def mutant(
    family: str, *, kills: Iterable[str]
) -> Callable[[Callable[[Any], dict[str, Any]]], Callable[[Any], dict[str, Any]]]:
    """Register a mutant of a library.

    The decorated function takes the real library and gives the replacements by dotted name; its
    docstring says what is broken.

    Args:
        family: name of the library's subject: `"jax"`, `"equinox"`, `"flax"`, `"nnx"`, `"optax"`,
            `"chex"`.
        kills: ids of the laws that must notice.
    """

    def decorate(make: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
        real = subject(family)
        if real.absent:
            return make
        library = Patched(real.lib, make(real.lib))
        broken = Subject(
            f"{family}: {make.__name__}",
            family,
            lambda: library,
            libraries=in_text(family, library),
            base=family,
        )
        _add(Mutant(broken, (make.__doc__ or "").strip(), tuple(kills)))
        return make

    return decorate


def node_mutant(
    name: str,
    *kinds: Kind,
    fault: str,
    kills: Iterable[str],
    claims: Iterable[str] = (),
) -> None:
    """Register a broken node type.

    Args:
        name: name of the mutant.
        kinds: ways to write its instances.
        fault: what is broken, in one sentence.
        kills: ids of the laws that must notice.
        claims: what the node type claims to do.
    """
    broken = Subject(
        f"node: {name}",
        "node",
        lambda: importlib.import_module("jax"),
        claims=frozenset(claims),
        instances=partial(trees, roots=kinds, kinds=CONTAINERS),
    )
    _add(Mutant(broken, fault, tuple(kills)))


def obstacle(found: Mutant, law: Law) -> str:
    """Tell why a mutant cannot show under this release that a law notices it, or give `""`."""
    # A mutant cannot break what the release itself keeps in no case.
    if departure := known.covering_every_case((law, *law.ancestors), found.subject):
        return f"the known departure {departure.name} covers every case"
    if not found.subject.base:
        return ""
    # A replacement may claim what the release does not have.
    missing = subject(found.subject.base).missing(law.needs)
    return f"{found.subject.base} does not claim {', '.join(missing)}" if missing else ""


def load() -> dict[str, Mutant]:
    """Import every file of mutants and give them by name."""
    package = importlib.import_module("selftest.mutants")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return MUTANTS
