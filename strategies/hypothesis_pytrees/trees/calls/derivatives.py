"""Derivatives of functions of trees with every option, as text: numbers, aux data, integers."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import COMPARABLE, pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

_TOTAL = """\
def derivable_total(tree):
    # Squares of small numbers, whose sums and products are exact.
    return sum((jnp.sum(jnp.asarray(leaf) ** 2) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))
"""
_NUMBER = """\
def derivable_number(*trees):
    totals = [derivable_total(tree) for tree in trees]
    return sum((place * total for place, total in enumerate(totals, 1)), totals[0] * totals[-1])
"""
_RULE = """\
def derivable_rule(place):
    def rule(tangent, result, *args):
        function = lambda one: derivable_number(*args[:place], one, *args[place + 1 :])
        return jax.jvp(function, (args[place],), (tangent,))[1]

    return rule
"""


def _points(*texts: tuple[str, str]) -> tuple[Kind, ...]:
    return tuple(Kind("leaf", text, (), (f"leaf:{name}",)) for name, text in texts)


_FLOATS = _points(
    ("float32", "jax.device_put(np.float32([1.0, 2.0]))"),
    ("float32-scalar", "jax.device_put(np.float32(3.0))"),
    ("numpy-float32", "np.float32([[1.0, -1.0]])"),
    ("numpy-scalar", "np.float32(2.0)"),
    ("python-number", "2.0"),
    ("empty", "jax.device_put(np.zeros((2, 0), np.float32))"),
)
_INTEGERS = _points(
    ("int32", "jax.device_put(np.int32([3, 1]))"),
    ("int32-scalar", "jax.device_put(np.int32(2))"),
    ("uint8", "jax.device_put(np.uint8([[1, 2]]))"),
    ("bool", "jax.device_put(np.array([True, False]))"),
    ("numpy-int32", "np.int32([1, 2])"),
    ("int", "3"),
    ("true", "True"),
)
_COMPLEX = _points(
    ("complex64", "jax.device_put(np.complex64([1 + 2j, 3]))"),
    ("complex64-scalar", "jax.device_put(np.complex64(2j))"),
    ("numpy-complex64", "np.complex64([[1 - 1j]])"),
    ("complex", "2j"),
)
# Functions of JAX that transform a function; those of the first row ask for a number.
OF_NUMBERS: Sequence[Kind] = (
    way("grad", "lib.grad"),
    way("value-and-grad", "lib.value_and_grad"),
)
JACOBIANS: Sequence[Kind] = (
    way("jacfwd", "lib.jacfwd"),
    way("jacrev", "lib.jacrev"),
    way("jacobian", "lib.jacobian"),
)
# Functions of `jax.experimental.sparse`, which for dense arrays are those of JAX.
_SPARSE = "import jax.experimental.sparse"
SPARSE: Sequence[Kind] = tuple(
    way(name.replace("_", "-"), f"lib.experimental.sparse.{name}", _SPARSE)
    for name in ("grad", "value_and_grad", "jacfwd", "jacrev")
)
SPARSE_OF_NUMBERS = SPARSE[:2]
BACKWARD = JACOBIANS[1:]
HESSIAN = way("hessian", "lib.hessian")
# What a function gives for the number that it computes.
_RESULTS = (
    "number",
    "number * jnp.float32([1, 2])",
    "[number, {'a': jnp.stack([number, -number])}]",
)
# How an argument is named; each is an integer by `operator.index`.
_INTEGER_TYPES = ("{0}", "np.int64({0})", "np.int32({0})", "np.array([{0}])[0]")


@st.composite
def by_arguments(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `function` of three trees, `args`, `argnums`, and the same as one argument.

    `whole` is a function of `chosen`, the arguments that `argnums` names: a tuple if that is a
    sequence. `derive` gives a transformation of a library. Features: `argnums:numpy`,
    `argnums:sequence`, `argnums:one` for a sequence of one, `argnums:unsorted`,
    `argnums:negative`, `chosen:leafless` if one of the named arguments has no leaves.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    _bind_way(scope, drawn)
    trees = [_tree(draw, scope, _FLOATS, 2) for _ in range(3)]
    scope.bind("args", f"({', '.join(trees)})")
    several = draw(st.booleans())
    most = 3 if several else 1
    places = draw(st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=most, unique=True))
    if places != sorted(places):
        scope.note("argnums:unsorted")
    chosen = [names_of(scope)["args"][place] for place in places]
    if not all(jtu.tree_leaves(one) for one in chosen):
        scope.note("chosen:leafless")
    if not jtu.tree_leaves(chosen):
        # A derivative with respect to nothing at all is another matter.
        scope.rebind("args", "tuple([tree, np.float32(2.0)] for tree in args)")
        scope.features.discard("chosen:leafless")
    scope.bind("argnums", _numbers(draw, scope, places, several=several))
    scope.bind("options", "dict(argnums=argnums)")
    parts = [f"args[{place}]" for place in places]
    inside = [
        f"chosen[{places.index(place)}]" if place in places else f"args[{place}]"
        for place in range(3)
    ]
    if "argnums:sequence" in scope.features:
        scope.bind("chosen", f"({', '.join(parts)},)")
    else:
        scope.bind("chosen", parts[0])
        inside = ["chosen" if place in places else f"args[{place}]" for place in range(3)]
    result = _RESULTS[0] if _asks_for_a_number(drawn) else draw(st.sampled_from(_RESULTS))
    scope.note(*(["result:tree"] if result.startswith("[") else []))
    scope.bind("function", f"lambda *trees: (lambda number: {result})(derivable_number(*trees))")
    scope.bind("whole", f"lambda chosen: function({', '.join(inside)})")
    return scope.recipe()


def _numbers(draw: st.DrawFn, scope: Scope, places: Sequence[int], *, several: bool) -> str:
    """Write the numbers of arguments: one, or a sequence of them."""
    texts = []
    for place in places:
        kind = draw(st.sampled_from(_INTEGER_TYPES))
        negative = draw(st.integers(0, 3)) == 0
        scope.note(*(["argnums:numpy"] if "np." in kind else []))
        scope.note(*(["argnums:negative"] if negative else []))
        texts.append(kind.format(place - 3 if negative else place))
    if not several:
        return texts[0]
    scope.note("argnums:sequence", *(["argnums:one"] if len(texts) == 1 else []))
    return f"{draw(st.sampled_from(('tuple', 'list')))}([{', '.join(texts)}])"


def _asks_for_a_number(drawn: Kind) -> bool:
    return drawn in (*OF_NUMBERS, *SPARSE_OF_NUMBERS)


def _bind_way(scope: Scope, drawn: Kind) -> None:
    scope.define(*drawn.definitions, _TOTAL, _NUMBER)
    scope.note(*drawn.features)
    scope.bind("derive", f"lambda lib: {drawn.template}")
    scope.bind(
        "plain", drawn.template.replace("lib.experimental.sparse.", "lib.").replace("lib.", "jax.")
    )
    # What a transformation gives holds the derivative.
    scope.bind(
        "slope", "lambda found: found" + ("[1]" if "way:value-and-grad" in drawn.features else "")
    )


def _tree(draw: st.DrawFn, scope: Scope, leaves: Sequence[Kind], most: int) -> str:
    return draw_tree(
        draw, scope, leaves=pool(tuple(leaves)), kinds=CONTAINERS, max_leaves=most, alias=False
    )


# By name: how to get what a transformation gives for `first`, and for `function`, which returns
# aux data beside; of the latter, a pair whose second part is the aux data.
_AUX_WAYS = (
    ("grad", "lib.grad(first)(tree)", "lib.grad(function, has_aux=True)(tree)"),
    (
        "value-and-grad",
        "lib.value_and_grad(first)(tree)",
        (
            "(lambda pair, slope: ((pair[0], slope), pair[1]))"
            "(*lib.value_and_grad(function, has_aux=True)(tree))"
        ),
    ),
    *(
        (name, f"lib.{name}(first)(tree)", f"lib.{name}(function, has_aux=True)(tree)")
        for name in ("jacfwd", "jacrev", "jacobian", "hessian")
    ),
    (
        "jvp",
        "lib.jvp(first, (tree,), (tree,))",
        (
            "(lambda value, slope, aux: ((value, slope), aux))"
            "(*lib.jvp(function, (tree,), (tree,), has_aux=True))"
        ),
    ),
    (
        "vjp",
        "(lambda value, pull: (value, pull(value)))(*lib.vjp(first, tree))",
        (
            "(lambda value, pull, aux: ((value, pull(value)), aux))"
            "(*lib.vjp(function, tree, has_aux=True))"
        ),
    ),
    (
        "linearize",
        "(lambda value, push: (value, push(tree)))(*lib.linearize(first, tree))",
        (
            "(lambda value, push, aux: ((value, push(tree)), aux))"
            "(*lib.linearize(function, tree, has_aux=True))"
        ),
    ),
    (
        "forward-and-backward",
        (
            "(lambda forward, backward: (lambda value, rest: (value, backward(rest, value)))"
            "(*forward(tree)))(*jax.fwd_and_bwd(first, 0, jitted=False))"
        ),
        (
            "(lambda forward, backward: (lambda value, rest, aux: "
            "((value, backward(rest, value)), aux))(*forward(tree)))"
            "(*lib.fwd_and_bwd(function, 0, has_aux=True, jitted=False))"
        ),
    ),
)
_AUX_KINDS: Sequence[Kind] = tuple(
    way(name, f"({plain}, {with_aux})".replace("lib.fwd", "jax.fwd"))
    for name, plain, with_aux in _AUX_WAYS
)


@st.composite
def with_aux_data(draw: st.DrawFn) -> Recipe:
    """Bind `run`, which gives what a library computes without aux data, and the same with it.

    The latter is a pair of the derivative and the aux data, which are `(aux, of the argument)`.
    Features: `aux:object` if a leaf is neither an array nor a number.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(_AUX_KINDS)))
    scope.define(_TOTAL)
    scope.note(*drawn.features)
    # A Python number has no dtype for its tangent, which is the same number here.
    scope.bind("tree", f"[{_tree(draw, scope, _FLOATS, 2)}, np.float32([1.0, 3.0])]")
    leaves = pool(tuple(kind for kind in COMPARABLE if "leaf:big-int" not in kind.features))
    before = set(scope.features)
    aux = draw_tree(draw, scope, leaves=leaves, kinds=CONTAINERS, max_leaves=3)
    if {"leaf-is:object", "leaf-is:key"} & (scope.features - before):
        scope.note("aux:object")
    scope.bind("aux", aux)
    scope.bind("first", "derivable_total")
    scope.bind("function", "lambda tree: (first(tree), (aux, first(tree) + 1))")
    plain, with_aux = next(one[1:] for one in _AUX_WAYS if f"way:{one[0]}" in drawn.features)
    scope.bind("plain", f"lambda lib: {plain}")
    scope.bind("run", f"lambda lib: {with_aux}")
    return scope.recipe()


@st.composite
def of_integers(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `tree`, of numbers of which some are integers or booleans, and `function`, a sum.

    `result` is what the function gives for the sum of squares: the sum, or a vector of multiples,
    whose factors are `factors`. Feature: `derived:integers` if there is an integer.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    _bind_way(scope, drawn)
    scope.bind("tree", _tree(draw, scope, (*_FLOATS, *_INTEGERS), 4))
    leaves = jtu.tree_leaves(names_of(scope)["tree"])
    if not leaves:
        scope.rebind("tree", "[tree, np.float32(2.0)]")
    if any(not hasattr(leaf, "dtype") or leaf.dtype.kind in "iub" for leaf in leaves):
        scope.note("derived:integers")
    scope.bind("args", "(tree,)")
    scope.bind("options", "dict(allow_int=True)")
    numbers = ("1.0",) if _asks_for_a_number(drawn) else ("1.0", "[1.0, 2.0]", "[[3.0]]")
    scope.bind("factors", f"np.float32({draw(st.sampled_from(numbers))})")
    scope.bind("function", "lambda tree: derivable_total(tree) * factors")
    return scope.recipe()


@st.composite
def products(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `tree`, `weights`, a tree, and `function`, which gives each weight times half a sum.

    The sum is that of the squares in `tree`; `options` hold `holomorphic` if they are complex.
    Features: `tree:leafless`, `weights:leafless`, `result:tree`, `derived:holomorphic`.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    _bind_way(scope, drawn)
    holomorphic = draw(st.booleans())
    leaves, number = (_COMPLEX, "np.complex64(1j)") if holomorphic else (_FLOATS, "np.float32(2.0)")
    scope.note(*(["derived:holomorphic"] if holomorphic else []))
    scope.bind("order", "2" if drawn is HESSIAN else "1")
    scope.bind("options", f"dict(holomorphic={holomorphic})")
    scope.bind("tree", _tree(draw, scope, leaves, 3))
    scope.bind("args", "(tree,)")
    weights = number if _asks_for_a_number(drawn) else _tree(draw, scope, leaves, 2)
    scope.bind("weights", weights)
    scope.note(*([] if jtu.all_leaves([names_of(scope)["weights"]]) else ["result:tree"]))
    for name in ("tree", "weights"):
        if not jtu.tree_leaves(names_of(scope)[name]):
            scope.note(f"{name}:leafless")
    half = f"jnp.asarray(derivable_total(tree) / 2, {number}.dtype)"
    scope.bind("function", f"lambda tree: jtu.tree_map(lambda leaf: leaf * {half}, weights)")
    return scope.recipe()


@st.composite
def rules_by_argument(draw: st.DrawFn) -> Recipe:
    """Bind `function` of some trees, `args`, and `rules`, one for each argument or None.

    `known` says which arguments have a rule. Feature: `rules:none` if none has one.
    """
    scope = Scope()
    scope.define(_TOTAL, _NUMBER)
    count = draw(st.integers(1, 3))
    floats = _FLOATS[:3]
    trees = [f"[{_tree(draw, scope, floats, 2)}, np.float32(2.0)]" for _ in range(count)]
    scope.bind("args", f"({', '.join(trees)},)")
    known = [draw(st.booleans()) for _ in range(count)]
    scope.note(*([] if any(known) else ["rules:none"]))
    scope.bind("known", repr(known))
    scope.bind("function", "derivable_number")
    rules = [f"derivable_rule({at})" if has else "None" for at, has in enumerate(known)]
    scope.bind("rules", f"[{', '.join(rules)}]")
    scope.define(_RULE)
    return scope.recipe()


@st.composite
def sparse_derivatives(draw: st.DrawFn) -> Recipe:
    """Bind `function`, `args` and `options` of a derivative in `jax.experimental.sparse`.

    `derive` gives the transformation of a library, and `plain` is the one of JAX that it stands
    for. Feature: `derived:aux` with `has_aux`.
    """
    # What the Jacobians of JAX do with integers, without leaves and with NumPy's numbers is their
    # own matter.
    whole = products(SPARSE).filter(
        lambda recipe: not {"tree:leafless", "weights:leafless"} & recipe.features
    )
    some = by_arguments(SPARSE).filter(
        lambda recipe: not {"way:jacrev", "argnums:numpy"} <= recipe.features
    )
    drawn = st.one_of(some, of_integers(SPARSE_OF_NUMBERS), whole)
    scope = Scope()
    scope.include(draw(drawn))
    if draw(st.booleans()):
        scope.note("derived:aux")
        scope.bind("alone", "function")
        scope.rebind("function", "lambda *given: (alone(*given), [given, 2])")
        scope.rebind("options", "{**options, 'has_aux': True}")
    return scope.recipe()
