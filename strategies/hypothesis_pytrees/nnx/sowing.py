"""Draw what a Flax NNX module sows: names, values, and how values of a name are combined."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_CLASS = """\
class NnxSower(nnx.Module):
    def __init__(self, weight):
        self.weight = nnx.Param(weight)

    def sown(self, name, value, **options):
        import inspect
        import warnings

        if 'capture_noop' in inspect.signature(self.sow).parameters:
            # Otherwise a setting of Flax decides.
            options.setdefault('capture_noop', False)
        with warnings.catch_warnings():
            # Newer releases prefer a call within `nnx.capture`.
            warnings.simplefilter('ignore', DeprecationWarning)
            return self.sow(nnx.Intermediate, name, value, **options)
"""
_VALUES = (
    "jax.device_put(np.float32([1.0, 2.0]))",
    "jax.device_put(np.float32([3.0, -0.0]))",
    "jax.device_put(np.float32([0.5, 8.0]))",
    "2",
)
# Each with the function that `sow` documents for it, and its first value.
_WAYS = (
    ("default", "{}", "lambda held, value: (*held, value)", "()"),
    (
        "sum",
        "{'reduce_fn': lambda held, value: held + value, 'init_fn': lambda: 0.0}",
        "lambda held, value: held + value",
        "0.0",
    ),
    (
        "last",
        "{'reduce_fn': lambda held, value: value, 'init_fn': lambda: None}",
        "lambda held, value: value",
        "None",
    ),
)


@st.composite
def sowings(draw: st.DrawFn) -> Recipe:
    """Bind a module, the pairs that it sows, the options of `sow` and what they mean.

    `module.sown(name, value, **options)` sows; `combine` and `first` are the function and the
    first value by which the values of one name become the value that the module holds.
    """
    scope = Scope()
    scope.define(_CLASS)
    scope.bind("module", f"NnxSower({_VALUES[0]})")
    names = draw(st.lists(st.sampled_from(("a", "b")), min_size=1, max_size=5))
    pairs = ", ".join(f"({name!r}, {draw(st.sampled_from(_VALUES))})" for name in names)
    scope.bind("pairs", f"[{pairs}]")
    way, options, combine, first = draw(st.sampled_from(_WAYS))
    scope.note(f"sow:{way}")
    scope.bind("options", options)
    scope.bind("combine", combine)
    scope.bind("first", first)
    return scope.recipe()
