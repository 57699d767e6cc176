"""Flax: `flax.struct` dataclasses with fields of any name, and with class keywords."""

from __future__ import annotations

import dataclasses

import jax.tree_util as jtu

from hypothesis_pytrees.flax.named import labelled_structs, named_structs
from treelaws.equality import equal, same, true

from .struct import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html#flax.struct.dataclass"
_PYTHON = "https://docs.python.org/3/library/dataclasses.html#dataclasses.replace"
_STATE = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
    "#flax.serialization.from_state_dict"
)
_HOOK = "https://docs.python.org/3/reference/datamodel.html#object.__init_subclass__"


@law(
    "a field can have any name: the constructor takes it, and a map keeps the other fields",
    source=_DOCS,
    level="should",
    needs={"struct"},
    case=named_structs(),
)
def fields_can_have_any_name(lib, case):
    same([getattr(case.node, name) for name in case.names], case.values, identical=True)
    data = [value for value, kept in zip(case.values, case.names.values(), strict=True) if kept]
    same(jtu.tree_leaves(case.node), jtu.tree_leaves(data), identical=True)
    mapped = jtu.tree_map(lambda leaf: (leaf, "mapped"), case.node)
    wanted = iter(jtu.tree_map(lambda leaf: (leaf, "mapped"), data))
    pairs = zip(case.names.items(), case.values, strict=True)
    got = [getattr(mapped, name) for name in case.names]
    same(got, [next(wanted) if kept else value for (_, kept), value in pairs])


@law(
    "`replace` takes a field of any name, as `dataclasses.replace` does",
    source=_PYTHON,
    level="should",
    needs={"struct"},
    case=named_structs(methods=False),
    parents=[fields_can_have_any_name],
)
def replace_takes_fields_of_any_name(lib, case):
    """A field named `replace` is left out: reading it gives the value."""
    for name in case.names:
        got = case.node.replace(**{name: 5})
        wanted = dataclasses.replace(case.node, **{name: 5})
        held = ([getattr(one, field) for field in case.names] for one in (got, wanted))
        same(next(held), next(held), identical=True)


@law(
    "`from_state_dict` restores a dataclass with fields of any name",
    source=_STATE,
    level="should",
    needs={"serialization", "struct"},
    case=named_structs(),
    parents=[fields_can_have_any_name],
)
def fields_of_any_name_are_restored(lib, case):
    state = lib.serialization.to_state_dict(case.node)
    equal(sorted(state), sorted(name for name, kept in case.names.items() if kept))
    same(lib.serialization.from_state_dict(case.node, state), case.node)


@law(
    "class keywords other than the options of a dataclass reach the other bases, in any order",
    source=_HOOK,
    level="should",
    needs={"struct.PyTreeNode"},
    case=labelled_structs(),
)
def class_keywords_reach_the_other_bases(lib, case):
    equal(case.Made.label, case.label)
    if case.hooked:
        true(case.Made.counted, case.Made.counted, "a base that was told of the class")
    same(jtu.tree_map(lambda leaf: leaf + 1, case.Made(x=1)), case.Made(x=2))
