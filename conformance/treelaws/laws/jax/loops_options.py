"""JAX: options of loops, which change how a loop is run and not what it gives or refuses."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.batching import batched
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import refuses, same

from .loops import _strong, law

_API = "https://docs.jax.dev/en/latest/_autosummary"
# Functions of one row, by name: some give no array, others no element.
_CHANGES = (
    ("same", "lambda tree: tree"),
    ("nested", "lambda tree: {'all': (tree, None), 'first': jtu.tree_leaves(tree)[:1]}"),
    ("none", "lambda tree: None"),
    ("no-leaves", "lambda tree: [(), None, {}]"),
    ("constant", "lambda tree: jnp.float32([1.0, 2.0])"),
    ("no-elements", "lambda tree: (jnp.zeros((0, 2)), tree)"),
    ("text", "lambda tree: 'text'"),
)
# What `map` cannot go over, beside a tree of arrays.
_ODD = ("jnp.arange(7)", "jnp.float32(1.0)", "jnp.zeros((0,))")
_ERRORS = (TypeError, ValueError, IndexError)
_INDICES = ("int8", "int32", "uint8", "uint32")


@st.composite
def _maps(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `change`, a function of one row, and `batch`, a batch size.

    Features: `change:<name>`, `batch:large` if it is above the number of rows, `rows:odd` if a leaf
    has another number of rows or none, `rows:more` if the last has more, `rows:none` without leaf.
    """
    scope = Scope()
    size = draw(st.integers(1, 4))
    drawn = draw_tree(draw, scope, leaves=batched(size), kinds=(*CONTAINERS, *NODES), max_leaves=3)
    scope.bind("tree", drawn)
    if not jtu.tree_leaves(names_of(scope)["tree"]) and draw(st.booleans()):
        scope.rebind("tree", f"(tree, jnp.arange({size}))")
    if draw(st.integers(0, 3)) == 0:
        odd = draw(st.sampled_from(_ODD))
        first = draw(st.booleans())
        scope.rebind("tree", f"({odd}, tree)" if first else f"[tree, {odd}]")
        scope.note("rows:odd", *(["rows:more"] if "7" in odd and not first else []))
    name, change = draw(st.sampled_from(_CHANGES))
    scope.note(f"change:{name}")
    scope.bind("change", change)
    batch = draw(st.sampled_from((1, 2, 3, 9)))
    scope.bind("batch", str(batch))
    scope.note(*(["batch:large"] if batch > size else []))
    scope.note(*([] if jtu.tree_leaves(names_of(scope)["tree"]) else ["rows:none"]))
    return scope.recipe()


@law(
    "`lax.map` with a batch size gives what it gives without, whatever the function returns, and "
    "refuses what it refuses without",
    source=f"{_API}/jax.lax.map.html",
    level="should",
    case=_maps(),
)
def a_batch_size_changes_no_result(lib, case):
    """The documentation says only that the computation is executed in batches."""
    call = lambda **options: _strong(lib.lax.map(case.change, case.tree, **options))
    try:
        wanted = call()
    except _ERRORS:
        refuses(_ERRORS, lambda: call(batch_size=case.batch))
    else:
        same(call(batch_size=case.batch), wanted)


@st.composite
def _indices(draw: st.DrawFn) -> Recipe:
    """Bind `lower` and `upper`, integers of one type, and `step`, which keeps the index.

    Features: `index:<dtype>`, `index:python` for integers without a dtype.
    """
    scope = Scope()
    dtype = draw(st.sampled_from((*_INDICES, "python")))
    scope.note(f"index:{dtype}")
    maker = "int" if dtype == "python" else draw(st.sampled_from((f"jnp.{dtype}", f"np.{dtype}")))
    lower = draw(st.integers(0, 2))
    upper = lower + draw(st.integers(0, 3))
    scope.bind("lower", f"{maker}({lower})")
    scope.bind("upper", f"{maker}({upper})")
    scope.bind("step", "lambda index, held: {'index': index, 'twice': held['twice'] + index}")
    kind = "int32" if dtype == "python" else dtype
    scope.bind("start", f"{{'index': jnp.{kind}(0), 'twice': jnp.{kind}(0)}}")
    return scope.recipe()


@law(
    "`fori_loop` gives the same whether its bounds are known when it is traced or not, whatever "
    "their integer dtype, also if its step keeps the index",
    source=f"{_API}/jax.lax.fori_loop.html",
    level="should",
    case=_indices(),
)
def the_index_has_the_dtype_of_the_bounds(lib, case):
    """Its page gives one meaning for both: that of a loop of Python."""
    loop = lambda lower, upper: lib.lax.fori_loop(lower, upper, case.step, case.start)
    traced = lib.jit(loop)(case.lower, case.upper)
    same(_strong(jtu.tree_map(jnp.asarray, loop(case.lower, case.upper))), _strong(traced))
