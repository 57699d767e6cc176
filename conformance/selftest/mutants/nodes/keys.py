"""Node types whose flatten with keys has one fault."""

from __future__ import annotations

from hypothesis_pytrees import Kind
from selftest.mutant import node_mutant


def _kind(name: str, keyed: str, plain: str = "((node.x, node.y), None)", before: str = "") -> Kind:
    text = f"""\
{before}class {name}:
    def __init__(self, x, y):
        self.x, self.y = x, y


jtu.register_pytree_with_keys(
    {name},
    lambda node: ({keyed}),
    lambda _, children: {name}(*children),
    lambda node: {plain},
)
"""
    return Kind("node", f"{name}($0, $1)", (text,))


_X, _Y = "(jtu.GetAttrKey('x'), node.x)", "(jtu.GetAttrKey('y'), node.y)"

node_mutant(
    "flatten with keys has another order",
    _kind("KeyedBackwards", f"({_Y}, {_X}), None"),
    fault="flatten with keys gives the children in the opposite order of flatten",
    kills=[
        "node.keys.flatten_with_path_gives_the_leaves_of_flatten",
        "node.keys.flatten_with_path_agrees_under_is_leaf",
        "node.keys.identity_map_with_path_is_the_identity",
        "node.keys.one_level_with_keys_gives_the_children",
    ],
)
node_mutant(
    "flatten with keys has other aux data",
    _kind("KeyedOtherwise", f"({_X}, {_Y}), 'keyed'"),
    fault="flatten with keys and flatten give treedefs that differ",
    kills=[
        "node.keys.flatten_with_path_gives_the_treedef_of_flatten",
        "node.keys.flatten_with_path_agrees_under_is_leaf",
    ],
)
node_mutant(
    "one key for all children",
    _kind("KeyedAlike", "((jtu.GetAttrKey('x'), node.x), (jtu.GetAttrKey('x'), node.y)), None"),
    fault="two children have the same key, which leads to the first of them",
    kills=["node.keys.sibling_keys_are_distinct", "node.keys.path_leads_to_the_leaf"],
)
node_mutant(
    "keys are numbered on and on",
    _kind(
        "KeyedOnwards",
        "((jtu.SequenceKey(next(NUMBERS)), node.x), (jtu.SequenceKey(next(NUMBERS)), node.y)),"
        " None",
        before="NUMBERS = itertools.count()\n\n\n",
    ),
    fault="each flatten gives the children new keys",
    kills=[
        "node.keys.one_level_has_the_keys_of_the_paths",
        "node.keys.path_is_a_key_and_the_path_within_the_child",
        "node.keys.equal_builds_have_equal_paths",
        "node.keys.paths_depend_on_no_leaf",
    ],
)
node_mutant(
    "keys print alike",
    _kind(
        "KeyedMutely",
        "((KeyedMute('x'), node.x), (KeyedMute('y'), node.y)), None",
        before="""\
@dataclasses.dataclass(frozen=True)
class KeyedMute:
    name: str

    def __str__(self):
        return '.child'


""",
    ),
    fault="the printed form of a key does not tell which child it is",
    kills=["node.keys.keystr_is_injective"],
)
node_mutant(
    "keys compare by identity",
    _kind(
        "KeyedBare",
        "((BareKey('x'), node.x), (BareKey('y'), node.y)), None",
        before="""\
class BareKey:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f'.{self.name}'


""",
    ),
    fault="a key entry equals neither its copy nor the key of the next flatten",
    kills=[
        "node.keys.key_entries_can_be_copied",
        "node.keys.equal_builds_have_equal_paths",
    ],
)
node_mutant(
    "keys name the leaf's type",
    _kind(
        "KeyedByType",
        "((jtu.DictKey(('x', type(node.x).__name__)), node.x),"
        " (jtu.DictKey(('y', type(node.y).__name__)), node.y)), None",
    ),
    fault="the path changes with the leaf that stands there",
    kills=["node.keys.paths_depend_on_no_leaf"],
)
