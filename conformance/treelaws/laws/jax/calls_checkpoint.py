"""JAX: the options of `checkpoint`, in every documented form, and its other name `remat`."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.prefixes import CUTS, draw_prefix
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import same, true

from .calls import law

_PAGE = "https://docs.jax.dev/en/latest/_autosummary/jax.checkpoint.html"
_SOURCE = "https://github.com/jax-ml/jax/blob/main/jax/_src/ad_checkpoint.py"
_PREFIXES = Since("prefixes as `prevent_cse` of `checkpoint`", "jax>=0.12", _SOURCE)
_NAMES = Since("`static_argnames` of `checkpoint`", "jax>=0.12", _SOURCE)
_LEAVES = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("float32", "jnp.float32([0.5, 1.0])"),
        ("float32-scalar", "jnp.float32(0.25)"),
        ("float32-matrix", "jnp.float32([[0.5]])"),
    )
)
_POLICIES = (
    "nothing_saveable",
    "everything_saveable",
    "dots_saveable",
    "checkpoint_dots",
    "dots_with_no_batch_dims_saveable",
    "save_only_these_names('sines')",
    "save_any_names_but_these('sines')",
)
# `$tuples` and `$prefix` stand for trees of bools. The page has `static_argnames` in its signature
# alone.
_OPTIONS = (
    way("none", "dict()"),
    way("no-cse", "dict(prevent_cse=False)"),
    way("cse-prefix", "dict(prevent_cse=($prefix, True, False))", needs=(_PREFIXES,)),
    way("cse-tuples", "dict(prevent_cse=($tuples, True, False))", needs=(_PREFIXES,)),
    way("cse-list", "dict(prevent_cse=[$prefix, False, True])", needs=(_PREFIXES,)),
    way("policy", "dict(policy=jax.checkpoint_policies.$policy)"),
    way("static-number", "dict(static_argnums=2)"),
    way("static-numbers", "dict(static_argnums=(2,))"),
    way("static-negative", "dict(static_argnums=-1)"),
    way("static-name", "dict(static_argnames='flag')", needs=(_NAMES,)),
    way("static-names", "dict(static_argnames=['flag'])", needs=(_NAMES,)),
)


@st.composite
def _checkpoints(draw: st.DrawFn) -> Recipe:
    """Bind `function`, of `tree`, a number and a flag, its `options`, and `call`, how it is called.

    Features: `name:remat`, `tuples:for-others` if a tuple stands for another container.
    """
    scope = Scope()
    tree = draw_tree(draw, scope, leaves=pool(_LEAVES), kinds=(*CONTAINERS, *NODES), max_leaves=3)
    scope.bind("tree", tree)
    option = draw(st.sampled_from(available(_OPTIONS)))
    scope.note(*option.features)
    text = option.template
    if "$prefix" in text:
        prefix = draw_prefix(draw, scope, CUTS[draw(st.integers(0, len(CUTS) - 1))], "tree")
        flags = [str(draw(st.booleans())) for _ in prefix.subtrees]
        text = text.replace("$prefix", prefix.text(flags))
    if "$tuples" in text:
        text = text.replace("$tuples", _tuples(draw, scope, names_of(scope)["tree"]))
    text = text.replace("$policy", draw(st.sampled_from(_POLICIES)))
    scope.bind("options", text)
    # An argument with a static name is given by it, and the others by position.
    flag = "flag=True" if "argnames" in text else "True"
    scope.bind("call", f"lambda function, tree, number: function(tree, number, {flag})")
    scope.bind("number", "jnp.float32(2.0)")
    chosen = "flag" if "static" in text else "True"
    scope.define("from jax.ad_checkpoint import checkpoint_name")
    sines = "checkpoint_name(jnp.sin(leaf), 'sines')"
    body = f"jtu.tree_map(lambda leaf: {sines} * number if {chosen} else leaf, tree)"
    scope.bind("function", f"lambda tree, number, flag: {body}")
    name = draw(st.sampled_from(("checkpoint", "remat")))
    scope.note(f"name:{name}")
    scope.bind("name", repr(name))
    return scope.recipe()


def _tuples(draw: st.DrawFn, scope: Scope, value: object) -> str:
    """Write tuples of bools that match containers "by their number of children"."""
    if jtu.all_leaves([value]) or draw(st.integers(0, 3)) == 0:
        return str(draw(st.booleans()))
    children = jtu.tree_leaves(value, is_leaf=lambda node: node is not value)
    scope.note(*([] if type(value) is tuple else ["tuples:for-others"]))
    return f"({''.join(f'{_tuples(draw, scope, child)}, ' for child in children)})"


@law(
    "`checkpoint`, also by the name `remat`, gives with each form of its options about what the "
    "function and its derivative give",
    source=_PAGE,
    level="should",
    case=_checkpoints(),
)
def options_of_checkpoint_change_no_result(lib, case):
    wrapped = getattr(lib, case.name)(case.function, **case.options)
    found = [_derived(lib, case, function) for function in (wrapped, case.function)]
    _near(*found)


def _near(found, wanted):
    """Demand equal types, and numbers that are close: sums may be in another order."""
    types = lambda tree: jtu.tree_map(jnp.zeros_like, tree)
    same(types(found), types(wanted))
    for one, other in zip(jtu.tree_leaves(found), jtu.tree_leaves(wanted), strict=True):
        true(bool(jnp.allclose(one, other, rtol=1e-5)), one, f"{other}, or close to it")


def _derived(lib, case, function):
    """Return the value and the derivative of a function."""
    total = lambda tree, number: sum(
        map(jnp.sum, jtu.tree_leaves(case.call(function, tree, number))), jnp.float32(0)
    )
    return lib.value_and_grad(total, argnums=(0, 1))(case.tree, case.number)
