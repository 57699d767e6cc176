"""Linen modules of several collections, with modules inside, for the bridge to Flax NNX."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .variable_values import CODE as _VALUES_CODE

_CLASS = """\
class NnxLinenModel(flax.linen.Module):
    # Does its steps in order; each makes a variable, draws a number, sows, or calls a module.
    steps: tuple

    @flax.linen.compact
    def __call__(self, x):
        for kind, name, *rest in self.steps:
            if kind == 'param':
                value = self.param(name, lambda key: FLAX_VALUES[rest[0]](rest[1]))
                x = sum(jtu.tree_leaves(value), x)
            elif kind == 'random':
                x = x * self.param(name, lambda key: jax.random.uniform(key, ()))
            elif kind == 'variable':
                held = self.variable(rest[0], name, FLAX_VALUES[rest[1]], rest[2])
                x = sum(jtu.tree_leaves(held.value), x)
                if self.is_mutable_collection(rest[0]) and not self.is_initializing():
                    held.value = jtu.tree_map(lambda leaf: leaf + 1, held.value)
            elif kind == 'noise':
                x = x + jax.random.uniform(self.make_rng('noise'), ())
            elif kind == 'sow':
                self.sow('intermediates', name, x)
            elif kind == 'inner':
                x = NnxLinenModel(rest[0], name=name)(x)
            elif kind == 'twice':
                inner = NnxLinenModel(rest[0], name=name)
                x = inner(inner(x))
            else:
                axes = {one: 0 for one in ('params', 'stats', 'nnx_counts', 'intermediates')}
                mapped = flax.linen.vmap(
                    NnxLinenModel, variable_axes=axes, split_rngs={'params': True, 'noise': True}
                )
                x = mapped(rest[0], name=name)(x)
        return x
"""
_NAMES = ("w", "kernel", "_hidden", "layers_0", "0", "a.b", "b", "c")
# Properties, and methods, of converted modules.
_PROPERTIES = ("module", "rngs")
_METHODS = ("train", "eval", "lazy_init", "set_attributes")
_COLLECTIONS = ("stats", "nnx_counts")
# Those whose leaves are arrays of JAX, without the ones that the bridge itself takes apart.
OF_ARRAYS = ("array", "none", "tuple", "list", "empty-tuple", "dict", "int-dict")
VALUES = (*OF_ARRAYS, "number", "empty-dict", "frozen-dict")
_INSIDE = ("inner", "twice", "mapped")
FIXED = ("param", "variable", "sow")
UNCHANGING = ("param", "random")
RANDOM = (*UNCHANGING, "noise")
KINDS = (*FIXED, "random", "noise")
# Each with the feature that it takes what is sown, if it does.
_MUTABLE = (
    ("True", ("mutable:sown",)),
    ("['stats']", ()),
    ("'nnx_counts'", ()),
    ("('intermediates', 'params')", ("mutable:sown",)),
    ("flax.core.DenyList('stats')", ("mutable:sown",)),
)


@st.composite
def linen_models(
    draw: st.DrawFn,
    *,
    values: Sequence[str] = VALUES,
    kinds: Collection[str] = KINDS,
    names: bool = False,
) -> Recipe:
    """Draw a Linen `module`, its input `x`, `mutable`, the collections that a call may change,
    and `seeds`, those of its streams of random numbers.

    `linen_keys(rngs)` draws the next key of each stream, by the name that Linen has for it.
    Features are `value:` with the kind of a value; `step:` with that of a step; `inner:deep`, a
    module inside one that is inside; `mutable:sown`; `seeds:default`; and, at the top level,
    `name:property` for the name of a property of converted modules, and `dict:method` for that of
    a method if the part becomes a dict of Variables.

    Args:
        values: the kinds of values of variables; default all.
        kinds: what its steps do; default all. `FIXED` steps draw no random numbers, `UNCHANGING`
            ones change no variable.
        names: whether parts may be named as properties and methods of converted modules; default
            `False`.
    """
    scope = Scope()
    scope.define(_VALUES_CODE)
    scope.define(_CLASS)
    model = _Model(draw, scope, values, tuple(sorted(kinds)), itertools.count(1))
    own = _PROPERTIES + _METHODS if names and draw(st.booleans()) else ()
    scope.bind("module", f"NnxLinenModel({model.steps((*_NAMES, *own), 2)})")
    scope.bind("x", "jax.device_put(np.float32([1.0, -2.0]))")
    is_default = draw(st.booleans())
    scope.note(*(["seeds:default"] if is_default else []))
    scope.bind("seeds", "{'default': 2}" if is_default else "{'params': 0, 'noise': 1}")
    # Linen takes the default stream of NNX as `params`.
    scope.bind(
        "linen_keys",
        "lambda rngs: {'params' if name == 'default' else name: rngs[name]() for name in seeds}",
    )
    mutable, features = draw(st.sampled_from(_MUTABLE))
    scope.note(*features)
    scope.bind("mutable", mutable)
    return scope.recipe()


class _Model:
    """Draws the steps of a module.

    Args:
        draw: the function of Hypothesis.
        scope: takes the features.
        values: the kinds of values of variables.
        kinds: what steps do, beside calls of modules.
        numbers: those from which values are made, each once.
    """

    def __init__(
        self,
        draw: st.DrawFn,
        scope: Scope,
        values: Sequence[str],
        kinds: Sequence[str],
        numbers: Iterator[int],
    ) -> None:
        self._draw, self._scope, self._values = draw, scope, values
        self._kinds, self._numbers = kinds, numbers

    def steps(self, names: Sequence[str], depth: int, level: int = 0) -> str:
        """Return a tuple of steps with some of the names, and of modules to a depth."""
        self._scope.note(*(["inner:deep"] if level > 1 else []))
        drawn = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)
        texts = [self._step(name, depth, level) for name in self._draw(drawn)]
        return f"({', '.join(texts)},)"

    def _step(self, name: str, depth: int, level: int) -> str:
        kind = self._draw(st.sampled_from((*self._kinds, *(_INSIDE if depth else ()))))
        self._scope.note(f"step:{kind}", *(["name:property"] if name in _PROPERTIES else []))
        if kind in _INSIDE:
            if name in _METHODS:
                self._scope.note("dict:method")
            inner = self
            if kind == "mapped":
                # Each of its values gets an axis.
                arrays = ("array",)
                inner = _Model(self._draw, self._scope, arrays, self._kinds, self._numbers)
                depth = 1
            return f"({kind!r}, {name!r}, {inner.steps(_NAMES, depth - 1, level + 1)})"
        if kind not in ("param", "variable"):
            return f"({kind!r}, {name!r})"
        value = self._draw(st.sampled_from(self._values))
        self._scope.note(f"value:{value}")
        if name in _METHODS and value in ("dict", "int-dict"):
            self._scope.note("dict:method")
        collection = f"{self._draw(st.sampled_from(_COLLECTIONS))!r}, "
        of = collection if kind == "variable" else ""
        return f"({kind!r}, {name!r}, {of}{value!r}, {next(self._numbers)})"
