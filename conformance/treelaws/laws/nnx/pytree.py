"""Flax NNX: modules as PyTrees and as Python objects: maps, copies, look-ups, printing."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees import NNX_MODULES, nnx_modules
from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true
from treelaws.laws._carried import carried

from ._inputs import compilable
from ._model import apart, described, references, same_graph, same_rows

law = Topic("nnx.pytree", "Flax NNX: modules as PyTrees and objects", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_COPY = "https://docs.python.org/3/library/copy.html#copy.deepcopy"
_PICKLE = "https://docs.python.org/3/library/pickle.html#pickling-class-instances"
_DATA_MODEL = "https://docs.python.org/3/reference/datamodel.html#object.__getattr__"
# Attributes that other libraries look up on any object.
_PROTOCOLS = (
    *("__jax_array__", "__array__", "__array_interface__", "__array_priority__", "__len__"),
    *("__iter__", "__deepcopy__", "__wrapped__", "__fspath__", "_repr_html_", "shape", "dtype"),
)
_SHARED = {
    "alias:leaf",
    "alias:subtree",
    "nnx:tied",
    "nnx:data",
    "nnx:object",
}
# A deep copy of a compiled function, such as `jnp.tanh`, is not equal to the function.
_COMPILED = {"attribute:function", "nnx:sequential", "nnx:static"}
# Compiled and local functions, such as initialisers, have no name to be pickled by.
_UNPICKLABLE = {*_COMPILED, "nnx:linear"}
_PYTREES = tuple(kind for kind in NNX_MODULES if "nnx:object" not in kind.features)
_ANY = cases(module=nnx_modules(cycles=True, history=True))
_OWN_REPR = {"nnx:own-repr", "variable-type:own-repr"}
_PRINTED = _ANY.filter(lambda recipe: not _OWN_REPR & recipe.features)
_OWN = nnx_modules(cycles=True)
_COPIED = cases(module=_OWN.filter(lambda recipe: not _COMPILED & recipe.features))
_PICKLED = cases(module=_OWN.filter(lambda recipe: not _UNPICKLABLE & recipe.features))
_TREES = cases(
    module=nnx_modules(roots=_PYTREES, alias=False, max_leaves=3, history=True).filter(
        lambda recipe: not _SHARED & recipe.features
    )
)


class _Boxed(NamedTuple):
    """A node that a map puts in place of each leaf; no drawn module contains one."""

    leaf: Any


@law(
    "`tree_map` of the identity over a module keeps types, metadata and static attributes",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES,
)
def a_map_keeps_types_and_metadata(lib, case):
    """Modules have no shared references, since `tree_map` does not preserve them."""
    same_graph(jtu.tree_map(lambda leaf: leaf, case.module), case.module)


@law(
    "`tree_map` over a module changes its leaves and nothing else",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES,
    parents=[a_map_keeps_types_and_metadata],
)
def a_map_changes_the_leaves_alone(lib, case):
    before = described(case.module)
    back = jtu.tree_map(_Boxed, case.module)
    same(jtu.tree_leaves(back), jtu.tree_leaves(case.module), identical=True)
    # Each leaf is in a box now; taking the leaves out must restore the module.
    unboxed = jtu.tree_map(lambda box: box.leaf, back, is_leaf=lambda node: type(node) is _Boxed)
    same_graph(unboxed, case.module)
    same_rows(described(case.module), before)


@law(
    "`tree_map` over a module returns a new module with new Variables",
    source=f"{_GUIDE}#reference-sharing",
    level="should",
    needs={"modules_are_nodes"},
    case=_TREES,
)
def a_mapped_module_is_apart(lib, case):
    apart(jtu.tree_map(lambda leaf: leaf, case.module), case.module)


@law(
    "`jax.jit` of the identity returns an equal module",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES.filter(compilable),
)
def jit_of_the_identity_keeps_the_module(lib, case):
    """Numbers that are data come out as arrays; strings marked as data are left out."""
    wanted = jtu.tree_map(jnp.asarray, case.module)
    same_graph(jax.jit(lambda module: module)(case.module), wanted)


@law(
    "`copy.deepcopy(module)` is an equal graph that shares no object with the module",
    source=_COPY,
    needs={"Module"},
    case=_COPIED,
)
def deepcopy_is_an_equal_graph(lib, case):
    """The copy has the same shared references and the same cycles."""
    back = copy.deepcopy(case.module)
    same_graph(back, case.module)
    apart(back, case.module)


@law(
    "`pickle.loads(pickle.dumps(module))` is an equal graph",
    source=_PICKLE,
    level="should",
    needs={"Module"},
    case=_PICKLED,
)
def pickle_is_an_equal_graph(lib, case):
    same_graph(pickle.loads(carried(pickle.dumps(case.module))), case.module)


@law(
    "`copy.copy(module)` holds the same objects; a new attribute of the copy is not in the module",
    source="https://docs.python.org/3/library/copy.html#copy.copy",
    level="should",
    needs={"Module"},
    case=_ANY,
)
def copy_holds_the_very_attributes(lib, case):
    held, back = dict(vars(case.module)), copy.copy(case.module)
    true(back is not case.module, back, "a new module")
    kept = [vars(back).get(name) is value for name, value in held.items()]
    true(all(kept) and len(vars(back)) == len(held), vars(back), f"{held}")
    back.zz_new = 1
    true(not hasattr(case.module, "zz_new"), case.module, "no attribute zz_new")


@law(
    "reading a missing attribute of a module raises AttributeError",
    source=_DATA_MODEL,
    needs={"Module"},
    case=_ANY,
)
def a_missing_attribute_is_an_attribute_error(lib, case):
    """Also before `__init__`, as `copy` and `pickle` do; Rngs are left out: they have a default."""
    modules = [one for _, one in references(case.module) if isinstance(one, lib.Module)]
    for module in (*modules, *(object.__new__(type(one)) for one in modules)):
        held = {*dir(type(module)), *vars(module)}
        names = [name for name in _PROTOCOLS if name not in held]
        for name in (*names, "no_such_attribute"):
            refuses(AttributeError, lambda module=module, name=name: getattr(module, name))


@law(
    "printing a module and looking up protocols such as `__array__` do not change it",
    source=_DATA_MODEL,
    level="should",
    needs={"Module"},
    case=_ANY,
)
def looking_changes_nothing(lib, case):
    before = described(case.module)
    for name in _PROTOCOLS:
        hasattr(case.module, name)
    repr(case.module)
    same_rows(described(case.module), before)


@law(
    "`repr` and `str` of a module name its type, also with cycles and unusual values",
    source="https://docs.python.org/3/reference/datamodel.html#object.__repr__",
    level="should",
    needs={"Module"},
    case=_PRINTED,
)
def every_module_can_be_printed(lib, case):
    for _, one in references(case.module):
        name = type(one).__name__
        true(name in repr(one) and name in str(one), repr(one), f"text that names {name}")
