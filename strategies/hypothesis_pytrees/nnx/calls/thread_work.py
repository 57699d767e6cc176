"""Work for threads: what Flax NNX does with modules, as functions without arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.together import repeated
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.nnx.module_programs import FIXED
from hypothesis_pytrees.nnx.settings import SETTINGS

from .program_ways import ANY_PROGRAM, FIXED_PROGRAM, programs_in_ways

_STATE = """\
def thread_nnx_state(module):
    return [
        jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
        for leaf in jtu.tree_leaves(nnx.state(module))
    ]
"""
_RAN = """\
def thread_ran(run, program, module, x):
    return jtu.tree_leaves(run(program, module, x)), thread_nnx_state(module)
"""
_MODEL = """\
class ThreadBlock(nnx.Module):
    def __init__(self, size, rngs):
        self.weight = nnx.Param(jnp.full(size, 2.0))
        self.mean = nnx.BatchStat(jnp.zeros(size))
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.tag = 'tag'

    def __call__(self, x):
        self.mean[...] = self.mean[...] + x
        return x * self.weight[...]


class ThreadModel(nnx.Module):
    def __init__(self, size, seed=0):
        rngs = nnx.Rngs(seed)
        self.one = ThreadBlock(size, rngs)
        self.other = ThreadBlock(size, rngs)
        self.shared = self.one.weight

    def __call__(self, x):
        return self.other(self.one(x))
"""
_DEFINES = """\
def thread_defines(size):
    class ThreadLayer(nnx.Module):
        def __init__(self, size):
            self.weight = nnx.Param(np.ones(size))

    class ThreadChild(ThreadLayer):
        def __init__(self, size):
            super().__init__(size)
            self.bias = nnx.Param(np.zeros(size))

    made = nnx.clone(ThreadChild(size))
    return sorted(name for name in vars(made) if not name.startswith('_')), thread_nnx_state(made)
"""
_VARIABLES = """\
def thread_variables(size):
    class ThreadVariable(nnx.Variable):
        pass

    module = nnx.Dict(a=ThreadVariable(np.ones(size)), b=nnx.Param(np.zeros(size)))
    _, mine, rest = nnx.split(module, ThreadVariable, ...)
    return jtu.tree_leaves(mine), jtu.tree_leaves(rest)
"""
_ROUND = """\
def thread_round(size):
    module = ThreadModel(size)
    graphdef, state = nnx.split(module)
    other = nnx.merge(graphdef, state)
    alike = nnx.split(other)[0] == graphdef
    return alike, thread_nnx_state(other), other.shared is other.one.weight
"""
_VISITS = """\
def thread_visits(size):
    return [(path, type(node).__name__) for path, node in nnx.iter_graph(ThreadModel(size))]
"""
_STEPS = """\
def thread_steps(size):
    module = ThreadModel(size)
    optimizer = nnx.Optimizer(module, optax.sgd(0.1), wrt=nnx.Param)
    for _ in range(2):
        grads = nnx.grad(lambda module: module(jnp.ones(size)).sum())(module)
        optimizer.update(module, grads)
    return thread_nnx_state(module), thread_nnx_state(optimizer)
"""
_SOWS = """\
def thread_sows(size):
    class ThreadSows(nnx.Module):
        def __call__(self, x):
            thread_sow(self, x)
            thread_sow(self, 2 * x)
            return x

    module = ThreadSows()
    module(jnp.ones(size))
    return jtu.tree_leaves(nnx.pop(module, nnx.Intermediate)), jtu.tree_leaves(nnx.state(module))


def thread_sow(module, x):
    # Newer releases prefer a call within `nnx.capture`, and say so.
    module.sow(nnx.Intermediate, 'seen', x)
"""
_METRICS = """\
def thread_metrics(size):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average('loss'), hits=nnx.metrics.Accuracy())
    for _ in range(2):
        metrics.update(loss=jnp.ones(size), logits=jnp.eye(2), labels=jnp.arange(2))
    return metrics.compute()
"""
_MODES = """\
def thread_modes(size):
    module = ThreadModel(size)
    module.eval()
    seen = [module.one.drop.deterministic]
    module.train()
    return [*seen, module.other.drop.deterministic]
"""
_RANDOM = """\
def thread_random(size):
    rngs = nnx.Rngs(0, params=1)
    drawn = [rngs.params(), rngs.dropout(), rngs.params()]
    return [jax.random.key_data(key) for key in drawn], thread_nnx_state(rngs)
"""
_PRINTS = """\
def thread_prints(size):
    module = ThreadModel(size)
    return repr(module) == repr(module), len(repr(nnx.split(module)[0]))
"""
_LAYER = """\
def thread_layer(size):
    module = nnx.Linear(size, 3, rngs=nnx.Rngs(size))
    return module(jnp.ones(size)), thread_nnx_state(module)
"""
_BASE = (_STATE, _MODEL)
OPERATIONS: Sequence[Kind] = (
    way("define", "thread_defines($size)", _STATE, _DEFINES),
    way("variables", "thread_variables($size)", _VARIABLES),
    way("round-trip", "thread_round($size)", *_BASE, _ROUND),
    way("clone", "thread_nnx_state(nnx.clone(ThreadModel($size)))", *_BASE),
    way("iterate", "thread_visits($size)", *_BASE, _VISITS),
    way("steps", "thread_steps($size)", *_BASE, _STEPS),
    way("sow", "thread_sows($size)", _SOWS),
    way("metrics", "thread_metrics($size)", _METRICS),
    way("modes", "thread_modes($size)", *_BASE, _MODES),
    way("random", "thread_random($size)", _STATE, _RANDOM),
    way("print", "thread_prints($size)", *_BASE, _PRINTS),
    way("layer", "thread_layer($size)", _STATE, _LAYER),
)
# Calls of one transformed function, each with a module of its own.
_SHARED: Sequence[Kind] = (
    way("jit", "nnx.jit(lambda module, x: module(x))"),
    way("jit-in-jit", "nnx.jit(lambda module, x: nnx.jit(lambda held, x: held(x))(module, x))"),
    way("remat", "nnx.remat(lambda module, x: module(x))"),
    way("grad", "nnx.grad(lambda module, x: module(x).sum())"),
    way("value-and-grad", "nnx.value_and_grad(lambda module, x: module(x).sum())"),
    way("vmap", "nnx.vmap(lambda module, x: x * module.shared[...], in_axes=(None, 0))"),
    way("cond", "(lambda module, x: nnx.cond(True, thread_call, thread_call, module, x))"),
)
_CALL = """\
def thread_call(module, x):
    return module(x)
"""
_CALLED = """\
def thread_called(shared, size):
    module = ThreadModel(size)
    return jtu.tree_leaves(shared(module, jnp.ones(size))), thread_nnx_state(module)
"""


def _calm(ways: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the ways without that of `jax.checking_leaks`, which looks at the whole process."""
    return tuple(kind for kind in ways if "way:leaks-checked" not in kind.features)


_PROGRAMS: Sequence[tuple[Sequence[Kind], dict[str, Any]]] = (
    (_calm(ANY_PROGRAM), {}),
    (_calm(FIXED_PROGRAM), {"steps": FIXED}),
)


@st.composite
def module_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that makes modules and does something with them."""
    kind = draw(st.sampled_from(available(OPERATIONS)))
    text = kind.template.replace("$size", str(draw(st.integers(1, 2))))
    return Recipe(kind.definitions, (), f"lambda: {text}", frozenset(kind.features))


@st.composite
def program_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that runs a program on a module in some way."""
    scope = Scope()
    scope.define(_STATE, _RAN)
    ways, options = draw(st.sampled_from(_PROGRAMS))
    scope.include(draw(programs_in_ways(ways, **options)))
    return scope.recipe("lambda: thread_ran(run, program, module, x)")


@st.composite
def one_function(draw: st.DrawFn) -> Recipe:
    """Draw `works`, functions without arguments that call one transformed function first."""
    scope = Scope()
    scope.define(*_BASE, _CALL, _CALLED)
    kind = draw(st.sampled_from(available(_SHARED)))
    scope.note(*kind.features)
    scope.bind("shared", kind.template)
    sizes = draw(st.lists(st.integers(1, 2), min_size=2, max_size=5))
    works = ", ".join(f"lambda: thread_called(shared, {size})" for size in sizes)
    scope.bind("works", f"[{works}]")
    return scope.recipe()


@st.composite
def setting_work(draw: st.DrawFn) -> Recipe:
    """Draw a function that gives the settings of NNX before, within and after their contexts."""
    scope = Scope()
    scope.define(WITHIN)
    kinds = available(SETTINGS)
    reads = ", ".join(f"{kind.template}[1]()" for kind in kinds)
    scope.bind("seen", f"lambda: [{reads}]")
    text = "seen"
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=3)):
        scope.note(*kind.features)
        value = draw(st.booleans())
        text = f"(lambda: run_within({kind.template}[0]({value}), {text}))"
    return repeated(scope.recipe(f"(lambda: [seen(), {text}(), seen()])"))


_FRESH = """\
def thread_fresh(transform):
    # As the first call of a process: what earlier calls have left behind is forgotten.
    import importlib

    extract = importlib.import_module('flax.nnx.extract')
    getattr(extract, '_labeled_tuples_cache', {}).clear()

    class ThreadFresh(nnx.Module):
        def __init__(self):
            self.weight = nnx.Param(jnp.ones(2))

    return [lambda: transform(ThreadFresh(), jnp.ones(2))] * 4
"""
_FIRST: Sequence[Kind] = tuple(
    way(name, text, needs=(GRAPH_OPTIONS,))
    for name, text in (
        ("jit", "nnx.jit(lambda module, x: x * module.weight[...], graph=False)"),
        ("grad", "nnx.grad(lambda module, x: (x * module.weight[...]).sum(), graph=False)"),
        ("remat", "nnx.remat(lambda module, x: x * module.weight[...], graph=False)"),
        (
            "vmap",
            "nnx.vmap(lambda module, x: x * module.weight[...], in_axes=(None, 0), graph=False)",
        ),
    )
)


@st.composite
def first_calls(draw: st.DrawFn) -> Recipe:
    """Draw `again`, which gives functions without arguments that call a function `transform`.

    The calls of each time are as the first ones of a process.
    """
    scope = Scope()
    scope.define(_FRESH)
    kind = draw(st.sampled_from(available(_FIRST)))
    scope.note(*kind.features)
    scope.bind("transform", kind.template)
    scope.bind("again", "lambda: thread_fresh(transform)")
    return scope.recipe()


@st.composite
def names(draw: st.DrawFn) -> Recipe:
    """Draw `fresh`, which gives an unused name, a `base` of Variables and a `count` of threads."""
    scope = Scope()
    scope.define("def thread_name(stem):\n    import uuid\n\n    return stem + uuid.uuid4().hex\n")
    scope.define("class ThreadNamed(nnx.Variable):\n    pass\n")
    stem = draw(st.sampled_from(("cache", "Kind", "batch stats", "é", "_")))
    scope.bind("fresh", f"lambda: thread_name({stem!r})")
    scope.bind("base", draw(st.sampled_from(("nnx.Variable", "nnx.Param", "ThreadNamed"))))
    scope.bind("count", str(draw(st.integers(2, 6))))
    return scope.recipe()
