"""Equations over trees for the solvers of JAX, as text: differential and linear ones."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import COMPILED, FORMS, draw_form, way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

_RATE = """\
def solvable_rate(tree):
    # Small, and different for each leaf.
    leaves = [jnp.asarray(leaf, jnp.float32) for leaf in jtu.tree_leaves(tree)]
    return sum((jnp.sum(leaf) * 0.1 * place for place, leaf in enumerate(leaves, 1)), 0.5)
"""


def _arrays(*pairs: tuple[str, str]) -> tuple[Kind, ...]:
    return tuple(Kind("leaf", text, (), (f"leaf:{name}",)) for name, text in pairs)


_FLOATS = _arrays(
    ("float32", "jax.device_put(np.float32([1.0, 2.0]))"),
    ("float32-scalar", "jax.device_put(np.float32(3.0))"),
    ("float32-matrix", "jax.device_put(np.float32([[1.0, -1.0], [0.5, 2.0]]))"),
    ("empty", "jax.device_put(np.zeros((2, 0), np.float32))"),
)
_GIVEN = (
    *_FLOATS,
    *_arrays(("numpy-float32", "np.float32([0.5, 1.0])"), ("python-number", "1.5")),
)
_INTEGERS = _arrays(
    ("int32", "jax.device_put(np.int32([1, 2]))"),
    ("uint8", "jax.device_put(np.uint8(2))"),
    ("bool", "jax.device_put(np.array([True, False]))"),
    ("int", "2"),
    ("true", "True"),
)


@st.composite
def differential_equations(draw: st.DrawFn) -> Recipe:
    """Bind `start`, `times`, `rate` and `given`, arguments of `slope`, which shrinks `start`.

    The solution is `start * exp(-time * rate_of((rate, given)))`. Feature: `args:integers`
    if there is an integer or a boolean in `given`.
    """
    scope = Scope()
    scope.define(_RATE)
    scope.bind("rate_of", "solvable_rate")
    scope.bind("start", _tree(draw, scope, _FLOATS, 3))
    if not jtu.tree_leaves(names_of(scope)["start"]):
        scope.rebind("start", "[start, jnp.float32(1.0)]")
    scope.bind("rate", _tree(draw, scope, _GIVEN[:4], 2))
    kinds = (*_GIVEN, *_INTEGERS) if draw(st.booleans()) else _GIVEN
    scope.bind("given", _tree(draw, scope, kinds, 3))
    leaves = jtu.tree_leaves(names_of(scope)["given"])
    if any(not hasattr(leaf, "dtype") and not isinstance(leaf, float) for leaf in leaves) or any(
        leaf.dtype.kind in "iub" for leaf in leaves if hasattr(leaf, "dtype")
    ):
        scope.note("args:integers")
    scope.bind("times", f"jnp.linspace(0.0, {draw(st.sampled_from(('0.5', '1.0')))}, 3)")
    scope.bind(
        "slope",
        "lambda tree, time, rate, given: "
        "jtu.tree_map(lambda leaf: -leaf * rate_of((rate, given)), tree)",
    )
    return scope.recipe()


_SPARSE = "import jax.scipy.sparse.linalg"
_SOLVERS: Sequence[Kind] = tuple(
    way(name, f"lib.scipy.sparse.linalg.{call}", _SPARSE)
    for name, call in (
        ("cg", "cg({})"),
        ("bicgstab", "bicgstab({})"),
        ("gmres", "gmres({})"),
        ("gmres-incremental", "gmres({}, solve_method='incremental')"),
    )
)
_DTYPES = ("float32", "complex64", "float16", "bfloat16")
_SHAPES = ("[1.0, 2.0]", "3.0", "[[1.0, -1.0]]", "[[], []]")
# What the documentation calls a "matmul-compatible object".
_DOUBLES = """\
class DoublesTrees:
    def __matmul__(self, tree):
        return jtu.tree_map(lambda leaf: leaf + leaf, tree)
"""
_SHAPED = """\
class DoublesTreesOfAShape:
    def __init__(self, tree):
        size = sum(np.size(leaf) for leaf in jtu.tree_leaves(tree))
        self.shape = (size, size)

    def __matmul__(self, tree):
        return jtu.tree_map(lambda leaf: leaf + leaf, tree)
"""
_MATRICES: Sequence[Kind] = (
    way("function", "lambda tree: jtu.tree_map(lambda leaf: leaf + leaf, tree)"),
    way("partial", "jtu.Partial(lambda two, tree: jtu.tree_map(lambda x: x * two, tree), 2)"),
    way("multiplies", "DoublesTrees()", _DOUBLES),
    way("multiplies-with-shape", "DoublesTreesOfAShape(right)", _SHAPED),
)
_OF_VECTORS: Sequence[Kind] = tuple(
    way(name, text)
    for name, text in (
        ("matrix", "jax.device_put(np.float32([[2.0, 1.0], [1.0, 4.0]]))"),
        ("numpy-matrix", "np.float32([[2.0, 1.0], [1.0, 4.0]])"),
    )
)
_HALVES = """\
class HalvesTreesOfAShape:
    def __init__(self, tree):
        size = sum(np.size(leaf) for leaf in jtu.tree_leaves(tree))
        self.shape = (size, size)

    def __matmul__(self, tree):
        return jtu.tree_map(lambda leaf: leaf / 2, tree)
"""
# Preconditioners: the inverse of these matrices, or something near it.
_INVERSES: Sequence[Kind] = tuple(
    Kind("inverse", text, tuple(definitions), (f"inverse:{name}",))
    for name, text, *definitions in (
        ("identity", "lambda tree: tree"),
        ("function", "lambda tree: jtu.tree_map(lambda leaf: leaf / 2, tree)"),
        ("partial", "jtu.Partial(lambda two, tree: jtu.tree_map(lambda x: x / two, tree), 2)"),
        ("multiplies-with-shape", "HalvesTreesOfAShape(right)", _HALVES),
    )
)
_OF_PAIRS: Sequence[Kind] = (
    _INVERSES[0],
    *(
        Kind("inverse", text, (), (f"inverse:{name}",))
        for name, text in (
            ("matrix", "jax.device_put(np.float32([[0.5, 0.0], [0.0, 0.25]]))"),
            ("numpy-matrix", "np.float32([[0.5, 0.0], [0.0, 0.25]])"),
        )
    ),
)


@st.composite
def linear_equations(draw: st.DrawFn) -> Recipe:
    """Bind `right`, `wanted` and `run`, which solves an equation whose solution is `wanted`.

    Features: `dtypes:mixed` if the leaves of `right` are of several dtypes, `right:empty` if none
    has an element, `right:zero`, `start:away` if the search starts from something else.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(_SOLVERS))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    if draw(st.integers(0, 3)) == 0:
        matrix = draw(st.sampled_from(_OF_VECTORS))
        scope.bind("right", "jax.device_put(np.float32([4.0, 9.0]))")
        scope.bind("wanted", "jax.device_put(np.float32([1.0, 2.0]))")
    else:
        matrix = draw(st.sampled_from(_MATRICES))
        _bind_right(draw, scope, halves=not {"way:cg"} & set(drawn.features))
        scope.bind("wanted", "jtu.tree_map(lambda leaf: leaf / 2, right)")
    scope.define(*matrix.definitions)
    scope.note(*matrix.features)
    if draw(st.integers(0, 3)) == 0:
        scope.note("right:zero")
        scope.rebind("right", "jtu.tree_map(lambda leaf: leaf * 0, right)")
        scope.rebind("wanted", "right")
    scope.bind("double", matrix.template)
    first = draw(st.sampled_from(("", ", x0=right", ", x0=start")))
    # All lead to more digits than the law compares.
    limits = ("", ", tol=1e-5, maxiter=60", ", tol=0.0, atol=1e-5", ", atol=1e-5, maxiter=60")
    asked = draw(st.sampled_from(limits))
    if draw(st.booleans()):
        kinds = _INVERSES if matrix in _MATRICES else _OF_PAIRS
        inverse = draw(st.sampled_from(kinds))
        scope.define(*inverse.definitions)
        scope.note(*inverse.features)
        scope.bind("inverse", inverse.template)
        asked += ", M=inverse"
    asked += ", restart=12" if "gmres" in drawn.template and draw(st.booleans()) else ""
    scope.note(*(["start:away"] if "start" in first else []))
    scope.bind("start", "jtu.tree_map(lambda leaf: leaf + 1, right)")
    scope.bind(
        "run", f"lambda lib: {drawn.template.replace('{}', 'double, right' + first + asked)}"
    )
    return scope.recipe()


def _bind_right(draw: st.DrawFn, scope: Scope, *, halves: bool) -> None:
    """Bind `right`, a tree of arrays of one dtype or several."""
    several = draw(st.booleans())
    # GMRES factorises matrices, and BiCGSTAB divides by small products: not in half precision.
    allowed = _DTYPES[:2] if halves else _DTYPES
    dtypes = allowed if several else (draw(st.sampled_from(allowed)),)
    leaves = [
        (f"{dtype}-{at}", f"jax.device_put(np.asarray({text}, jnp.{dtype}))")
        for dtype in dtypes
        for at, text in enumerate(_SHAPES)
    ]
    scope.bind("right", _tree(draw, scope, _arrays(*leaves), 4))
    found = jtu.tree_leaves(names_of(scope)["right"])
    if not found:
        scope.rebind("right", "(right, jnp.float32(1.0))")
    scope.note(*(["dtypes:mixed"] if len({leaf.dtype for leaf in found}) > 1 else []))
    scope.note(*(["right:empty"] if found and not any(leaf.size for leaf in found) else []))


_TOTAL = """\
def solved_total(tree):
    return sum((jnp.sum(leaf) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))
"""
_AUX = (
    "None",
    "{'steps': jnp.int32(3)}",
    "(jnp.int32(3), {'norms': jnp.ones(2)})",
    "[jnp.float32(0.5), None]",
    "jnp.int32(4)",
)
# Each gives what `function` gives for `known`, leaves of a right-hand side, or its derivative.
_DERIVED: Sequence[Kind] = (
    way("plain", "function(known)"),
    way("jit", "jax.jit(function)(known)"),
    way("vmap", "jax.vmap(lambda by: function([by * leaf for leaf in known]))(jnp.arange(1.0, 3))"),
    way("jvp", "jax.jvp(lambda known: function(known)[0], (known,), (known,))"),
    way("linearize", "jax.linearize(lambda known: function(known)[0], known)[1](known)"),
    way("grad", "jax.grad(lambda known: solved_total(function(known)[0]))(known)", _TOTAL),
    way(
        "grad-of-jit",
        "jax.grad(jax.jit(lambda known: solved_total(function(known)[0])))(known)",
        _TOTAL,
    ),
)


@st.composite
def custom_linear_solves(draw: st.DrawFn) -> Recipe:
    """Bind `solve` and `turned`, solvers with aux data, and `run`, which derives a function.

    The function takes `known`, the leaves of a right-hand side at some `places` of `tree`, and
    gives a solution and aux data; `exact` does so without a solver, and `solved` with one.
    Features: `known:some` if other leaves are held, `aux:differ` if `turned` gives another
    structure.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(_DERIVED))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    scope.bind("tree", _tree(draw, scope, _FLOATS[:3], 3))
    if not jtu.tree_leaves(names_of(scope)["tree"]):
        scope.rebind("tree", "[tree, jnp.float32(1.0)]")
    count = max(len(jtu.tree_leaves(names_of(scope)["tree"])), 1)
    places = sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))
    scope.note(*(["known:some"] if len(places) < count else []))
    scope.statement("leaves, structure = jtu.tree_flatten(tree)")
    scope.bind("known", f"[leaves[place] for place in {places}]")
    aux, turned = draw(st.sampled_from(_AUX)), draw(st.sampled_from(_AUX))
    if draw(st.booleans()):
        turned = aux
    symmetric = draw(st.booleans())
    scope.note(*(["aux:differ"] if turned != aux and not symmetric else []))
    scope.bind("halved", "lambda tree: jtu.tree_map(lambda leaf: leaf / 2, tree)")
    given = {
        "doubled": "(lambda tree: jtu.tree_map(lambda leaf: leaf * 2, tree))",
        "solve": f"(lambda product, right: (halved(right), {aux}))",
        "turned": f"(lambda product, right: (halved(right), {turned}))",
    }
    # One of the three is in another form.
    other = draw(st.sampled_from((*given, "doubled")))
    forms = (*FORMS, COMPILED) if other == "doubled" else FORMS
    for name, text in given.items():
        scope.bind(name, draw_form(draw, scope, text, forms) if name == other else text)
    scope.bind("exact", f"lambda right: (halved(right), {aux})")
    turn = "symmetric=True" if symmetric else "transpose_solve=turned"
    call = f"lib.lax.custom_linear_solve(doubled, right, solve, has_aux=True, {turn})"
    scope.bind("solved", f"lambda lib: lambda right: {call}")
    held = f"dict(zip({places}, known))"
    whole = f"structure.unflatten([{held}.get(at, leaf) for at, leaf in enumerate(leaves)])"
    scope.bind("of_known", f"lambda solver: lambda known: solver({whole})")
    scope.bind("run", f"lambda function: {drawn.template}")
    return scope.recipe()


def _tree(draw: st.DrawFn, scope: Scope, leaves: Sequence[Kind], most: int) -> str:
    return draw_tree(
        draw, scope, leaves=pool(tuple(leaves)), kinds=CONTAINERS, max_leaves=most, alias=False
    )
