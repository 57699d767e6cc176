"""Functions that hold values in every place that Python has for them, and objects with a shape."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.structures import structures

_MODULE = """\
class HoldingModule(eqx.Module):
    held: typing.Any

    def __call__(self, tree):
        return tree, self.held

    def call(self, tree):
        return tree, self.held
"""
_OBJECT = """\
class HoldingObject:
    def __init__(self, held):
        self.held = held

    def __call__(self, tree):
        return tree, self.held

    def call(self, tree):
        return tree, self.held
"""
# Bodies of a function of `held` that returns a function of a tree.
_PLACES = {
    "closure": "return lambda tree: (tree, held)",
    "inner-closure": "return lambda tree: (lambda: (tree, held))()",
    "closure-of-closure": "inner = lambda: held\n    return lambda tree: (tree, inner())",
    "container": "box = {'kept': [held]}\n    return lambda tree: (tree, box['kept'][0])",
    "default": "return lambda tree, held=held: (tree, held)",
    "keyword-default": "return lambda tree, *, held=held: (tree, held)",
    "default-container": "return lambda tree, box={'kept': held}: (tree, box['kept'])",
    "default-function": "return lambda tree, inner=lambda: held: (tree, inner())",
    "default-of-closure": "inner = lambda held=held: held\n    return lambda tree: (tree, inner())",
    "attribute": (
        "def function(tree):\n        return tree, function.held\n\n"
        "    function.held = held\n    return function"
    ),
    "class": (
        "class Local:\n        kept = held\n\n        @staticmethod\n        def call(tree):\n"
        "            return tree, Local.kept\n\n    return Local.call"
    ),
    "partial": "return functools.partial(lambda held, tree: (tree, held), held)",
    "keyword-partial": "return functools.partial(lambda tree, held: (tree, held), held=held)",
    "partial-of-default": "return functools.partial(lambda tree, held=held: (tree, held))",
    "tree-partial": "return jtu.Partial(lambda held, tree: (tree, held), held)",
    "compiled": "inner = jax.jit(lambda: held)\n    return lambda tree: (tree, inner())",
    "wrapped": "return functools.wraps(len)(lambda tree: (tree, held))",
    "module": "return HoldingModule(held)",
    "method-of-module": "return HoldingModule(held).call",
    "object": "return HoldingObject(held)",
    "method-of-object": "return HoldingObject(held).call",
}
_RECORD = """\
@dataclasses.dataclass
class ShapedRecord:
    shape: tuple
    dtype: object
"""
_SLOTS = """\
class ShapedSlots:
    __slots__ = ('dtype', 'shape')

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype
"""
_PROPERTIES = """\
class ShapedByProperty:
    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype
"""
_SUBCLASS = """\
class ShapedStruct(jax.ShapeDtypeStruct):
    pass
"""
_SHAPED = {
    "namespace": ("types.SimpleNamespace(shape={0}, dtype={1})", "import types"),
    "record": ("ShapedRecord({0}, {1})", _RECORD),
    "slots": ("ShapedSlots({0}, {1})", _SLOTS),
    "properties": ("ShapedByProperty(np.zeros({0}, {1}))", _PROPERTIES),
    "attributes": ("type('ShapedByClass', (), dict(shape={0}, dtype={1}))()", ""),
    "struct-subclass": ("ShapedStruct({0}, {1})", _SUBCLASS),
    "struct": ("jax.ShapeDtypeStruct({0}, {1})", ""),
    "numpy": ("np.zeros({0}, {1})", ""),
    "jax": ("jax.device_put(np.zeros({0}, {1}))", ""),
}
_OF_JAX = ("struct-subclass", "struct", "numpy", "jax")
_SHAPES = ("(2,)", "()", "(0, 3)", "(2, 1, 3)")
_DTYPES = ("float32", "int32", "bool", "bfloat16", "complex64")
_AROUND = ("{0}", "[{0}, 1]", "dict(a={0}, b='on')", "(None, [{0}])", "jtu.Partial(max, {0})")


@st.composite
def holders(draw: st.DrawFn) -> Recipe:
    """Bind a tree, `closed`, a tree of arrays, and `hold`, which puts values into a function.

    Features: `held-in:<place>`.
    """
    scope = Scope()
    place = draw(st.sampled_from(list(_PLACES)))
    scope.note(f"held-in:{place}")
    scope.define(_MODULE, _OBJECT)
    name = f"hold_in_{place.replace('-', '_')}"
    scope.define(f"def {name}(held):\n    {_PLACES[place]}\n")
    scope.bind("tree", draw(structures(finite=True)))
    scope.bind("closed", draw(structures(statics=False, finite=True, inexact=True)))
    scope.bind("hold", name)
    return scope.recipe()


@st.composite
def shaped(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, which holds an object with a shape and a dtype, and `struct`: the same tree.

    In `struct` a `ShapeDtypeStruct` takes its place. Features: `shaped:<kind>`, and
    `shaped:foreign` unless it is an array or `ShapeDtypeStruct`.
    """
    scope = Scope()
    kind = draw(st.sampled_from(list(_SHAPED)))
    text, definition = _SHAPED[kind]
    if definition:
        scope.define(definition)
    scope.note(f"shaped:{kind}", "shaped:array" if kind in _OF_JAX else "shaped:foreign")
    shape, dtype = draw(st.sampled_from(_SHAPES)), draw(st.sampled_from(_DTYPES))
    around = draw(st.sampled_from(_AROUND))
    for name, leaf in (("tree", text), ("struct", _SHAPED["struct"][0])):
        scope.bind(name, around.format(leaf.format(shape, f"jnp.dtype('{dtype}')")))
    return scope.recipe()
