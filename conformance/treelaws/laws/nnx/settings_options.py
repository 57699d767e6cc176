"""Flax NNX: the options `graph` and `graph_updates`, and the settings that are their defaults."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from ._inputs import HOLDING, TIED, TREES, modules_of
from ._model import same_graph
from .settings import law

_FLIP = "https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html"
# What is done to a module, by a function of NNX with the option `graph`.
OPERATIONS = (
    "nnx.split(module, **options)",
    "nnx.split(module, nnx.Param, ..., **options)",
    "nnx.state(module, **options)",
    "nnx.state(module, nnx.Param, **options)",
    "nnx.variables(module, **options)",
    "nnx.graphdef(module, **options)",
    "nnx.unpack(module, **options)",
    "nnx.flatten(module, **options)",
    "nnx.clone(module, **options)",
    "nnx.clone(module, variables=False, **options)",
    "nnx.map(lambda path, value: value, module, **options)",
    "nnx.recursive_map(lambda path, value: value, module, **options)",
    "nnx.prefix(module, {nnx.Param: 0, ...: None}, **options)",
    "[path for path, _ in nnx.iter_graph(module, **options)]",
    "[name for name, _ in nnx.iter_children(module, **options)]",
    "[path for path, _ in nnx.iter_modules(module, **options)]",
    "[name for name, _ in nnx.iter_module_children(module, **options)]",
    "module.set_attributes(raise_if_not_found=False, training=True, **options)",
    "nnx.view(module, raise_if_not_found=False, training=True, **options)",
    "nnx.with_attributes(module, raise_if_not_found=False, training=True, **options)",
    "nnx.reseed(module, params=1, **options)",
    "nnx.as_abstract(module, **options)",
    (
        "nnx.transform_metadata(change, in_axes=None, out_axes=None, partition='all', **options)"
        "(module)"
    ),
)
# Functions that may also propagate what changed, with the option `graph_updates`.
TRANSFORMS = (
    "nnx.fork_rngs(module, split=2, **options)",
    "nnx.split_rngs(module, splits=2, **options)",
    "nnx.with_rngs(module, split={'params': 2}, **options)",
    "nnx.eval_shape(lambda held: held, module, **options)",
    "nnx.jit(change, **options)(module)",
    "nnx.jit_partial(change, module, **options)()",
    "nnx.remat(change, **options)(module)",
    "nnx.cached_partial(nnx.jit(change, **options), module, **options)()",
    (
        "(lambda custom: (custom.defvjp(lambda held: (change(held), held), lambda *_: 0.0), "
        "custom(module))[1])(nnx.custom_vjp(change, **options))"
    ),
    (
        "nnx.shard_map(lambda held: jnp.float32(change(held)), "
        "mesh=jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',)), "
        "in_specs=(jax.sharding.PartitionSpec(),), out_specs=jax.sharding.PartitionSpec(), "
        "**options)(module)"
    ),
    "nnx.checkify(change, **options)(module)[1]",
    "nnx.cond(True, change, change, module, **options)",
    "nnx.switch(0, [change, change], module, **options)",
    "nnx.grad(lambda x, held: (x, change(held)), has_aux=True, **options)(1.0, module)[1]",
    "nnx.value_and_grad(lambda x, held: (x, change(held)), has_aux=True, **options)(1.0, module)",
    "nnx.vmap(change, in_axes=None, out_axes=None, axis_size=1, **options)(module)",
    "nnx.fori_loop(0, 2, lambda i, held: (change(held), held)[1], module, **options)",
    (
        "nnx.scan(lambda held, x: (change(held), held)[1], in_axes=(nnx.Carry, 0), "
        "out_axes=nnx.Carry, **options)(module, jnp.ones(2))"
    ),
    "nnx.make_jaxpr(change, **options)(module).out_avals",
)
# The setting must not change what the function itself does: objects that are no trees pass through
# some transforms as leaves.
CHANGE = """\
def nnx_change(module):
    for _, value in nnx.iter_graph(module, graph=True):
        if isinstance(value, nnx.Param) and isinstance(value[...], jax.Array):
            value[...] = value[...] + value[...]
    return 1.0
"""
# As trees, modules that hold themselves end in a RecursionError, from which JAX may not recover.
_MODULES = st.one_of(TREES, TIED, HOLDING)
_SETTINGS = {"graph": "nnx.set_graph_mode", "graph_updates": "nnx.set_graph_updates"}


@st.composite
def _settings(draw: st.DrawFn, table: tuple[str, ...], options: tuple[str, ...]) -> Recipe:
    """Draw a module, some of the operations of a table, an option of them, its setting and value.

    Args:
        table: the operations.
        options: of which to draw one. All operations are bound if there is only one option.
    """
    scope = Scope()
    scope.include(draw(modules_of(_MODULES)))
    option = draw(st.sampled_from(options))
    scope.define(CHANGE)
    scope.bind("change", "nnx_change")
    chosen = table if len(options) == 1 else (draw(st.sampled_from(table)),)
    texts = ", ".join(f"lambda module, **options: {text}" for text in chosen)
    scope.bind("operations", f"[{texts}]")
    scope.bind("setting", _SETTINGS[option])
    scope.bind("value", str(draw(st.booleans())))
    scope.bind("options", f"{{{option!r}: value}}")
    return scope.recipe()


@law(
    "a transform with the option `graph` or `graph_updates` does, or refuses, what it does without "
    "it where `set_graph_mode` or `set_graph_updates` has that value",
    source=_FLIP,
    level="should",
    needs={"tree_mode", "jit_partial"},
    case=_settings(TRANSFORMS, tuple(_SETTINGS)),
    weight=6,
)
def an_option_does_what_the_setting_does(lib, case):
    _do_the_same(case)


@law(
    "each function that splits, copies, changes or walks over a module does, or refuses, with the "
    "option `graph` what it does without it where `set_graph_mode` has that value",
    source=_FLIP,
    level="should",
    needs={"tree_mode", "jit_partial"},
    case=_settings(OPERATIONS, ("graph",)),
)
def a_mode_is_an_option_or_a_setting(lib, case):
    _do_the_same(case)


def _do_the_same(case: Any) -> None:
    """Compare each operation with the option to the same one where the setting has its value."""
    for operation in case.operations:
        one, other = case.rebuild(), case.rebuild()
        with case.setting(case.value):
            wanted = _outcome(lambda operation=operation, other=other: operation(other.module))
        found = _outcome(lambda operation=operation, one=one: operation(one.module, **case.options))
        equal(type(found), type(wanted))
        same_graph([found, one.module], [wanted, other.module])


def _outcome(call: Any) -> Any:
    """Return what a call returns, or the name of the error that it raises."""
    try:
        return call()
    except Exception as raised:
        return type(raised).__name__
