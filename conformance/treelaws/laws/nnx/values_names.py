"""Flax NNX: the registry of names of types of Variables."""

from __future__ import annotations

import secrets

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, refuses, true

from .values import law, names_and_types_of_variables_correspond

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx."
_NEEDS = {"variable_names_are_registered"}
_OWN = "class NnxRegistered_{0}({1}):\n    pass\n"
_MORE = "class NnxRegisteredAgain_{0}({1}):\n    pass\n"
_BASES = ("nnx.Variable", "nnx.Param", "nnx.Intermediate", "nnx.Perturbation")
_KNOWN = {
    "params": "Param",
    "batch_stats": "BatchStat",
    "cache": "Cache",
    "intermediates": "Intermediate",
    "perturbations": "Perturbation",
}
_TEXT = ", ".join(f"{name!r}: nnx.{kind}" for name, kind in _KNOWN.items())
_FORMS = (
    "nnx.register_variable_name(name, own, **options)",
    "nnx.register_variable_name(name, **options)(own)",
)


@st.composite
def _registered(draw: st.DrawFn) -> Recipe:
    """Draw `own` and `more`, types of Variables, and `name`, the name that `own` gets."""
    scope = Scope()
    number, base = draw(st.integers(0, 30)), draw(st.sampled_from(_BASES))
    suffix = f"{number}_{base.removeprefix('nnx.')}"
    scope.define(_OWN.format(suffix, base), _MORE.format(suffix, base))
    scope.bind("own", f"NnxRegistered_{suffix}")
    scope.bind("more", f"NnxRegisteredAgain_{suffix}")
    scope.bind("name", repr(f"nnx_registered_{suffix}"))
    scope.bind("base", base)
    scope.bind("register", f"lambda name, own, **options: {draw(st.sampled_from(_FORMS))}")
    return scope.recipe()


@law(
    "a type that is registered under a name is found by it, and the name by the type; a second "
    "type takes the name with `overwrite=True` alone",
    source=f"{_DOCS}register_variable_name",
    level="should",
    needs=_NEEDS,
    case=_registered(),
    parents=[names_and_types_of_variables_correspond],
)
def a_name_has_one_type(lib, case):
    type_of, name_of = lib.variable_type_from_name, lib.variable_name_from_type
    for own, other in ((case.own, case.more), (case.more, case.own)):
        true(case.register(case.name, own, overwrite=True) is own, own, "the type itself")
        true(type_of(case.name) is own, type_of(case.name), f"{own}")
        equal(name_of(own), case.name)
        refuses(ValueError, lambda other=other: case.register(case.name, other))
        refuses(ValueError, lambda other=other: name_of(other))
        true(type_of(case.name, allow_register=True) is own, type_of(case.name), f"{own}")


@law(
    "a name or a type that is not registered raises ValueError, unless `allow_register=True`: then "
    "the name gets a new type with the base, and the type the name of its class",
    source=f"{_DOCS}variable_type_from_name",
    level="should",
    needs=_NEEDS,
    case=_registered(),
)
def new_names_are_registered_on_demand(lib, case):
    # The registry of a process is never emptied.
    name = f"{case.name}_{secrets.token_hex(8)}"
    refuses(ValueError, lambda: lib.variable_type_from_name(name))
    made = lib.variable_type_from_name(name, base=case.base, allow_register=True)
    equal((made.__name__, made.__bases__), (name, (case.base,)))
    equal(lib.variable_name_from_type(made), name)
    more = type(case.base)(f"{name}_again", (case.base,), {})
    refuses(ValueError, lambda: lib.variable_name_from_type(more))
    equal(lib.variable_name_from_type(more, allow_register=True), f"{name}_again")
    true(lib.variable_type_from_name(f"{name}_again") is more, more, "the type")


@law(
    "the names of the collections of Linen are those of the types of NNX for them",
    source=f"{_DOCS}variable_type_from_name",
    level="should",
    needs=_NEEDS,
    case=st.sampled_from([Recipe((), (f"known = {{{_TEXT}}}",))]),
)
def collections_have_their_types(lib, case):
    for name, kind in case.known.items():
        true(lib.variable_type_from_name(name) is kind, name, f"{kind}")
        equal(lib.variable_name_from_type(kind), name)
