"""Wrappers around a transformation whose state has leaves of every dtype, keys among them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .formulas import FEW, bind_steps

_ADVANCED = """\
def advanced_leaf(leaf):
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        folded = jax.vmap(lambda key: jax.random.fold_in(key, 1))(leaf.reshape(-1))
        return folded.reshape(leaf.shape)
    return ~leaf if leaf.dtype == bool else leaf + jnp.ones((), leaf.dtype)
"""
_ADVANCING = """\
def advancing_any_state(held):
    def update(updates, state, params=None, **extra):
        return updates, jtu.tree_map(advanced_leaf, state)

    return optax.GradientTransformationExtraArgs(lambda params: held, update)
"""
# A wrapper of `inner`, the state of `inner` in its state, and how often `inner` has acted after so
# many steps since its state was that of `init`.
_ROWS: Sequence[tuple[str, str, str, str]] = (
    ("MultiSteps", "optax.MultiSteps(inner, 2)", "inner_opt_state", "step // 2"),
    ("MultiSteps-1", "optax.MultiSteps(inner, 1)", "inner_opt_state", "step"),
    ("lookahead", "optax.lookahead(inner, 2, 0.5)", "fast_state", "step"),
    (
        "lookahead-reset",
        "optax.lookahead(inner, 2, 0.5, reset_state=True)",
        "fast_state",
        "step % 2",
    ),
    ("sam-outer", "optax.contrib.sam(inner, optax.sgd(0.5))", "opt_state", "step // 2"),
    ("sam-reset", "optax.contrib.sam(optax.sgd(0.5), inner)", "adv_state", "step % 2"),
    (
        "sam-kept",
        "optax.contrib.sam(optax.sgd(0.5), inner, reset_state=False)",
        "adv_state",
        "step - step // 2",
    ),
    ("apply_if_finite", "optax.apply_if_finite(inner, 2)", "inner_state", "step"),
    (
        "conditionally_mask",
        "optax.conditionally_mask(inner, lambda step: step % 2 == 0)",
        "inner_state",
        "(step + 1) // 2",
    ),
    (
        "conditionally_transform",
        "optax.conditionally_transform(inner, lambda step: step % 2 == 0)",
        "inner_state",
        "(step + 1) // 2",
    ),
    ("masked", "optax.masked(inner, True)", "inner_state", "step"),
    ("inject", "optax.inject_hyperparams(lambda rate: inner)(0.5)", "inner_state", "step"),
)
_WRAPPERS = {Kind(name, text, takes="array"): (field, count) for name, text, field, count in _ROWS}
# These choose between two states.
_MIXING = ("lookahead-reset", "sam-outer", "sam-reset", "sam-kept")
# Leaves of a state, by what they are called in features.
_LEAVES: Sequence[tuple[str, str]] = (
    *((name, f"jnp.asarray([3, 0], jnp.{name})") for name in ("int8", "uint8", "int32", "uint32")),
    *((name, f"jnp.asarray(1.5, jnp.{name})") for name in ("float32", "float16", "bfloat16")),
    ("bool", "jnp.asarray([True, False])"),
    ("complex64", "jnp.asarray(1.5 - 2j, jnp.complex64)"),
    ("key", "jax.random.key(3)"),
    ("key", "jax.random.split(jax.random.key(3), 2)"),
    ("uint32", "jax.random.PRNGKey(3)"),
    ("nan", "jnp.asarray([np.nan, 1.0], jnp.float32)"),
    ("inf", "jnp.asarray([np.inf, 1.0], jnp.float32)"),
    ("large", "jnp.asarray(2**24 + 1, jnp.int32)"),
    ("empty", "jnp.zeros((0, 2), jnp.float32)"),
)
_TREES = ("({},)", "{{'b': {}, 'a': [None]}}", "[{}, {}]", "optax.TraceState({})")


def any_states() -> st.SearchStrategy[Recipe]:
    """Draw `tx` around a transformation whose state is at first `held`, `params` and `grads`.

    Names: also `inner_state`, which gives its state in that of `tx`, and `wanted`, which gives it
    after so many steps.
    """
    kinds = tuple(_WRAPPERS)
    return st.deferred(lambda: _any_states(available(kinds)))


@st.composite
def _any_states(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    scope = Scope()
    scope.define(_ADVANCED)
    scope.define(_ADVANCING)
    bind_steps(draw, scope, most=1, shapes=FEW)
    tree = draw(st.sampled_from(_TREES))
    size = tree.replace("{{", "").count("{}")
    drawn = draw(st.lists(st.sampled_from(_LEAVES), min_size=size, max_size=size))
    scope.note(*(f"state:{name}" for name, _ in drawn))
    scope.bind("held", tree.format(*(text for _, text in drawn)))
    scope.bind("inner", "advancing_any_state(held)")
    kind = draw(st.sampled_from(kinds))
    field, count = _WRAPPERS[kind]
    scope.note(f"wrapper:{kind.name}")
    if kind.name in _MIXING:
        scope.note("wrapper:mixes-states")
    if kind.name.startswith("lookahead"):
        scope.rebind("params", "optax.LookaheadParams.init_synced(params)")
    scope.bind("tx", kind.text())
    scope.bind("inner_state", f"lambda state: state.{field}")
    steps = f"range({count})"
    repeated = f"functools.reduce(lambda tree, _: jtu.tree_map(advanced_leaf, tree), {steps}, held)"
    scope.bind("wanted", f"lambda step: {repeated}")
    return scope.recipe()
