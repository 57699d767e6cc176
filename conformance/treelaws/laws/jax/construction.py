"""JAX: construction of registered nodes."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal

from .._construction import constructions, places

law = Topic("jax.construction", "JAX: construction of registered nodes", family="jax")


@law(
    "classes are registered and instances are built in every way that JAX documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://docs.jax.dev/en/latest/custom_pytrees.html",
    needs={"tree_util.register_dataclass"},
    case=constructions("jax"),
)
def documented_nodes_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))
