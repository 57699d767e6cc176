"""Flax NNX: how often control flow and transforms trace their functions."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from treelaws.equality import equal

from .transforms import law

# A maintainer asks for the same fix of `while_loop` and `fori_loop`: "For lax, this passes. For
# flax, it doesn't."
_ISSUE = "https://github.com/google/flax/pull/5518"
# Expressions of `program`, a function of a module and an array; `$` stands for options of a mode.
_WAYS = {
    "cond": "lambda module, x: nnx.cond(x > 0, program, program, module, x$)",
    "cond-in-a-dict": "lambda module, x: nnx.cond(x > 0, of_dict, of_dict, {'a': (module, x)}$)",
    "switch": "lambda module, x: nnx.switch(1, (program, program), module, x$)",
    "while_loop": "lambda module, x: nnx.while_loop(is_small, body, (module, x)$)",
    "fori_loop": "lambda module, x: nnx.fori_loop(0, 3, step, (module, x)$)",
    "scan": "nnx.scan(entry, in_axes=(nnx.Carry, None), out_axes=nnx.Carry, length=3$)",
    "jit": "nnx.jit(program$)",
    "jit-remat": "nnx.jit(nnx.remat(program$)$)",
    "jit-grad": "nnx.jit(nnx.grad(program, argnums=1$)$)",
    "jit-cond": "nnx.jit(lambda module, x: nnx.cond(x > 0, program, program, module, x$)$)",
}
_MODES = {
    "default": "",
    "no-updates": ", graph_updates=False",
    "tree": ", graph=False",
    "tree-no-updates": ", graph=False, graph_updates=False",
}
_FUNCTIONS = {
    "program": (
        "lambda module, x: "
        "(traces.append(x), sum(leaf.sum() for leaf in jtu.tree_leaves(nnx.state(module))) + x)[1]"
    ),
    "of_dict": "lambda held: program(*held['a'])",
    "is_small": "lambda held: (traces.append(held), held[1] < 3)[1]",
    "body": "lambda held: (traces.append(held), (held[0], held[1] + 1))[1]",
    "step": "lambda place, held: (traces.append(held), (held[0], held[1] + place))[1]",
    "entry": "lambda module, x: (traces.append(x), module)[1]",
}
_ARRAY = "jax.device_put(np.float32([1.0, {}]))"
_MODULES = (
    f"nnx.Dict(a=nnx.Param({_ARRAY.format(2.0)}))",
    f"nnx.Dict(b=nnx.Dict(c=nnx.BatchStat({_ARRAY.format(3.0)}), d='text'), a='b')",
    f"nnx.List([nnx.Param({_ARRAY.format(4.0)}), nnx.Variable({_ARRAY.format(5.0)})])",
    "nnx.Linear(2, 2, rngs=nnx.Rngs(0))",
    "nnx.Sequential(nnx.Linear(1, 2, rngs=nnx.Rngs(0)), jnp.tanh)",
    "nnx.BatchNorm(2, rngs=nnx.Rngs(0))",
)


@st.composite
def _repeated(draw: st.DrawFn) -> Recipe:
    """Draw `run(module, x)`, which calls functions that add to `traces`, and two modules.

    `module` and `other` are equal or one object; `x` and `another` are numbers of one dtype.
    """
    scope = Scope()
    scope.bind("traces", "[]")
    for function, text in _FUNCTIONS.items():
        scope.bind(function, text)
    name = draw(st.sampled_from(tuple(_WAYS)))
    mode = draw(st.sampled_from(("default",) if GRAPH_OPTIONS.lacking() else tuple(_MODES)))
    scope.note(f"way:{name}", f"mode:{mode}")
    scope.note(*([] if name == "scan" or "jit" in name else ["place:outside-of-jit"]))
    scope.bind("run", _WAYS[name].replace("$", _MODES[mode]))
    known = [one for one in _MODULES if names.has(one.partition("(")[0])]
    made = draw(st.sampled_from(known))
    scope.bind("module", made)
    scope.bind("other", draw(st.sampled_from(("module", made))))
    scope.bind("x", "jax.device_put(np.float32(1.0))")
    scope.bind("another", draw(st.sampled_from(("x", "x + 1", "-x"))))
    return scope.recipe()


@law(
    "`cond`, `switch`, `while_loop` and `fori_loop`, and what `jit` and `scan` return, trace their "
    "functions only in the first of two calls with equal structures, shapes and dtypes",
    source=_ISSUE,
    level="should",
    needs={"cond", "switch", "while_loop", "fori_loop", "scan", "jit", "state"},
    case=_repeated(),
)
def a_second_call_traces_nothing(lib, case):
    case.run(case.module, case.x)
    traced = len(case.traces)
    case.run(case.other, case.another)
    equal(len(case.traces), traced)
