"""Operations that are timed, and the cases that they are timed on."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from . import backends
from .advice import INSTEAD
from .names import parts
from .trees import FLAT, FLOOR, KINDS, MODEL, REFERENCE, SIZES, Kind, leaves_on

Call = Callable[[], Any]
Clock = Callable[[], float]

# What the thread that dispatches spends, waiting apart; what a user waits for; what every thread
# of the process spends, compilers among them.
CLOCKS: Mapping[str, Clock] = {
    "thread": time.thread_time,
    "wall": time.perf_counter,
    "process": time.process_time,
}
# The library that a file of operations needs, by the first word of its name.
_LIBRARIES = {"jax": "jax", "equinox": "equinox", "nnx": "flax", "optax": "optax"}


@dataclasses.dataclass(frozen=True)
class Given:
    """What an operation works on.

    Args:
        kind: of its nodes.
        leaves: of its tree, arrays on the first device of the case.
        tree: the tree.
        devices: those of the case.
    """

    kind: Kind
    leaves: Sequence[Any]
    tree: Any
    devices: Sequence[Any]

    def fresh(self) -> Any:
        """Make an equal tree of the same leaves."""
        return self.kind.tree(self.leaves)


@dataclasses.dataclass(frozen=True)
class Operation:
    """Something that is done to a tree.

    Args:
        id: topic and name.
        statement: what is timed.
        prepare: makes the call that is timed; what it does itself is not timed.
        kinds: names of the kinds of node that it is for.
        sizes: numbers of leaves.
        clock: name of one of `CLOCKS`.
        floor: id of the operation that is timed on a flat tuple for comparison.
        needs: library of its file, and dotted names of what else it cannot do without.
        steady: whether a repeated call finds everything traced and compiled.
        devices: how many it needs at least.
    """

    id: str
    statement: str
    prepare: Callable[[Given], Call]
    kinds: Sequence[str]
    sizes: Sequence[int]
    clock: str
    floor: str
    needs: Sequence[str]
    steady: bool
    devices: int

    @property
    def topic(self) -> str:
        """What it is grouped under."""
        return self.id.partition(".")[0]


_FOUND: dict[str, Operation] = {}


@dataclasses.dataclass(frozen=True)
class Topic:
    """Makes operations of functions.

    Args:
        name: first part of their ids.
        floor: id of the operation whose time on a flat tuple is what each is compared with; default
            each itself.
        clock: name of one of `CLOCKS`.
        steady: whether a repeated call finds everything traced and compiled.
        devices: how many they need at least, at least 1.
    """

    name: str
    floor: str = ""
    clock: str = "thread"
    steady: bool = True
    devices: int = 1

    def __call__(
        self,
        *kinds: str,
        sizes: Sequence[int] = SIZES,
        needs: Sequence[str] = (),
        steady: bool | None = None,
        floor: str = "",
    ) -> Callable[[Callable[[Given], Call]], Callable[[Given], Call]]:
        """Register a function that prepares an operation on these kinds of node.

        Args:
            kinds: names of `KINDS`.
            sizes: numbers of leaves; default all.
            needs: dotted names that not every release has, such as `"flax.nnx.jit_partial"`.
            steady: whether a repeated call finds everything traced and compiled; default as the
                topic has it.
            floor: id of the operation that it is compared with; default as the topic has it.
        """

        def register(prepare: Callable[[Given], Call]) -> Callable[[Given], Call]:
            library = _LIBRARIES[prepare.__module__.rpartition(".")[2].partition("_")[0]]
            name = f"{self.name}.{prepare.__name__}"
            statement = (prepare.__doc__ or "").strip().rstrip(".")
            _FOUND[name] = Operation(
                name, statement, prepare, kinds, sizes, self.clock, floor or self.floor or name,
                (library, *needs), self.steady if steady is None else steady, self.devices,
            )  # fmt: skip
            return prepare

        return register


def operations() -> Mapping[str, Operation]:
    """Return the operations of the libraries that are installed, by id."""
    for library in _LIBRARIES.values():
        _load(library)
    return _FOUND


@functools.cache
def _load(library: str) -> None:
    from . import operations as package

    for found in pkgutil.iter_modules(package.__path__):
        wanted = _LIBRARIES[found.name.partition("_")[0]] == library
        if wanted and importlib.util.find_spec(library) is not None:
            importlib.import_module(f"{package.__name__}.{found.name}")


def operation(name: str) -> Operation | None:
    """Return an operation by its id, without importing more libraries than it takes to find it."""
    for library in _LIBRARIES.values():
        _load(library)
        if name in _FOUND:
            return _FOUND[name]
    return None


def missing(needs: Sequence[str]) -> str:
    """Name the first of these modules or attributes that is not there; empty where all are."""
    for dotted in needs:
        module, _, attribute = dotted.rpartition(".")
        if not module:
            if importlib.util.find_spec(dotted) is None:
                return dotted
        elif not hasattr(importlib.import_module(module), attribute):
            return dotted
    return ""


@dataclasses.dataclass(frozen=True)
class Case:
    """An operation on a tree.

    Args:
        operation: what is done.
        kind: name of the kind of its nodes.
        size: how many leaves it has.
        platform: of the devices that hold them, such as `"cpu"` or `"cpu:8"`.
    """

    operation: Operation
    kind: str
    size: int
    platform: str

    def __str__(self) -> str:
        return f"{self.operation.id}-{self.kind}-{self.size}-{self.platform}"

    @property
    def missing(self) -> str:
        """What the installed libraries lack for it; empty where nothing."""
        kind = KINDS[self.kind]
        lacking = missing([*self.operation.needs, *filter(None, [kind.requires])])
        if not lacking and self.operation.needs[0] == "jax" and not _is_tree(kind):
            return f"PyTree of the kind {kind.name}"
        return lacking

    @property
    def floor(self) -> Case:
        """The same number of leaves in a flat tuple; of a user's model its own arrays."""
        found = operation(self.operation.floor)
        assert found is not None, self.operation.floor
        kind = FLAT if self.kind in (MODEL, FLAT) else FLOOR
        return Case(found, kind, self.size, self.platform)

    @property
    def reference(self) -> Case | None:
        """The same operation on nodes written by hand, where it can be done to these.

        For a user's model it is the operation that may be done instead.
        """
        if self.kind == MODEL:
            other = operation(INSTEAD.get(self.operation.id, ("",))[0])
            found = other and dataclasses.replace(self, operation=other)
            return found if found and not found.missing else None
        if REFERENCE not in self.operation.kinds:
            return None
        return dataclasses.replace(self, kind=REFERENCE)

    @classmethod
    def named(cls, name: str) -> Case | None:
        """Return the case that `str` gave this name; `None` where no installed library has it."""
        found, kind, size, platform = name.rsplit("-", 3)
        wanted = operation(found)
        return cls(wanted, kind, int(size), platform) if wanted is not None else None

    def prepare(self) -> Call:
        """Make its tree and the call that is timed."""
        return self.operation.prepare(given(self.kind, self.size, self.platform))


@functools.cache
def _is_tree(kind: Kind) -> bool:
    """Say whether JAX looks into its nodes, as it does not into a module of an older Flax."""
    tree = kind.tree([jax.numpy.float32(0)] * SIZES[0])
    return not jax.tree_util.all_leaves([tree])


@functools.lru_cache(maxsize=4)
def given(kind: str, size: int, platform: str) -> Given:
    """Make a tree on the first device of a platform."""
    leaves = _leaves(size, platform)
    return Given(KINDS[kind], leaves, KINDS[kind].tree(leaves), backends.devices(platform))


@functools.lru_cache(maxsize=2)
def _leaves(size: int, platform: str) -> Sequence[Any]:
    return leaves_on(backends.devices(platform)[0], size)


def cases(platforms: Sequence[str], most: int = max(SIZES)) -> list[Case]:
    """List the cases.

    Args:
        platforms: of the devices.
        most: most leaves; default all sizes.
    """
    found = [
        Case(operation, kind, size, platform)
        for operation in operations().values()
        for kind in operation.kinds
        for size in operation.sizes
        for platform in platforms
        if size <= most and parts(platform)[1] >= operation.devices
    ]
    # Cases of one tree follow each other, so that it is made once.
    return sorted(found, key=lambda case: (case.platform, case.size, case.kind))
