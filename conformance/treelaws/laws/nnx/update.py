"""Flax NNX: `state` and `update`."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees import CONTAINERS
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal

from ._inputs import (
    EVERY_MODULE,
    MODULES,
    alone,
    first_match,
    fresh_values,
    holders,
    is_variable,
    modules_of,
    split_cases,
)
from ._model import (
    described,
    references,
    same_graph,
    same_references,
    same_rows,
    variables_of,
)

law = Topic("nnx.update", "Flax NNX: state and update", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_STATE, _UPDATE = f"{_DOCS}#flax.nnx.state", f"{_DOCS}#flax.nnx.update"
_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html"
_ALONE = "https://github.com/google/flax/pull/4606"
_EVERY = modules_of(EVERY_MODULE)
# Lists and dicts more often than the others.
_PLAIN = tuple(kind for kind in CONTAINERS if kind.name in ("list", "dict"))
_LISTED = (*CONTAINERS, *_PLAIN * 4)


@law(
    "`state(module)` equals the State that `split(module)` returns",
    source=_STATE,
    needs={"state", "split"},
    case=_EVERY,
)
def state_is_that_of_split(lib, case):
    same_graph(lib.state(case.module), lib.split(case.module)[1])


@law(
    "`state(module, *filters)` puts each leaf into the State of its first matching filter",
    source=_STATE,
    needs={"state"},
    case=split_cases(exhaustive=False),
)
def state_gives_what_filters_match(lib, case):
    whole = nnx_api.flat(lib, lib.state(case.module))
    *parts, _ = lib.state(case.module, *case.filters, ...)
    wanted = [{} for _ in case.filters]
    for path, leaf in whole.items():
        if (index := first_match(case, path, leaf)) is not None:
            wanted[index][path] = leaf
    same_graph([nnx_api.flat(lib, part) for part in parts], wanted)


@law(
    "`state(module, *filters)` returns a State for one filter and a tuple of States for several",
    source=_STATE,
    needs={"state"},
    case=split_cases(exhaustive=False),
)
def state_gives_one_state_per_filter(lib, case):
    found = lib.state(case.module, *case.filters)
    wanted = (lib.State,) * len(case.filters)
    got = tuple(map(type, found)) if isinstance(found, tuple) else (type(found),)
    equal(got, wanted)
    equal(isinstance(found, tuple), len(wanted) > 1)


@law(
    "`update(module, state(module))` changes nothing",
    source=_UPDATE,
    needs={"state", "update"},
    case=_EVERY,
)
def its_own_state_changes_nothing(lib, case):
    before = described(case.module)
    lib.update(case.module, lib.state(case.module))
    same_rows(described(case.module), before)


@law(
    "`update(module, state(module))` changes no attribute that is a PyTree of arrays",
    source=_UPDATE,
    needs={"state", "update"},
    case=holders(_LISTED),
    parents=(its_own_state_changes_nothing,),
)
def its_own_state_changes_no_tree_of_arrays(lib, case):
    before = described(case.module)
    lib.update(case.module, lib.state(case.module))
    same_rows(described(case.module), before)


@law(
    "after `update(module, new)`, `state(module)` equals `new`",
    source=_UPDATE,
    needs={"state", "update"},
    case=_EVERY,
)
def what_was_put_is_what_one_gets(lib, case):
    wanted = fresh_values(lib.state(case.module))
    lib.update(case.module, wanted)
    same_graph(lib.state(case.module), wanted)


@law(
    "`update` changes only the leaves that the given State holds",
    source=_UPDATE,
    needs={"state", "update", "split"},
    case=split_cases(min_size=2),
    parents=(what_was_put_is_what_one_gets,),
)
def update_changes_what_the_state_holds_alone(lib, case):
    first, *others = lib.split(case.module, *case.filters)[1:]
    first = fresh_values(first)
    rest = [jtu.tree_map(lambda leaf: leaf, other) for other in others]
    lib.update(case.module, first)
    same_graph(lib.state(case.module), nnx_api.merge_states(lib, first, *rest))


@law(
    "`update(module, *states)` has the same effect as `update` with the merged States",
    source=f"{_BASICS}#fine-grained-state-control",
    needs={"state", "update", "split"},
    case=split_cases(min_size=2),
    parents=(what_was_put_is_what_one_gets,),
)
def several_states_are_one_merged(lib, case):
    states = [fresh_values(part) for part in lib.split(case.module, *case.filters)[1:]]
    lib.update(case.module, *states)
    same_graph(lib.state(case.module), nnx_api.merge_states(lib, *states))


@law(
    "`update` takes GraphStates, and several States of different kinds",
    source=f"{_DOCS}#flax.nnx.unpack",
    level="should",
    needs={"state", "update", "unpack"},
    case=split_cases(min_size=3),
    parents=(what_was_put_is_what_one_gets,),
)
def update_takes_graph_states(lib, case):
    """Quote: "can often be used as a drop-in replacement for State objects"."""
    wanted = fresh_values(lib.state(case.module))
    lib.update(case.module, lib.unpack(_updated(lib, case.rebuild().module, wanted)))
    same_graph(lib.state(case.module), wanted)
    other = case.rebuild().module
    _, *states = lib.split(_updated(lib, case.rebuild().module, wanted), *case.filters)
    _, second, *_ = lib.unpack(_updated(lib, case.rebuild().module, wanted), *case.filters)
    lib.update(other, states[0], second, *states[2:])
    same_graph(lib.state(other), wanted)


@law(
    "`update` works in place: modules and Variables stay the same objects",
    source=_UPDATE,
    needs={"state", "update"},
    case=_EVERY,
)
def update_works_in_place(lib, case):
    before = references(case.module)
    lib.update(case.module, fresh_values(lib.state(case.module)))
    same_references(references(case.module), before)


@law(
    "`update` accepts the plain values as nested dicts",
    source="https://github.com/google/flax/pull/4352",
    level="should",
    needs={"state", "update"},
    case=modules_of(MODULES),
    parents=(what_was_put_is_what_one_gets,),
)
def update_takes_nested_dicts_of_values(lib, case):
    wanted = fresh_values(lib.state(case.module))
    lib.update(case.module, nnx_api.pure(lib, wanted))
    same_graph(lib.state(case.module), wanted)


@law(
    "`update(node, state)` updates a node that is a Variable or a list or dict of Variables",
    source=_ALONE,
    level="should",
    needs={"split", "update", "merge_copies_on_demand"},
    case=alone(),
)
def a_variable_alone_is_updated(lib, case):
    wanted = fresh_values(lib.split(case.node)[1])
    lib.update(case.node, wanted)
    same_graph(lib.split(case.node)[1], wanted)


@law(
    "`state(node)` holds each Variable once, if the node is a Variable or a list or dict of them",
    source=_ALONE,
    level="should",
    needs={"split", "state", "merge_copies_on_demand"},
    case=alone(),
)
def a_variable_alone_has_a_state(lib, case):
    state, found = lib.state(case.node), variables_of(case.node)
    flat = nnx_api.flat(lib, state) if isinstance(state, lib.State) else {(): state}
    held = [one for one in flat.values() if is_variable(one)]
    equal(sorted(map(id, held)), sorted(id(one) for _, one in found))


def _updated(lib, module, state):
    lib.update(module, state)
    return module
