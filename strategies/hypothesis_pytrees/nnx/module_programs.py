"""Random programs on Flax NNX modules, as text, to run eagerly and in transforms."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import (
    ARRAY_ATTRIBUTES,
    LONE_VARIABLES,
    SET_METADATA,
    VALUE_METHODS,
    Since,
)
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool

from .modules import NNX_CONTAINERS, NNX_MODULES, nnx_modules
from .variables import variables

# Variables in the order of iter_graph, without those of random streams, which are not numbers.
_VARIABLE = """\
def nnx_variable(module, index):
    found = {}
    for _, value in nnx.iter_graph(module):
        if isinstance(value, nnx.Variable) and not isinstance(value, nnx.RngState):
            found[id(value)] = value
    held = list(found.values())
    return held[index % len(held)] if held else nnx.Param(jax.device_put(np.float32(0.0)))
"""
_UNSOWN = """\
def nnx_unsown(module, index):
    # What was sown is a tuple: with an array in its place, nothing can be sown there again.
    found = nnx_variable(module, index)
    held = found.get_value() if hasattr(found, 'get_value') else found.value
    return nnx.Param(0.0) if isinstance(held, tuple) else found
"""
_DOUBLED = """\
def nnx_twice(value):
    return jtu.tree_map(lambda leaf: jnp.add(leaf, leaf), value)
"""
_NAMES = """\
def nnx_names(module):
    # Attributes that can stand for each other: Variables and modules, but nothing that was sown.
    kinds = (nnx.Variable, nnx.Module)
    found = [name for name, held in sorted(vars(module).items()) if isinstance(held, kinds)]
    return [name for name in found if name != 'sown']
"""
_DELETE = """\
def nnx_delete(module):
    for name in nnx_names(module)[:1]:
        delattr(module, name)
"""
_SWAP = """\
def nnx_swap(module):
    for one, other in [nnx_names(module)[:2]] if len(nnx_names(module)) > 1 else []:
        first, second = getattr(module, one), getattr(module, other)
        setattr(module, one, second)
        setattr(module, other, first)
"""
_ADDED = """\
class NnxAdded(nnx.Module):
    def __init__(self, x):
        self.x = nnx.BatchStat(x)
        self.name = 'added'
"""
_SOW = """\
def nnx_sow_value(module, value):
    import warnings

    with warnings.catch_warnings():
        # Newer releases prefer a call within `nnx.capture`.
        warnings.simplefilter('ignore', DeprecationWarning)
        module.sow(nnx.Intermediate, 'sown', value)
"""
_STREAM = """\
def nnx_draw(module):
    for _, value in nnx.iter_graph(module):
        if isinstance(value, nnx.RngStream):
            return jax.random.key_data(value())
"""


_LISTS = """\
def nnx_lists(module):
    return [value for _, value in nnx.iter_graph(module) if isinstance(value, nnx.List)]
"""
_GROW = """\
def nnx_grow(module, x):
    for items in nnx_lists(module)[:1]:
        items.append(nnx.Param(x))
        items.insert(len(items), nnx.BatchStat(x))
"""
_SHRINK = """\
def nnx_shrink(module):
    for items in nnx_lists(module)[:1]:
        if len(items):
            items.pop()
"""


def _step(name: str, text: str, *definitions: str, needs: tuple[Since, ...] = ()) -> Kind:
    return Kind("step", text, definitions, (f"step:{name}",), needs=needs)


def _ways(
    name: str, newer: str, older: str, *, since: Since, definitions: tuple[str, ...]
) -> tuple[Kind, ...]:
    return (_step(name, newer, *definitions, needs=(since,)), _step(name, older, *definitions))


# Newer ways first: the first one that the release has is drawn.
_READS = ("nnx_variable(module, $index).get_value()", "nnx_variable(module, $index).value")
_WRITES = (
    "nnx_variable(module, $index).set_value(nnx_twice(nnx_variable(module, $index).get_value()))",
    "setattr(nnx_variable(module, $index), 'value', nnx_twice(nnx_variable(module, $index).value))",
)
_PUTS = (
    "nnx_unsown(module, $index).set_value(x)",
    "setattr(nnx_unsown(module, $index), 'value', x)",
)
_TAGS = (
    "nnx_variable(module, $index).set_metadata(note='new')",
    "setattr(nnx_variable(module, $index), 'note', 'new')",
)
# Steps that keep the structure of a module and the shapes in it, for loops and branches.
FIXED: Sequence[tuple[Kind, ...]] = (
    _ways("write", *_WRITES, since=VALUE_METHODS, definitions=(_VARIABLE, _DOUBLED)),
    _ways("write", *_WRITES, since=VALUE_METHODS, definitions=(_VARIABLE, _DOUBLED)),
    (_step("draw", "nnx_draw(module)", _STREAM),),
)
FREE: Sequence[tuple[Kind, ...]] = (
    *FIXED,
    _ways("read", *_READS, since=VALUE_METHODS, definitions=(_VARIABLE,)),
    _ways("put", *_PUTS, since=VALUE_METHODS, definitions=(_VARIABLE, _UNSOWN)),
    _ways("metadata", *_TAGS, since=SET_METADATA, definitions=(_VARIABLE,)),
    (_step("add-static", "setattr(module, 'extra_text', 'text')"),),
    (_step("add-variable", "setattr(module, 'extra', nnx.Param(x))"),),
    (_step("add-module", "setattr(module, 'extra_module', NnxAdded(x))", _ADDED),),
    (_step("add-array", "setattr(module, 'extra_array', x)", needs=(ARRAY_ATTRIBUTES,)),),
    (_step("add-list", "setattr(module, 'extra_list', nnx.List([nnx.Param(x)]))"),),
    (_step("grow", "nnx_grow(module, x)", _LISTS, _GROW),),
    (_step("shrink", "nnx_shrink(module)", _LISTS, _SHRINK),),
    (_step("share", "setattr(module, 'shared', nnx_variable(module, $index))", _VARIABLE),),
    (_step("cycle", "setattr(module, 'me', module)"),),
    (_step("delete", "nnx_delete(module)", _NAMES, _DELETE),),
    (_step("swap", "nnx_swap(module)", _NAMES, _SWAP),),
    (_step("sow", "nnx_sow_value(module, x)", _SOW),),
    (_step("pop", "nnx.pop(module, nnx.BatchStat) and None"),),
)
# A number that is data, or an array of NumPy, becomes an array of JAX in each transform.
_INNER = tuple(
    kind
    for kind in (*NNX_MODULES, *NNX_CONTAINERS)
    if not {"nnx:number", "nnx:plain-list", "nnx:plain-dict"} & {*kind.features}
)
_ROOTS = tuple(
    kind
    for kind in NNX_MODULES
    if not {"nnx:object", "nnx:pytree", "nnx:number"} & {*kind.features}
)
# No Modules: they have no `sow`, which some steps call.
_OTHER_ROOTS = tuple(
    kind for kind in NNX_MODULES if {"nnx:pytree", "nnx:object"} & {*kind.features}
)


@st.composite
def module_programs(
    draw: st.DrawFn,
    *,
    steps: Sequence[tuple[Kind, ...]] = FREE,
    leaves: st.SearchStrategy[Recipe] | None = None,
    layers: bool = True,
    cycles: bool = False,
    alias: bool = True,
    without: Sequence[str] = (),
    most: int = 3,
    count: int = 1,
    nodes: bool = False,
) -> Recipe:
    """Draw a `module`, an array `x`, and a `program`: a function of both that changes the module.

    A program returns a list of the results of its steps, arrays or `None`.

    Args:
        steps: what a program is made of, each as the ways to write it; default `FREE`.
        leaves: strategy of the attributes of the module; default Variables of real arrays.
        layers: let the module hold layers and `Rngs`; default `True`.
        cycles: let it hold itself; default `False`.
        alias: let it hold one object in two places; default `True`.
        without: features of kinds that the module shall not have, such as `"nnx:rngs"`.
        most: most steps of a program; default 3.
        count: number of programs, `program`, `program_2` and so on; default 1.
        nodes: let `module` be a `Pytree` that is no `Module`, or a Variable, for steps that take
            them; default `False`.

    Raises:
        ValueError: `steps` is empty, or `most` or `count` is below 1.
    """
    if not steps or most < 1 or count < 1:
        raise ValueError("give at least one step, and most and count of at least 1")
    scope = Scope()
    kept = variables(pool(tuple(REAL_ARRAYS))) if leaves is None else leaves
    roots, kinds = (
        tuple(kind for kind in table if not {*kind.features} & {*without})
        for table in (_ROOTS + _OTHER_ROOTS * nodes, _INNER)
    )
    modules = nnx_modules(
        kept, roots=roots, kinds=kinds, layers=layers, cycles=cycles, alias=alias, max_leaves=3
    )
    # Every sixth one is a Variable.
    alone = nodes and not LONE_VARIABLES.lacking() and draw(st.integers(0, 5)) == 5
    scope.bind("module", draw(variables(pool(tuple(REAL_ARRAYS))) if alone else modules))
    scope.note(*(["module:variable"] if alone else []))
    scope.bind("x", "jax.device_put(np.float32([3.0, 4.0]))")
    ways = [way for way in (_first(ways) for ways in steps) if way is not None]
    if "nnx:data" in scope.features:
        # Nothing can be popped from a plain list.
        ways = [way for way in ways if "step:pop" not in way.features]
    for _ in range(count):
        chosen = draw(st.lists(st.sampled_from(ways), min_size=1, max_size=most))
        texts = []
        for kind in chosen:
            scope.define(*kind.definitions)
            scope.note(*kind.features)
            index = draw(st.integers(0, 2))
            texts.append(kind.template.replace("$index", str(index)))
        scope.bind("program", f"lambda module, x: [{', '.join(texts)}]")
    return scope.recipe()


def _first(ways: tuple[Kind, ...]) -> Kind | None:
    return next(iter(available(ways)), None)
