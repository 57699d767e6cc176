"""Functions on the host under nested transformations, and ordered calls of them, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

# Small whole numbers of several dtypes, whose sums are exact.
LEAVES = tuple(
    Kind("leaf", f"np.{text}", (), (f"leaf:{name}",))
    for name, text in (
        ("int32", "int32([3, 4])"),
        ("int32-scalar", "int32(5)"),
        ("float32", "float32([[1], [2]])"),
        ("float32-scalar", "float32(2)"),
        ("uint8", "uint8([7])"),
        ("empty", "zeros((0,), np.float32)"),
    )
)
# Each leaf plus the sum of all, with any number of axes in front of those that the leaf has.
_HOST = """\
def sum_added_to_each(ranks, args):
    own = lambda leaf, rank: tuple(range(leaf.ndim - rank, leaf.ndim))
    total = sum(
        leaf.astype(np.int32).sum(own(leaf, rank))
        for leaf, rank in zip(jtu.tree_leaves(args), jtu.tree_leaves(ranks))
    )
    more = lambda leaf, rank: (
        leaf + total.reshape(total.shape + (1,) * rank).astype(leaf.dtype)
    )
    return jtu.tree_map(more, args, ranks)
"""
_BATCHED = """\
def rows_of_tree(tree, axis, size):
    def rows(leaf):
        shape = (size,) + (1,) * np.ndim(leaf)
        stacked = leaf + np.arange(size, dtype=np.result_type(leaf)).reshape(shape)
        return np.moveaxis(stacked, 0, axis)

    return tree if axis is None else jtu.tree_map(rows, tree)
"""
_SCANNED = """\
def mapped_by_scan(function, axes):
    def mapped(*args):
        def step(held, rows):
            given = iter(rows)
            return held, function(
                *[arg if axis is None else next(given) for arg, axis in zip(args, axes)]
            )

        rows = [arg for arg, axis in zip(args, axes) if axis is not None]
        return jax.lax.scan(step, None, rows)[1]

    return mapped
"""
_RESULTS = (
    ("tree", "args"),
    ("one", "args[0]"),
    ("none", "{'all': [*args], 'none': None, 'empty': ()}"),
)
_METHODS = ("sequential", "expand_dims", "broadcast_all")
_UNROLLED = Since(
    "vmap_method='sequential_unrolled'",
    "jax>=0.5.1",
    "https://github.com/jax-ml/jax/blob/jax-v0.5.1/jax/_src/callback.py",
)
# Calls of a callback `seen` with `args`.
_CALLS: Sequence[Kind] = (
    *(
        way(f"pure-{name}", f"lib.pure_callback(seen, shapes, *args, vmap_method={name!r})")
        for name in _METHODS
    ),
    way(
        "pure-sequential-unrolled",
        "lib.pure_callback(seen, shapes, *args, vmap_method='sequential_unrolled')",
        needs=(_UNROLLED,),
    ),
    *(
        way(
            f"pure-{name}-keyword",
            "lib.pure_callback(lambda *rest, one: seen(one, *rest), shapes, *args[1:], "
            f"one=args[0], vmap_method={name!r})",
        )
        for name in _METHODS
    ),
    way("io", "lib.experimental.io_callback(seen, shapes, *args)"),
)
_HELD = (
    ("plain", "$0"),
    ("plain", "$0"),
    ("jit", "jax.jit($0)"),
    ("jit", "jax.jit($0)"),
    ("cond", "(lambda f: lambda *args: jax.lax.cond(jnp.sum(args[0]) < 99, f, f, *args))($0)"),
    ("checkpoint", "jax.checkpoint($0)"),
)


@st.composite
def callbacks_under_levels(draw: st.DrawFn) -> Recipe:
    """Bind `args`, `host`, a function of NumPy arrays, `call` of it as a callback, and `under`.

    `under` transforms a function of `args`.

    The first argument is a number that each level maps, the others are trees that some levels
    map. No `vmap` is around a `scan` of an `io_callback`: the guide says that its behavior may
    change. Features: `way:<call>`, `levels:<number>`, `level:<kind>` for each, `size:0`,
    `result:<form>`, `held:<form>`, `axis:last`, `tree:constant` if no level maps a tree.
    """
    scope = Scope()
    scope.define(_HOST, _BATCHED)
    drawn = draw(st.sampled_from(available(_CALLS)))
    scope.note(*drawn.features)
    impure = drawn.features[0] == "way:io"
    count = draw(st.integers(1, 2))
    names = ["number", *(f"tree{at}" for at in range(count))]
    scope.bind("number", "np.int32(1)")
    for name in names[1:]:
        scope.bind(name, draw_tree(draw, scope, leaves=pool(LEAVES), kinds=(*CONTAINERS, *NODES)))
    scope.bind("ranks", f"jtu.tree_map(np.ndim, ({', '.join(names)}))")
    form, result = draw(st.sampled_from(_RESULTS))
    scope.note(f"result:{form}")
    scope.bind("result", f"lambda *args: {result}")
    scope.bind("host", "lambda *args: result(*sum_added_to_each(ranks, args))")
    scope.bind("call", f"lambda lib, seen, shapes, args: {drawn.template}")
    levels = draw(st.lists(st.sampled_from(("vmap", "vmap", "scan")), min_size=1, max_size=2))
    # The first is the innermost.
    levels = sorted(levels, reverse=True) if impure else levels
    scope.note(f"levels:{len(levels)}")
    text, mapped = "function", False
    for level in levels:
        text, axes = _level(draw, scope, level, text, len(names), impure=impure)
        mapped = mapped or axes.count("None") < len(names) - 1
        size = draw(st.sampled_from((2, 3, 1, 0) if level == "vmap" else (2, 1)))
        scope.note(*(["size:0"] if size == 0 else []))
        for name, axis in zip(names, axes, strict=True):
            scope.rebind(name, f"rows_of_tree({name}, {axis}, {size})")
    scope.note(*([] if mapped else ["tree:constant"]))
    scope.bind("args", f"({', '.join(names)})")
    scope.bind("under", f"lambda function: {text}")
    return scope.recipe()


def _level(
    draw: st.DrawFn, scope: Scope, level: str, text: str, count: int, *, impure: bool
) -> tuple[str, list[str]]:
    """Write one more transformation around a function, and the axes of the arguments."""
    last = level == "vmap" and draw(st.booleans())
    front = "-1" if last else "0"
    scope.note(f"level:{level}", *(["axis:last"] if last else []))
    axes = [front, *(draw(st.sampled_from(("0", "None", front))) for _ in range(count - 1))]
    forms = _HELD[:4] if impure else _HELD
    held, form = draw(st.sampled_from(forms))
    scope.note(f"held:{held}")
    inside = form.replace("$0", f"({text})")
    if level == "scan":
        scope.define(_SCANNED)
        return f"mapped_by_scan({inside}, ({', '.join(axes)}))", axes
    out = draw(st.sampled_from(("0", "-1")))
    return f"jax.vmap({inside}, in_axes=({', '.join(axes)}), out_axes={out})", axes
