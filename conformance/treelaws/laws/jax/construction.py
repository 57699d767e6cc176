"""JAX: construction of registered nodes."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, true

from .._construction import EACH_KIND, constructions, documented_names, places, quietly

law = Topic("jax.construction", "JAX: construction of registered nodes", family="jax")


@law(
    "classes are registered and instances are built in every way that JAX documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://docs.jax.dev/en/latest/custom_pytrees.html",
    needs={"tree_util.register_dataclass"},
    case=constructions("jax"),
    weight=EACH_KIND,
)
def documented_nodes_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))


@law(
    "the public names of a release exist: those that laws and their inputs use",
    source="https://docs.jax.dev/en/latest/jax.html",
    case=documented_names,
)
def documented_names_exist(lib, case):
    """A law whose names the release lacks by `names.json` is skipped, so none may be missing."""
    true(quietly(case.find) is not None, None, "what the name stands for")
