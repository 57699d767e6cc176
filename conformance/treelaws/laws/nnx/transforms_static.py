"""Flax NNX: compiled functions tell static attributes apart that Python finds equal."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, Since
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from treelaws.equality import same

from .transforms import jit_does_not_trace_again, law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation"
_NODES = Since(
    "modules that are PyTrees",
    "flax>=0.11.0",
    "https://github.com/google/flax/blob/v0.11.0/flax/nnx/pytreelib.py",
)
_RATED = """\
class NnxRated(nnx.Module):
    def __init__(self, rate):
        self.rate = rate
        self.weight = nnx.Param(jax.device_put(np.int32([2, 3])))

    def __call__(self):
        rate = self.rate[0] if isinstance(self.rate, tuple) else self.rate
        return self.weight[...] * rate, jnp.asarray(rate)
"""
_OUTER = """\
class NnxOverRated(nnx.Module):
    def __init__(self, inner):
        self.inner = inner

    def __call__(self):
        return self.inner()
"""
_PLACES = ("NnxRated({})", "NnxRated(({},))", "NnxOverRated(NnxRated({}))")
# Each gives a function that is called with a module, again and again.
_WAYS: Sequence[Kind] = (
    way("jit", "nnx.jit(program)"),
    way("jit-tree", "nnx.jit(program, graph=False)", needs=(GRAPH_OPTIONS,)),
    way("jit-pure", "nnx.jit(program, graph_updates=False)", needs=(GRAPH_OPTIONS,)),
    way("jit-by-jax", "jax.jit(program)", needs=(_NODES,)),
    way(
        "in-two-parts",
        "(lambda compiled: lambda module: compiled(*nnx.split(module)))"
        "(jax.jit(lambda graphdef, state: program(nnx.merge(graphdef, state)), static_argnums=0))",
    ),
    way(
        "cached-partial",
        "(lambda compiled: lambda module: nnx.cached_partial(compiled, module)())"
        "(nnx.jit(program))",
    ),
    way("jit-partial", "lambda module: nnx.jit_partial(program, module, graph=False)()"),
    way("remat", "nnx.remat(program)"),
    way(
        "eval-shape",
        "lambda module: (nnx.eval_shape(program, module), program(module))[1]",
    ),
)
_NUMBERS = ("1", "True", "1.0", "np.int64(1)", "np.float32(1)", "2")


@st.composite
def _twins(draw: st.DrawFn) -> Recipe:
    """Draw modules `one` and `other` with different static attributes, and `run`, a way."""
    scope = Scope()
    scope.define(_RATED, _OUTER)
    numbers = st.sampled_from(_NUMBERS)
    pair = draw(st.lists(numbers, min_size=2, max_size=2, unique=True))
    scope.note("twins:different" if "2" in pair else "twins:equal")
    place = draw(st.sampled_from(_PLACES))
    for name, text in zip(("one", "other"), pair, strict=True):
        scope.bind(name, place.format(text))
    bind_way(draw, scope, _WAYS, "program", forms=PLAIN)
    return scope.recipe()


@law(
    "a compiled function uses the static attributes of the module that it is given, also if they "
    "are equal to those of an earlier call and of another type",
    source=_GUIDE,
    # JAX documents that aux data are compared by `==`.
    level="observed",
    needs={"jit"},
    case=_twins(),
    parents=[jit_does_not_trace_again],
)
def equal_static_attributes_are_distinct(lib, case):
    run = case.run(lambda module: module())
    run(case.one)
    same(run(case.other), case.rebuild().run(lambda module: module())(case.rebuild().other))
