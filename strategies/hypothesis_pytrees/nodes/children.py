"""Traits of registered nodes: children and aux data.

Aux data is hashable, and compares by value. Source:
https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html: "some hashable
auxiliary data to be stored in the treedef".
"""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar import fields
from hypothesis_pytrees.classes.grammar.traits import CLASS

from .parts import NAMES, NodeTrait, Part

_NONE = frozenset({"no-children"})
_AUX = frozenset({"tag"})
_LABEL = """\
class NodeLabel:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return type(other) is NodeLabel and self.text == other.text

    def __hash__(self):
        return hash(self.text)
"""
_TOKEN = '''\
class NodeToken:
    """Compares by identity."""


NODE_TOKEN = NodeToken()
'''


def _children(features: str, *parts: Part) -> NodeTrait:
    return NodeTrait(features, parts=parts, clashes=_NONE)


def _aux(feature: str, value: str, *definitions: str) -> NodeTrait:
    part = Part("tag", value, aux=True)
    return NodeTrait(f"aux {feature}", parts=(part,), claims=_AUX, definitions=definitions)


CHILDREN_OF_NODES: tuple[NodeTrait, ...] = (
    NodeTrait("no-children"),
    _children("second", Part("y")),
    _children("two-more", Part("z"), Part("w")),
    _children("None-child", Part("gap", passed="")),
    # Unflatten may be given any object in the place of the container. Source:
    # https://docs.jax.dev/en/latest/101/pytrees.html#initialization-with-unexpected-values
    _children(
        "fresh-container",
        Part(
            "parts",
            "{'weight': $, 'scale': None}",
            read="dict({0}) if type({0}) is dict else {0}",
        ),
    ),
    _children(
        "fresh-list fresh-container",
        Part("row", "[$]", read="[*{0}] if type({0}) is list else {0}"),
    ),
)
AUX_DATA: tuple[NodeTrait, ...] = (
    _aux("aux-str", "'label'"),
    # 1, True and 1.0 are equal and hash alike; so are 0.0 and -0.0.
    _aux("aux-int", "1"),
    _aux("aux-bool", "True"),
    _aux("aux-float", "1.0"),
    _aux("aux-float aux-zero", "0.0"),
    _aux("aux-float aux-minus-zero", "-0.0"),
    _aux("aux-tuple", "(1, 'a')"),
    _aux("aux-frozenset", "frozenset({'stream'})"),
    _aux("aux-enum", "Level.HIGH", fields.LEVEL),
    _aux("aux-function", "double", fields.DOUBLE),
    _aux("aux-object", "NodeLabel('text')", _LABEL),
    _aux("aux-dtype", "np.dtype('float32')"),
    _aux("aux-treedef", "jtu.tree_structure([0, {'a': 0}])"),
    _aux("aux-own-class", CLASS),
    _aux("identity-aux", "NODE_TOKEN", _TOKEN),
    NodeTrait("aux-default", parts=(Part("tag", "", "'unset'", aux=True),), claims=_AUX),
    NodeTrait("aux-constant aux-tuple", constant="('node', 1)"),
    NodeTrait("aux-keys", constant=NAMES),
)
