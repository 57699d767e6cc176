"""Classes that follow JAX's documentation to the letter break no law of level `must`.

The documentation has three answers to unexpected values in a constructor: convert nothing
(`register_pytree_node`, `register_pytree_node_class`), anticipate `object()`, `None` and the type
itself (`solution 1`), or run no constructor in unflatten (`solution 2`,
`register_pytree_with_keys`).

Laws of level `should` ask for more than the documentation does. Of those, these break:

- `solution 1`, whose unflatten converts what it does not anticipate:
  `flatten.unflatten_accepts_any_leaf` and the laws that rest on it, which are
  `flatten.unflatten_looks_at_no_leaf`, `flatten.flatten_looks_at_no_leaf`,
  `flatten.unflatten_writes_into_no_leaf`, `copies.dropped_node_is_freed`,
  `copies.dropped_copy_is_freed`, `copies.failed_map_keeps_no_leaf`,
  `transforms.eval_shape_keeps_the_structure`, `transforms.compiled_identity_is_the_identity`,
  `transforms.args_info_has_the_structure`, `transforms.vmap_takes_axes_as_a_node`, the laws of
  `transforms` about each way, and with newer releases of JAX
  `transforms.jacobian_is_a_node_of_nodes`, `transforms.hessian_is_a_node_of_nodes`.
- `own key type`, whose keys compare by identity: `keys.equal_builds_have_equal_paths` and the laws
  that rest on it: `keys.one_level_has_the_keys_of_the_paths`, `keys.key_entries_can_be_copied`,
  `keys.path_is_a_key_and_the_path_within_the_child`, `keys.paths_depend_on_no_leaf`.
- `a lock`, which can be neither copied nor pickled: the laws of `node.copies` about deep copies and
  pickles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import pytest
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, arrays, trees
from hypothesis_pytrees.trees.containers import NONE
from treelaws.core.law import Law
from treelaws.core.search import search
from treelaws.core.stopped import NoInput
from treelaws.core.subject import Subject
from treelaws.laws import all_laws

# https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes
_SPECIAL = """\
class Special(object):
    def __init__(self, x, y):
        self.x = x
        self.y = y
"""
_REGISTERED_SPECIAL = """\
class RegisteredSpecial(Special):
    def __repr__(self):
        return "RegisteredSpecial(x={}, y={})".format(self.x, self.y)


def special_flatten(v):
    children = (v.x, v.y)
    aux_data = None
    return (children, aux_data)


def special_unflatten(aux_data, children):
    return RegisteredSpecial(*children)


jtu.register_pytree_node(RegisteredSpecial, special_flatten, special_unflatten)
"""
_REGISTERED_SPECIAL_2 = """\
@jtu.register_pytree_node_class
class RegisteredSpecial2(Special):
    def __repr__(self):
        return "RegisteredSpecial2(x={}, y={})".format(self.x, self.y)

    def tree_flatten(self):
        children = (self.x, self.y)
        aux_data = None
        return (children, aux_data)

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        return cls(*children)
"""
_DATACLASS = """\
@functools.partial(
    jax.tree_util.register_dataclass, data_fields=['a', 'b', 'c'], meta_fields=['name']
)
@dataclasses.dataclass
class MyDataclassContainer(object):
    name: str
    a: typing.Any
    b: typing.Any
    c: typing.Any
"""
_NAMEDTUPLE = """\
class MyOtherContainer(typing.NamedTuple):
    name: str
    a: typing.Any
    b: typing.Any
    c: typing.Any
"""
# https://docs.jax.dev/en/latest/101/pytrees.html#initialization-with-unexpected-values
_SOLUTION_1 = """\
class MyTree:
    def __init__(self, a):
        if not (type(a) is object or a is None or isinstance(a, MyTree)):
            a = jnp.asarray(a)
        self.a = a


jtu.register_pytree_node(MyTree, lambda tree: ((tree.a,), None), lambda _, args: MyTree(*args))
"""
_SOLUTION_2 = """\
class MyOtherTree:
    def __init__(self, a):
        self.a = jnp.asarray(a)


def tree_unflatten(aux_data, children):
    del aux_data  # Unused in this class.
    obj = object.__new__(MyOtherTree)
    obj.a = children[0]
    return obj


jtu.register_pytree_node(MyOtherTree, lambda tree: ((tree.a,), None), tree_unflatten)
"""
# https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_with_keys.html
_WITH_KEYS = """\
class MyContainer:
    def __init__(self, size):
        self.x = jnp.zeros(size)
        self.y = jnp.ones(size)
        self.size = size


def flatten_with_keys(obj):
    children = [(jtu.GetAttrKey('x'), obj.x), (jtu.GetAttrKey('y'), obj.y)]
    aux_data = (obj.size,)
    return children, aux_data


def unflatten(aux_data, children):
    obj = object.__new__(MyContainer)
    obj.x, obj.y = children
    obj.size, = aux_data
    return obj


jtu.register_pytree_with_keys(MyContainer, flatten_with_keys, unflatten)
"""
# https://github.com/jax-ml/jax/blob/jax-v0.9.0/docs/pytrees.md#explicit-key-paths: a key has a hash
# and, for keystr, a text; no more is asked of it.
_OWN_KEYS = """\
class OwnKey:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f'.{self.name}'


class OwnKeys(Special):
    pass


jtu.register_pytree_with_keys(
    OwnKeys,
    lambda node: (((OwnKey('x'), node.x), (OwnKey('y'), node.y)), None),
    lambda _, children: OwnKeys(*children),
)
"""
# Nothing speaks of attributes that the constructor makes anew.
_LOCKED = """\
class LockedPair(Special):
    def __init__(self, x, y):
        super().__init__(x, y)
        self.lock = threading.Lock()


jtu.register_pytree_node(
    LockedPair, lambda node: ((node.x, node.y), None), lambda _, children: LockedPair(*children)
)
"""
_THREADING = "import threading\n"


def _kind(template: str, *definitions: str) -> Kind:
    return Kind("node", template, definitions)


_ANY_CHILDREN: Mapping[str, tuple[Kind, ...]] = {
    "register_pytree_node": (_kind("RegisteredSpecial($0, $1)", _SPECIAL, _REGISTERED_SPECIAL),),
    "register_pytree_node_class": (
        _kind("RegisteredSpecial2($0, $1)", _SPECIAL, _REGISTERED_SPECIAL_2),
    ),
    "register_dataclass": (
        _kind("MyDataclassContainer('apple', $0, $1, $2)", _DATACLASS),
        _kind("MyDataclassContainer('banana', $0, $1, $2)", _DATACLASS),
    ),
    "NamedTuple": (_kind("MyOtherContainer('Alice', $0, $1, $2)", _NAMEDTUPLE),),
    "own key type": (_kind("OwnKeys($0, $1)", _SPECIAL, _OWN_KEYS),),
    "a lock": (_kind("LockedPair($0, $1)", _SPECIAL, _THREADING, _LOCKED),),
}
# Their constructors convert: what stands in them is arrays, None and instances of their own.
_ARRAYS_ALONE: Mapping[str, tuple[Kind, ...]] = {
    "solution 1": (_kind("MyTree($0)", _SOLUTION_1),),
    "solution 2": (_kind("MyOtherTree($0)", _SOLUTION_2),),
    "register_pytree_with_keys": (
        _kind("MyContainer(4)", _WITH_KEYS),
        _kind("MyContainer(2)", _WITH_KEYS),
    ),
}


def _subject(name: str) -> Subject:
    def instances(**options: Any) -> st.SearchStrategy[Recipe]:
        if name in _ANY_CHILDREN:
            return trees(roots=_ANY_CHILDREN[name], **options)
        own = _ARRAYS_ALONE[name]
        inner = (NONE, *own) if name == "solution 1" else ()
        return trees(**{**options, "leaves": arrays(), "roots": own, "kinds": inner})

    return Subject(f"documented: {name}", "node", lambda: jax, instances=instances)


_SUBJECTS = {name: _subject(name) for name in (*_ANY_CHILDREN, *_ARRAYS_ALONE)}
_LAWS = [law for law in all_laws().values() if law.topic.family == "node" and law.level == "must"]
# Its first child is a str, and derivatives are promised for trees of numbers alone.
_WITHOUT_INPUT = {
    ("NamedTuple", f"node.transforms.{name}")
    for name in (
        "grad_has_the_structure",
        "jvp_has_the_structure",
        "vjp_has_the_structure",
        "derivatives_are_the_same_under_jit",
    )
}
_PAIRS = [
    pytest.param(law, found, id=f"{name}-{law.id}")
    for name, found in _SUBJECTS.items()
    for law in _LAWS
    if not found.missing(law.needs)
]


@pytest.mark.sweep
@pytest.mark.parametrize(("law", "subject"), _PAIRS)
def test_documented_class_keeps_the_law(law: Law, subject: Subject) -> None:
    if (subject.name.removeprefix("documented: "), law.id) in _WITHOUT_INPUT:
        with pytest.raises(NoInput, match="almost no input"):
            search(law, subject)
        return
    breach = search(law, subject)
    assert breach is None, str(breach)
