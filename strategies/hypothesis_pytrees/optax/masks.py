"""Masks: which leaves of a tree of parameters are chosen, as a tree, a prefix or a function."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import SIMPLE
from hypothesis_pytrees.core.availability import probe_first, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.prefixes import CUTS, draw_prefix
from hypothesis_pytrees.trees.trees import draw_tree

from .params import GRADIENTS, PARAMETERS, draw_parameters, holding_parameters, sources

# Optimisers that move parameters, by decay too, whatever the gradient is.
OPTIMISERS = (
    "optax.sgd(0.1)",
    "optax.sgd(0.1, momentum=0.9)",
    "optax.adamw(0.1, weight_decay=0.5)",
    "optax.lion(0.1, weight_decay=0.5)",
    "optax.chain(optax.add_decayed_weights(0.5), optax.scale(-0.1))",
    "optax.lamb(0.1, weight_decay=0.5)",
    "optax.adamaxw(0.1, weight_decay=0.5)",
)
_DATA_CALL = """\
@functools.partial(jtu.register_dataclass, data_fields=['scale', 'shift'], meta_fields=[])
@dataclasses.dataclass
class DataCall:
    scale: typing.Any
    shift: typing.Any = None

    def __call__(self, x):
        return x
"""
_CALLABLE = (
    *(
        kind
        # A class with several traits may hold data that is no parameter.
        for kind in holding_parameters((*NODES, *SIMPLE))
        if {"node:call", "module:call"} & set(kind.features) and kind.arity
    ),
    Kind("register_dataclass", "DataCall($0)", (_DATA_CALL,), ("node:call",)),
    Kind("register_dataclass", "DataCall($0, $1)", (_DATA_CALL,), ("node:call",)),
)
# Containers without a leaf.
_EMPTY = tuple(kind for kind in CONTAINERS if "empty" in kind.features)
_CLASS = """\
class MaskHolder:
    def __init__(self, mask):
        self.mask = mask

    def __call__(self, tree):
        return self.mask

    def act(self, tree):
        return self.mask
"""
_RECORD = """\
@dataclasses.dataclass
class MaskRecord:
    mask: typing.Any

    def __call__(self, tree):
        return self.mask
"""
_MODULE = """\
class MaskModule(eqx.Module):
    weight: typing.Any
    mask: typing.Any = eqx.field(static=True)

    def act(self, tree):
        return self.mask[0]
"""
# Functions that return the mask.
_FUNCTIONS = tuple(
    Kind("function", text, tuple(definitions), (f"mask:{name}",))
    for name, text, *definitions in (
        ("lambda", "lambda tree: $0"),
        ("partial", "functools.partial(lambda mask, tree: mask, $0)"),
        ("object", "MaskHolder($0)", _CLASS),
        ("record", "MaskRecord($0)", _RECORD),
        ("method", "MaskHolder($0).act", _CLASS),
        ("module-method", "MaskModule(jnp.ones(2), [$0]).act", _MODULE),
    )
)
# A bool for all parameters, also as an array.
_ONE = ("{}", "jnp.array({})")
_SPREAD = "jtu.tree_map(lambda flag, below: jtu.tree_map(lambda _: flag, below), prefix, params)"


@functools.cache
def _roots() -> tuple[Kind, ...]:
    return usable(_CALLABLE)


def masks(
    *,
    functions: bool = True,
    prefixes: bool = True,
    optimisers: bool = False,
    arrays: bool = False,
) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads`, a bool for each leaf as the tree `full`, and as a `mask`.

    The root of one tree in four can be called, and some trees are a container of nothing.

    Args:
        functions: the mask may be a function that gives the tree; default `True`.
        prefixes: the mask may end above the leaves; default `True`.
        optimisers: also bind `tx` to an optimiser; default `False`.
        arrays: a bool for all parameters may be an array without axes; default `False`.
    """
    cuts = CUTS if prefixes else ("root", "leaves")
    return probe_first(
        lambda: (sources(), _roots(), usable(_FUNCTIONS)),
        _masks(functions, cuts, optimisers, arrays),
    )


@st.composite
def _masks(
    draw: st.DrawFn, functions: bool, cuts: tuple[str, ...], optimisers: bool, arrays: bool
) -> Recipe:
    scope = Scope()
    root = draw(st.integers(0, 7))
    if root >= 5:
        roots, inner = _roots() if root > 5 else _EMPTY, sources().inner
        text = draw_tree(draw, scope, leaves=pool(tuple(PARAMETERS)), roots=roots, kinds=inner)
        scope.bind("params", text)
    else:
        draw_parameters(draw, scope)
    scope.note(*["params:callable-root"] * callable(scope.value("params")))
    scope.bind("grads", GRADIENTS)
    prefix = draw_prefix(draw, scope, cuts[draw(st.integers(0, len(cuts) - 1))], "params")
    flags = [str(draw(st.booleans())) for _ in prefix.subtrees]
    if arrays and not prefix.structure:
        form = draw(st.sampled_from(_ONE))
        scope.note(*["mask:array"] * (form != _ONE[0]))
        flags = [form.format(*flags)]
    scope.bind("prefix", prefix.text(flags))
    scope.bind("full", _SPREAD)
    called = functions and draw(st.booleans())
    forms = usable(_FUNCTIONS)
    form = forms[draw(st.integers(0, len(forms) - 1))] if called else Kind("mask", "$0")
    scope.define(*form.definitions)
    scope.note(*form.features)
    scope.bind("mask", form.text(["prefix"]))
    form = "tree" if prefix.structure else "bool"
    scope.note("mask:function" if called else f"mask:{form}", f"mask:{prefix.cut}")
    if optimisers:
        scope.bind("tx", OPTIMISERS[draw(st.integers(0, len(OPTIMISERS) - 1))])
    return scope.recipe()
