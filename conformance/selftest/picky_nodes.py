"""Sound nodes of somebody else whose constructors check their arguments, one for each family."""
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import equinox as eqx
import jax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, PyTree

Item = TypeVar("Item")
Class = TypeVar("Class", bound=type)
Points, Ids = Float[Array, "n 3"], Int[Array, "n"]
Leaves, Mask = PyTree[Float[Array, "..."]], Bool[Array, "k"]
Weight, Bias = Float[Array, "out in"], Float[Array, "out"]


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


def node(data: str, meta: str = "") -> Callable[[Class], Class]:
    """Register a class by its attributes; unflatten runs no constructor."""

    def register(found: Class) -> Class:
        def unflatten(aux: Any, children: Any) -> Any:
            made = object.__new__(found)
            vars(made).update(zip(data.split(), children, strict=True))
            vars(made).update(zip(meta.split(), aux, strict=True))
            return made

        def flatten(one: Any) -> Any:
            return [getattr(one, name) for name in data.split()], tuple(
                getattr(one, name) for name in meta.split()
            )

        jax.tree_util.register_pytree_node(found, flatten, unflatten)
        return found

    return register


@node("x")
class Matrix:
    """It takes arrays of one rank alone."""

    def __init__(self, x: jax.Array) -> None:
        if x.ndim != 2:
            raise ValueError(f"x has the shape {x.shape}, not that of a matrix")
        self.x = x


@node("points ids")
class Cloud:
    """Its hints name shapes that agree."""

    def __init__(self, points: Points, ids: Ids) -> None:
        if points.shape[1:] != (3,) or ids.shape != points.shape[:1]:
            raise ValueError("the shapes do not agree")
        if (points.dtype.kind, ids.dtype.kind) != ("f", "i"):
            raise ValueError("the dtypes are wrong")
        self.points, self.ids = points, ids


@node("key", "count mode")
class Sampler:
    """It takes a key, a positive number, an enum and a text of two."""

    def __init__(
        self, key: PRNGKeyArray, count: int = 3, mode: Mode = Mode.FAST, way: Literal["a"] = "a"
    ) -> None:
        if count <= 0 or way != "a":
            raise ValueError(f"count={count} does not go with way={way!r}")
        jax.random.split(key, count)
        self.key, self.count, self.mode = key, count, Mode(mode)


@node("values", "low high")
class Interval:
    """Its arguments must be in order."""

    def __init__(self, values: Any, low: float, high: Annotated[float, "above low"]) -> None:
        if not low < high:
            raise ValueError(f"low={low} is not below high={high}")
        self.values, self.low, self.high = values, low, high


@node("x")
class NoText:
    """It rejects few of the trees that its hint allows."""

    def __init__(self, x: Any) -> None:
        if isinstance(x, (str, bytes)):
            raise TypeError(f"x is the text {x!r}")
        self.x = x


@node("leaves mask")
class Masked:
    """Its hints are trees of arrays."""

    def __init__(self, leaves: Leaves, mask: Mask | None) -> None:
        self.leaves, self.mask = leaves, mask


class Step(NamedTuple):
    """A named tuple with an optional array."""

    x: Array
    carry: Array | None = None


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layered:
    """A dataclass of other nodes."""

    steps: list[Step]
    extra: dict[str, Array] = dataclasses.field(default_factory=dict)
    sizes: Sequence[int] = dataclasses.field(default=(1,), metadata={"static": True})


class Head(eqx.Module, Generic[Item]):
    """A Module that checks itself, with a type parameter."""

    weight: Weight
    bias: Bias
    item: Item

    def __check_init__(self) -> None:
        if self.weight.shape[0] != self.bias.shape[0]:
            raise ValueError("weight and bias do not agree")


@node("x", "activation")
class Activated:
    """Its default is a compiled function, of which each copy is another function."""

    def __init__(self, x: Array, activation: Callable[[Array], Array] = jax.nn.relu) -> None:
        self.x, self.activation = x, activation


@node("x")
class Impossible:
    """No value that its hint allows is accepted."""

    def __init__(self, x: int) -> None:
        if x < 1000:
            raise ValueError(f"x={x} is below 1000")
        self.x = x


@jax.tree_util.register_pytree_node_class
class Record:
    """A node whose constructor says nothing of what it takes."""

    def __init__(self, *args, **kwargs) -> None:
        self.held = dict(*args, **kwargs)

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        return tuple(self.held.values()), tuple(self.held)

    @classmethod
    def tree_unflatten(cls, keys: tuple[str, ...], values: tuple[Any, ...]) -> Record:
        return cls(zip(keys, values, strict=True))


@jax.tree_util.register_pytree_node_class
class Twice:
    """Broken: unflatten runs the checks of the constructor, which reject its own leaves."""

    def __init__(self, x: float) -> None:
        if not isinstance(x, float):
            raise TypeError(f"{x!r} is not a float")
        self.x = int(x)

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class Lazy:
    """It makes its child in the first flatten, which a law about flatten reports."""

    def __init__(self, count: int) -> None:
        self.count, self.made = count, None

    def tree_flatten(self) -> Any:
        if self.made is None:
            self.made = jax.numpy.zeros(3) + self.count
        return (self.made,), self.count

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        lazy = object.__new__(cls)
        lazy.count, (lazy.made,) = aux, children
        return lazy


def make_big() -> Impossible:
    return Impossible(1000)


SOUND = (Matrix, Cloud, Sampler, Interval, NoText, Masked, Step, Layered, Activated)
