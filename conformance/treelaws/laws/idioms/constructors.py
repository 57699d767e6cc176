"""Idioms: a custom node whose constructor does work."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, arrays, leaves
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, same, true
from treelaws.laws.equinox.module_init import uses_construct_nothing

from ._idiom import Idiom, Problem, Text

law = Topic("recipes.constructors", "Idioms: a constructor that does work", family="jax")
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
_AUX = f"{_PYTREES}#custom-pytree-nodes"
_ISSUES = "https://github.com/patrick-kidger/equinox/issues"
_CALLED = """\
class RxCalled:
    calls = 0

    def __init__(self, table):
        RxCalled.calls += 1
        self.table = table
        self.table['a'] = 42


jtu.register_pytree_node(
    RxCalled, lambda node: ((node.table,), None), lambda _, children: RxCalled(*children)
)
"""
_NEW = """\
class RxNew:
    calls = 0

    def __init__(self, table):
        RxNew.calls += 1
        self.table = {**table, 'a': 42}


def rebuild_rx_new(_, children):
    node = object.__new__(RxNew)
    (node.table,) = children
    return node


jtu.register_pytree_node(RxNew, lambda node: ((node.table,), None), rebuild_rx_new)
"""
_FLAG = """\
class RxFlag:
    def __init__(self, table, modified=False):
        self.table = table if modified else {**table, 'a': 42}


jtu.register_pytree_node(
    RxFlag,
    lambda node: ((node.table,), None),
    lambda _, children: RxFlag(*children, modified=True),
)
"""
_FACTORY = """\
class RxFactory:
    def __init__(self, table):
        self.table = table

    @classmethod
    def create(cls, table):
        return cls({**table, 'a': 42})


jtu.register_pytree_node(
    RxFactory, lambda node: ((node.table,), None), lambda _, children: RxFactory(*children)
)
"""
_AUX_DATA = """\
class RxAux:
    def __init__(self, table, value=42):
        self.table, self.value = table, value


jtu.register_pytree_node(
    RxAux, lambda node: ((node.table,), node.value), lambda aux, children: RxAux(*children, aux)
)
"""
_MAPS = (
    "lambda node: jtu.tree_map(lambda leaf: leaf, node)",
    "lambda node: jtu.tree_unflatten(jtu.tree_structure(node), jtu.tree_leaves(node))",
    "lambda node: jtu.tree_map_with_path(lambda path, leaf: leaf, node)",
)
_TRANSFORMATIONS = (
    "lambda node: jax.jit(lambda node: node)(node)",
    "lambda node: jax.checkpoint(lambda node: node)(node)",
    "lambda node: jax.vmap(lambda node: node, None, None, axis_size=2)(node)",
    "lambda node: jax.lax.scan(lambda carry, _: (carry, None), node, None, length=2)[0]",
)
_SOUND = {_NEW: "RxNew($)", _FLAG: "RxFlag($)", _FACTORY: "RxFactory.create($)"}


@st.composite
def _nodes(draw: st.DrawFn, ways: dict[str, str], *, traced: bool = True) -> Recipe:
    """Bind `given`, a dict with a leaf, `node`, made from it in one of the ways, and `use`.

    Args:
        ways: expressions that make the node, by the definition of its class.
        traced: half of the uses are transformations, and the leaf is an array.
    """
    scope = Scope()
    definition = draw(st.sampled_from(tuple(ways)))
    scope.define(definition)
    scope.bind("given", f"{{'b': {scope.include(draw(arrays() if traced else leaves()))}}}")
    scope.bind("node", ways[definition].replace("$", "given"))
    scope.bind("use", draw(st.sampled_from((*_MAPS, *_TRANSFORMATIONS) if traced else _MAPS)))
    return scope.recipe()


@law(
    "with `object.__new__`, a flag or a factory, unflatten keeps every leaf that JAX puts into the "
    "node",
    source=_UNEXPECTED,
    needs={"tree_util"},
    case=_nodes(_SOUND, traced=False),
)
def work_outside_of_unflatten_keeps_every_leaf(lib, case):
    leaves = [object() for _ in jtu.tree_leaves(case.node)]
    structure = lib.tree_util.tree_structure(case.node)
    back = case.use(lib.tree_util.tree_unflatten(structure, leaves))
    true(type(back) is type(case.node), back, f"a {type(case.node)}")
    same(list(back.table.values()), leaves, identical=True)


@law(
    "`object.__new__` in unflatten runs no constructor",
    source=_UNEXPECTED,
    needs={"tree_util"},
    level="should",
    case=_nodes({_NEW: "RxNew($)"}),
)
def object_new_in_unflatten_runs_no_constructor(lib, case):
    before = type(case.node).calls
    case.use(case.node)
    calls = type(case.node).calls - before
    true(calls == 0, f"{calls} calls of the constructor", "none")


@law(
    "a constructor that unflatten calls runs again for each node that JAX makes",
    source=_UNEXPECTED,
    needs={"tree_util"},
    level="should",
    case=_nodes({_CALLED: "RxCalled($)"}),
)
def constructor_in_unflatten_runs_on_every_map(lib, case):
    """A failure of the idiom: the constructor overwrites a leaf that JAX put into the node."""
    before = type(case.node).calls
    case.use(case.node)
    calls = type(case.node).calls - before
    true(calls >= 1, f"{calls} calls of the constructor", "one or more")


@law(
    "a value in the aux data survives every map and every transformation",
    source=_AUX,
    needs={"tree_util"},
    case=_nodes({_AUX_DATA: "RxAux($)"}),
)
def aux_value_survives_every_use(lib, case):
    """It is neither traced nor differentiated."""
    equal(case.use(case.node).value, 42)


@law(
    "nodes with different values in the aux data have different structures",
    source=_AUX,
    needs={"tree_util"},
    case=_nodes({_AUX_DATA: "RxAux($)"}, traced=False),
)
def aux_value_is_a_part_of_the_structure(lib, case):
    other = type(case.node)(case.given, 43)
    differ(lib.tree_util.tree_structure(other), lib.tree_util.tree_structure(case.node))


PROBLEM = Problem(
    "A custom node whose constructor does work",
    "The constructor of a registered class writes `self.table['a'] = 42`, and unflatten calls"
    " `cls(*children)`. Each tree_map, jit and grad then runs it again and overwrites the leaves.",
    (*(f"{_ISSUES}/{number}" for number in (711, 583, 296, 1049)), _UNEXPECTED),
    (
        Idiom(
            "object.__new__ in unflatten",
            "holds",
            "Choose this one: unflatten makes the instance without the constructor and sets the"
            " attributes. Nothing is converted, checked or counted a second time.",
            (
                object_new_in_unflatten_runs_no_constructor,
                work_outside_of_unflatten_keeps_every_leaf,
            ),
            Text(
                "The node keeps the leaves that a map puts there",
                f"{_NEW}\n\nnode = RxNew({{'b': 1}})\n"
                "placed = jtu.tree_map(lambda leaf: 'placed', node)\n"
                "assert placed.table == {'a': 'placed', 'b': 'placed'}\n",
            ),
        ),
        Idiom(
            "An eqx.Module",
            "holds",
            "Equinox makes Modules in this way: only the construction itself runs __init__ or"
            " __post_init__.",
            (uses_construct_nothing,),
        ),
        Idiom(
            "A factory classmethod and a plain constructor",
            "holds in part",
            "It holds if the constructor only stores its arguments, and if the factory copies a"
            " dict before changing it. Otherwise the factory changes the caller's dict.",
            (work_outside_of_unflatten_keeps_every_leaf,),
            None,
            (
                Text(
                    "A factory that changes the dict of its caller",
                    """\
class MadeBox:
    def __init__(self, table):
        self.table = table

    @classmethod
    def create(cls, table):
        table['a'] = 42
        return cls(table)


mine = {'b': 1}
box = MadeBox.create(mine)
assert mine == {'b': 1}
""",
                    "AssertionError",
                ),
            ),
        ),
        Idiom(
            "A flag that unflatten passes, `cls(*children, modified=True)`",
            "holds in part",
            "It holds if every later call of the constructor passes the flag. A subclass or"
            " dataclasses.replace that omits the flag does the work a second time.",
            (work_outside_of_unflatten_keeps_every_leaf,),
            None,
            (
                Text(
                    "dataclasses.replace does not pass the flag",
                    """\
@dataclasses.dataclass
class FlaggedBox:
    table: dict
    modified: dataclasses.InitVar[bool] = False

    def __post_init__(self, modified):
        if not modified:
            self.table = {**self.table, 'a': 42}


rebuild = lambda _, parts: FlaggedBox(*parts, modified=True)
jtu.register_pytree_node(FlaggedBox, lambda box: ((box.table,), None), rebuild)
placed = jtu.tree_map(lambda leaf: 'placed', FlaggedBox({'b': 1}))
moved = dataclasses.replace(placed, table=placed.table)
assert moved.table['a'] == 'placed'
""",
                    "AssertionError",
                ),
            ),
        ),
        Idiom(
            "The value as aux data",
            "holds in part",
            "Use it for configuration: the value is not a leaf, is not differentiated, and another"
            " value compiles again. With an array there, comparing structures raises an error.",
            (aux_value_survives_every_use, aux_value_is_a_part_of_the_structure),
            None,
            (
                Text(
                    "An array in the aux data",
                    f"{_AUX_DATA}\n\none = RxAux({{}}, jnp.ones(2))\n"
                    "other = RxAux({}, jnp.ones(2))\n"
                    "jtu.tree_map(lambda *leaves: leaves, [one, 1], [other, 1])\n",
                    "ValueError",
                ),
            ),
        ),
        Idiom(
            "The constructor in unflatten",
            "fails",
            "A constructor that unflatten calls may only store its arguments.",
            (constructor_in_unflatten_runs_on_every_map,),
            None,
            (
                Text(
                    "The constructor overwrites a leaf that a map puts there",
                    f"{_CALLED}\n\nnode = RxCalled({{'b': 1}})\n"
                    "placed = jtu.tree_map(lambda leaf: 'placed', node)\n"
                    "assert placed.table['a'] == 'placed'\n",
                    "AssertionError",
                ),
                Text(
                    "The constructor changes the caller's own dict",
                    f"{_CALLED}\n\nmine = {{'b': 1}}\nRxCalled(mine)\nassert mine == {{'b': 1}}\n",
                    "AssertionError",
                ),
                Text(
                    "JAX also puts objects that are not arrays into the node",
                    f"{_CALLED}\n\nnode = RxCalled({{'b': 1}})\n"
                    "is_leaf = lambda part: type(part) is dict\n"
                    "jtu.tree_map(lambda table: None, node, is_leaf=is_leaf)\n",
                    "TypeError",
                ),
            ),
        ),
    ),
)
