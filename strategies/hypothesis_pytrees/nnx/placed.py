"""Flax NNX modules whose Variables have a place each on a mesh of up to eight devices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way
from hypothesis_pytrees.trees.meshes import draw_entries, draw_mesh

from .axes import CALLED_STACK, STACKED

_PATHS = (("a",), ("b",), ("inner", "c"), ("inner", "d"))
_TYPES = ("nnx.Param", "nnx.BatchStat", "nnx.Cache")
_FLOATS = (
    ((8,), "np.float32"),
    ((8, 4), "np.float32"),
    ((2, 4, 8), "np.float32"),
    ((16,), "jnp.bfloat16"),
    ((3, 5), "np.float32"),
    ((), "np.float32"),
)
_OTHERS = (((4, 4), "np.int32"), ((8, 2), "np.uint8"))


@st.composite
def placed_modules(draw: st.DrawFn, ways: Sequence[Kind] = (), *, params: bool = False) -> Recipe:
    """Draw a module, a mesh, and where its Variables belong; all of it is on one device yet.

    Names: `module`; `mesh`; `names`, those of the axes by path, which the Variables have too, as
    `out_sharding`; `shardings`, by path; `x`, eight numbers; with ways also
    `run(program, module, x)`, which runs a program in some way.

    Args:
        ways: how a program can be run; default none.
        params: only draw parameters of floating-point types; default `False`.
    """
    scope = Scope()
    scope.define(STACKED)
    mesh = draw_mesh(draw, scope)
    paths = draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=3, unique=True))
    table = _FLOATS if params else (*_FLOATS, *_OTHERS)
    names, texts = {}, dict[tuple[str, ...], str]()
    for path in sorted(paths):
        shape, dtype = table[draw(st.integers(0, len(table) - 1))]
        entries = draw_entries(draw, scope, mesh.axes, [shape])
        names[path] = (*entries, *(None,) * (len(shape) - len(entries)))
        if not shape:
            scope.note("names:empty")
        kind = "nnx.Param" if params else draw(st.sampled_from(_TYPES))
        value = f"jax.device_put(np.arange({math.prod(shape)}).reshape({shape}).astype({dtype}))"
        # Without a mesh no value can be placed when the Variable is made.
        texts[path] = f"{kind}({value}, out_sharding={names[path]!r}, eager_sharding=False)"
    root = draw(st.sampled_from(("NnxStacked", "NnxCalledStack")))
    scope.define(*([CALLED_STACK] if root == "NnxCalledStack" else []))
    scope.bind("make", f"lambda: {_module(texts, root)}")
    scope.bind("module", "make()")
    if draw(st.booleans()):
        scope.note("module:tied")
        first = sorted(paths)[0]
        scope.statement(f"module.tied = module.{'.'.join(first)}")
    scope.bind("names", repr(names))
    spec = "jax.sharding.PartitionSpec(*entries)"
    sharding = f"jax.sharding.NamedSharding(mesh, {spec})"
    scope.bind("shardings", f"{{path: {sharding} for path, entries in names.items()}}")
    scope.bind("x", "jax.device_put(np.arange(8, dtype=np.float32))")
    if ways:
        bind_way(draw, scope, ways, "program, module, x", forms=PLAIN)
    return scope.recipe()


def _module(texts: dict[tuple[str, ...], str], root: str) -> str:
    held = [f"{path[0]}={text}" for path, text in texts.items() if len(path) == 1]
    inner = ", ".join(f"{path[1]}={text}" for path, text in texts.items() if len(path) > 1)
    return f"{root}({', '.join([*held, f'inner=NnxStacked({inner})'] if inner else held)})"
