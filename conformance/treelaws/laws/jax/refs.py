"""JAX: mutable arrays in trees."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.trees.calls.reference_aliases import aliased_references
from hypothesis_pytrees.trees.calls.reference_programs import (
    pure_reference_programs,
    reference_programs,
)
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

law = Topic("jax.refs", "JAX: mutable arrays", family="jax")
_GUIDE = "https://docs.jax.dev/en/latest/101/state.html#jax-101-refs"
_NEEDED = {"new_ref", "ref.addupdate", "ref.get", "ref.set", "ref.swap"}


@law(
    "a program of compiled functions, loops and branches that reads and writes a tree of Refs, "
    "passed or closed over, does what the same program does with values threaded by hand, also "
    "inside of `grad`, where it has no branches",
    source=_GUIDE,
    needs=_NEEDED,
    level="should",
    case=reference_programs(),
)
def refs_are_values_threaded_by_hand(lib, case):
    refs, threaded = jtu.tree_map(lib.new_ref, case.values), case.thread(case.values)
    run = lambda refs, held: case.program(lib.ref, case.staged, refs, held)
    found = case.passed(run, refs, jnp.int32(1))
    wanted = case.program(case.threaded, case.python, threaded, jnp.int32(1))
    last = jtu.tree_map(lambda ref: jnp.asarray(ref[...]), refs)
    same((found, last), (wanted, jtu.tree_map(lambda one: one.value, threaded)))


@law(
    "a transformed function that makes its Refs itself gives, up to rounding, what it gives with "
    "values threaded by hand; under `vmap` and derivatives it has no branches",
    source=_GUIDE,
    needs=_NEEDED,
    level="should",
    case=pure_reference_programs(),
)
def inner_refs_are_values_threaded_by_hand(lib, case):
    def run(make, operations, steps):
        def function(tree, held):
            refs = make(tree)
            held = case.program(operations, steps, refs, held)
            return held, jtu.tree_map(lambda ref: ref[...], refs)

        return function

    found = case.taken(run(lambda tree: jtu.tree_map(lib.new_ref, tree), lib.ref, case.staged))
    _close(found, case.taken(run(case.thread, case.threaded, case.python)))


@law(
    "`jit`, `scan`, `cond`, `switch` and `vmap` raise ValueError if their arguments hold one Ref "
    "twice; so does a compiled function that gets a Ref and closes over it, and a compiled "
    "function, a loop or a branch that returns or carries one",
    source=_GUIDE,
    needs={"new_ref"},
    level="should",
    case=aliased_references(),
)
def aliases_are_refused(lib, case):
    shared = lib.new_ref(jnp.zeros(2))
    trees = tuple([jtu.tree_map(lib.new_ref, values), shared] for values in case.values)
    refuses(ValueError, lambda: case.run(trees))


def _close(found, wanted):
    """Raise `Mismatch` unless two trees of numbers differ by rounding alone."""
    shapes = lambda tree: jtu.tree_map(jnp.shape, tree)
    same(shapes(found), shapes(wanted))
    for one, other in zip(jtu.tree_leaves(found), jtu.tree_leaves(wanted), strict=True):
        scale = float(jnp.max(jnp.abs(other))) if other.size else 0.0
        near = jnp.allclose(one, other, rtol=1e-4, atol=1e-4 * scale)
        true(bool(near), jax.device_get(one), f"{other}, or close to it")
