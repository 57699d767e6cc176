"""Mutants of chains and wrappers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "optax.combine."


@mutant(
    "optax",
    kills=[_ID + "a_chain_applies_its_links_in_order", _ID + "chains_are_associative"],
)
def chains_run_backwards(optax):
    """`chain` applies its transformations from the last to the first."""
    return {"chain": lambda *links: optax.chain(*links[::-1])}


@mutant("optax", kills=[_ID + "chains_are_associative"])
def an_inner_chain_is_cut(optax):
    """`chain` applies the first of its transformations twice if it has one alone."""
    return {"chain": lambda *links: optax.chain(*(links * 2 if len(links) == 1 else links))}


@mutant("optax", kills=[_ID + "a_named_chain_is_a_chain"])
def named_chains_go_by_name(optax):
    """`named_chain` applies its transformations in the order of their names."""
    by_name = lambda pair: pair[0]
    return {"named_chain": lambda *pairs: optax.named_chain(*sorted(pairs, key=by_name))}


@mutant("optax", kills=[_ID + "a_named_chain_keeps_the_order_of_names"])
def names_are_kept_in_a_dict(optax):
    """The state of `named_chain` is a dict, whose keys come back sorted."""

    def named_chain(*pairs):
        tx = optax.named_chain(*pairs)

        def update(grads, state, params=None, **extra):
            updates, state = tx.update(grads, state, params, **extra)
            return updates, dict(state)

        return optax.GradientTransformationExtraArgs(lambda params: dict(tx.init(params)), update)

    return {"named_chain": named_chain}


@mutant("optax", kills=[_ID + "a_name_twice_is_refused"])
def the_last_of_a_name_wins(optax):
    """`named_chain` keeps the last transformation of a name."""
    return {"named_chain": lambda *pairs: optax.named_chain(*dict(pairs).items())}


@mutant("optax", kills=[_ID + "flattening_changes_no_update"])
def flattening_reverses_the_leaves(optax):
    """`flatten` hands the numbers back in reverse."""

    def flatten(inner):
        turn = optax.stateless(lambda updates, params: updates[::-1])
        return optax.flatten(optax.chain(inner, turn))

    return {"flatten": flatten}


@mutant("optax", kills=[_ID + "zeros_are_like_the_updates"])
def zeros_have_no_axes(optax):
    """`set_to_zero` gives a scalar for each update."""
    zeros = lambda tree: jax.tree.map(lambda leaf: jnp.zeros((), leaf.dtype), tree)
    return {"set_to_zero": lambda: optax.stateless(lambda updates, params: zeros(updates))}


@mutant("optax", kills=[_ID + "the_identity_passes_the_updates"])
def the_identity_rounds(optax):
    """`identity` rounds the updates to whole numbers."""
    rounded = lambda updates, params: jax.tree.map(jnp.round, updates)
    return {"identity": lambda: optax.stateless(rounded)}


@mutant("optax", kills=[_ID + "steps_before_the_last_are_zero"])
def every_step_is_the_last(optax):
    """`MultiSteps` takes each step for the last."""

    class MultiSteps:
        def __init__(self, opt: Any, every_k_schedule: Any) -> None:
            self._inner = optax.MultiSteps(opt, 1)
            self.init, self.update = self._inner.init, self._inner.update

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=[_ID + "gradients_that_are_not_finite_are_dropped"])
def not_finite_is_finite(optax):
    """`apply_if_finite` gives what its inner transformation gives."""
    passed = lambda inner, errors: optax.apply_if_finite(inner, -1)
    return {"apply_if_finite": passed}


@mutant("optax", kills=["optax.combine.skipped_updates_change_nothing"])
def multi_steps_skips_nothing(optax):
    """`MultiSteps` collects each gradient, whatever its function says."""
    return {"MultiSteps": lambda opt, n, should_skip_update_fn=None: optax.MultiSteps(opt, n)}


@mutant("optax", kills=["optax.combine.multi_steps_are_a_transformation"])
def multi_steps_gives_its_inner_transformation(optax):
    """`MultiSteps.gradient_transformation` returns the inner transformation."""

    class MultiSteps(optax.MultiSteps):
        def gradient_transformation(self):
            return self.inner_opt

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=["optax.combine.gradients_are_collected_in_a_dtype"])
def multi_steps_collects_in_single_precision(optax):
    """`MultiSteps` ignores its `accumulator_dtype`."""
    return {"MultiSteps": lambda opt, n, accumulator_dtype=None: optax.MultiSteps(opt, n)}


@mutant("optax", kills=["optax.combine.no_narrow_gradient_is_lost"])
def multi_steps_collects_in_the_dtype_of_gradients(optax):
    """`MultiSteps` collects gradients in their own dtype."""

    class MultiSteps(optax.MultiSteps):
        def init(self, params):
            state = super().init(params)
            narrow = jtu.tree_map(lambda leaf, like: leaf.astype(like.dtype), state[3], params)
            return state._replace(acc_grads=narrow)

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=[_ID + "extra_arguments_reach_the_inner_transformation"])
def masks_drop_extra_arguments(optax):
    """`masked` takes each transformation for one without extra arguments."""

    def masked(inner, mask, **options):
        plain = optax.GradientTransformation(inner.init, lambda *args: inner.update(*args))
        return optax.masked(plain, mask, **options)

    return {"masked": masked}


@mutant("optax", kills=[_ID + "the_state_of_another_chain_is_refused"])
def chains_stop_with_the_shorter(optax):
    """`chain` uses as many of its links as there are states."""

    def chain(*links):
        whole = optax.chain(*links)

        def update(updates, state, params=None, **extra):
            count = min(len(links), len(state))
            part = optax.chain(*links[:count])
            return part.update(updates, state[:count], params, **extra)

        return optax.GradientTransformationExtraArgs(whole.init, update)

    return {"chain": chain}


@mutant("optax", kills=[_ID + "a_label_without_a_transformation_is_refused"])
def unknown_labels_are_left_alone(optax):
    """`multi_transform` does nothing where a label has no transformation."""

    def multi_transform(parts, labels, **options):
        return optax.multi_transform({**parts, "unknown": optax.identity()}, labels, **options)

    return {"multi_transform": multi_transform}


@mutant("optax", kills=[_ID + "parts_of_complex_numbers_are_updated"])
def the_imaginary_part_is_left_as_it_is(optax):
    """`split_real_and_imaginary` gives the inner transformation the real parts alone."""

    def split_real_and_imaginary(inner):
        real = lambda tree: jtu.tree_map(lambda leaf: leaf.real, tree)

        def update(updates, state, params=None):
            new, state = inner.update(real(updates), state, real(params))
            back = lambda old, one: one + 1j * old.imag if jnp.iscomplexobj(old) else one
            return jtu.tree_map(back, updates, new), state

        return optax.GradientTransformation(lambda params: inner.init(real(params)), update)

    return {"contrib.split_real_and_imaginary": split_real_and_imaginary}
