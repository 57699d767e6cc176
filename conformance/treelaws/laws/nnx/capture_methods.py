"""Flax NNX: `capture` of outputs of methods, inside another `capture`, and of perturbed trees."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.captures import captured_methods, nested_captures
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal, same, true

from .capture import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/extracting_intermediates.html"
_SHAKER = """\
def nnx_shaker(**options):
    class NnxShaker(nnx.Module):
        def __call__(self, value):
            return self.perturb('moved', value, **options)

    return NnxShaker()
"""
_MOVED = """\
class NnxMoved(nnx.Variable):
    pass
"""
_NOOP = Since(
    "perturb(capture_noop=...)",
    "flax>=0.12.12",
    "https://github.com/google/flax/blob/v0.12.12/flax/nnx/module.py",
)
# Options of `perturb`, and the type of Variable that it makes.
_KINDS = (
    ("", "nnx.Perturbation"),
    ("variable_type=NnxMoved", "NnxMoved"),
    ("variable_type=NnxMoved, capture_noop=True", "NnxMoved"),
)


@st.composite
def _perturbed(draw: st.DrawFn) -> Recipe:
    """Draw a `module` that perturbs a tree, the `kind` of Variable, and a `tree` of arrays."""
    scope = Scope()
    options, kind = draw(st.sampled_from(_KINDS[:2] if _NOOP.lacking() else _KINDS))
    scope.define(_MOVED, _SHAKER)
    scope.bind("module", f"nnx_shaker({options})")
    scope.bind("kind", kind)
    arrays = trees(pool(tuple(REAL_ARRAYS)), max_leaves=3)
    scope.bind("tree", draw(arrays | st.just(Recipe((), (), "2.5"))))
    scope.note(*(["tree:node"] if scope.value("not isinstance(tree, (jax.Array, float))") else []))
    return scope.recipe()


# Before the option, and with `False`, a call outside of `capture` stores what it adds.
_STORED = (
    ("", "nnx.Perturbation"),
    ("variable_type=NnxMoved", "NnxMoved"),
    ("variable_type='nnx_moves'", "nnx.variable_type_from_name('nnx_moves', allow_register=True)"),
)


@st.composite
def _storing(draw: st.DrawFn) -> Recipe:
    """Draw a `module` that stores perturbations, the `kind` of Variable, and arrays.

    `array` is what it perturbs, and `moved` a perturbation.
    """
    scope = Scope()
    options, kind = draw(st.sampled_from(_STORED))
    scope.define(_MOVED, _SHAKER)
    stored = "" if _NOOP.lacking() else "capture_noop=False"
    scope.bind("module", f"nnx_shaker({', '.join(one for one in (options, stored) if one)})")
    scope.bind("array", draw(pool(tuple(REAL_ARRAYS))))
    scope.bind("moved", "array + 1")
    scope.bind("kind", kind)
    return scope.recipe()


@law(
    "a function returns the same when the outputs of the methods are captured, whatever methods "
    "the modules have",
    source=_GUIDE,
    level="should",
    needs={"capture"},
    case=captured_methods(others=True),
)
def capturing_methods_changes_no_result(lib, case):
    wrapped = lib.capture(case.function, lib.Intermediate, method_outputs=lib.Intermediate)
    same(wrapped(*case.arguments)[0], case.result)


@law(
    "`capture` with `method_outputs` returns the outputs of each method of a module and the "
    "modules inside it, in the order of the calls",
    source=_GUIDE,
    level="should",
    needs={"capture"},
    case=captured_methods(),
)
def outputs_of_methods_are_captured(lib, case):
    wrapped = lib.capture(case.function, lib.Intermediate, method_outputs=lib.Intermediate)
    found = nnx_api.pure(lib, wrapped(*case.arguments)[1])
    for outputs in case.outputs:
        inner = found.pop("inner", {})
        got = {name: [float(one) for one in values] for name, values in found.items()}
        equal(got, outputs)
        found = inner


@law(
    "a `capture` inside another takes what is sown inside it, and the outer one the rest",
    source=f"{_GUIDE}#how-nnx-capture-works",
    level="observed",
    needs={"capture"},
    case=nested_captures(),
)
def captures_nest(lib, case):
    (_, found), state = lib.capture(case.module, lib.Intermediate)(case.x)
    inside = [nnx_api.pure(lib, one)["seen"] for one in found]
    same(inside, [(one,) for one in case.inside])
    outside = nnx_api.pure(lib, state).get("inner", {})
    same(outside.get("seen", ()), case.outside)


@law(
    "`perturb` returns a tree as it is while no perturbation is stored, and the stored one is a "
    "tree of zeros",
    source=f"{_API}#flax.nnx.Module.perturb",
    level="should",
    needs={"capture"},
    case=_perturbed(),
)
def trees_are_perturbed_leaf_by_leaf(lib, case):
    result, state = lib.capture(case.module, case.kind)(case.tree)
    zeros = jtu.tree_map(jnp.zeros_like, case.tree)
    same(
        (result, nnx_api.raw_value(state["moved"])),
        (jtu.tree_map(jnp.add, zeros, case.tree), zeros),
    )


@law(
    "`perturb` returns a tree plus the perturbation that is stored for it",
    source=f"{_API}#flax.nnx.Module.perturb",
    level="should",
    needs={"capture"},
    case=_perturbed(),
)
def a_stored_tree_perturbs_a_tree(lib, case):
    moved = jtu.tree_map(lambda leaf: leaf + 1, case.tree)
    init = lib.State({"moved": case.kind(moved)})
    result = lib.capture(case.module, init=init)(case.tree)
    got = jnp.asarray(result) if isinstance(case.tree, float) else result
    same(got, jtu.tree_map(jnp.add, moved, case.tree))


@law(
    "outside of `capture`, what `perturb` stores in a module is a Variable of its type, with zeros "
    "at first, and what the Variable holds is added to the value",
    source=f"{_API}#flax.nnx.Module.perturb",
    level="should",
    needs={"Perturbation", "variable_names_are_registered"},
    case=_storing(),
)
def a_module_holds_its_perturbation(lib, case):
    result = case.module(case.array)
    stored = case.module.moved
    zeros = jnp.zeros_like(case.array)
    same((result, nnx_api.raw_value(stored)), (zeros + case.array, zeros))
    true(type(stored) is case.kind, type(stored), case.kind)
    nnx_api.set_value(stored, case.moved)
    same(case.module(case.array), case.moved + case.array)
