"""Calls of lifted derivatives inside a module, and the module whose derivatives they are."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import Arguments, filter_of
from .modules import COLLECTIONS, steps
from .targets import bind_call

_CODE = """\
def flax_linen_ones(tree):
    return jtu.tree_map(jnp.ones_like, tree)


def flax_linen_pulled(result):
    # The result of `nn.vjp` with the cotangents of ones.
    value, pull, *aux = result
    return value, pull(flax_linen_ones(value)), *aux
"""
_CALLS = {
    "vjp": "flax_linen_pulled(flax.linen.vjp(value, inner, *args{options}))",
    "value_and_grad": "flax.linen.value_and_grad(value, inner, *args{options})",
    "grad": "flax.linen.grad(value, inner, *args{options})",
    "jvp": (
        "flax.linen.jvp(value, inner, args, flax_linen_ones(args), "
        "{{name: flax_linen_ones(inner.variables[name]) for name in moved}}{options})"
    ),
}


@st.composite
def differentiated_modules(draw: st.DrawFn) -> Recipe:
    """Draw `lifted`, a module that takes a derivative of the module `inner` that it holds.

    `way` is the name of the transform, `value(inner, *args)` the function of the derivative, and
    `moved` are the collections that it is taken for. `variables` are those of `lifted`, `args` its
    arguments, `call` holds options of `apply`. Features are `way:` with the transform and
    `auxiliary` for a function that returns more than its value.
    """
    scope = Scope()
    text = steps(draw, scope)
    scope.define(_CODE)
    scope.bind("inner", f"FlaxLinenSteps({text})")
    given = Arguments(draw, Scope(), 1, loop=False)
    shapes = [(2,), *(given.drawn(none=False) for _ in range(draw(st.integers(0, 2))))]
    texts = [given.one(shape, "None").one for shape in shapes]
    scope.bind("args", f"({', '.join(texts)},)")
    scope.bind("seeds", "{'params': jax.random.key(7), 'noise': jax.random.key(8)}")
    made = "inner.init(seeds, *args)"
    scope.bind("variables", f"{{name: {{'inner': held}} for name, held in {made}.items()}}")
    way = draw(st.sampled_from(tuple(_CALLS)))
    scope.note(f"way:{way}")
    has_aux = way != "jvp" and draw(st.booleans())
    parts = ("ys['total']",) if "grad" in way else ("c", "ys['total']", "(c, ys)")
    part = draw(st.sampled_from(parts))
    returned = f"({part}, {{'more': c}})" if has_aux else part
    scope.bind("value", f"lambda inner, *args: (lambda c, ys: {returned})(*inner(*args))")
    scope.bind("way", repr(way))
    scope.bind("has_aux", str(has_aux))
    held = _moved(draw, scope) if way in ("vjp", "jvp") else []
    scope.bind("moved", repr(held))
    options = ["has_aux=True"] if has_aux else []
    if way == "vjp":
        others = [name for name in COLLECTIONS if name not in held]
        is_default = held == ["params"] and draw(st.booleans())
        options += [] if is_default else [f"vjp_variables={filter_of(draw, held, others)}"]
    for name, all_of in (("variables", COLLECTIONS), ("rngs", ("params", "noise"))):
        if draw(st.booleans()):
            options.append(f"{name}={filter_of(draw, all_of, ())}")
    end = "".join(f", {option}" for option in options)
    scope.bind(
        "lifted", f"FlaxLinenHolder(inner, lambda inner, *args: {_CALLS[way].format(options=end)})"
    )
    bind_call(draw, scope)
    return scope.recipe()


def _moved(draw: st.DrawFn, scope: Scope) -> list[str]:
    """Return collections with variables of which a derivative is taken."""
    held = [name for name in COLLECTIONS if f"in:{name}" in scope.features]
    return draw(st.lists(st.sampled_from(held), unique=True)) if held else []
