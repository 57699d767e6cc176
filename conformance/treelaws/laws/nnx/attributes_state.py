"""Flax NNX: the State of an object holds what the object holds as a PyTree."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope, trees
from hypothesis_pytrees.leaves.leaves import usable_pool
from treelaws.equality import same

from .attributes import law

_FIX = "https://github.com/google/flax/pull/5227"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.state"
_NEEDS = {"state", "data", "static", "states_hold_data"}
_ARRAY = "jax.device_put(np.float32([1.0, {}]))"


def _leaf(kind: str, text: str) -> Kind:
    return Kind("leaf", text, (), (f"held:{kind}",))


_HELD = usable_pool(
    (
        _leaf("array", _ARRAY.format(2.0)),
        _leaf("array", "np.int32([3, 4])"),
        _leaf("array", "jax.random.key(0)"),
        _leaf("variable", f"nnx.Param({_ARRAY.format(5.0)})"),
        _leaf("variable", "nnx.BatchStat(6.0)"),
        _leaf("variable", f"nnx.Variable(({_ARRAY.format(7.0)}, 8))"),
        _leaf("object", f"nnx.Dict(x=nnx.Param({_ARRAY.format(9.0)}), y=nnx.data(10))"),
        _leaf("object", "nnx.List([nnx.Rngs(0), nnx.Linear(1, 2, rngs=nnx.Rngs(1))])"),
        _leaf("object", "nnx.Dict(x=nnx.static((11, 12)), y='text')"),
        # Values that are data only because of their mark.
        *(_leaf("unmarked", text) for text in ("13", "14.5", "True", "'text'", "jnp.tanh")),
        _leaf("unmarked", "np.float32(15.0)"),
    )
)
_HOLDER = """\
class NnxStateHolder(nnx.Module):
    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)
"""
_PLAIN = """\
class NnxStatePytree(nnx.Pytree):
    scale = 2.0

    def __init__(self, **attributes):
        self.name = 'text'
        self.sizes = (2, 3)
        self.missing = None
        for name in reversed(attributes):
            setattr(self, name, attributes[name])
"""
_OBJECTS = {
    "NnxStateHolder(a={}, b={})": (_HOLDER,),
    "NnxStateHolder(b={}, a=nnx.Dict(c={}))": (_HOLDER,),
    "NnxStatePytree(b={}, a={})": (_PLAIN,),
    "NnxStatePytree(a={}, inner=nnx.List([{}]))": (_PLAIN,),
    "nnx.Dict(b={}, a={})": (),
    "nnx.List([{}, {}])": (),
}


@st.composite
def _objects(draw: st.DrawFn) -> Recipe:
    """Draw `node`, an object with two attributes, each of which is a leaf or a container of some.

    A leaf in a container has the feature `inside:` with its kind.
    """
    scope = Scope()
    text = draw(st.sampled_from(tuple(_OBJECTS)))
    scope.define(*_OBJECTS[text])
    marked = []
    for name in ("first", "second"):
        mark = draw(st.sampled_from(("nnx.data", "nnx.data", "nnx.static")))
        inside = draw(st.booleans()) and mark == "nnx.data"
        # A static attribute holds no data.
        value = _HELD if mark == "nnx.data" else st.just(Recipe((), (), "('a', 1)", frozenset()))
        if inside:
            # One object in two places is one entry of the State and two leaves.
            value = trees(_HELD, kinds=CONTAINERS, roots=CONTAINERS, max_leaves=3, alias=False)
        recipe = draw(value)
        scope.bind(name, recipe)
        held = [one for one in recipe.features if one.startswith("held:")]
        scope.note(f"mark:{mark}", *(one.replace("held", "inside") for one in held if inside))
        marked.append(f"{mark}({name})")
    scope.bind("node", text.format(*marked))
    return scope.recipe()


@law(
    "the State of an object has the leaves that the object has as a PyTree, in any order, if the "
    "object holds no Variable twice",
    source=_FIX,
    level="should",
    needs=_NEEDS,
    case=_objects(),
)
def the_state_holds_the_leaves(lib, case):
    same(_sorted(lib.state(case.node)), _sorted(case.node), identical=True)


@law(
    "with `graph=False`, the State of an object has the leaves that the object has as a PyTree, in "
    "any order, if the object holds no Variable twice",
    # "treats Modules as regular JAX pytrees"
    source=_API,
    level="should",
    needs={*_NEEDS, "tree_mode"},
    case=_objects(),
)
def the_state_of_a_tree_holds_the_leaves(lib, case):
    same(_sorted(lib.state(case.node, graph=False)), _sorted(case.node), identical=True)


def _sorted(tree):
    """Return the leaves of a tree, ordered by their identity.

    Two trees that hold the same objects in another order give equal lists.
    """
    return sorted(jtu.tree_leaves(tree), key=id)
