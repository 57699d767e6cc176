"""Cases of the other tree functions: repeated nodes, flags, updates, texts."""

from __future__ import annotations

import itertools
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, trees
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.leaves.leaves import HOSTILE, INEXACT_ARRAYS, pool
from hypothesis_pytrees.trees.positions import bind_tree
from hypothesis_pytrees.trees.prefixes import CUTS, draw_prefix
from hypothesis_pytrees.trees.trees import every_kind
from treelaws.laws._short_trees import or_short

from ._tree_at_inputs import any_tree
from ._tree_equal_inputs import draw_skeleton, filled

_LEAF = jtu.tree_structure(0)
_DUO = "Duo = collections.namedtuple('Duo', ['first', 'second'])\n"
_FLAGGED = """\
class Flagged(eqx.Module):
    x: typing.Any
    inference: bool = False
"""
_SHOWN = """\
class Shown:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text
"""
_MOVE = """\
class Move:
    __array_ufunc__ = None

    def __radd__(self, node):
        return ("moved", node)
"""
_BLANK = """\
class Blank:
    pass
"""
_AROUND = ("[{}]", "({}, 1)", "{{'a': {}}}", "Duo(1, {})", "eqx.Partial(max, {})")


@st.composite
def cycles(draw: st.DrawFn, *, immediate: bool = False) -> Recipe:
    """Draw a tree that contains itself.

    Args:
        immediate: the tree is its own child; by default it is anywhere below itself.
    """
    scope = Scope()
    scope.define(_DUO)
    start, add = draw(
        st.sampled_from((("[1]", "start.append({})"), ("{'b': 1}", "start['a'] = {}")))
    )
    scope.bind("start", start)
    text = "start"
    for _ in range(0 if immediate else draw(st.integers(0, 3))):
        text = draw(st.sampled_from(_AROUND)).format(text)
    scope.bind("tree", text)
    scope.statement(add.format("tree"))
    return scope.recipe()


@st.composite
def maybe_repeated(draw: st.DrawFn) -> Recipe:
    """Draw a tree, often one in which a leaf or a node occurs several times."""
    scope = Scope()
    tree = bind_tree(draw, scope, or_short(any_tree()))
    if draw(st.booleans()):
        scope.rebind(tree, f"[{tree}, ({tree}, 1)]")
    return scope.recipe()


@st.composite
def repeated_trifles(draw: st.DrawFn) -> Recipe:
    """Draw a list in which a leaf or a node without children occurs several times."""
    scope = Scope()
    empties = [kind for kind in CONTAINERS if not kind.arity]
    part = draw(st.one_of(trees(roots=empties, max_leaves=1), pool((*HOSTILE, *INEXACT_ARRAYS))))
    name = scope.bind("part", part)
    scope.bind("tree", f"[{', '.join([name] * draw(st.integers(2, 3)))}]")
    return scope.recipe()


@st.composite
def flagged(draw: st.DrawFn) -> Recipe:
    """Draw a model whose inference flags are off."""
    scope = Scope()
    scope.define(_FLAGGED)
    texts = []
    for _ in range(5):
        inner = draw(st.sampled_from(("1.0", "eqx.nn.Dropout(0.5)", "[Flagged('x')]")))
        outer = draw(st.sampled_from(("{}", "Flagged({})", "jtu.Partial(max, Flagged({}))")))
        texts.append(outer.format(inner))
    scope.bind("tree", filled(draw_skeleton(draw, scope), itertools.cycle(texts)))
    return scope.recipe()


_OUTCOME = """\
class Outcome(eqx.Enumeration):
    good = 'went well'
    bad = 'went wrong'
"""


@st.composite
def no_updates(draw: st.DrawFn, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a tree and `updates`, a prefix of the tree whose leaves are all `None`."""
    scope = Scope()
    tree = bind_tree(draw, scope, strategy)
    prefix = draw_prefix(draw, scope, draw(st.sampled_from(CUTS)), tree)
    scope.bind("updates", prefix.text(["None"] * len(prefix.subtrees)))
    return scope.recipe()


@st.composite
def some_updates(draw: st.DrawFn, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a tree and `updates`, a prefix of it with leaves `None` or addable to any node."""
    scope = Scope()
    scope.define(_MOVE)
    tree = bind_tree(draw, scope, strategy)
    prefix = draw_prefix(draw, scope, draw(st.sampled_from(CUTS)), tree)
    texts = [draw(st.sampled_from(("Move()", "None"))) for _ in prefix.subtrees]
    scope.bind("updates", prefix.text(texts))
    return scope.recipe()


@st.composite
def shown_as(
    draw: st.DrawFn, leaf: str, text: str, *definitions: str, node: bool = False
) -> Recipe:
    """Draw a tree whose leaves are all one object, and `shown`: its leaves are replaced by a text.

    Args:
        leaf: expression of that leaf.
        text: expression of the text, the `repr` of the replacement.
        definitions: definitions that the leaf needs.
        node: whether the object is a node, which the text replaces as a whole; default `False`.
    """
    scope = Scope()
    scope.define(_SHOWN, *definitions)
    scope.bind("leaf", leaf)
    scope.bind("tree", filled(draw_skeleton(draw, scope), itertools.repeat("leaf")))
    shown = f"Shown({text}) if node is leaf else node"
    # A map, since constructors may check the types of their arguments. Both trees get one: a map
    # sorts keys.
    whole = ", is_leaf=lambda node: node is leaf" if node else ""
    scope.rebind("tree", f"jtu.tree_map(lambda node: node, tree{whole})")
    scope.bind("shown", f"jtu.tree_map(lambda node: {shown}, tree{whole})")
    return scope.recipe()


ARRAY = "jax.device_put(np.float32([1.0, 2.0]))"
SUMMARISED = shown_as(ARRAY, "'f32[2]'")
SPELLED_OUT = shown_as(ARRAY, "repr(leaf)")
STRUCTS = shown_as("jax.ShapeDtypeStruct((2,), jnp.float32)", "'f32[2]'")
TRUNCATED = shown_as("Blank()", "'Blank(...)'", _BLANK)
# One member, a chosen one and a batch.
MEMBERS = st.one_of(
    [
        shown_as(text, "repr(leaf)", _OUTCOME, node=True)
        for text in (
            "Outcome.bad",
            "Outcome.where(jnp.array(True), Outcome.bad, Outcome.good)",
            "jax.vmap(lambda _: Outcome.bad)(jnp.zeros(1))",
        )
    ]
)

SHORT = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "complex64": "c64",
    "int32": "i32",
    "uint8": "u8",
    "bool": "bool",
}


@st.composite
def array_texts(draw: st.DrawFn, *dtypes: str) -> Recipe:
    """Draw a `jax.Array` of one of the dtypes, and its `text` such as `f32[3,4]`."""
    scope = Scope()
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(st.sampled_from(((3, 4), (2,), (), (0, 3))))
    scope.bind("array", f"jax.device_put(np.zeros({shape}, jnp.{dtype}))")
    scope.bind("text", repr(f"{SHORT[dtype]}[{','.join(map(str, shape))}]"))
    return scope.recipe()


@st.composite
def layouts(draw: st.DrawFn, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a tree and the options `width` and `indent`."""
    scope = Scope()
    bind_tree(draw, scope, strategy)
    scope.bind("width", str(draw(st.integers(1, 100))))
    scope.bind("indent", str(draw(st.integers(0, 8))))
    return scope.recipe()


@st.composite
def narrow_trees(draw: st.DrawFn) -> Recipe:
    """Draw lists and dicts of digits, at most two levels deep, and a width that their lines fit in.

    No line needs more than 18 characters: eight for the indent, six for a key, the rest for one
    bracket or digit with its comma.
    """
    scope = Scope()
    digits = st.lists(st.sampled_from("0123456789"), max_size=12).map(", ".join)
    parts = draw(st.lists(digits.map("[{}]".format), min_size=1, max_size=4))
    keyed = ", ".join(f"'{key}': {part}" for key, part in zip("abcd", parts, strict=False))
    scope.bind("tree", f"{{{keyed}}}" if draw(st.booleans()) else f"[{', '.join(parts)}]")
    width, indent = draw(st.integers(18, 40)), draw(st.integers(0, 4))
    scope.bind("width", str(width))
    scope.bind("indent", str(indent))
    lengths = [len(part) + more for part in parts[:-1] for more in (indent, 2 * indent)]
    if width in lengths or width in (length + len("'a': ") for length in lengths):
        scope.note("layout:full-line-before-comma")
    return scope.recipe()


def without_flags() -> list[Kind]:
    """Return the kinds of nodes without inference flags, in themselves and in their children."""
    return [kind for kind in every_kind() if kind.name != "layer"]


def children_of(node: Any) -> list[Any]:
    """Return the children of a node; a leaf has none."""
    children, level = jtu.tree_flatten(node, is_leaf=lambda inner: inner is not node)
    return [] if level == _LEAF else children


def repeats_a_node(tree: Any) -> bool:
    """Return whether an object with children occurs at two places of a tree."""
    # Keeps the objects alive: Python reuses the id of a deleted object.
    seen: dict[int, Any] = {}

    def visit(node: Any) -> bool:
        children = children_of(node)
        if children and seen.setdefault(id(node), children) is not children:
            return True
        alive.extend(children)
        return any(visit(child) for child in children)

    alive: list[Any] = []
    return visit(tree)


def flags_of(tree: Any) -> list[Any]:
    """Return the attribute `inference` of every node that has it."""
    nodes: list[Any] = []
    jtu.tree_flatten(tree, is_leaf=lambda node: nodes.append(node) is not None)
    return [node.inference for node in nodes if hasattr(node, "inference")]
