"""Ways to take and give modules along axes that filters or prefixes choose, as text.

Each way is an expression of `step`, a function of a module and a number which makes a module,
`module`, `x` and `axes`, pairs of a filter and an axis; it gives the module of all entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import way

_BY_PREFIX = """\
def nnx_by_prefix(map_of, module, axes, graph):
    prefix = nnx.prefix(module, dict(axes), graph=graph)
    return map_of(prefix, graph=graph, graph_updates=False)
"""
# How the axes are written, as arguments of a function that is given them and options of a mode.
_FORMS = (
    ("state-axes", "($map)(nnx.StateAxes(axes))", ()),
    ("prefix", "nnx_by_prefix($map, module, axes, False)", (_BY_PREFIX,)),
    ("prefix-in-graph-mode", "nnx_by_prefix($map, module, axes, True)", (_BY_PREFIX,)),
)
_BOTH = "lambda *given: (step(*given), given[1])"
_RESULTS = (
    ("module", "step", "axes", ""),
    ("pair", _BOTH, "(axes, 0)", "[0]"),
)


def _ways(transform: str) -> tuple[Kind, ...]:
    return tuple(
        way(
            f"{transform}-{result}-{name}",
            text.replace(
                "$map",
                f"lambda axes, **mode: nnx.{transform}({function}, in_axes=(axes, 0), "
                f"out_axes={out}, **mode)(module, x){end}",
            ),
            *definitions,
            needs=(GRAPH_OPTIONS,) if definitions else (),
        )
        for result, function, out, end in _RESULTS
        for name, text, definitions in _FORMS
    )


VMAPS: Sequence[Kind] = _ways("vmap")
PMAPS: Sequence[Kind] = _ways("pmap")
