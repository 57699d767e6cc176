"""Calls of functions of Flax NNX with arguments that are bound before, as text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import assume, strategies as st

from hypothesis_pytrees.core.addressed import addressed
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.core.ways import way

_MODES = ("{'graph': False}", "{'graph_updates': False}")
_JIT = "nnx.jit(program)"
# Each gives a function without arguments, which does what `program(module, x)` does.
CACHED: Sequence[Kind] = (
    way(
        "cached-module",
        f"(lambda cached: lambda: cached(x))(nnx.cached_partial({_JIT}, module))",
    ),
    way(
        "cached-module-by-name",
        "(lambda cached: lambda: cached(x=x))"
        "(nnx.cached_partial(nnx.jit(lambda held, x: program(held, x)), module))",
    ),
    way("cached-all", f"nnx.cached_partial({_JIT}, module, x)"),
    way(
        "cached-tree",
        "nnx.cached_partial("
        "nnx.jit(lambda held, x: program(held['a'][1], x)), {'a': (None, module)}, x)",
    ),
    way("cached-remat", "nnx.cached_partial(nnx.jit(nnx.remat(program)), module, x)"),
    way("cached-twice", f"nnx.cached_partial(nnx.cached_partial({_JIT}, module), x)"),
)
_COMPILATION = "https://github.com/google/flax/blob/v{}/flax/nnx/transforms/compilation.py"
_TREE_PARTIAL = Since("jit_partial(graph=False)", "flax>=0.12.5", _COMPILATION.format("0.12.5"))
_GRAPH_PARTIAL = Since(
    "jit_partial(graph_updates=False)", "flax>=0.12.6", _COMPILATION.format("0.12.6")
)
_HELD = "nnx.jit_partial(program, module, $mode)"
_BOUND = (
    ("lowered", f"(lambda stage: lambda: stage(x))({_HELD}.lower(x).compile())"),
    ("traced", f"(lambda stage: lambda: stage(x))({_HELD}.trace(x).lower().compile())"),
    ("lowered-all", "nnx.jit_partial(program, module, x, $mode).lower().compile()"),
    (
        "lowered-by-name",
        (
            "(lambda stage: lambda: stage(x=x))(nnx.jit_partial("
            "lambda held, *, x: program(held, x), module, $mode).lower(x=x).compile())"
        ),
    ),
    (
        "lowered-tree",
        (
            "(lambda stage: lambda: stage(x))(nnx.jit_partial("
            "lambda held, x: program(held['a'][1], x), {'a': (None, module)}, $mode)"
            ".lower(x).compile())"
        ),
    ),
)
# Each gives a function without arguments that is compiled and does what `program(module, x)` does.
COMPILED_AHEAD: Sequence[Kind] = tuple(
    way(f"{name}-{mode}", text.replace("$mode", option), needs=needs)
    for mode, option, needs in (
        ("tree", "graph=False", (_TREE_PARTIAL,)),
        ("no-updates", "graph_updates=False", (_GRAPH_PARTIAL,)),
    )
    for name, text in _BOUND
)


@st.composite
def partial_calls(draw: st.DrawFn, prefix: str) -> Recipe:
    """Draw what `addressed` draws, the number of arguments to bind, `many`, and a `mode`.

    Those that are bound come first, and no static one is among them. The feature `partial:<many>`
    says how many they are, `partial:several` that they are two or three, and `meant:behind` that an
    argument behind them is given by position and addressed.

    Args:
        prefix: `"static"` or `"donate"`, as for `addressed`.
    """
    scope = Scope()
    # An argument called self is refused by name, a finding of its own.
    scope.include(draw(addressed(prefix).filter(_has_no_self)))
    count, names, meant = scope.value("len(args), names, meant")
    given = names[:count]
    is_free = lambda name: prefix == "donate" or name not in meant
    most = len(list(itertools.takewhile(is_free, given)))
    assume(most or prefix == "donate")
    many = draw(st.sampled_from((*range(1, most + 1), 0)))
    scope.bind("many", str(many))
    scope.note(f"partial:{many}", *(["partial:several"] if many > 1 else []))
    scope.note(*(["meant:behind"] if {*given[many:]} & {*meant} else []))
    scope.bind("mode", draw(st.sampled_from(_MODES)))
    return scope.recipe()


def _has_no_self(recipe: Recipe) -> bool:
    return not {"names:z", "given:name"} <= recipe.features
