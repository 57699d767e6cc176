"""Work for threads: what Equinox does with trees and Modules, as functions without arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.core.together import repeated
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import real_arrays
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import trees

from .calls import WAYS, calls

# Each call has objects of its own, which are not equal to those of another.
_LEAVES = """\
def thread_leaves(tree):
    kinds = (jax.Array, np.ndarray, np.generic, bool, int, float, complex, str)
    return [
        leaf if isinstance(leaf, kinds) else type(leaf).__name__ for leaf in jtu.tree_leaves(tree)
    ]
"""
_POST_INIT = """\
def thread_post_init(tree):
    class ThreadPostInit(eqx.Module):
        x: typing.Any
        y: typing.Any = eqx.field(converter=lambda held: [held, None], default=1)
        tag: str = eqx.field(static=True, default='tag')
        late: typing.Any = eqx.field(init=False)

        def __post_init__(self):
            self.late = (self.x, self.tag)

        def __check_init__(self):
            assert self.late[1] == 'tag'

    made = ThreadPostInit(tree)
    return thread_leaves(made), thread_leaves(jtu.tree_map(lambda x: x, made)), made.tag
"""
_INIT = """\
def thread_init(tree):
    class ThreadBaseModule(eqx.Module):
        size: eqx.AbstractVar[int]

        def total(self):
            return len(jtu.tree_leaves(self)) + self.size

    class ThreadModule(ThreadBaseModule):
        x: typing.Any
        size: int = eqx.field(static=True)

        def __init__(self, x, size):
            self.size = size
            self.x = {'a': x}

    made = ThreadModule(tree, 2)
    try:
        made.size = 3
    except dataclasses.FrozenInstanceError:
        frozen = True
    return thread_leaves(made), made.total(), jtu.tree_leaves(made.total), frozen
"""
_ENUMERATION = """\
def thread_enumeration():
    class ThreadResult(eqx.Enumeration):
        good = 'It is good.'
        bad = 'It is bad.'

    class ThreadMore(ThreadResult):
        late = 'It is late.'

    promoted = ThreadMore.promote(ThreadResult.bad)
    return len(ThreadMore), ThreadResult[ThreadResult.good], ThreadMore[promoted]
"""
_FILE = """\
def thread_file(tree):
    import io

    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, tree)
    file.seek(0)
    return eqx.tree_deserialise_leaves(file, tree)
"""
_STATE = """\
class ThreadCounter(eqx.Module):
    index: eqx.nn.StateIndex

    def __init__(self, start):
        self.index = eqx.nn.StateIndex(start)

    def __call__(self, state):
        return state.set(self.index, state.get(self.index) + 1)


def thread_state(start):
    make = lambda: [ThreadCounter(jnp.float32(start)), ThreadCounter(jnp.float32(2 * start))]
    model, state = eqx.nn.make_with_state(make)()
    for _ in range(2):
        for counter in model:
            state = counter(state)
    return [state.get(counter.index) for counter in model]
"""
_SUBSTATE = """\
def thread_substate(start):
    make = lambda: [ThreadCounter(jnp.float32(start)), ThreadCounter(jnp.float32(2 * start))]
    model, state = eqx.nn.make_with_state(make)()
    part = model[1](state.substate(model[1]))
    return [state.update(part).get(counter.index) for counter in model]
"""
_WRAPS = """\
def thread_wraps(tree):
    made = eqx.filter_jit(functools.partial(max, tree))
    again = eqx.filter_vmap(lambda x: x)
    return made.__wrapped__.args, type(made).__name__, again.__name__, again.__doc__
"""
# NumPy parses the header of an array, which it does not survive in threads of older interpreters.
_PARSES = Since(
    "`ast.literal_eval` in threads",
    "python>=3.12",
    "https://github.com/python/cpython/issues/106905",
)
# Work that takes a millisecond at most.
OPERATIONS: Sequence[Kind] = (
    way("post-init", "(lambda: thread_post_init(tree))", _LEAVES, _POST_INIT),
    way("init", "(lambda: thread_init(tree))", _LEAVES, _INIT),
    way("enumeration", "thread_enumeration", _ENUMERATION),
    way("partition", "(lambda: eqx.combine(*eqx.partition(tree, eqx.is_array)))"),
    way("filter", "(lambda: eqx.filter(tree, eqx.is_inexact_array, replace='no'))"),
    way("tree-at", "(lambda: eqx.tree_at(lambda held: held[0], [tree, 1], 2.5))"),
    way("tree-at-replace", "(lambda: eqx.tree_at(lambda t: t[1], (tree, 1), replace_fn=str))"),
    way("tree-equal", "(lambda: eqx.tree_equal(tree, tree))"),
    way("tree-check", "(lambda: eqx.tree_check([jnp.ones(2), np.ones(2)]))"),
    way("inference", "(lambda: eqx.tree_inference([tree, eqx.nn.Dropout()], True)[1].inference)"),
    way("print", "(lambda: eqx.tree_pformat(jtu.tree_structure(tree).num_leaves))"),
    way("file", "(lambda: thread_file(tree))", _FILE, needs=(_PARSES,)),
    way("shape", "(lambda: eqx.filter_eval_shape(lambda x: x, jnp.ones(2)).shape)"),
    way("partial", "(lambda: thread_leaves(eqx.Partial(max, tree, key=tree)))", _LEAVES),
    way("apply", "(lambda: eqx.apply_updates([jnp.ones(2)], [jnp.ones(2)]))"),
)
# Work that runs operations of JAX, which takes longer.
MODELS: Sequence[Kind] = (
    way("state", "(lambda: thread_state(3))", _STATE),
    way("substate", "(lambda: thread_substate(3))", _STATE, _SUBSTATE),
    way("wraps", "(lambda: thread_wraps(tree))", _WRAPS),
    way("layer", "(lambda: eqx.nn.Linear(2, 3, key=jax.random.key(0)))"),
    way(
        "perceptron",
        "(lambda: thread_leaves(eqx.nn.MLP(2, 3, 4, 1, key=jax.random.key(0))))",
        _LEAVES,
    ),
)
_CALM = tuple(kind for kind in WAYS if "way:leaks-checked" not in kind.features)
_SHARED: Sequence[Kind] = (
    way("jit", "eqx.filter_jit(function)"),
    way("jit-of-jit", "eqx.filter_jit(eqx.filter_jit(function))"),
    way("jit-donates", "eqx.filter_jit(function, donate='none')"),
    way("jit-grad", "eqx.filter_jit(eqx.filter_grad(lambda tree: thread_total(function(tree))))"),
    way("grad", "eqx.filter_grad(lambda tree: thread_total(function(tree)))"),
    way("vmap", "eqx.filter_vmap(lambda tree: function(tree), in_axes=None, axis_size=2)"),
    way("checkpoint", "eqx.filter_checkpoint(function)"),
    way("closure", "(lambda tree: eqx.filter_closure_convert(function, tree)(tree))"),
    way(
        "lowered", "(lambda tree, call=eqx.filter_jit(function): call.lower(tree).compile()(tree))"
    ),
    way("custom-vjp", "thread_with_rule(function)"),
    way("method", "eqx.filter_jit(ThreadCalls(function).call)"),
    way("module", "eqx.filter_jit(ThreadCalls(function))"),
)
_TOTAL = """\
def thread_total(tree):
    return sum(leaf.sum().astype('float32') for leaf in jtu.tree_leaves(tree))
"""
_RULE = """\
def thread_with_rule(function):
    call = eqx.filter_custom_vjp(lambda tree: function(tree))
    call.def_fwd(lambda perturbed, tree: (function(tree), None))
    call.def_bwd(lambda held, given, perturbed, tree: given)
    return eqx.filter_jit(call)
"""
_CALLS = """\
class ThreadCalls(eqx.Module):
    function: typing.Any

    def call(self, tree):
        return self.function(tree)

    def __call__(self, tree):
        return self.call(tree)
"""


@st.composite
def tree_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that does something with a tree or makes a Module."""
    scope = Scope()
    scope.bind("tree", draw(trees(kinds=(*CONTAINERS, *MODULES), max_leaves=4)))
    kind = draw(st.sampled_from((*available(OPERATIONS), *available(MODELS))))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    made = scope.recipe(kind.template)
    return made if kind in MODELS else repeated(made)


@st.composite
def call_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that makes a call in one of the ways of `calls`."""
    drawn = draw(calls(_CALM))
    definitions = (*drawn.definitions, _LEAVES)
    text = "lambda: thread_leaves(run(function, args, named))"
    return dataclasses.replace(drawn, definitions=definitions, expression=text)


@st.composite
def one_function(draw: st.DrawFn) -> Recipe:
    """Draw `works`, functions without arguments that all call one transformed function first."""
    scope = Scope()
    scope.define(_TOTAL, _RULE, _CALLS)
    scope.bind("tree", draw(trees(real_arrays(), kinds=CONTAINERS, max_leaves=3)))
    scope.bind("function", "lambda tree: jtu.tree_map(jnp.square, tree)")
    kind = draw(st.sampled_from(available(_SHARED)))
    scope.note(*kind.features)
    scope.bind("shared", kind.template)
    scope.bind("works", f"[lambda: shared(tree)] * {draw(st.integers(2, 6))}")
    return scope.recipe()


_CHECKS = """\
class ThreadChecks(eqx.Module):
    text: str = eqx.field(static=True)

    @eqx.filter_jit
    def call(self, x):
        return eqx.error_if(x, x > 0, self.text)
"""
# Ways to raise an error with a message, as functions of an array that is above 0.
_RAISES: Sequence[Kind] = (
    way("number", "(lambda x: eqx.error_if(x, True, $0))"),
    way("eager", "(lambda x: eqx.error_if(x, x > 0, $0))"),
    way("jit", "eqx.filter_jit(lambda x: eqx.error_if(x, x > 0, $0))"),
    way(
        "jit-in-jit",
        "eqx.filter_jit(lambda x: eqx.filter_jit(lambda x: eqx.error_if(x, x > 0, $0))(x))",
    ),
    way(
        "branched",
        "eqx.filter_jit(lambda x: eqx.branched_error_if(x, x > 0, jnp.int32(1), ['no', $0]))",
    ),
    way("grad", "eqx.filter_jit(eqx.filter_value_and_grad(lambda x: eqx.error_if(x, x > 0, $0)))"),
    way("method", "ThreadChecks($0).call", _CHECKS),
)


@st.composite
def errors(draw: st.DrawFn) -> Recipe:
    """Draw `works`, functions without arguments that raise, and `messages`, one for each.

    Feature `errors:compiled` if more than one is raised by compiled code.
    """
    scope = Scope()
    first, ways = draw(st.sampled_from(_RAISES)), (*_RAISES, _RAISES[0], _RAISES[0])
    others = draw(st.lists(st.sampled_from((first, *ways)), min_size=1, max_size=5))
    kinds = [first, *others]
    texts = []
    for place, kind in enumerate(kinds):
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        check = scope.bind("check", kind.text([f"'number {place} is wrong'"]))
        texts.append(f"lambda: {check}(x)")
    # A Python number as a condition raises the error where it stands.
    if sum(kind is not _RAISES[0] for kind in kinds) > 1:
        scope.note("errors:compiled")
    scope.bind("x", "jnp.float32(1.0)")
    scope.bind("works", f"[{', '.join(texts)}]")
    scope.bind("messages", repr([f"number {place} is wrong" for place in range(len(kinds))]))
    return scope.recipe()


# Calls that donate buffers; those with "all" hide the warning that a buffer was of no use.
_DONATES = ("all", "all-except-first", "warn", "warn-except-first", "none")
_OVERLAP = """\
def overlapping_calls(transform, transform_other):
    # The first call begins before the second one, and ends within it.
    import threading

    began, began_too, ended = (threading.Event() for _ in range(3))
    waits = lambda event, *args: (event.wait(20), args)[1]
    first = transform(lambda x, y: (began.set(), waits(began_too, x, y))[1])
    second = transform_other(lambda x, y: (began_too.set(), waits(ended, x, y))[1])
    return [
        lambda: (first(jnp.ones(2), jnp.ones(3)), ended.set())[0],
        lambda: (began.wait(20), second(jnp.ones(2), jnp.ones(3)))[1],
    ]
"""


@st.composite
def donations(draw: st.DrawFn) -> Recipe:
    """Draw `works`, two functions without arguments, calls that donate arrays and overlap.

    Feature `donations:quiet` if both hide warnings.
    """
    scope = Scope()
    scope.define(_OVERLAP)
    donates = draw(st.tuples(st.sampled_from(_DONATES), st.sampled_from(_DONATES)))
    if all(donate.startswith("all") for donate in donates):
        scope.note("donations:quiet")
    scope.note(*(f"donate:{donate}" for donate in donates))
    texts = [f"lambda function: eqx.filter_jit(function, donate={one!r})" for one in donates]
    scope.bind("works", f"overlapping_calls({', '.join(texts)})")
    return scope.recipe()


@st.composite
def counts(draw: st.DrawFn) -> Recipe:
    """Draw `function`, and `args` to call it with, and `count`, a number of threads."""
    scope = Scope()
    args = draw(st.sampled_from(("()", "(1,)", "(2.5, None)", "([],)")))
    scope.bind("args", args)
    scope.bind("function", "lambda *args: args")
    scope.bind("count", str(draw(st.integers(2, 6))))
    return scope.recipe()
