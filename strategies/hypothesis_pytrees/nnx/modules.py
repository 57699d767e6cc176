"""Flax NNX modules: classes of every shape, layers, `Rngs`, lists and dicts of them, cycles."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.classes.grammar.nnx_modules import NNX_CLASSES
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import ARRAY_ATTRIBUTES, PLAIN_CONTAINERS
from hypothesis_pytrees.leaves.leaves import arrays
from hypothesis_pytrees.trees.trees import draw_tree

from .prior_operations import NNX_PRIOR_OPERATIONS
from .variables import variables

_BOX = """\
class NnxBox(nnx.Module):
    def __init__(self, x):
        self.x = x
"""
_PAIR = """\
class NnxPair(nnx.Module):
    def __init__(self, first, second):
        # Not in the order of their names.
        self.second = second
        self.first = first
"""
_STATIC = """\
class NnxNamed(nnx.Module):
    def __init__(self, x, name='net', sizes=(2, 3)):
        self.x = x
        self.name = name
        self.sizes = sizes
        self.activation = jnp.tanh
        self.missing = None
"""
_DERIVED = """\
class NnxDerived(NnxBox):
    scale = 2.0

    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    def __call__(self, value):
        return value * self.scale
"""
_TIED = """\
class NnxTied(nnx.Module):
    def __init__(self, x, y):
        self.encoder = x
        self.other = y
        self.decoder = x
"""
_PROPERTY = """\
class NnxProperty(nnx.Module):
    def __init__(self, x):
        self.inner = x

    @property
    def value(self):
        return self.inner

    @value.setter
    def value(self, value):
        self.inner = value
"""
_SELF = """\
class NnxLoop(nnx.Module):
    def __init__(self, x):
        self.x = x
        self.me = self
"""
_PARENT = """\
class NnxParent(nnx.Module):
    def __init__(self, x):
        self.child = NnxBox(x)
        self.child.parent = self
"""
_DATACLASS = """\
@dataclasses.dataclass
class NnxRecord(nnx.Module):
    x: typing.Any
    size: int = 3
"""
_PYTREE = """\
class NnxPytree(nnx.Pytree):
    def __init__(self, x):
        self.x = x
        self.kind = 'pytree'
"""
_OBJECT = """\
class NnxObject(nnx.Object):
    def __init__(self, x):
        self.x = x
"""
_DATA = """\
class NnxData(nnx.Module):
    def __init__(self, x):
        self.items = nnx.data([x, {'inner': x}])
"""
_NUMBER = """\
class NnxNumber(nnx.Module):
    def __init__(self, x):
        self.x = x
        self.count = nnx.data(3)
"""
_MARKED = """\
class NnxMarked(nnx.Module):
    def __init__(self, x):
        self.x = nnx.data(x)
        self.size = nnx.static(3)
"""
_RNGS = """\
class NnxRandom(nnx.Module):
    def __init__(self, x):
        self.x = x
        self.rngs = nnx.Rngs(params=0, dropout=1)
"""


def _module(name: str, template: str, *definitions: str) -> Kind:
    return Kind("nnx-module", template, definitions, tuple(f"nnx:{one}" for one in name.split()))


def _layer(name: str, template: str) -> Kind:
    return Kind("nnx-layer", template, (), tuple(f"nnx:{one}" for one in name.split()))


def _plain(template: str, feature: str) -> Kind:
    return Kind("nnx-plain", template, (_BOX,), (feature,), needs=(PLAIN_CONTAINERS,))


NNX_MODULES: Sequence[Kind] = (
    _module("box", "NnxBox($0)", _BOX),
    _module("pair", "NnxPair($0, $1)", _PAIR),
    _module("static", "NnxNamed($0)", _STATIC),
    _module("derived", "NnxDerived($0, $1)", _BOX, _DERIVED),
    _module("property", "NnxProperty($0)", _PROPERTY),
    _module("tied", "NnxTied($0, $1)", _TIED),
    _module("dataclass", "NnxRecord($0)", _DATACLASS),
    _module("pytree", "NnxPytree($0)", _PYTREE),
    _module("object", "NnxObject($0)", _OBJECT),
    _module("data", "NnxData($0)", _DATA),
    _module("number", "NnxNumber($0)", _NUMBER),
    _module("marked", "NnxMarked($0)", _MARKED),
    _module("rngs", "NnxRandom($0)", _RNGS),
    *NNX_CLASSES.alone(),
    *NNX_CLASSES.of_run(),
)
# Reference cycles: not a tree, so only for the graph functions.
NNX_CYCLES: Sequence[Kind] = (
    _module("cycle", "NnxLoop($0)", _SELF),
    _module("cycle", "NnxParent($0)", _BOX, _PARENT),
)
# `nnx:slow`: over 100 ms for the first one in a process.
NNX_LAYERS: Sequence[Kind] = (
    _layer("linear", "nnx.Linear(2, 2, rngs=nnx.Rngs(0))"),
    _layer("linear no-bias", "nnx.Linear(2, 2, use_bias=False, rngs=nnx.Rngs(0))"),
    _layer("batch-norm", "nnx.BatchNorm(2, rngs=nnx.Rngs(0))"),
    _layer("layer-norm", "nnx.LayerNorm(2, rngs=nnx.Rngs(0))"),
    _layer("dropout", "nnx.Dropout(0.5, rngs=nnx.Rngs(0))"),
    _layer("rngs", "nnx.Rngs(0)"),
    _layer("rngs", "nnx.Rngs(params=0, dropout=1)"),
    _layer("sequential", "nnx.Sequential(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), jnp.tanh)"),
    _layer("embed slow", "nnx.Embed(2, 2, rngs=nnx.Rngs(0))"),
    _layer("conv slow", "nnx.Conv(1, 1, (2,), rngs=nnx.Rngs(0))"),
    _layer("lora slow", "nnx.LoRA(2, 1, 2, rngs=nnx.Rngs(0))"),
    _layer("gru slow", "nnx.GRUCell(2, 2, rngs=nnx.Rngs(0))"),
    _layer("metric multi", "nnx.MultiMetric(loss=nnx.metrics.Average('loss'))"),
)
# NumPy, because under a trace some releases do not accept a JAX array.
_ARRAY = "nnx.Param(np.float32([1.0]))"
NNX_CONTAINERS: Sequence[Kind] = (
    Kind("nnx-list", "nnx.List([$0, $1])", (), ("nnx:list",)),
    Kind("nnx-list", "nnx.List([$0])", (), ("nnx:list",)),
    Kind("nnx-list", "nnx.List([])", (), ("nnx:list", "nnx:empty")),
    Kind("nnx-dict", "nnx.Dict({'b': $0, 'a': $1})", (), ("nnx:dict",)),
    Kind("nnx-dict", "nnx.Dict({'a': $0})", (), ("nnx:dict",)),
    _plain(f"NnxBox([{_ARRAY}, $0])", "nnx:plain-list"),
    _plain(f"NnxBox({{'b': {_ARRAY}, 'a': $0}})", "nnx:plain-dict"),
)
_STATICS = ("1", "2.5", "None", "True")


@functools.cache
def statics() -> st.SearchStrategy[Recipe]:
    """Draw a value that is not data: a number, a string, None, a tuple, a function."""
    features = frozenset({"leaf", "attribute:static"})
    others = features | {"attribute:no-number"}
    function = Recipe((), (), "jnp.tanh", others | {"attribute:function"})
    text = Recipe((), (), "'text'", others | {"attribute:text"})
    plain = [Recipe((), (), value, features) for value in _STATICS]
    return st.sampled_from([*plain, Recipe((), (), "(1, 'two')", others), text, function])


def attributes(*, hooks: bool = False, static: bool = True) -> st.SearchStrategy[Recipe]:
    """Draw what an attribute of an NNX module can be: a Variable, an array, a static value.

    Args:
        hooks: also draw Variables with hooks; default `False`.
        static: also draw values that are not data, such as strings; default `True`.
    """
    return st.one_of(
        variables(hooks=hooks),
        # Flax is imported when the first one is drawn.
        st.deferred(_bare_arrays),
        *([statics()] if static else []),
    )


def _bare_arrays() -> st.SearchStrategy[Recipe]:
    return st.nothing() if ARRAY_ATTRIBUTES.lacking() else _marked(arrays(), "attribute:array")


def _marked(strategy: st.SearchStrategy[Recipe], feature: str) -> st.SearchStrategy[Recipe]:
    def mark(recipe: Recipe) -> Recipe:
        features = recipe.features | {feature}
        return Recipe(recipe.definitions, recipe.statements, recipe.expression, features)

    return strategy.map(mark)


@st.composite
def nnx_modules(
    draw: st.DrawFn,
    leaves: st.SearchStrategy[Recipe] | None = None,
    *,
    roots: Sequence[Kind] = NNX_MODULES,
    kinds: Sequence[Kind] | None = None,
    layers: bool = True,
    cycles: bool = False,
    max_leaves: int = 4,
    alias: bool = True,
    history: bool = False,
) -> Recipe:
    """Draw a Flax NNX module that holds Variables, arrays, static values and other modules.

    Args:
        leaves: strategy of the recipes of attributes; default `attributes()`.
        roots: the kinds that the root is drawn from; default users' modules of every shape.
        kinds: the kinds of modules inside; default users' modules, lists and dicts.
        layers: let it hold the library's own layers and `Rngs`; default `True`.
        cycles: let references lead back to a module that holds them; default `False`.
        max_leaves: leaf budget, at least 1; default 4.
        alias: let one Variable or one module occur twice; default `True`.
        history: draw a prior operation on the module; default `False`.

    Raises:
        ValueError: `max_leaves` is below 1, or `roots` is empty.
        RuntimeError: flax is not installed, or takes none of `roots`.
    """
    quick = tuple(kind for kind in NNX_LAYERS if "nnx:slow" not in kind.features)
    cyclic = tuple(NNX_CYCLES) if cycles else ()
    own = (*NNX_MODULES, *NNX_CONTAINERS) if kinds is None else tuple(kinds)
    inner = (*own, *(quick if layers else ()), *cyclic)
    scope = Scope()
    expression = draw_tree(
        draw,
        scope,
        leaves=attributes() if leaves is None else leaves,
        kinds=inner,
        roots=(*roots, *cyclic),
        max_leaves=max_leaves,
        alias=alias,
    )
    if history:
        expression = scope.bind("module", expression)
        prior_operations.apply(draw, scope, expression, NNX_PRIOR_OPERATIONS)
    return scope.recipe(expression)
