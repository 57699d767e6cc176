"""Mutants of derivatives by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant(
    "equinox",
    kills=["equinox.trace.custom_jvp_keeps_the_value"],
)
def custom_jvp_takes_integers_for_floats(eqx):
    """Integer arrays among the arguments are made floats, so that they can have tangents."""

    class Float(eqx.filter_custom_jvp):
        def __call__(self, *args, **kwargs):
            made = lambda leaf: jnp.float32(leaf) if eqx.is_array(leaf) else leaf
            return super().__call__(*jtu.tree_map(made, args), **kwargs)

    return {"filter_custom_jvp": Float}


@mutant(
    "equinox",
    kills=["equinox.trace.custom_jvp_is_the_derivative"],
)
def custom_jvp_rule_is_not_used(eqx):
    """The function is differentiated as if there were no rule."""

    class Plain:
        def __init__(self, fun):
            self.fun = fun

        def def_jvp(self, rule):
            return rule

        def __call__(self, *args, **kwargs):
            return self.fun(*args, **kwargs)

    return {"filter_custom_jvp": Plain}


@mutant("equinox", kills=["equinox.trace.custom_jvp_rule_gets_none_for_the_rest"])
def custom_jvp_rule_gets_zeros(eqx):
    """The rule gets zeros for arrays that are not differentiated, as before 0.10.7."""

    def zero(leaf, tangent):
        return jnp.zeros_like(leaf) if tangent is None and eqx.is_inexact_array(leaf) else tangent

    class Zeros(eqx.filter_custom_jvp):
        def def_jvp(self, rule):
            def filled(primals, tangents, **kwargs):
                return rule(primals, jtu.tree_map(zero, primals, tangents), **kwargs)

            super().def_jvp(filled)

    return {"filter_custom_jvp": Zeros}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.custom_vjp_is_the_derivative",
        "equinox.trace.custom_vjp_of_another_structure_is_refused",
        "equinox.trace.custom_vjp_needs_both_passes",
    ],
)
def custom_vjp_passes_are_not_used(eqx):
    """The function is differentiated as if there were no passes by hand."""

    class Plain:
        def __init__(self, fun):
            self.fun = fun

        def def_fwd(self, forward):
            return forward

        def def_bwd(self, backward):
            return backward

        def __call__(self, *args, **kwargs):
            return self.fun(*args, **kwargs)

    return {"filter_custom_vjp": Plain}


@mutant("equinox", kills=["equinox.trace.custom_vjp_keeps_the_value"])
def custom_vjp_drops_keywords(eqx):
    """Keyword arguments do not reach a function with a backward pass by hand."""

    class Keywordless(eqx.filter_custom_vjp):
        def __call__(self, *args, **kwargs):
            return super().__call__(*args)

    return {"filter_custom_vjp": Keywordless}


@mutant("equinox", kills=["equinox.trace.custom_vjp_is_told_what_is_differentiated"])
def custom_vjp_is_told_that_all_is_differentiated(eqx):
    """The forward pass is told that each floating-point array is differentiated."""

    class Told(eqx.filter_custom_vjp):
        def def_fwd(self, forward):
            def told(perturbed, argument, *args, **kwargs):
                every = jtu.tree_map(eqx.is_inexact_array, argument)
                return forward(every, argument, *args, **kwargs)

            super().def_fwd(told)

    return {"filter_custom_vjp": Told}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.custom_vjp_backward_gets_the_residuals",
        "equinox.trace.custom_vjp_backward_gets_the_inputs",
    ],
)
def custom_vjp_backward_gets_the_cotangent_alone(eqx):
    """The backward pass gets zeros and `None` for all but the cotangent."""

    class Forgetful(eqx.filter_custom_vjp):
        def def_bwd(self, backward):
            zero = lambda leaf: jnp.zeros_like(leaf) if eqx.is_array(leaf) else None

            def forgetful(residuals, cotangent, perturbed, *args, **kwargs):
                residuals, args, kwargs = jtu.tree_map(zero, (residuals, args, kwargs))
                return backward(residuals, cotangent, perturbed, *args, **kwargs)

            super().def_bwd(forgetful)

    return {"filter_custom_vjp": Forgetful}


@mutant("equinox", kills=["equinox.trace.custom_vjp_takes_none_for_zero"])
def custom_vjp_takes_none_for_the_cotangent(eqx):
    """Where the backward pass gives `None` the cotangent is passed on."""

    class Passing(eqx.filter_custom_vjp):
        def def_bwd(self, backward):
            def passing(residuals, cotangent, *args, **kwargs):
                given = backward(residuals, cotangent, *args, **kwargs)
                filled = lambda own, passed: passed if own is None else own
                return jtu.tree_map(filled, given, cotangent[0], is_leaf=lambda x: x is None)

            super().def_bwd(passing)

    return {"filter_custom_vjp": Passing}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.custom_vjp_forward_gets_the_inputs",
        "equinox.trace.custom_jvp_rule_gets_the_inputs",
    ],
)
def rules_get_inexact_arrays_alone(eqx):
    """A rule of a custom derivative gets `None` for every leaf that is not an inexact array."""

    def bare(inputs):
        return jtu.tree_map(lambda leaf: leaf if eqx.is_inexact_array(leaf) else None, inputs)

    class Jvp(eqx.filter_custom_jvp):
        def def_jvp(self, rule):
            return super().def_jvp(
                lambda primals, *rest, **named: rule(bare(primals), *rest, **named)
            )

    class Vjp(eqx.filter_custom_vjp):
        def def_fwd(self, forward):
            def bared(perturbed, first, *args, **named):
                return forward(perturbed, bare(first), *args, **named)

            return super().def_fwd(bared)

    return {"filter_custom_jvp": Jvp, "filter_custom_vjp": Vjp}


@mutant(
    "equinox",
    kills=["equinox.trace.custom_vjp_is_that_of_jax", "equinox.trace.custom_jvp_is_that_of_jax"],
)
def rules_are_not_used_for_weak_types(eqx):
    """At a number of weak type the function is differentiated as if there were no rule."""

    def is_weak(leaf):
        return getattr(leaf, "weak_type", isinstance(leaf, (int, float)))

    def unless_weak(custom):
        class Unless(custom):
            def __init__(self, fun):
                super().__init__(fun)
                self.plain = fun

            def __call__(self, *args, **kwargs):
                weak = any(map(is_weak, jtu.tree_leaves(args)))
                return self.plain(*args, **kwargs) if weak else super().__call__(*args, **kwargs)

        return Unless

    names = ("filter_custom_vjp", "filter_custom_jvp")
    return {name: unless_weak(getattr(eqx, name)) for name in names}


@mutant("equinox", kills=["equinox.trace.other_arguments_have_no_gradient"])
def custom_vjp_differentiates_other_arguments(eqx):
    """The output also has the derivative of the original function by its other arguments."""

    class Leaky(eqx.filter_custom_vjp):
        def __call__(self, first, *args, **kwargs):
            rest = eqx.filter((args, kwargs), eqx.is_inexact_array)
            leaks = sum((leaf.sum() for leaf in jtu.tree_leaves(rest)), start=jnp.float32(0))
            held = jtu.tree_map(
                lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf,
                (args, kwargs),
            )
            out = super().__call__(first, *held[0], **held[1])
            return jtu.tree_map(lambda leaf: leaf + jnp.asarray(leaks, leaf.dtype), out)

    return {"filter_custom_vjp": Leaky}


@mutant("equinox", kills=["equinox.trace.former_jvp_rules_get_arrays"])
def former_jvp_rules_get_none(eqx):
    """A rule of `defjvp` gets None for a floating-point array without a tangent."""

    class Rule(eqx.filter_custom_jvp):
        def defjvp(self, rule):
            self.def_jvp(rule)

    return {"filter_custom_jvp": Rule}


@mutant("equinox", kills=["equinox.trace.former_vjp_rules_get_arrays"])
def former_vjp_rules_get_none(eqx):
    """A rule of `defvjp` gets None for a floating-point array without a gradient."""

    class Rule(eqx.filter_custom_vjp):
        def defvjp(self, forward, backward):
            self.def_fwd(lambda perturbed, *args, **named: forward(*args, **named))
            self.def_bwd(
                lambda kept, steps, perturbed, *args, **named: backward(kept, steps, *args, **named)
            )

    return {"filter_custom_vjp": Rule}
