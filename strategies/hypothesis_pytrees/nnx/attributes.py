"""Operations on attributes of Flax NNX modules, as text: set, mark, remove, set again."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool

from .modules import attributes, nnx_modules, statics

_SOW = """\
def nnx_sow(module, value):
    import warnings

    with warnings.catch_warnings():
        # Newer releases prefer a call within `nnx.capture`.
        warnings.simplefilter('ignore', DeprecationWarning)
        module.sow(nnx.Intermediate, 'extra', value)
"""
_INNER = """\
def nnx_last_inner(module):
    held = [value for _, value in nnx.iter_graph(module) if isinstance(value, nnx.Module)]
    return held[0] if held else module
"""


def _round(name: str, template: str, *definitions: str) -> Kind:
    return Kind("attribute-round", template, definitions, (f"round:{name}",))


# Each sets the attribute `extra` of `node` to `$0` and removes it again.
ROUNDS: Sequence[Kind] = (
    _round("delete", "[setattr(node, 'extra', $0), delattr(node, 'extra')]"),
    _round(
        "twice",
        "[setattr(node, 'extra', $0), setattr(node, 'extra', $0), delattr(node, 'extra')]",
    ),
    _round("sow-pop", "[nnx_sow(node, $0), nnx.pop(node, nnx.Intermediate)]", _SOW),
    _round(
        "sow-pop", "[nnx_sow(node, $0), nnx_sow(node, $0), nnx.pop(node, nnx.Intermediate)]", _SOW
    ),
    _round(
        "pop",
        "[setattr(node, 'extra', nnx.Intermediate($0)), nnx.pop(node, nnx.Intermediate)]",
    ),
    _round("data", "[setattr(node, 'extra', nnx.data($0)), delattr(node, 'extra')]"),
    _round("static", "[setattr(node, 'extra', nnx.static('text')), delattr(node, 'extra')]"),
)
# In a module that holds an Intermediate, `pop` takes more than the attribute `extra`.
_NOT_POPPABLE = {"variable:nnx.Intermediate", "nnx:object", "nnx:pytree"}
_VALUES: Sequence[Kind] = (
    Kind("leaf", "jax.device_put(np.float32([1.0, 2.0]))", (), ("value:array",)),
    Kind("leaf", "np.float32([1.0, 2.0])", (), ("value:numpy",)),
    Kind("leaf", "np.array(['a', 'b'])", (), ("value:numpy",)),
    Kind("leaf", "jax.random.key(0)", (), ("value:key",)),
    Kind("leaf", "nnx.Param(1.0)", (), ("value:variable",)),
    Kind("leaf", "nnx.Rngs(0)", (), ("value:module",)),
    Kind("leaf", "nnx.List([1])", (), ("value:module",)),
    Kind("leaf", "nnx.Dict(a=nnx.Param(1.0))", (), ("value:module",)),
)
_NO_DATA: Sequence[Kind] = (
    Kind("leaf", "1", (), ("value:static",)),
    Kind("leaf", "'text'", (), ("value:static",)),
    Kind("leaf", "None", (), ("value:static",)),
    Kind("leaf", "2.5", (), ("value:static",)),
    Kind("leaf", "True", (), ("value:static",)),
    Kind("leaf", "jnp.tanh", (), ("value:static",)),
    Kind("leaf", "nnx.Param", (), ("value:static",)),
    Kind("leaf", "(1, 'two')", (), ("value:static",)),
    Kind("leaf", "[1, 2]", (), ("value:static",)),
    Kind("leaf", "{'a': 1}", (), ("value:static",)),
)
# Containers with data inside, which are not data themselves.
_HIDING: Sequence[Kind] = (
    Kind("leaf", "[jax.device_put(np.float32(1.0))]", (), ("value:list",)),
    Kind("leaf", "{'a': nnx.Param(jax.device_put(np.float32(1.0)))}", (), ("value:dict",)),
    Kind("leaf", "(1, [jax.device_put(np.float32(1.0))])", (), ("value:tuple",)),
    Kind("leaf", "[nnx.Dict(a=nnx.Param(jax.device_put(np.float32(1.0))))]", (), ("value:list",)),
)


def data_values() -> st.SearchStrategy[Recipe]:
    """Draw a value that is data: an array of JAX or NumPy, a key, a Variable, a module."""
    return st.deferred(lambda: pool(available(_VALUES)))


def static_values() -> st.SearchStrategy[Recipe]:
    """Draw a value that is not data: a number, a string, a function, a container of such."""
    return pool(tuple(_NO_DATA))


def hiding_values() -> st.SearchStrategy[Recipe]:
    """Draw a list, dict or tuple with data inside, which is not data itself."""
    return st.deferred(lambda: pool(available(_HIDING)))


@st.composite
def attribute_rounds(draw: st.DrawFn) -> Recipe:
    """Draw `module`, the `node` in it that is changed, and a function `change`.

    `change` sets the attribute `extra` of the node and removes it, some times over. If it was ever
    static, the feature is `round:static`.
    """
    scope = Scope()
    module = draw(nnx_modules(history=True, max_leaves=3))
    scope.bind("module", module)
    scope.define(_INNER)
    scope.bind("node", draw(st.sampled_from(("module", "nnx_last_inner(module)"))))
    rounds = [kind for kind in available(ROUNDS) if _fits(kind, scope)]
    chosen = draw(st.lists(st.sampled_from(rounds), min_size=1, max_size=2))
    texts = []
    for kind in chosen:
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        value = ""
        if kind.arity:
            drawn = draw(_value_for(kind))
            value = scope.bind("value", drawn)
            scope.note(*("round:static" for one in drawn.features if one == "attribute:static"))
        texts.append(kind.text([value] * kind.arity))
    scope.bind("change", f"lambda: [{', '.join(texts)}]")
    return scope.recipe()


def _fits(kind: Kind, scope: Scope) -> bool:
    return not (_pops(kind) and _NOT_POPPABLE & scope.features)


def _pops(kind: Kind) -> bool:
    return any("pop" in feature for feature in kind.features)


def _value_for(kind: Kind) -> st.SearchStrategy[Recipe]:
    # Sown values are data.
    return pool(tuple(_VALUES[:2])) if _pops(kind) else st.one_of(attributes(), statics())
