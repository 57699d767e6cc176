"""Mutants of `filter_jit`."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant(
    "equinox",
    kills=[
        "equinox.jit.new_array_values_do_not_retrace",
        "equinox.jit.equal_rebuilt_tree_does_not_retrace",
        "equinox.jit.changed_static_leaf_retraces_once",
    ],
)
def jit_forgets_its_cache(eqx):
    """Each call jits the function anew."""

    def filter_jit(fun, **options):
        return lambda *args: eqx.filter_jit(lambda *inner: fun(*inner), **options)(*args)

    return {"filter_jit": filter_jit}


@mutant(
    "equinox",
    kills=[
        "equinox.jit.earlier_calls_change_no_result",
        "equinox.jit.equal_static_leaves_are_told_apart",
        "equinox.jit.changed_static_leaf_retraces_once",
    ],
)
def jit_looks_up_by_structure_alone(eqx):
    """Static leaves are no part of the cache key: those of the first call stay."""

    def filter_jit(fun, **options):
        jitted, first = eqx.filter_jit(fun, **options), {}

        def call(*args):
            arrays, rest = eqx.partition(args, eqx.is_array)
            return jitted(*eqx.combine(arrays, first.setdefault(jtu.tree_structure(args), rest)))

        return call

    return {"filter_jit": filter_jit}


@mutant("equinox", kills=["equinox.jit.jitted_function_equals_the_function"])
def jit_makes_arrays_of_numbers(eqx):
    """Python numbers are traced, as `jax.jit` does and as Equinox did before 0.1.1."""

    def filter_jit(fun, **options):
        jitted = eqx.filter_jit(fun, **options)

        def traced(leaf):
            small = isinstance(leaf, (int, float, complex)) and abs(leaf) < 10
            return jnp.asarray(leaf) if small else leaf

        return lambda *args: jitted(*jtu.tree_map(traced, args))

    return {"filter_jit": filter_jit}


@mutant(
    "equinox",
    kills=[
        "equinox.jit.jitted_function_is_traced_wherever_jax_jit_is",
        "equinox.jit.jitted_function_computes_wherever_jax_jit_does",
    ],
)
def jit_waits_for_its_result(eqx):
    """The result is waited for as if it were concrete, also while JAX traces."""

    def filter_jit(fun, **options):
        jitted = eqx.filter_jit(fun, **options)
        return lambda *args: jtu.tree_map(lambda leaf: leaf.block_until_ready(), jitted(*args))

    return {"filter_jit": filter_jit}


@mutant("equinox", kills=["equinox.jit.compiled_function_equals_the_function"])
def compiled_function_keeps_its_example(eqx):
    """A compiled function computes with the arrays that it was lowered with."""

    class Lowered:
        def __init__(self, jitted, args, kwargs):
            self.jitted, self.args, self.kwargs = jitted, args, kwargs

        def compile(self):
            return lambda *args, **kwargs: self.jitted(*self.args, **self.kwargs)

    class Jitted:
        def __init__(self, fun, **options):
            self.jitted = eqx.filter_jit(fun, **options)

        def __call__(self, *args, **kwargs):
            return self.jitted(*args, **kwargs)

        def lower(self, *args, **kwargs):
            return Lowered(self.jitted, args, kwargs)

    return {"filter_jit": Jitted}


@mutant("equinox", kills=["equinox.jit.compiled_function_equals_the_function"])
def lowering_takes_no_keywords(eqx):
    """`lower` takes positional arguments alone."""

    class Jitted:
        def __init__(self, fun, **options):
            self.jitted = eqx.filter_jit(fun, **options)

        def lower(self, *args):
            return self.jitted.lower(*args)

    return {"filter_jit": Jitted}
