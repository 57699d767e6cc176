"""Calls of one compiled function, each with a node or a static argument of its own.

They are text as well, for a process of their own: JAX compares aux data and static arguments while
it looks for a compiled function, and what goes wrong there ends the process.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

_IMPORTS = """\
import collections
import dataclasses
import time
import types
import jax
import jax.tree_util as jtu
import numpy as np
"""
_EQUAL = """\
class ThreadAux:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
$pause        return isinstance(other, ThreadAux) and self.value == other.value

    def __hash__(self):
        return hash(self.value)
"""
_RECORD = """\
@dataclasses.dataclass(frozen=True)
class ThreadAux:
    value: int
"""
_SINGLE = """\
class ThreadOne:
    def __init__(self, value):
        self.value = value


ThreadAux = [ThreadOne(number) for number in range(5)].__getitem__
"""
_NAMED = "ThreadAux = collections.namedtuple('ThreadAux', ['value'])\n"


def _aux(name: str, text: str, *tags: str) -> Kind:
    return Kind("aux", text, (), (f"aux:{name}", *(f"aux-is:{tag}" for tag in tags)))


# How data that two threads have made alike are compared.
_AUX: Sequence[Kind] = (
    # One object for all threads, which is compared by identity.
    _aux("shared", _SINGLE),
    _aux("namedtuple", _NAMED),
    _aux("pausing", _EQUAL.replace("$pause", "        time.sleep(1e-4)\n"), "compared-in-python"),
    _aux("python", _EQUAL.replace("$pause", ""), "compared-in-python"),
    _aux("frozen-dataclass", _RECORD, "compared-in-python"),
)
_REGISTERED = """\
class ThreadNode:
    def __init__(self, x, aux):
        self.x, self.aux = x, aux


jtu.register_pytree_node(
    ThreadNode, lambda node: ((node.x,), node.aux), lambda aux, held: ThreadNode(*held, aux)
)
"""
_KEYED = """\
class ThreadKeyedNode(types.SimpleNamespace):
    pass


jtu.register_pytree_with_keys(
    ThreadKeyedNode,
    lambda node: (((jtu.GetAttrKey('x'), node.x),), (node.aux, 'more')),
    lambda aux, held: ThreadKeyedNode(x=held[0], aux=aux[0]),
)
"""
_DATA = """\
@dataclasses.dataclass
class ThreadDataNode:
    x: object
    aux: object


jtu.register_dataclass(ThreadDataNode, data_fields=['x'], meta_fields=['aux'])
"""
_NODES = """\
def thread_node_calls(jit):
    compiled = jit(lambda node: node.x * node.aux.value)
    x = np.float32(3)
    return [lambda k=k: compiled($node(x=x, aux=ThreadAux(k % 5))) for k in range(16)]
"""
_STATIC = """\
def thread_node_calls(jit):
    compiled = jit(lambda aux, x: x * aux.value, $static)
    x = np.float32(3)
    return [lambda k=k: compiled($given) for k in range(16)]
"""


def _place(name: str, text: str) -> Kind:
    return Kind("place", text, (), (f"place:{name}",))


def _nodes(name: str, text: str) -> str:
    return f"{text}\n\n{_NODES.replace('$node', name)}"


# Where the data stand.
_PLACES: Sequence[Kind] = (
    _place("node", _nodes("ThreadNode", _REGISTERED)),
    _place("node-with-keys", _nodes("ThreadKeyedNode", _KEYED)),
    _place("dataclass", _nodes("ThreadDataNode", _DATA)),
    _place(
        "static",
        _STATIC.replace("$static", "static_argnums=0").replace("$given", "ThreadAux(k % 5), x"),
    ),
    _place(
        "static-by-name",
        _STATIC.replace("$static", "static_argnames='aux'").replace(
            "$given", "aux=ThreadAux(k % 5), x=x"
        ),
    ),
)


@st.composite
def nodes_of_threads(draw: st.DrawFn) -> Recipe:
    """Bind `calls`, which takes `jit` and gives functions without arguments, and their `text`.

    The text defines the same as `thread_node_calls`.
    """
    scope = Scope()
    aux, place = (draw(st.sampled_from(available(kinds))) for kinds in (_AUX, _PLACES))
    for kind in (aux, place):
        scope.note(*kind.features)
    text = f"{_IMPORTS}\n\n{aux.template}\n\n{place.template}"
    scope.bind("text", repr(text))
    scope.bind("calls", "lambda jit: run_text(text)['thread_node_calls'](jit)")
    scope.define("def run_text(text):\n    names = {}\n    exec(text, names)\n    return names\n")
    return scope.recipe()
