"""Flax NNX Variables: each type that the library has, users' own types, metadata, hooks."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.classes.grammar.nnx_variables import NNX_VARIABLE_CLASSES
from hypothesis_pytrees.classes.grammar.writing import Grown
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import HOOK_LISTS, HOOKS, Since
from hypothesis_pytrees.leaves.leaves import (
    INEXACT_ARRAYS,
    JAX_ARRAYS,
    NUMPY_ARRAYS,
    NUMPY_SCALARS,
    PRNG_KEYS,
    PYTHON_SCALARS,
    arrays,
    pool,
)

OWN_PARAM = """\
class NnxWeight(nnx.Param):
    pass
"""
OWN_VARIABLE = """\
class NnxCounter(nnx.Variable):
    pass
"""
_DOUBLED = """\
class NnxDoubled(nnx.Variable):
    def on_get_value(self, value):
        return jtu.tree_map(lambda leaf: leaf * 2, value)
"""
_HALVED = """\
class NnxHalved(nnx.Param):
    def on_set_value(self, value):
        return jtu.tree_map(lambda leaf: leaf * 0.5, value)
"""
_HOOK = """\
def nnx_halve(variable, value):
    return jtu.tree_map(lambda leaf: leaf * 0.5, value)
"""
_ONE = "jax.device_put(np.float32(1.0))"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class VariableType:
    """One way to write a Variable: `$value` stands for its value, `$options` for its metadata.

    Args:
        name: the type, as it is written.
        template: the expression.
        definitions: texts of the classes and functions that it needs.
        features: names of what is special about it.
        factor: what its hook multiplies the value by.
        needs: the releases that run its hook; others take the name for metadata.
    """

    name: str
    template: str
    definitions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    factor: float = 1.0
    needs: Since | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def hooked(self) -> bool:
        """Whether reading or writing it changes the value."""
        return "variable:hook" in self.features


def _variable(name: str, *definitions: str, hook: str = "", factor: float = 1.0) -> VariableType:
    features = ("variable:hook", f"hook:{hook}", "hook:method") if hook else ()
    return VariableType(name, f"{name}($value$options)", definitions, features, factor)


def _grown(kind: Grown) -> VariableType:
    name = kind.template.removesuffix("($0)")
    # What pops Intermediates pops it, too.
    popped = ("variable:nnx.Intermediate",) * ("variable-type:intermediate" in kind.features)
    features = ("variable:own", *popped, *kind.features)
    return VariableType(name, f"{name}($value$options)", kind.definitions, features)


def _hooked(cls: str, name: str, hook: str, needs: Since) -> VariableType:
    features = ("variable:hook", f"hook:{hook}", "hook:argument")
    template = f"{cls}($value$options, {name}=nnx_halve)"
    return VariableType(cls, template, (_HOOK,), features, 0.5, needs)


VARIABLE_TYPES: Sequence[VariableType] = (
    _variable("nnx.Param"),
    _variable("nnx.BatchStat"),
    _variable("nnx.Cache"),
    _variable("nnx.Intermediate"),
    _variable("nnx.Variable"),
    _variable("NnxWeight", OWN_PARAM),
    _variable("NnxCounter", OWN_VARIABLE),
)
# Users' own types, which the grammar writes.
OWN_TYPES: Sequence[VariableType] = tuple(
    map(_grown, (*NNX_VARIABLE_CLASSES.alone(), *NNX_VARIABLE_CLASSES.of_run()))
)
HOOKED_TYPES: Sequence[VariableType] = (
    _variable("NnxDoubled", _DOUBLED, hook="get", factor=2.0),
    _variable("NnxHalved", _HALVED, hook="set", factor=0.5),
    _hooked("nnx.Param", "on_get_value", "get", HOOKS),
    _hooked("nnx.Cache", "on_set_value", "set", HOOKS),
    _hooked("nnx.Param", "get_value_hooks", "get", HOOK_LISTS),
    _hooked("nnx.Cache", "set_value_hooks", "set", HOOK_LISTS),
)
# Two orders of the same names: metadata is a mapping.
_METADATA = ("", "", ", tag='encoder'", ", tag='decoder', rank=2", ", rank=2, tag='decoder'")
# Values of entries; hashable, since it becomes part of the tree's structure.
METADATA_VALUES = (
    *("1", "True", "0.5", "'text'", "None", "('rows', 'columns')", "()", "(1, (2, 'x'))", "''"),
    *(
        "jnp.float32",
        "frozenset({1})",
        "math.sqrt",
        "slice(None)",
        "jax.sharding.PartitionSpec('x')",
    ),
)
# A place, which older releases of JAX cannot copy deeply.
PLACE_VALUES = ("jax.sharding.SingleDeviceSharding(jax.devices('cpu')[0])",)
_METADATA_NAMES = ("rank", "tag", "first", "_private", "mesh_axes", "dtype_name")


def values() -> st.SearchStrategy[Recipe]:
    """Draw what a Variable can hold: arrays, keys, numpy arrays, numbers, and trees of arrays."""
    scalars = (
        *NUMPY_SCALARS,
        *(kind for kind in PYTHON_SCALARS if "leaf-is:big" not in kind.features),
    )
    return st.one_of(
        arrays(), pool((*PRNG_KEYS, *NUMPY_ARRAYS)), pool(scalars), st.sampled_from(_trees())
    )


@functools.cache
def _trees() -> tuple[Recipe, ...]:
    texts = (f"({_ONE},)", f"[{_ONE}, {{'b': {_ONE}, 'a': None}}]", "()")
    tree, mapping = frozenset({"value:tree"}), frozenset({"value:tree", "value:mapping"})
    plain = [Recipe((), (), text, tree) for text in texts]
    return (*plain, Recipe((), (), f"{{'a': {_ONE}}}", mapping))


def metadata(*, places: bool = False) -> st.SearchStrategy[list[tuple[str, str]]]:
    """Draw metadata: names with the texts of their values, in any order.

    Args:
        places: also draw shardings as values; default `False`.
    """
    table = (*METADATA_VALUES, *PLACE_VALUES * (3 if places else 0))
    pairs = st.tuples(st.sampled_from(_METADATA_NAMES), st.sampled_from(table))
    return st.lists(pairs, max_size=3, unique_by=lambda pair: pair[0])


@functools.cache
def _types(types: tuple[VariableType, ...]) -> tuple[VariableType, ...]:
    """Leave out the types whose hooks the installed release does not run."""
    return tuple(one for one in types if one.needs is None or not one.needs.lacking())


def hooked_types() -> tuple[VariableType, ...]:
    """Return the types with a hook that the installed release runs."""
    return _types(tuple(HOOKED_TYPES))


@functools.cache
def _type(types: tuple[VariableType, ...] | None, hooks: bool) -> st.SearchStrategy[VariableType]:
    table = _types(tuple(VARIABLE_TYPES) if types is None else types)
    of_library = st.sampled_from((*table, *hooked_types()) if hooks else table)
    return of_library | st.sampled_from(OWN_TYPES) if types is None else of_library


@st.composite
def variables(
    draw: st.DrawFn,
    values: st.SearchStrategy[Recipe] | None = None,
    *,
    types: Sequence[VariableType] | None = None,
    metadata: bool = True,
    hooks: bool = False,
) -> Recipe:
    """Draw a Flax NNX Variable.

    Args:
        values: strategy of the recipes of its value; default a `jax.Array` of any dtype.
        types: the types that it is drawn from, simple ones first; default `VARIABLE_TYPES` and, as
            often, `OWN_TYPES`.
        metadata: let it carry metadata; default `True`.
        hooks: also draw Variables whose `on_get_value` or `on_set_value` changes the value;
            their values are then floating arrays, and default `False`.

    Raises:
        ValueError: `types` is empty.
    """
    if types is not None and not types:
        raise ValueError("types is empty; give at least one of VARIABLE_TYPES")
    kind = draw(_type(types if types is None else tuple(types), hooks))
    if kind.hooked:
        values = pool(tuple(INEXACT_ARRAYS))
    value = draw(pool(tuple(JAX_ARRAYS)) if values is None else values)
    options = draw(st.sampled_from(_METADATA)) if metadata else ""
    scope = Scope()
    scope.define(*kind.definitions)
    text = kind.template.replace("$value", scope.include(value)).replace("$options", options)
    scope.note("leaf", "variable", *kind.features)
    if kind not in OWN_TYPES:
        scope.note(f"variable:{kind.name}")
    if options:
        scope.note("variable:metadata")
    return scope.recipe(text)
