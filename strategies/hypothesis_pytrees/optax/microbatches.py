"""Functions of batches, the batches, and how they are split into microbatches, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import PARAMETERS, draw_parameters, sources

KIND = "optax.microbatching.AccumulationType"
# What a function computes of a batch `x` whose rows are along an axis, by the accumulation that
# puts the results of microbatches together.
_OF_BATCHES = {
    "SUM": "jnp.sum(x, $)",
    "MEAN": "jnp.mean(x, $)",
    "RUNNING_MEAN": "jnp.mean(x, $)",
    "CONCAT": "jnp.moveaxis(x, $, 0)",
}
# The same of what `vmap` returns, with the rows along the first axis.
_OF_ROWS = {name: text.replace("$", "0") for name, text in _OF_BATCHES.items()}
# Those whose results are documented if the accumulation stops early.
EARLY = ("SUM", "RUNNING_MEAN")
FLOAT32 = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)


def _draw_batch(draw: st.DrawFn, scope: Scope, rows: int, axis: int) -> str:
    """Draw a tree of arrays with an axis of rows, and return its text."""
    one = draw_parameters(draw, scope, some=True)
    leaf = "leaf[None]" if axis > 0 else "leaf"
    stacked = f"jnp.stack([{leaf} * k for k in range(1, {rows + 1})], {axis})"
    return f"jtu.tree_map(lambda leaf: {stacked}, {one})"


def _sequence(draw: st.DrawFn, items: list[str]) -> str:
    """Write a tuple or a list, or the only item by itself."""
    form = draw(st.sampled_from(("tuple", "list", "bare")))
    if form == "bare" and len(items) == 1:
        return items[0]
    return f"[{', '.join(items)}]" if form == "list" else tuple_text(items)


def function_text(draw: st.DrawFn, text: str) -> str:
    """Write a function of `*args` and `**kwargs` as it is, or as a partial one."""
    if not draw(st.booleans()):
        return text
    return f"functools.partial({text.replace('lambda *args', 'lambda first, *args')}, None)"


def tuple_text(items: Sequence[object]) -> str:
    return f"({''.join(f'{one}, ' for one in items)})"


@st.composite
def _microbatches(draw: st.DrawFn, early: bool) -> Recipe:
    scope = Scope()
    size, count = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    axes = draw(st.lists(st.sampled_from((0, 0, 1)), min_size=1, max_size=2))
    named = draw(st.integers(0, len(axes)))
    whole = draw(st.booleans())
    scope.note(f"batch:{count}", f"axes:{len({*axes})}", f"keywords:{min(named, 1)}")
    names = [scope.bind("batch", _draw_batch(draw, scope, size * count, axis)) for axis in axes]
    positional = len(axes) - named
    options = [f"microbatch_size={size}"]
    order = draw(st.permutations(range(positional)))
    options.append(f"argnums={_sequence(draw, [str(place + whole) for place in order])}")
    keys = [f"k{place}" for place in range(named)]
    if keys:
        options.append(f"argnames={_sequence(draw, [repr(key) for key in keys])}")
    in_order = [*(axes[place] for place in order), *axes[positional:]]
    if any(axes) or draw(st.booleans()):
        single = len({*axes}) == 1 and draw(st.booleans())
        several = in_order if draw(st.booleans()) else tuple(in_order)
        options.append(f"in_axes={axes[0] if single else several}")
    scope.bind("options", f"dict({', '.join(options)})")

    def arguments(of: str) -> tuple[str, str]:
        pairs = zip(names, axes, strict=True)
        given = [of.replace("$", name).replace("@", str(axis)) for name, axis in pairs]
        first = ["0.5"] * whole + given[:positional]
        rest = zip(keys, given[positional:], strict=True)
        return tuple_text(first), f"{{{', '.join(f'{key!r}: {one}' for key, one in rest)}}}"

    for name, text in zip(("args", "kwargs"), arguments("$"), strict=True):
        scope.bind(name, text)
    if early:
        rows = bind_real(draw, scope, size, count)
        taken = f"jtu.tree_map(lambda leaf: jnp.take(leaf, np.array({rows}), @), $)"
        for name, text in zip(("first_args", "first_kwargs"), arguments(taken), strict=True):
            scope.bind(name, text)
    ways = [way for way in _OF_BATCHES if not early or way in EARLY]
    used = [
        (draw(st.sampled_from(ways)), place)
        for place in draw(st.lists(st.integers(0, len(axes) - 1), min_size=1, max_size=3))
    ]
    scope.note(*(f"accumulated:{way}" for way, _ in used))
    results, kinds = [], []
    places = [f"args[{place + whole}]" for place in range(positional)]
    places += [f"kwargs[{key!r}]" for key in keys]
    for way, place in used:
        factor = " * args[0]" if whole else ""
        reduced = _OF_BATCHES[way].replace("$", str(axes[place]))
        results.append(f"jtu.tree_map(lambda x: {reduced}{factor}, {places[place]})")
        kinds.append(f"{KIND}.{way}")
    scope.bind("fun", function_text(draw, f"lambda *args, **kwargs: {_tree(results)}"))
    alike = len({*kinds}) == 1 and draw(st.booleans())
    scope.bind("accumulator", kinds[0] if alike else _tree(kinds))
    return scope.recipe()


def _tree(items: list[str]) -> str:
    """Write one item by itself, and several as a dict with a tuple in it."""
    if len(items) == 1:
        return items[0]
    return f"{{'a': {items[0]}, 'b': {tuple_text(items[1:])}}}"


def microbatches(*, early: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw `fun`, its `args` and `kwargs`, an `accumulator` for its result, and `options`.

    The options are keyword arguments of `optax.microbatch`: a size that divides the batch, the
    numbers and names of the arguments with rows, and the axes of the rows.

    Args:
        early: also bind `real`, a number of microbatches, and `first_args` and `first_kwargs`,
            which hold the rows of so many first ones; the accumulation is that of a sum or a
            running mean; default `False`.
    """
    return probe_first(sources, _microbatches(early))


@st.composite
def reshaped_batches(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, whose arrays have rows along `axis`, their number `rows` and a `size`."""
    scope = Scope()
    size, count, axis = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 1))
    scope.note(f"batch:{count}", f"axis:{axis}")
    sources()
    scope.bind("tree", _draw_batch(draw, scope, size * count, axis))
    for name, value in {"axis": axis, "rows": size * count, "size": size}.items():
        scope.bind(name, str(value))
    return scope.recipe()


# An axis of rows as an integer, and text that puts it there into an array `leaf` of any shape.
_AXES = {
    0: "jnp.stack([leaf * k for k in range(1, $ + 1)], 0)",
    1: "jnp.stack([leaf[None] * k for k in range(1, $ + 1)], 1)",
    -1: "jnp.stack([leaf * k for k in range(1, $ + 1)], -1)",
    -2: "jnp.stack([leaf[None] * k for k in range(1, $ + 1)], -2)",
}


@st.composite
def _rowwise(draw: st.DrawFn, early: bool) -> Recipe:
    scope = Scope()
    size, count = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    alike = draw(st.booleans())
    some = st.sampled_from(tuple(_AXES))
    axes = [draw(some)] * draw(st.integers(1, 2)) if alike else [draw(some)]
    if not alike:
        axes += draw(st.lists(st.sampled_from((None, *_AXES)), max_size=2))
        axes = draw(st.permutations(axes))
    named = draw(st.integers(0, 1))
    split = early or draw(st.booleans())
    bare = alike and draw(st.booleans())
    scope.note(f"arguments:{len(axes)}", "batch:split" if split else "batch:whole")
    scope.note(*["axes:negative"] * any((axis or 0) < 0 for axis in axes))
    scope.note(*["axes:one-for-several"] * (bare and len(axes) > 1))
    names = []
    for axis in (*axes, *[0] * named):
        one = draw_parameters(draw, scope, some=True)
        rows = "leaf" if axis is None else _AXES[axis].replace("$", str(size * count))
        names.append(scope.bind("batch", f"jtu.tree_map(lambda leaf: {rows}, {one})"))
    scope.bind("args", tuple_text(names[: len(axes)]))
    scope.bind("kwargs", f"dict(k={names[-1]})" if named else "{}")
    taken = [f"args[{place}]" for place in range(len(axes))] + ["kwargs['k']"] * named
    results = [f"jtu.tree_map(lambda x: x * 0.5, {one})" for one in taken]
    scope.bind("fun", function_text(draw, f"lambda *args, **kwargs: {_tree(results)}"))
    ways = [way for way in _OF_ROWS if not early or way in EARLY]
    kinds = [draw(st.sampled_from(ways)) for _ in results]
    scope.note(*(f"accumulated:{kind}" for kind in kinds))
    scope.bind("accumulator", _tree([f"{KIND}.{kind}" for kind in kinds]))
    reduced = [
        f"jtu.tree_map(lambda x: {_OF_ROWS[kind]}, {place})"
        for kind, place in zip(kinds, _places(len(kinds)), strict=True)
    ]
    scope.bind("reduced", f"lambda rows: {_tree(reduced)}")
    scope.bind("in_axes", str(axes[0]) if bare else tuple_text(axes))
    scope.bind("size", str(size) if split else "None")
    if early:
        scope.bind("first_rows", f"np.array({bind_real(draw, scope, size, count)})")
    return scope.recipe()


def bind_real(draw: st.DrawFn, scope: Scope, size: int, count: int) -> list[int]:
    """Bind `real`, a number of microbatches up to `count`, and return the rows that they hold."""
    real = draw(st.integers(1, count))
    scope.bind("real", draw(st.sampled_from((f"{real}", f"jnp.int32({real})"))))
    return [row for place in range(real) for row in range(place, size * count, count)]


def _places(count: int) -> list[str]:
    """Return where `_tree` puts each of so many items, below `rows`."""
    return ["rows"] if count == 1 else ["rows['a']", *(f"rows['b'][{k}]" for k in range(count - 1))]


def functions_of_rows(*, early: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw `fun`, a function of single rows, and `args` and `kwargs` with many rows.

    The axes of the rows are `in_axes`, as `jax.vmap` takes them. An `accumulator` says how to put
    together the results of microbatches of a `size`, and `reduced` does so with those of all rows.

    Args:
        early: also bind `real`, a number of microbatches, and `first_rows`, the numbers of the
            rows that so many first ones hold; the accumulation is that of a sum or a running
            mean; default `False`.
    """
    return probe_first(sources, _rowwise(early))


@st.composite
def empty_batches(draw: st.DrawFn) -> Recipe:
    """Draw a `batch` without rows, `fun` of it, an `accumulator` for its result, and `options`."""
    scope = Scope()
    one = draw_parameters(draw, scope, leaves=FLOAT32, models=False, some=True)
    axis = draw(st.integers(0, 1))
    empty = f"jnp.zeros(({'1, ' * axis}0, *leaf.shape), leaf.dtype)"
    scope.bind("batch", f"jtu.tree_map(lambda leaf: {empty}, {one})")
    ways = draw(st.lists(st.sampled_from(("SUM", "CONCAT")), min_size=1, max_size=2))
    scope.note(*(f"accumulated:{way}" for way in ways))
    reduced = [_OF_BATCHES[way].replace("$", str(axis)) for way in ways]
    results = [f"jtu.tree_map(lambda x: {text}, batch)" for text in reduced]
    scope.bind("fun", f"lambda batch: {_tree(results)}")
    scope.bind("accumulator", _tree([f"{KIND}.{way}" for way in ways]))
    size = draw(st.sampled_from(("1", "2", "None")))
    scope.note("batch:whole" if size == "None" else "batch:split")
    scope.bind("options", f"dict(microbatch_size={size}, in_axes={axis})")
    return scope.recipe()


# A function of two trees with rows and one without.
_SUMMED = "jtu.tree_map(lambda one: one * jnp.sum(first * second['x']), weights)"


@st.composite
def named_batches(draw: st.DrawFn) -> Recipe:
    """Draw `plain`, a function of batches, and `made`, the same function of microbatches.

    Also draw `given`, its arguments by name in their order, and the number `positional` of those
    that are to be passed by position.
    """
    scope = Scope()
    size, count = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rows = f"jnp.arange(1.0, {size * count + 1})"
    texts = {
        "weights": "{'w': jnp.float32([0.5, 2.0])}",
        "first": rows,
        "second": f"{{'x': {rows} / 2, 'y': None}}",
    }
    order = draw(st.permutations(list(texts)))
    positional = draw(st.integers(0, 3))
    batches = sorted(order.index(name) for name in ("first", "second"))
    numbers = [k for k in batches if draw(st.booleans())]
    names = [order[k] for k in batches if k not in numbers]
    scope.note(*["call:named-number"] * any(k >= positional for k in numbers))
    scope.note(*["call:placed-name"] * any(order.index(one) < positional for one in names))
    scope.bind("plain", f"lambda {', '.join(order)}: {_SUMMED}")
    options = f"argnums={tuple_text(numbers)}, argnames={names}, microbatch_size={size}"
    scope.bind("made", f"optax.microbatch(plain, {options})")
    scope.bind("given", f"{{{', '.join(f'{name!r}: {texts[name]}' for name in order)}}}")
    scope.bind("positional", str(positional))
    return scope.recipe()
