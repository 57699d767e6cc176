"""Losses of a batch whose gradients are taken example by example, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.optax.microbatches import (
    EARLY,
    FLOAT32,
    KIND,
    bind_real,
    function_text,
    tuple_text,
)
from hypothesis_pytrees.optax.params import draw_parameters, sources


@st.composite
def _per_example(draw: st.DrawFn, early: bool) -> Recipe:
    scope = Scope()
    size, count = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    draw_parameters(draw, scope, leaves=FLOAT32, some=True)
    rows = size * count
    # The arguments in order: the parameters, other parameters, rows, or one number for all rows.
    order = ["params", "rows"]
    order += draw(st.lists(st.sampled_from(("weights", "rows", "number")), max_size=2, unique=True))
    order = draw(st.permutations(order)) if draw(st.booleans()) else order
    texts = {
        "params": "params",
        "weights": "jnp.float32([0.5, 2.0])",
        "number": "jnp.float32(0.5)",
        "rows": f"{{'x': jnp.arange({rows}.0), 'y': (jnp.ones(({rows}, 2)), None)}}",
    }
    scope.bind("args", tuple_text([texts[one] for one in order]))
    scope.bind("rows", str(rows))
    places = {name: [k for k, one in enumerate(order) if one == name] for name in texts}
    scope.note(f"arguments:{len(order)}")
    last = max(places["rows"])
    scope.note("rows:last" if last == len(order) - 1 else "rows:before-others")
    scope.bind("batched", str(tuple(places["rows"])))
    _bind_gradient(draw, scope, places, size, early)
    if early:
        scope.bind("first_rows", str(bind_real(draw, scope, size, count)))
    return scope.recipe()


def _bind_gradient(
    draw: st.DrawFn, scope: Scope, places: dict[str, list[int]], size: int, early: bool
) -> None:
    """Bind the function and the options of a case for gradients of examples."""
    inner = "sum(jnp.sum(leaf**2.0) for leaf in jtu.tree_leaves(args[$]))"
    factors = [inner.replace("$", str(place)) for place in places["params"]]
    factors += [f"jnp.sum(args[{place}] ** 2.0)" for place in places["weights"]]
    factors += [f"args[{place}]" for place in places["number"]]
    # It tells an example that is a batch of one row from one without an axis of rows.
    factors += [
        f"jnp.mean(args[{place}]['x'] + 1 + jnp.ndim(args[{place}]['x']))"
        for place in places["rows"]
    ]
    has_aux = draw(st.booleans())
    loss = " * ".join(factors)
    aux = f"({loss}, {{'double': 2 * {factors[-1]}}})"
    scope.bind("fun", function_text(draw, f"lambda *args: {aux if has_aux else loss}"))
    wanted = [*places["params"], *places["weights"]]
    argnums = str(wanted[0]) if draw(st.booleans()) else str(tuple(wanted))
    way = draw(st.sampled_from(EARLY if early else ("SUM", "MEAN", "RUNNING_MEAN")))
    scope.note(f"accumulated:{way}", f"aux:{has_aux}")
    scope.bind("mean", str(way != "SUM"))
    options = [f"argnums={argnums}", f"has_aux={has_aux}", f"accumulator={KIND}.{way}"]
    options.append(
        f"batch_argnums={places['rows'][0] if len(places['rows']) == 1 else places['rows']}"
    )
    split = early or draw(st.booleans())
    scope.note("batch:split" if split else "batch:whole")
    options.append(f"microbatch_size={size if split else None}")
    if draw(st.booleans()):
        scope.note("rows:without-an-axis")
        options.append("keep_batch_dim=False")
    scope.bind("options", f"dict({', '.join(options)})")
    scope.bind("argnums", argnums)
    scope.bind("has_aux", str(has_aux))


def examples(*, early: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw a loss `fun` of `args`, some of which hold `rows` examples, and `options` of gradients.

    The numbers of the arguments with rows are `batched`, and `argnums` and `has_aux` are options;
    `mean` says whether gradients of examples are averaged. In half of the cases the options say
    that an example has no axis of rows; feature `rows:without-an-axis`.

    Args:
        early: also bind `real`, a number of microbatches, and `first_rows`, the numbers of the
            rows that so many first ones hold; the accumulation is that of a sum or a running
            mean; default `False`.
    """
    return probe_first(sources, _per_example(early))
