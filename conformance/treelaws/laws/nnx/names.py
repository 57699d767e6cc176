"""Flax NNX: names of keyword arguments and of metadata."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._names import named_calls, named_construction, named_metadata, named_metrics

law = Topic("nnx.names", "Flax NNX: names of arguments and metadata", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"


@law(
    "a class of modules is called with keyword arguments of any name, as a regular Python class is",
    source="https://flax.readthedocs.io/en/latest/nnx_basics.html#the-flax-nnx-module-system",
    level="should",
    needs={"Module"},
    case=named_construction(),
)
def modules_are_made_with_keywords_of_any_name(lib, case):
    true(case.make(case.extra) is case.value, case.make(case.extra), "the very value")


@law(
    "a transformed function is called with keyword arguments of any name",
    source=f"{_DOCS}/transforms.html",
    level="should",
    needs={"jit", "eval_shape"},
    case=named_calls(),
)
def functions_are_called_with_keywords_of_any_name(lib, case):
    wanted = case.run(case.usual, case.x, case.as_usual)
    same(case.run(case.function, case.x, case.extra), wanted)


@law(
    "metadata of a Variable has any name, however it is given, and keeps it",
    source=f"{_DOCS}/variables.html#flax.nnx.Variable",
    level="should",
    needs={"Variable", "set_metadata", "with_metadata"},
    case=named_metadata(),
)
def metadata_has_any_name(lib, case):
    found = nnx_api.metadata(case.journey(case.run(case.x, case.extra)))
    ((name, wanted),) = case.extra.items()
    equal(found[name], wanted)


@law(
    "a metric takes the argument that it is named after, whatever its name, also in a MultiMetric",
    source=f"{_DOCS}/training/metrics.html#flax.nnx.metrics.Average.update",
    level="should",
    needs={"metrics.Average", "MultiMetric"},
    case=named_metrics(),
)
def metrics_are_named_after_any_argument(lib, case):
    case.metric.update(**case.extra)
    same(jtu.tree_leaves(case.metric.compute()), [jnp.float32(1.5)])
