"""Flax NNX types as nodes: modules, lists, dicts, Variables, states and graphdefs with children.

Children of a module are marked as data, so that anything can stand there.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind

from .modules import NNX_LAYERS, NNX_MODULES

_BOX = """\
class NnxNodeBox(nnx.Module):
    def __init__(self, x):
        self.x = nnx.data(x)
"""
_NAMED = """\
class NnxNodeNamed(nnx.Module):
    def __init__(self, x, name='net', size=3):
        # Not in the order of their names.
        self.size = size
        self.name = name
        self.x = nnx.data(x)
"""
_PAIR = """\
class NnxNodePair(nnx.Module):
    def __init__(self, y, x):
        self.y = nnx.data(y)
        self.x = nnx.data(x)
"""
_DERIVED = """\
class NnxNodeDerived(NnxNodeNamed):
    scale = 2.0

    def __init__(self, x, inner):
        super().__init__(x, name='derived')
        self.inner = nnx.data(inner)
"""
_EMPTY = """\
class NnxNodeEmpty(nnx.Module):
    def __init__(self, tag='empty'):
        self.nothing = nnx.data(None)
        self.tag = tag
"""
_PYTREE = """\
class NnxNodePytree(nnx.Pytree):
    def __init__(self, x):
        self.x = nnx.data(x)
        self.sizes = (1, (2, 'three'))
"""
_RECORD = """\
@nnx.dataclass
class NnxNodeRecord(nnx.Module):
    x: typing.Any = nnx.data()
    size: int = nnx.static(default=2)
"""
_PROPERTY = """\
class NnxNodeProperty(nnx.Module):
    def __init__(self, x):
        self._x = nnx.data(x)

    @property
    def x(self):
        return self._x

    @functools.cached_property
    def described(self):
        return 'a box'
"""
_WEIGHT = """\
class NnxNodeWeight(nnx.Param):
    pass
"""


def _node(name: str, tags: str, template: str, *definitions: str) -> Kind:
    return Kind(name, template, definitions, tuple(f"nnx:{tag}" for tag in tags.split()))


NNX_MODULE_NODES: Sequence[Kind] = (
    _node("nnx.Module", "box", "NnxNodeBox($0)", _BOX),
    _node("nnx.Module", "named", "NnxNodeNamed($0)", _NAMED),
    _node("nnx.Module", "named", "NnxNodeNamed($0, 'other')", _NAMED),
    _node("nnx.Module", "named", "NnxNodeNamed($0, 'net', True)", _NAMED),
    _node("nnx.Module", "named", "NnxNodeNamed($0, None, 1)", _NAMED),
    _node("nnx.Module", "pair", "NnxNodePair($0, $1)", _PAIR),
    _node("nnx.Module", "derived", "NnxNodeDerived($0, $1)", _NAMED, _DERIVED),
    _node("nnx.Module", "empty", "NnxNodeEmpty()", _EMPTY),
    _node("nnx.Module", "empty", "NnxNodeEmpty('other')", _EMPTY),
    _node("nnx.Module", "pytree", "NnxNodePytree($0)", _PYTREE),
    _node("nnx.Module", "record", "NnxNodeRecord($0)", _RECORD),
    _node("nnx.Module", "record", "NnxNodeRecord($0, 5)", _RECORD),
    _node("nnx.Module", "cached-property", "NnxNodeProperty($0)", _PROPERTY),
)
NNX_LIST_NODES: Sequence[Kind] = (
    _node("nnx.List", "list", "nnx.List([nnx.data($0), nnx.data($1)])"),
    _node("nnx.List", "list", "nnx.List([nnx.data($0)])"),
    _node("nnx.List", "list mixed", "nnx.List(['text', nnx.data($0), 1])"),
    _node("nnx.List", "list mixed", "nnx.List([nnx.data($0), True])"),
    _node("nnx.List", "list empty", "nnx.List([])"),
)
NNX_DICT_NODES: Sequence[Kind] = (
    _node("nnx.Dict", "dict", "nnx.Dict({'b': nnx.data($0), 'a': nnx.data($1)})"),
    _node("nnx.Dict", "dict", "nnx.Dict(a=nnx.data($0))"),
    _node("nnx.Dict", "dict mixed", "nnx.Dict({'10': nnx.data($0), '9': 'text', 'c': 1})"),
    _node("nnx.Dict", "dict empty", "nnx.Dict()"),
)
NNX_VARIABLE_NODES: Sequence[Kind] = (
    _node("nnx.Variable", "param", "nnx.Param($0)"),
    _node("nnx.Variable", "other", "nnx.BatchStat($0)"),
    _node("nnx.Variable", "metadata", "nnx.Param($0, tag='encoder')"),
    _node("nnx.Variable", "metadata", "nnx.Param($0, rank=2, tag='decoder')"),
    _node("nnx.Variable", "metadata", "nnx.Param($0, tag='decoder', rank=2)"),
    _node("nnx.Variable", "own", "NnxNodeWeight($0)", _WEIGHT),
)
NNX_STATE_NODES: Sequence[Kind] = (
    _node("nnx.State", "one", "nnx.State({'a': $0})"),
    _node("nnx.State", "two", "nnx.State({'b': $0, 'a': $1})"),
    _node("nnx.State", "int-keys", "nnx.State({10: $0, 9: $1})"),
    _node("nnx.State", "nested", "nnx.State({'layers': {0: $0}, 'a': $1})"),
    _node("nnx.State", "empty", "nnx.State({})"),
)
_DESCRIBED = {"nnx:box", "nnx:pair", "nnx:property", "nnx:tied", "nnx:dataclass", "nnx:rngs"}
NNX_GRAPHDEF_NODES: Sequence[Kind] = (
    *(
        Kind(
            "nnx.GraphDef",
            f"nnx.graphdef({kind.text(['nnx.Param(1.0)'] * kind.arity)})",
            kind.definitions,
            kind.features,
        )
        for kind in NNX_MODULES
        if _DESCRIBED & {*kind.features}
    ),
    # Older releases keep initialisers in it, functions without a name to pickle by.
    Kind(
        "nnx.GraphDef",
        "nnx.graphdef(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))",
        (),
        ("nnx:layer", "node:unpicklable"),
    ),
)
# A compiled function, which can neither be pickled nor copied.
_COMPILED = ("node:unpicklable", "module:deepcopy-differs")
# Layers have no children of the user's; their Variables hold arrays.
NNX_LAYER_NODES: Sequence[Kind] = tuple(
    Kind(
        "nnx.Module",
        kind.template,
        kind.definitions,
        kind.features + (_COMPILED if "jnp.tanh" in kind.template else ()),
    )
    for kind in NNX_LAYERS
    if "nnx:slow" not in kind.features
)
