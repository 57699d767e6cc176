"""Boxes of Flax NNX for Variables within Linen, and meshes that have their axes."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.flax.convertible import OF_ARRAYS, PLAIN, convertible

_KINDS = ("nnx.Param", "nnx.BatchStat", "nnx.Cache", "NnxOwnVariable")
_OWN = "class NnxOwnVariable(nnx.Variable):\n    pass\n"
_METADATA = ("{}", "{'note': 'text'}", "{'note': 'text', 'count': 2}", "{'axes': (1, None)}")
_NAMES = (None, "rows", "columns")


@st.composite
def nnx_boxes(draw: st.DrawFn) -> Recipe:
    """Draw `kind`, a type of Variable, its `metadata`, and `box` with these and a `value`."""
    scope = Scope()
    scope.define(_OWN)
    scope.bind("kind", draw(st.sampled_from(_KINDS)))
    values = ("jax.device_put(np.float32([1.0, 2.0]))", "np.ones((2, 0))", "3", "(1, [2.0])")
    scope.bind("value", draw(st.sampled_from(values)))
    scope.bind("metadata", draw(st.sampled_from(_METADATA)))
    scope.bind("box", "nnx.bridge.NNXMeta(kind, value, dict(metadata))")
    return scope.recipe()


@st.composite
def stored_variables(draw: st.DrawFn) -> Recipe:
    """Draw as `convertible`, and `convert(**options)`, which converts the module with options."""
    scope = Scope()
    scope.include(draw(convertible(values=(*OF_ARRAYS, "number", "none"), metadata=PLAIN)))
    forms = (
        "nnx.bridge.to_linen(NnxConvertible, parts, **options)",
        "nnx.bridge.ToLinen(NnxConvertible, args=(parts,), **options)",
    )
    scope.bind("convert", f"lambda **options: {draw(st.sampled_from(forms))}")
    return scope.recipe()


@st.composite
def partitioned_boxes(draw: st.DrawFn) -> Recipe:
    """Draw `names` of the axes of a value, the `box` that has both, and `mesh`, a context."""
    scope = Scope()
    drawn = draw(st.lists(st.sampled_from(_NAMES), max_size=3, unique=True))
    names = tuple(drawn)
    scope.bind("names", repr(names))
    # Eight devices divide each axis.
    shape = (8,) * (len(names) + draw(st.integers(0, 1)))
    value = f"jax.device_put(np.ones({shape}, np.float32))"
    abstract = draw(st.booleans())
    scope.note("value:abstract" if abstract else "value:array")
    scope.bind("value", f"jax.eval_shape(lambda: {value})" if abstract else value)
    rules = draw(st.booleans())
    scope.note("names:ruled" if rules else "names:plain")
    if rules:
        # Names that rules replace by those of the axes of the mesh.
        scope.bind("given", "tuple(name and f'logical_{name}' for name in names)")
        table = "(('logical_rows', 'rows'), ('logical_columns', 'columns'))"
    else:
        scope.bind("given", "names")
    options = f", 'sharding_rules': {table}" if rules else ""
    text = f"nnx.bridge.NNXMeta(nnx.Param, value, {{'out_sharding': given{options}}})"
    scope.bind("make", f"lambda: {text}")
    scope.bind("mesh", "jax.make_mesh((2, 4), ('rows', 'columns'))")
    return scope.recipe()
