"""Flax NNX: GraphDefs, clones and tree mode."""

from __future__ import annotations

from collections import Counter

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.objects import NNX_SEQUENCES, nnx_objects
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true

from ._inputs import (
    EVERY_MODULE,
    MODULES,
    NUMERIC,
    REBUILT,
    TIED,
    TREES,
    compilable,
    jitted_merge,
    modules_of,
    split_cases,
)
from ._model import apart, described, same_graph, same_rows, variables_of

law = Topic("nnx.graphdef", "Flax NNX: GraphDefs and clones", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_SPLIT = f"{_DOCS}#flax.nnx.split"
_GRAPHDEF = f"{_DOCS}#flax.nnx.GraphDef"
_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html"
_TREE_MODE = "https://github.com/google/flax/blob/main/docs_nnx/flip/5310-tree-mode-nnx.md"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx"
_EVERY = modules_of(EVERY_MODULE)


@st.composite
def _two_configurations(draw: st.DrawFn) -> Recipe:
    """Draw `module` and `values`, two static values that differ."""
    pairs = ("1, 2", "'a', 'b'", "None, 0", "(1,), (1, 1)", "jnp.tanh, jnp.sin", "2.5, -2.5")
    scope = Scope()
    scope.bind("module", draw(MODULES))
    scope.bind("values", f"({draw(st.sampled_from(pairs))})")
    return scope.recipe()


@st.composite
def _tied(draw: st.DrawFn) -> Recipe:
    """Draw `module`, which holds one Variable twice, and the name of a `function`."""
    scope = Scope()
    scope.bind("module", draw(TIED))
    scope.bind("function", repr(draw(st.sampled_from(("split", "state", "clone", "graphdef")))))
    return scope.recipe()


@law(
    "`clone(module)` returns an equal module",
    source=f"{_DOCS}#flax.nnx.clone",
    needs={"clone"},
    case=_EVERY,
)
def a_clone_is_equal(lib, case):
    same_graph(lib.clone(case.module), case.module)


@law(
    "`clone(module)` shares no module and no Variable with the original",
    source=f"{_DOCS}#flax.nnx.clone",
    needs={"clone"},
    case=_EVERY,
)
def a_clone_stands_apart(lib, case):
    apart(lib.clone(case.module), case.module)


@law(
    "`clone(module, variables=False)` returns an equal module, which shares Variables with the "
    "original, and no modules",
    source=f"{_DOCS}#flax.nnx.clone",
    needs={"clone", "clone_shares_on_demand"},
    case=_EVERY,
)
def a_clone_may_share_the_variables(lib, case):
    clone = lib.clone(case.module, variables=False)
    same_graph(clone, case.module)
    pairs = zip(variables_of(clone), variables_of(case.module), strict=True)
    true(all(one is other for (_, one), (_, other) in pairs), clone, "the same Variables")
    given = {id(node) for _, node in lib.iter_graph(case.module)}
    modules = [node for _, node in lib.iter_graph(clone) if isinstance(node, lib.Module)]
    true(not any(id(node) in given for node in modules), clone, "modules of its own")


@law(
    "`clone(module, arrays=True)` returns an equal module",
    source=f"{_DOCS}#flax.nnx.clone",
    needs={"clone", "clone_copies_arrays"},
    case=_EVERY,
)
def a_clone_with_its_own_arrays_is_equal(lib, case):
    same_graph(lib.clone(case.module, arrays=True), case.module)


@law(
    "`clone(module, arrays=True)` shares no array of a Variable with the original",
    source=f"{_DOCS}#flax.nnx.clone",
    needs={"clone", "clone_copies_arrays"},
    case=modules_of(NUMERIC),
)
def a_clone_with_its_own_arrays_shares_none(lib, case):
    given = {id(leaf) for leaf in _arrays(case.module)}
    shared = [one for one in _arrays(lib.clone(case.module, arrays=True)) if id(one) in given]
    true(not shared, shared, "no shared array")


@law(
    "`find_duplicates` returns one path for each time a shared module or Variable is met",
    source=f"{_DOCS}#flax.nnx.find_duplicates",
    needs={"find_duplicates", "Pytree"},
    case=_EVERY,
)
def duplicates_are_found(lib, case):
    """Only the number of paths is compared, since paths into containers have two spellings."""
    again = Counter(row[2] for row in described(case.module) if row[1] == "shared")
    found = lib.find_duplicates(case.module, only=(lib.Variable, lib.Pytree))
    same(sorted(map(len, found)), sorted(count + 1 for count in again.values()))


@law(
    "`graphdef(module)` equals the GraphDef that `split(module)` returns",
    source=f"{_DOCS}#flax.nnx.graphdef",
    needs={"graphdef", "split"},
    case=_EVERY,
)
def graphdef_is_that_of_split(lib, case):
    same(lib.graphdef(case.module), lib.split(case.module)[0])


@law(
    "a merged or cloned module has the same GraphDef as the original",
    source=_GRAPHDEF,
    needs={"graphdef", "split", "merge", "clone"},
    case=_EVERY,
)
def a_merged_module_has_the_same_graphdef(lib, case):
    graphdef, state = lib.split(case.module)
    for made in (lib.merge(graphdef, state), lib.clone(case.module)):
        equal(lib.graphdef(made), graphdef)


@law(
    "equal modules have equal GraphDefs with equal hashes",
    source=_GRAPHDEF,
    needs={"graphdef"},
    case=modules_of(st.one_of(REBUILT, nnx_objects())),
)
def equal_modules_have_equal_graphdefs(lib, case):
    one, other = lib.graphdef(case.module), lib.graphdef(case.rebuild().module)
    equal(one, other)
    equal(hash(one), hash(other))


@law(
    "the GraphDef of a layer is hashable if a Sequence argument is a tuple or a list",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn/normalization.html",
    level="should",
    needs={"graphdef"},
    case=modules_of(nnx_objects(NNX_SEQUENCES)),
)
def a_list_is_as_good_as_a_tuple(lib, case):
    one, other = lib.graphdef(case.module), lib.graphdef(case.rebuild().module)
    equal(hash(one), hash(other))


@law(
    "modules that differ in a static attribute have different GraphDefs",
    source=_GRAPHDEF,
    needs={"graphdef", "clone"},
    case=_two_configurations(),
)
def another_static_attribute_is_another_graphdef(lib, case):
    one, other = lib.clone(case.module), lib.clone(case.module)
    one.configured, other.configured = case.values
    differ(lib.graphdef(one), lib.graphdef(other), "the GraphDefs")


@law(
    "`merge(graphdef, state)` works inside `jax.jit`, with the GraphDef as a static argument",
    source=f"{_BASICS}#split-merge-and-update",
    needs={"split", "merge", "state"},
    case=modules_of(EVERY_MODULE.filter(compilable)),
)
def a_module_goes_through_jit_in_two_parts(lib, case):
    graphdef, state = lib.split(case.module)
    wanted = jax.tree.map(jnp.asarray, state)
    same_graph(jitted_merge(lib)(graphdef, state), wanted)


@law(
    "`merge` undoes `split(module, *filters, graph=False)` if no reference is shared",
    source=_SPLIT,
    needs={"split", "merge", "tree_mode"},
    case=split_cases(TREES),
)
def merge_undoes_a_split_in_tree_mode(lib, case):
    wanted = described(case.module)
    same_rows(described(lib.merge(*lib.split(case.module, graph=False))), wanted)
    parts = lib.split(case.module, *case.filters, graph=False)
    same_rows(described(lib.merge(*parts)), wanted)


@law(
    "with `graph=False`, a Variable in two places raises ValueError",
    source=_TREE_MODE,
    level="should",
    needs={"split", "clone", "state", "graphdef", "tree_mode"},
    # Few examples, since JAX leaks some interpreter stack at each error raised in `is_leaf`.
    case=_tied(),
)
def tree_mode_refuses_shared_variables(lib, case):
    refuses(ValueError, lambda: getattr(lib, case.function)(case.module, graph=False))


@law(
    "`nnx.map` of the identity over a module returns an equal module",
    source=f"{_CODE}/graphlib.py#L2724-L2752",
    needs={"map"},
    case=_EVERY,
)
def mapping_the_identity_is_the_identity(lib, case):
    wanted = described(case.module)
    same_rows(described(lib.map(lambda path, leaf: leaf, case.module)), wanted)


def _arrays(module):
    """Return the leaves of the values of all Variables."""
    return jtu.tree_leaves([nnx_api.raw_value(one) for _, one in variables_of(module)])
