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

from ._inputs import compilable
from ._model import apart, described, references, same_graph, same_rows

law = Topic("nnx.pytree", "Flax NNX: modules as PyTrees and objects", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_COPY = "https://docs.python.org/3/library/copy.html#copy.deepcopy"
_PICKLE = "https://docs.python.org/3/library/pickle.html#pickling-class-instances"
_DATA_MODEL = "https://docs.python.org/3/reference/datamodel.html#object.__getattr__"
# What other libraries ask an object for.
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
    "attribute:function",
}
_COPIABLE = {"attribute:function", "nnx-layer", "nnx:static"}
_PYTREES = tuple(kind for kind in NNX_MODULES if "nnx:object" not in kind.features)
_ANY = cases(module=nnx_modules(cycles=True, history=True))
_OWN = cases(module=nnx_modules(cycles=True).filter(lambda recipe: not _COPIABLE & recipe.features))
_TREES = cases(
    module=nnx_modules(roots=_PYTREES, alias=False, max_leaves=3, history=True).filter(
        lambda recipe: not _SHARED & recipe.features
    )
)


class _Boxed(NamedTuple):
    """What a map puts in the place of a leaf: a node that no module holds of its own."""

    leaf: Any


@law(
    "mapping the identity over a module keeps types, metadata and static attributes",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES,
    weight=0.6,
)
def a_map_keeps_types_and_metadata(lib, case):
    """Of modules without shared references, which maps do not preserve."""
    same_graph(jtu.tree_map(lambda leaf: leaf, case.module), case.module)


@law(
    "mapping a function over a module changes its leaves and nothing else",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES,
    weight=0.6,
    parents=[a_map_keeps_types_and_metadata],
)
def a_map_changes_the_leaves_alone(lib, case):
    before = described(case.module)
    back = jtu.tree_map(_Boxed, case.module)
    same(jtu.tree_leaves(back), jtu.tree_leaves(case.module), identical=True)
    # Boxes stand for the leaves now; taken out again they leave the module that it was.
    taken = jtu.tree_map(lambda box: box.leaf, back, is_leaf=lambda node: type(node) is _Boxed)
    same_graph(taken, case.module)
    same_rows(described(case.module), before)


@law(
    "what a map makes of a module is another module with other Variables",
    source=f"{_GUIDE}#reference-sharing",
    level="should",
    needs={"modules_are_nodes"},
    case=_TREES,
    weight=0.5,
)
def a_mapped_module_is_apart(lib, case):
    apart(jtu.tree_map(lambda leaf: leaf, case.module), case.module)


@law(
    "a module that comes out of jax.jit is equal to the one that went in",
    source=f"{_GUIDE}#module-pytree",
    needs={"modules_are_nodes"},
    case=_TREES.filter(compilable),
    weight=0.1,
)
def jit_of_the_identity_keeps_the_module(lib, case):
    """Numbers that are data come out as arrays; text that is marked as data stays outside."""
    wanted = jtu.tree_map(jnp.asarray, case.module)
    same_graph(jax.jit(lambda module: module)(case.module), wanted)


@law(
    "a deep copy of a module is an equal graph that shares no object with it",
    source=_COPY,
    needs={"Module"},
    case=_OWN,
    weight=0.5,
)
def deepcopy_is_an_equal_graph(lib, case):
    """References that were shared are shared in the copy, cycles are cycles."""
    back = copy.deepcopy(case.module)
    same_graph(back, case.module)
    apart(back, case.module)


@law(
    "a module that was pickled and loaded is an equal graph",
    source=_PICKLE,
    level="should",
    needs={"Module"},
    case=_OWN,
    weight=0.5,
)
def pickle_is_an_equal_graph(lib, case):
    """Functions, and layers that hold some, are left out."""
    same_graph(pickle.loads(pickle.dumps(case.module)), case.module)


@law(
    "a shallow copy of a module holds the very attributes, and has its own",
    source="https://docs.python.org/3/library/copy.html#copy.copy",
    level="should",
    needs={"Module"},
    case=_OWN,
    weight=0.4,
)
def copy_holds_the_very_attributes(lib, case):
    held, back = dict(vars(case.module)), copy.copy(case.module)
    true(back is not case.module, back, "another module")
    kept = [vars(back).get(name) is value for name, value in held.items()]
    true(all(kept) and len(vars(back)) == len(held), vars(back), f"{held}")
    back.zz_new = 1
    true(not hasattr(case.module, "zz_new"), case.module, "no attribute zz_new")


@law(
    "an attribute that a module does not have is an AttributeError, whoever asks",
    source=_DATA_MODEL,
    needs={"Module"},
    case=_ANY,
    weight=0.5,
)
def a_missing_attribute_is_an_attribute_error(lib, case):
    """Of modules under construction too, as copy and pickle make them; streams have a fallback."""
    modules = [one for _, one in references(case.module) if isinstance(one, lib.Module)]
    for module in (*modules, *(object.__new__(type(one)) for one in modules)):
        held = {*dir(type(module)), *vars(module)}
        names = [name for name in _PROTOCOLS if name not in held]
        for name in (*names, "no_such_attribute"):
            refuses(AttributeError, lambda module=module, name=name: getattr(module, name))


@law(
    "looking a module up for protocols and printing it changes nothing in it",
    source=_DATA_MODEL,
    level="should",
    needs={"Module"},
    case=_ANY,
    weight=0.4,
)
def looking_changes_nothing(lib, case):
    before = described(case.module)
    for name in _PROTOCOLS:
        hasattr(case.module, name)
    repr(case.module)
    same_rows(described(case.module), before)


@law(
    "every module can be printed, with its type, cycles and odd values included",
    source="https://docs.python.org/3/reference/datamodel.html#object.__repr__",
    level="should",
    needs={"Module"},
    case=_ANY,
    weight=0.5,
)
def every_module_can_be_printed(lib, case):
    for _, one in references(case.module):
        name = type(one).__name__
        true(name in repr(one) and name in str(one), repr(one), f"text that names {name}")
