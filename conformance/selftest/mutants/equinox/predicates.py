"""Mutants of `is_array` and its relatives."""

from __future__ import annotations

import jax
import jax.core
import jax.numpy as jnp
import numpy as np

from selftest.mutant import mutant

_ID = "equinox.predicates."


@mutant(
    "equinox",
    kills=[_ID + "arrays_are_arrays", _ID + "what_is_inexact_is_an_array"],
)
def numpy_arrays_are_no_arrays(eqx):
    """`is_array` knows JAX arrays only, as it did before 0.8."""
    return {"is_array": lambda element: isinstance(element, jax.Array)}


@mutant(
    "equinox",
    kills=[
        _ID + "numpy_scalars_are_arrays",
        _ID + "constants_of_a_jaxpr_are_arrays",
    ],
)
def is_array_lists_two_types(eqx):
    """`is_array` knows `jax.Array` and `numpy.ndarray` proper, no scalar and no subclass."""

    def is_array(element):
        return isinstance(element, jax.Array) or type(element) is np.ndarray

    return {"is_array": is_array}


@mutant("equinox", kills=[_ID + "constants_of_a_jaxpr_are_array_like"])
def is_array_like_lists_old_types(eqx):
    """`is_array_like` knows no array that JAX puts into a jaxpr, as before 0.13.2."""

    def is_array_like(element):
        known = (jax.Array, np.generic, float, complex, bool, int)
        proper = type(element) is np.ndarray
        return isinstance(element, known) or proper or hasattr(element, "__jax_array__")

    return {"is_array_like": is_array_like}


@mutant(
    "equinox",
    kills=[
        _ID + "other_leaves_are_no_arrays",
        _ID + "other_leaves_are_not_array_like",
        _ID + "every_answer_is_a_bool",
    ],
)
def whatever_has_a_dtype_is_an_array(eqx):
    """Predicates look for `dtype`, which a ShapeDtypeStruct and a type have too."""

    def is_array(element):
        return getattr(element, "dtype", None) is not None

    def is_array_like(element):
        return getattr(element, "dtype", None) or eqx.is_array_like(element)

    return {"is_array": is_array, "is_array_like": is_array_like}


@mutant("equinox", kills=[_ID + "python_numbers_are_array_like"])
def a_bool_is_not_array_like(eqx):
    """`is_array_like` forgets `bool` and `complex`."""

    def is_array_like(element):
        return not isinstance(element, (bool, complex)) and eqx.is_array_like(element)

    return {"is_array_like": is_array_like}


@mutant(
    "equinox",
    kills=[_ID + "what_becomes_an_array_is_array_like"],
)
def jax_array_is_not_asked(eqx):
    """`is_array_like` does not know `__jax_array__`."""

    def is_array_like(element):
        return eqx.is_array(element) or isinstance(element, (bool, int, float, complex))

    return {"is_array_like": is_array_like}


@mutant(
    "equinox",
    kills=[
        _ID + "inexact_means_floating_or_complex",
        _ID + "an_array_is_array_like",
    ],
)
def complex_is_not_inexact(eqx):
    """`is_inexact_array_like` asks for floating dtypes and forgets complex ones."""

    def is_inexact_array_like(element):
        if eqx.is_array(element):
            return jnp.issubdtype(element.dtype, jnp.floating)
        return eqx.is_inexact_array_like(element)

    return {"is_inexact_array_like": is_inexact_array_like}


@mutant("equinox", kills=[_ID + "a_numpy_copy_is_what_its_array_is"])
def numpy_half_precision_is_not_inexact(eqx):
    """`is_inexact_array` takes a float16 of NumPy for no floating array."""

    def is_inexact_array(element):
        if isinstance(element, (np.ndarray, np.generic)) and element.dtype == np.float16:
            return False
        return eqx.is_inexact_array(element)

    return {"is_inexact_array": is_inexact_array}


@mutant(
    "equinox",
    kills=[_ID + "a_tracer_is_what_its_array_is", _ID + "a_traced_number_is_an_array"],
)
def tracers_are_no_arrays(eqx):
    """`is_array` and `is_inexact_array` look at the concrete type."""

    def is_array(element):
        return not isinstance(element, jax.core.Tracer) and eqx.is_array(element)

    def is_inexact_array(element):
        return not isinstance(element, jax.core.Tracer) and eqx.is_inexact_array(element)

    return {"is_array": is_array, "is_inexact_array": is_inexact_array}


@mutant("equinox", kills=[_ID + "inexact_array_like_answers_in_a_trace"])
def complex_arrays_are_not_inexact_array_like(eqx):
    """`is_inexact_array_like` knows `float` dtypes of JAX arrays by name."""

    def is_inexact_array_like(element):
        if isinstance(element, jax.Array):
            return str(element.dtype).startswith("float")
        return eqx.is_inexact_array_like(element)

    return {"is_inexact_array_like": is_inexact_array_like}


@mutant(
    "equinox",
    kills=[_ID + "what_jit_hands_out_is_an_array", _ID + "arrays_are_arrays"],
)
def key_arrays_are_no_arrays(eqx):
    """`is_array` compares with the type of `jnp.array(0)`, which a PRNG key is not of."""
    concrete = type(jnp.array(0))

    def is_array(element):
        return eqx.is_array(element) and (
            not isinstance(element, jax.Array) or isinstance(element, (concrete, jax.core.Tracer))
        )

    return {"is_array": is_array}


@mutant("equinox", kills=[_ID + "constants_of_a_jaxpr_are_inexact_as_their_dtype"])
def constants_are_never_inexact(eqx):
    """`is_inexact_array` knows no array that JAX puts into a jaxpr, as with JAX 0.7.2."""

    def is_inexact_array(element):
        proper = isinstance(element, (jax.Array, np.generic)) or type(element) is np.ndarray
        return proper and eqx.is_inexact_array(element)

    return {"is_inexact_array": is_inexact_array}
