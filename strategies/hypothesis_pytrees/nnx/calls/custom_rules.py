"""Functions of Flax NNX modules with a rule for their gradient, and ways to use it, as text.

By the rule, the gradient of `loss` by each array of a module is four times the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import bind_way, way
from hypothesis_pytrees.nnx.module_programs import module_programs

from .tree_options import in_each_mode

_FOURFOLD = """\
def fourfold(tree, by):
    return jtu.tree_map(lambda leaf: (leaf * 4 * by).astype(leaf.dtype), tree)
"""
# The rule gets the gradient by the module after the call, too, and returns States.
_OF_STATES = """\
def with_rule(loss, *nondiff):
    custom = nnx.custom_vjp(loss, nondiff_argnums=nondiff)
    custom.defvjp(
        lambda held: (loss(held), nnx.state(held)),
        lambda state, given: (jtu.tree_map(jnp.add, given[0][0], fourfold(state, given[1])),),
    )
    return custom
"""
_OF_PARAMS = """\
def with_rule_of_params(loss):
    custom = nnx.custom_vjp(loss, nondiff_argnums=(nnx.DiffState(0, nnx.Param),))
    custom.defvjp(
        lambda held: (loss(held), nnx.state(held, nnx.Param)),
        lambda state, given: (fourfold(state, given[1]),),
    )
    return custom
"""
# Without updates of graphs, the gradient by a module is a module.
_OF_TREES = """\
def with_rule_as(loss, **mode):
    custom = nnx.custom_vjp(loss, **mode)
    custom.defvjp(lambda held: (loss(held), held), lambda held, by: (fourfold(held, by),))
    return custom
"""
_OF_PARTS = """\
def with_rule_of_parts(loss, **mode):
    # What is kept is a tree of modules, arrays, text and nothing.
    custom = nnx.custom_vjp(**mode)(lambda x, held: loss(held) * x)
    custom.defvjp(
        lambda x, held: (loss(held) * x, {'of': [held, None], 'by': (x,)}),
        lambda kept, by: (None, fourfold(kept['of'][0], by * kept['by'][0])),
    )
    return custom
"""
_OF_STATICS = """\
def with_static_rule(loss, **mode):
    custom = nnx.custom_vjp(
        lambda name, held, times: loss(held) * times, nondiff_argnums=(0, 2), **mode
    )
    custom.defvjp(
        lambda name, held, times: (loss(held) * times, held),
        lambda name, times, held, by: (fourfold(held, by * times / len(name)),),
    )
    return custom
"""
# Rules that hand on the gradients by what a function changes: States, or a tree of its arguments.
_OF_CHANGED_STATES = """\
def with_rule_of_states(program):
    def changed(held, x):
        program(held, x)
        return jnp.float32(0)

    custom = nnx.custom_vjp(changed)
    custom.defvjp(
        lambda held, x: (changed(held, x), None), lambda kept, given: (given[0][0], None)
    )
    return custom
"""
_OF_UPDATES = """\
def or_zeros(found, held):
    if found is None:
        return jtu.tree_map(jnp.zeros_like, held)
    return found


def with_rule_of_updates(program, **mode):
    def backward(held, by, *, updates_g):
        found = jtu.tree_map(or_zeros, updates_g[0], held, is_leaf=lambda leaf: leaf is None)
        return found, None

    def changed(held, x):
        program(held, x)
        return jnp.float32(0)

    custom = nnx.custom_vjp(changed, **mode)
    custom.defvjp(lambda held, x: (changed(held, x), held), backward)
    return custom
"""

# Ways that propagate updates of graphs.
RULES: Sequence[Kind] = tuple(
    way(name, text, _FOURFOLD, _OF_PARAMS if "params" in name else _OF_STATES)
    for name, text in (
        ("grad", "nnx.grad(with_rule(loss))(module)"),
        ("value-and-grad", "nnx.value_and_grad(with_rule(loss))(module)[1]"),
        ("in-jit", "nnx.jit(nnx.grad(with_rule(loss)))(module)"),
        ("of-jit", "nnx.grad(nnx.jit(with_rule(loss)))(module)"),
        ("of-remat", "nnx.grad(nnx.remat(with_rule(loss)))(module)"),
        (
            "twice",
            (
                "nnx.grad(lambda held: with_rule(loss)(held) * 0.75 + with_rule(loss)(held) * 0.25)"
                "(module)"
            ),
        ),
        ("params", "nnx.grad(with_rule_of_params(loss))(module)"),
        ("params-in-jit", "nnx.jit(nnx.grad(with_rule_of_params(loss)))(module)"),
        (
            "params-value-and-grad",
            (
                "nnx.value_and_grad(with_rule_of_params(loss), argnums=nnx.DiffState(0, nnx.Param))"
                "(module)[1]"
            ),
        ),
    )
)
_GRAD = "nnx.grad({}, allow_int=True, $mode)({})"
RULES_OF_TREES: Sequence[Kind] = in_each_mode(
    (name, text, _FOURFOLD, definition)
    for name, text, definition in (
        ("grad", _GRAD.format("with_rule_as(loss, $mode)", "module"), _OF_TREES),
        (
            "value-and-grad",
            "nnx.value_and_grad(with_rule_as(loss, $mode), allow_int=True, $mode)(module)[1]",
            _OF_TREES,
        ),
        (
            "vjp",
            "nnx.vjp(with_rule_as(loss, $mode), module, $mode)[1](jnp.float32(1))[0]",
            _OF_TREES,
        ),
        (
            "in-jit",
            "nnx.jit(nnx.grad(with_rule_as(loss, $mode), allow_int=True, $mode), $mode)(module)",
            _OF_TREES,
        ),
        (
            "of-jit",
            _GRAD.format("nnx.jit(with_rule_as(loss, $mode), $mode)", "module"),
            _OF_TREES,
        ),
        (
            "of-remat",
            _GRAD.format("nnx.remat(with_rule_as(loss, $mode), $mode)", "module"),
            _OF_TREES,
        ),
        (
            "twice",
            _GRAD.format(
                "lambda held: with_rule_as(loss, $mode)(held) * 0.75 "
                "+ with_rule_as(loss, $mode)(held) * 0.25",
                "module",
            ),
            _OF_TREES,
        ),
        (
            "parts",
            _GRAD.format("lambda held: with_rule_of_parts(loss, $mode)(0.5, held) * 2", "module"),
            _OF_PARTS,
        ),
        (
            "parts-by-name",
            _GRAD.format(
                "lambda held: with_rule_of_parts(loss, $mode)(0.5, held=held) * 2", "module"
            ),
            _OF_PARTS,
        ),
        (
            "statics",
            _GRAD.format("lambda held: with_static_rule(loss, $mode)('ab', held, 2)", "module"),
            _OF_STATICS,
        ),
    )
)
_CHANGED = "nnx.grad(lambda held: {} + loss(held), allow_int=True, $mode)(module)"
# The loss of a module that a function has changed, whose rule hands the gradients on.
RULES_OF_STATES: Sequence[Kind] = tuple(
    way(name, f"nnx.grad(lambda held: {text} + loss(held))(module)", _OF_CHANGED_STATES)
    for name, text in (
        ("changed", "with_rule_of_states(program)(held, x)"),
        ("changed-in-remat", "nnx.remat(with_rule_of_states(program))(held, x)"),
        ("changed-in-jit", "nnx.jit(lambda held: with_rule_of_states(program)(held, x))(held)"),
    )
)
RULES_OF_UPDATES: Sequence[Kind] = in_each_mode(
    (name, text, _OF_UPDATES)
    for name, text in (
        ("changed", _CHANGED.format("with_rule_of_updates(program, $mode)(held, x)")),
        (
            "changed-by-name",
            _CHANGED.format("with_rule_of_updates(program, $mode)(x=x, held=held)"),
        ),
        (
            "changed-in-jit",
            _CHANGED.format("nnx.jit(with_rule_of_updates(program, $mode), $mode)(held, x)"),
        ),
        (
            "changed-in-remat",
            _CHANGED.format("nnx.remat(with_rule_of_updates(program, $mode), $mode)(held, x)"),
        ),
    )
)


@st.composite
def custom_rules(draw: st.DrawFn, ways: Sequence[Kind] = RULES, **options: Any) -> Recipe:
    """Draw a `module`, and `run`, the gradients of a loss of it by a rule, in some way.

    Args:
        ways: the ways; one that the releases have is drawn.
        options: those of `module_programs`.
    """
    scope = Scope()
    scope.include(draw(module_programs(**options)))
    bind_way(draw, scope, ways, "loss, module, program, x")
    return scope.recipe()
