"""Calls of Equinox that may use what earlier calls have left, and programs with dead code."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_SIZES = ("2", "4")
_THETAS = ("", ", theta=10.0", ", theta=100.0")
_DTYPES = ("", ", dtype=jnp.float16", ", dtype=jnp.float32")
_WAYS = ("{}", "eqx.filter_jit({})", "jax.jit({})")


@st.composite
def rotary_calls(draw: st.DrawFn) -> Recipe:
    """Draw `calls`, functions without arguments that make a rotary embedding and call it.

    Feature `layers:theta` if two layers of one size differ in `theta`.
    """
    scope = Scope()
    made, texts = [], []
    for _ in range(draw(st.integers(2, 4))):
        size, theta, dtype = (draw(st.sampled_from(t)) for t in (_SIZES, _THETAS, _DTYPES))
        made.append((size, theta))
        layer = f"eqx.nn.RotaryPositionalEmbedding({size}{theta}{dtype})"
        way = draw(st.sampled_from(_WAYS)).format(layer)
        texts.append(f"lambda: {way}(jnp.ones(({draw(st.integers(1, 5))}, {size})))")
    if any(one[0] == other[0] and one[1] != other[1] for one in made for other in made):
        scope.note("layers:theta")
    scope.bind("calls", f"[{', '.join(texts)}]")
    return scope.recipe()


_DEAD = """\
def runs_with_dead_code(groups, name):
    @jax.jit
    def run(x):
        total = jnp.float32(0)
        for used in groups:
            arrays = eqx.debug.store_dce([x * index for index in range(len(used))], name)
            total = total + sum(array for array, use in zip(arrays, used) if use)
        return total

    return run(jnp.float32(2.0))
"""


@st.composite
def dead_code(draw: st.DrawFn) -> Recipe:
    """Draw `run`, which calls `store_dce` with a `name` for each of `groups`: which arrays it uses.

    Feature `calls:several` if there is more than one group.
    """
    scope = Scope()
    scope.define(_DEAD)
    used = st.lists(st.booleans(), min_size=1, max_size=3)
    groups = draw(st.one_of(st.tuples(used), st.lists(used, min_size=2, max_size=3)))
    if len(groups) > 1:
        scope.note("calls:several")
    scope.bind("groups", repr(list(groups)))
    scope.bind("name", draw(st.sampled_from(("object()", "frozenset({object()})"))))
    scope.bind("run", "lambda: runs_with_dead_code(groups, name)")
    return scope.recipe()
