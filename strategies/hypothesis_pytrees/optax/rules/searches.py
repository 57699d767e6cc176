"""Solvers with a line search, for losses of every form and parameters of every dtype."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_BACKTRACKING = "optax.scale_by_backtracking_linesearch(3, store_grad={})"
_ZOOM = "optax.scale_by_zoom_linesearch(3)"
# Solvers, by what they are called in features, and whether their state holds a gradient.
_SOLVERS: Sequence[tuple[str, str, bool]] = (
    ("backtracking", f"optax.chain(optax.sgd(0.5), {_BACKTRACKING.format(False)})", False),
    ("backtracking-grad", f"optax.chain(optax.sgd(0.5), {_BACKTRACKING.format(True)})", True),
    ("zoom", f"optax.chain(optax.sgd(0.5), {_ZOOM})", True),
    ("lbfgs", f"optax.lbfgs(memory_size=2, linesearch={_ZOOM})", True),
    (
        "lbfgs-backtracking",
        f"optax.lbfgs(memory_size=2, linesearch={_BACKTRACKING.format(True)})",
        True,
    ),
)
_TOTAL = """\
def weighed_total(params, target, weight):
    leaves = jtu.tree_leaves(params)
    return sum((weight * jnp.sum(jnp.abs(leaf - target) ** 2) for leaf in leaves), 0.0)
"""
_CLASS = """\
class WeighedLoss:
    def __call__(self, params, *, target, weight=2.0):
        return weighed_total(params, target, weight)

    def of(self, params, target, weight=2.0):
        return weighed_total(params, target, weight)

    def of_data(self, params, **data):
        return weighed_total(params, data['target'], data.get('weight', 2.0))
"""
_CALL = "weighed_total(params, target, weight)"
# Losses by what they are called in features: of named arguments, and of any.
_LOSSES: Mapping[str, str] = {
    "named": f"lambda params, target, weight=2.0: {_CALL}",
    "keyword-only": f"lambda params, *, target, weight=2.0: {_CALL}",
    "keywords": "lambda params, **data: weighed_total(params, data['target'], 2.0)",
    "named-and-keywords": "lambda params, target, **data: weighed_total(params, target, 2.0)",
    "partial": "functools.partial(weighed_total, weight=2.0)",
    "object": "WeighedLoss()",
    "method": "WeighedLoss().of",
    "method-of-keywords": "WeighedLoss().of_data",
    "jitted": f"jax.jit(lambda params, target, weight=2.0: {_CALL})",
}
# Those that take the data in `**data`.
_OF_ANY = ("keywords", "method-of-keywords")


@st.composite
def losses_of_data(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, a solver, `params`, a `loss` of further arguments and its `data`, by name."""
    scope = Scope()
    scope.define(_TOTAL)
    scope.define(_CLASS)
    name, text, _ = draw(st.sampled_from(_SOLVERS))
    form = draw(st.sampled_from(tuple(_LOSSES)))
    scope.note(f"solver:{name}", "loss:any-names" if form in _OF_ANY else "loss:names")
    scope.bind("params", draw(st.sampled_from(("jnp.float32([3.0, 1.0])", "{'a': jnp.ones(2)}"))))
    scope.bind("loss", _LOSSES[form])
    optional = form not in (*_OF_ANY, "named-and-keywords") and draw(st.booleans())
    weight = ", weight=jnp.float32(0.5)" if optional else ""
    scope.bind("data", f"dict(target=jnp.float32(0.25){weight})")
    scope.bind("tx", text)
    return scope.recipe()


_DTYPES = ("float32", "bfloat16", "float16", "complex64")
_CASTS = {"float32": ".astype(jnp.float32)", "of-parameters": ""}


@st.composite
def losses_of_dtypes(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, a solver that stores a gradient, `params` of one dtype or two, and a `loss`."""
    scope = Scope()
    scope.define(_TOTAL)
    name, text, _ = draw(st.sampled_from([row for row in _SOLVERS if row[2]]))
    dtypes = draw(st.lists(st.sampled_from(_DTYPES), min_size=1, max_size=2))
    # Other losses are of float32: both halves together are promoted to it.
    narrow = set(dtypes) in ({"bfloat16"}, {"float16"})
    scope.note(f"solver:{name}", *(f"params:{dtype}" for dtype in dtypes), f"first:{dtypes[0]}")
    scope.note("params:one-dtype" if len(set(dtypes)) == 1 else "params:dtypes-differ")
    arrays = (
        f"'{key}': jnp.ones(2, jnp.{dtype})" for key, dtype in zip("ab", dtypes, strict=False)
    )
    scope.bind("params", f"{{{', '.join(arrays)}}}")
    form = draw(st.sampled_from(tuple(_CASTS))) if narrow else "of-parameters"
    scope.note(f"loss:{form if narrow else 'float32'}")
    scope.bind(
        "loss", f"lambda params: jnp.asarray(weighed_total(params, 0.25, 2.0)){_CASTS[form]}"
    )
    scope.bind("tx", text)
    return scope.recipe()
