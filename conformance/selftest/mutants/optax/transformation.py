"""Mutants of single gradient transformations, and of what wraps them."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import Mutant, _add
from treelaws.core.subject import Subject
from treelaws.strength.faults.libraries import Patched
from treelaws.subjects.registry import subject, subjects

_ID = "optax.transformation."
_Make = Callable[[Any], dict[str, Any]]


def transformation_mutant(name: str, *, kills: Iterable[str]) -> Callable[[_Make], _Make]:
    """Register a mutant of a gradient transformation.

    The decorated function takes optax and gives the replacements by dotted name; its docstring
    says what is broken.

    Args:
        name: name of the subject, for example `"optax.sgd"`.
        kills: ids of the laws that must notice.
    """

    def decorate(make: _Make) -> _Make:
        if name not in {found.name for found in subjects("transformation")}:
            return make
        real = subject(name)
        library = Patched(real.lib, make(real.lib))
        broken = Subject(
            f"{name}: {make.__name__}",
            real.family,
            lambda: library,
            claims=real.claims,
            kind=real.kind,
            instances=real.instances,
            libraries={"optax": library},
            base=name,
        )
        _add(Mutant(broken, (make.__doc__ or "").strip(), tuple(kills)))
        return make

    return decorate


def _changed(optax: Any, tx: Any, *, init: Any = None, update: Any = None) -> Any:
    """Return a transformation with another `init` or another end of `update`."""

    def ended(grads: Any, state: Any, params: Any = None, **extra: Any) -> Any:
        results = tx.update(grads, state, params, **extra)
        return update(*results) if update else results

    return optax.GradientTransformationExtraArgs(init or tx.init, ended)


def _sgd(optax: Any, **changes: Any) -> dict[str, Any]:
    return {"sgd": lambda *args, **named: _changed(optax, optax.sgd(*args, **named), **changes)}


def _rows(updates: Any, state: Any) -> Any:
    return jtu.tree_map(lambda leaf: leaf[None] if leaf.ndim == 1 else leaf, updates), state


@transformation_mutant(
    "optax.sgd", kills=[_ID + "update.updates_have_the_shapes_of_the_parameters"]
)
def vectors_become_rows(optax):
    """The update of a vector is a matrix of one row."""
    return _sgd(optax, update=_rows)


@transformation_mutant("optax.sgd", kills=[_ID + "update.updates_have_the_dtypes_of_the_gradients"])
def updates_are_half_floats(optax):
    """Updates come in half precision."""
    half = lambda tree: jtu.tree_map(lambda leaf: leaf.astype(jnp.float16), tree)
    return _sgd(optax, update=lambda updates, state: (half(updates), state))


@transformation_mutant("optax.sgd", kills=[_ID + "update.a_tree_is_updated_as_its_leaves"])
def depth_matters(optax):
    """An update is divided by the length of its path."""

    def divided(updates, state):
        shrink = lambda path, leaf: leaf / (1 + len(path))
        return jtu.tree_map_with_path(shrink, updates), state

    return _sgd(optax, update=divided)


@transformation_mutant("optax.sgd", kills=[_ID + "update.update_is_pure"])
def calls_are_counted(optax):
    """Updates shrink with the number of calls, which is kept outside of the state."""
    calls = []

    def shrunk(updates, state):
        calls.append(1)
        return jtu.tree_map(lambda leaf: leaf / len(calls), updates), state

    return _sgd(optax, update=shrunk)


@transformation_mutant("optax.scale", kills=[_ID + "update.unneeded_arguments_are_taken"])
def extra_arguments_are_passed_on(optax):
    """`with_extra_args_support` hands extra arguments to a transformation that takes none."""
    give = lambda tx: optax.GradientTransformationExtraArgs(tx.init, tx.update)
    return {"with_extra_args_support": give}


@transformation_mutant("optax.sgd", kills=[_ID + "state.update_keeps_the_types_of_the_state"])
def the_count_becomes_a_float(optax):
    """The state holds a count, which is an integer at first and a float afterwards."""
    tx = optax.sgd(0.1)

    def update(grads, state, params=None, **extra):
        updates, inner = tx.update(grads, state[1], params)
        return updates, (state[0] + 1.0, inner)

    init = lambda params: (jnp.zeros([], jnp.int32), tx.init(params))
    broken = optax.GradientTransformationExtraArgs(init, update)
    return {"sgd": lambda *args, **named: broken}


@transformation_mutant("optax.sgd", kills=[_ID + "state.update_keeps_the_structure_of_the_state"])
def the_count_appears_later(optax):
    """The first state has no count, and each later one has."""
    tx = optax.sgd(0.1)

    def update(grads, state, params=None, **extra):
        updates, inner = tx.update(grads, state["inner"], params)
        return updates, {"inner": inner, "count": state.get("count", 0) + jnp.int32(1)}

    broken = optax.GradientTransformationExtraArgs(
        lambda params: {"inner": tx.init(params)}, update
    )
    return {"sgd": lambda *args, **named: broken}


@transformation_mutant("optax.sgd", kills=[_ID + "state.update_keeps_the_weak_types_of_the_state"])
def the_count_is_a_python_number_at_first(optax):
    """The state holds a count, which `init` makes from a Python number without a dtype."""
    tx = optax.sgd(0.1)

    def update(grads, state, params=None, **extra):
        updates, inner = tx.update(grads, state[1], params)
        return updates, (state[0] + jnp.int32(1), inner)

    init = lambda params: (jnp.asarray(0), tx.init(params))
    broken = optax.GradientTransformationExtraArgs(init, update)
    return {"sgd": lambda *args, **named: broken}


@transformation_mutant("optax.sgd", kills=[_ID + "update.accumulators_change_no_dtype_of_updates"])
def updates_are_those_of_the_accumulator(optax):
    """Updates are rounded to the dtype of the accumulator."""

    def sgd(*args, accumulator_dtype=None, **named):
        rounded = lambda leaf: leaf.astype(accumulator_dtype or leaf.dtype)
        cast = lambda updates, state: (jtu.tree_map(rounded, updates), state)
        tx = optax.sgd(*args, accumulator_dtype=accumulator_dtype, **named)
        return _changed(optax, tx, update=cast)

    return {"sgd": sgd}


@transformation_mutant(
    "optax.sgd",
    kills=[
        _ID + "update.updates_of_complex_numbers_are_complex",
        _ID + "state.the_state_keeps_its_types_for_complex_numbers",
    ],
)
def what_is_kept_of_complex_numbers_is_real(optax):
    """Updates, and the gradients that the state keeps, lose their imaginary parts."""
    tx = optax.sgd(0.1)
    real = lambda tree: jtu.tree_map(lambda leaf: leaf.real, tree)

    def update(grads, state, params=None, **extra):
        return real(tx.update(grads, tx.init(params), params)[0]), real(grads)

    broken = optax.GradientTransformationExtraArgs(lambda params: params, update)
    return {"sgd": lambda *args, **named: broken}


@transformation_mutant("optax.trace", kills=[_ID + "state.accumulators_keep_their_dtypes"])
def the_trace_is_not_cast(optax):
    """`trace` begins with the accumulator's dtype and goes on with that of the gradients."""

    def trace(decay, nesterov=False, accumulator_dtype=None):
        plain = optax.trace(decay, nesterov)
        return plain._replace(init=optax.trace(decay, nesterov, accumulator_dtype).init)

    return {"trace": trace}


@transformation_mutant(
    "optax.sgd", kills=[_ID + "state.the_state_keeps_its_types_in_double_precision"]
)
def the_count_is_as_wide_as_it_can_be(optax):
    """A count that begins with 32 bits goes on with those of the default integer."""
    tx = optax.sgd(0.1)

    def update(grads, state, params=None, **extra):
        updates, inner = tx.update(grads, state[1], params)
        return updates, ((state[0] + 1).astype(int), inner)

    init = lambda params: (jnp.zeros([], jnp.int32), tx.init(params))
    broken = optax.GradientTransformationExtraArgs(init, update)
    return {"sgd": lambda *args, **named: broken}


@transformation_mutant("optax.sgd", kills=[_ID + "state.init_needs_types_alone"])
def init_looks_at_values(optax):
    """The first state counts the positive numbers with Python."""
    count = lambda params: sum(int((leaf > 0).sum()) for leaf in jtu.tree_leaves(params))
    return _sgd(optax, init=lambda params: jnp.full([], count(params), jnp.int32))


@transformation_mutant(
    "optax.sgd", kills=[_ID + "state.the_state_shares_no_array_with_the_parameters"]
)
def the_first_state_is_the_parameters(optax):
    """The state holds the first parameters themselves."""
    return _sgd(optax, init=lambda params: params)


@transformation_mutant(
    "optax.adam",
    kills=[_ID + "state.mapping_the_identity_over_parameters_changes_nothing"],
)
def other_fields_are_dropped(optax):
    """`tree_map_params` puts `None` for what is no copy of the parameters."""

    def tree_map_params(initable, f, state, /, *rest, **named):
        named.setdefault("transform_non_params", lambda leaf: None)
        return optax.tree_utils.tree_map_params(initable, f, state, *rest, **named)

    return {"tree_utils.tree_map_params": tree_map_params}


_NAMES = (
    "chain",
    "named_chain",
    "with_extra_args_support",
    "masked",
    "multi_transform",
    "apply_if_finite",
    "conditionally_mask",
    "conditionally_transform",
    "MultiSteps",
)


def _wrappers(optax: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    def changed(name: str) -> Callable[..., Any]:
        return lambda *args, **named: change(getattr(optax, name)(*args, **named))

    return {name: changed(name) for name in _NAMES}


@transformation_mutant("optax.sgd", kills=[_ID + "wrapped.a_wrapped_state_keeps_its_structure"])
def wrappers_replace_empty_states(optax):
    """A wrapper gives `None` for its next state if no array is in it."""
    emptied = lambda state: state if jtu.tree_leaves(state) else None
    return _wrappers(
        optax,
        lambda tx: _changed(optax, tx, update=lambda updates, state: (updates, emptied(state))),
    )


@transformation_mutant("optax.sgd", kills=[_ID + "wrapped.a_wrapped_state_keeps_its_types"])
def wrappers_pack_the_state(optax):
    """A wrapper gives its next state in a tuple."""
    pack = lambda updates, state: (updates, (state,))
    return _wrappers(optax, lambda tx: _changed(optax, tx, update=pack))


@transformation_mutant(
    "optax.sgd", kills=[_ID + "filtered.filtered_gradients_go_with_whole_parameters"]
)
def gradients_meet_every_parameter(optax):
    """`update` goes through gradients and parameters together, `None` or not."""
    tx = optax.sgd(0.1)

    def update(grads, state, params=None, **extra):
        return tx.update(jax.tree.map(lambda grad, param: grad, grads, params), state, params)

    broken = optax.GradientTransformationExtraArgs(tx.init, update)
    return {"sgd": lambda *args, **named: broken}


def _with_another_part(optax: Any, part: Any) -> dict[str, Any]:
    """Return an `sgd` whose state holds a part that never changes."""
    tx = optax.adam(0.1)

    def update(grads, state, params=None, **extra):
        updates, inner = tx.update(grads, state[1], params)
        return updates, (state[0], inner)

    broken = optax.GradientTransformationExtraArgs(lambda params: (part(), tx.init(params)), update)
    return {"adam": lambda *args, **named: broken}


@transformation_mutant("optax.adam", kills=[_ID + "saved.a_state_saved_by_flax_goes_on"])
def the_state_holds_an_ordered_dict(optax):
    """The state holds a mapping that Flax does not know."""
    return _with_another_part(optax, lambda: collections.OrderedDict(count=jnp.int32(0)))


@transformation_mutant("optax.adam", kills=[_ID + "saved.a_state_saved_by_equinox_goes_on"])
def the_state_holds_a_random_key(optax):
    """The state holds a random key, which has no bytes to save."""
    return _with_another_part(optax, lambda: jax.random.key(0))


@transformation_mutant("optax.adam", kills=[_ID + "saved.a_copied_state_goes_on"])
def the_state_holds_a_local_function(optax):
    """The state holds a function that pickle does not find."""
    return _with_another_part(optax, lambda: jtu.Partial(lambda: 0))


def _injected(optax: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    def inject_hyperparams(factory, static_args=()):
        made = optax.inject_hyperparams(factory, static_args)
        return lambda *args, **named: change(made(*args, **named))

    return {"inject_hyperparams": inject_hyperparams}


@transformation_mutant(
    "optax.sgd", kills=[_ID + "injected.an_injected_factory_gives_the_same_updates"]
)
def injected_updates_are_doubled(optax):
    """`inject_hyperparams` doubles the updates."""

    def doubled(updates, state):
        return jtu.tree_map(lambda leaf: leaf * 2, updates), state

    return _injected(optax, lambda tx: _changed(optax, tx, update=doubled))


@transformation_mutant("optax.sgd", kills=[_ID + "injected.an_injected_factory_can_be_compiled"])
def hyperparameters_are_compared(optax):
    """`inject_hyperparams` looks at the learning rate before each update."""

    def change(tx):
        def update(grads, state, params=None, **extra):
            found = state.hyperparams.get("learning_rate", 1.0)
            return tx.update(grads, state, params, **extra) if found > 0 else (grads, state)

        return optax.GradientTransformationExtraArgs(tx.init, update)

    return _injected(optax, change)


@transformation_mutant(
    "optax.adam",
    kills=[
        _ID + "numpy.numpy_arrays_are_updated_alike",
        _ID + "saved.a_state_of_numpy_arrays_goes_on",
    ],
)
def the_state_is_set_in_place(optax):
    """`update` calls a method of its state that arrays of JAX alone have."""
    tx = optax.adam(0.1)

    def update(grads, state, params=None, **extra):
        moved = jtu.tree_map(lambda leaf: leaf.at[...].add(0), state)
        return tx.update(grads, moved, params)

    broken = optax.GradientTransformationExtraArgs(tx.init, update)
    return {"adam": lambda *args, **named: broken}


@transformation_mutant("optax.scale", kills=[_ID + "options.numbers_may_be_arrays"])
def a_step_size_is_a_float(optax):
    """`scale` takes no array for its step size."""

    def scale(step_size):
        if not isinstance(step_size, float):
            raise TypeError(f"step_size must be a float, got {type(step_size).__name__}")
        return optax.scale(step_size)

    return {"scale": scale}
