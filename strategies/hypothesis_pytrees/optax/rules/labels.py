"""Labels of every hashable type, and labels that are functions of the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_ENUMS = """\
class PartLabel(enum.Enum):
    FIRST = 1
    SECOND = 2
"""
_INT_ENUM = """\
class PartNumber(enum.IntEnum):
    FIRST = 1
    SECOND = 2
"""
_CLASS = """\
@dataclasses.dataclass(frozen=True)
class PartName:
    text: str
"""
_ORDERED = """\
@dataclasses.dataclass(frozen=True, order=True)
class OrderedPartName:
    text: str
"""
# Two labels, by what they are called in features. A tuple or `None` is a node and no label.
_LABELS: Sequence[tuple[str, str, str]] = (
    ("text", "'first'", "'second'"),
    ("int", "0", "-3"),
    ("bool", "True", "False"),
    ("bytes", "b'a'", "b'b'"),
    ("enum", "PartLabel.FIRST", "PartLabel.SECOND"),
    ("int-enum", "PartNumber.FIRST", "PartNumber.SECOND"),
    ("class", "PartName('a')", "PartName('b')"),
    ("ordered-class", "OrderedPartName('a')", "OrderedPartName('b')"),
    ("type", "int", "str"),
    ("mixed", "'a'", "1"),
    ("mixed", "'a'", "PartLabel.FIRST"),
    ("mixed", "1.5", "b'b'"),
    ("frozenset", "frozenset({1})", "frozenset({2})"),
    ("complex", "1j", "2j"),
)
_SORTED = ("text", "int", "bool", "bytes", "int-enum", "ordered-class", "frozenset")
_PARAMS = (
    ("{{'a': jnp.ones(2), 'b': jnp.ones(3)}}", "{{'a': {}, 'b': {}}}"),
    ("{{'a': {{'w': jnp.ones(2)}}, 'b': jnp.ones(())}}", "{{'a': {{'w': {}}}, 'b': {}}}"),
    ("[jnp.ones(2), (jnp.ones(3), jnp.ones(1))]", "[{}, {}]"),
    ("(jnp.ones((2, 1)), jnp.ones(0))", "({}, {})"),
)


@st.composite
def hashable_labels(draw: st.DrawFn) -> Recipe:
    """Draw `params`, `grads`, `factors`, a number for each of two labels, and a tree `labels`.

    `labels` ends at the leaves of `params` or above.
    """
    scope = Scope()
    for text in (_ENUMS, _INT_ENUM, _CLASS, _ORDERED):
        scope.define(text)
    name, first, second = draw(st.sampled_from(_LABELS))
    scope.note(f"labels:{name}", *["labels:without-order"] * (name not in _SORTED))
    params, labels = draw(st.sampled_from(_PARAMS))
    scope.bind("params", params.format())
    scope.bind("grads", "jtu.tree_map(lambda leaf: leaf * 2, params)")
    scope.bind("factors", f"{{{first}: 0.5, {second}: -2.0}}")
    pair = draw(st.sampled_from(((first, second), (second, first), (second, second))))
    scope.bind("labels", labels.format(*pair))
    return scope.recipe()


# Functions that give a bool for each leaf of a tree of dicts.
_BY_ITEMS = """\
def chosen_by_items(tree):
    return {
        key: chosen_by_items(value) if isinstance(value, dict) else key == 'w'
        for key, value in tree.items()
    }
"""
_FUNCTIONS: Sequence[tuple[str, str]] = (
    ("items", "chosen_by_items"),
    ("axes", "lambda tree: jtu.tree_map(lambda leaf: leaf.ndim > 1, tree)"),
    (
        "path",
        "lambda tree: jtu.tree_map_with_path(lambda path, _: 'w' in jtu.keystr(path), tree)",
    ),
    ("keys", "lambda tree: {key: key == 'a' for key in tree}"),
)
# A transformation with `choose`, and how many copies of the parameters its state holds.
_CHOOSING: Sequence[tuple[str, str, int]] = (
    ("masked", "optax.masked(optax.trace(0.5), choose)", 1),
    ("masked", "optax.masked(optax.adam(0.5), choose)", 2),
    (
        "multi_transform",
        "optax.multi_transform({True: optax.trace(0.5), False: optax.adam(0.5)}, choose)",
        3,
    ),
    (
        "multi_transform",
        "optax.multi_transform({True: optax.trace(0.5), False: optax.identity()}, choose)",
        1,
    ),
    ("adamw", "optax.adamw(0.5, mask=choose)", 2),
)


@st.composite
def choosing_functions(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, which asks a function of the tree for a mask or labels, `params` and `copies`."""
    scope = Scope()
    scope.define(_BY_ITEMS)
    trees = (
        "{'a': {'w': jnp.ones((2, 2)), 'b': jnp.ones(2)}, 'c': {'w': jnp.ones((1, 3))}}",
        "{'a': jnp.ones(2), 'w': {'w': jnp.ones((2, 1))}}",
        "{'w': jnp.ones(3)}",
    )
    scope.bind("params", draw(st.sampled_from(trees)))
    name, text = draw(st.sampled_from(_FUNCTIONS))
    scope.note(f"choose:{name}")
    scope.bind("choose", text)
    kind, made, copies = draw(st.sampled_from(_CHOOSING))
    scope.note(f"choosing:{kind}")
    scope.bind("tx", made)
    scope.bind("copies", repr(copies))
    return scope.recipe()
