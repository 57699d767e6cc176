"""Calls of the layers of `eqx.nn` with state: batch and spectral normalisation, sequences."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.prior_operations import PRIOR_OPERATIONS, apply
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import BATCH_NORM_MODES

OVER_BATCH = """\
def over_batch(layer, batch, state, **options):
    # The layer is called inside of a vmap with its axis name.
    def one(x, state):
        return layer(x, state, **options)

    return jax.vmap(one, (0, None), (0, None), axis_name='batch')(batch, state)
"""
_BATCHES = ("[[1, 2], [3, 5], [-1, 0], [4, 9]]", "[[[1, 2], [3, 5]], [[-1, 0], [4, 9]]]")
_DTYPES = ("np.float32", "jnp.bfloat16", "np.float16", "np.complex64")
# On a device, a float64 array has the default dtype of a layer: float32 unless 64-bit types are on.
_DEFAULT = "np.float64"
_NARROW = ("jnp.bfloat16", "np.float16")
_OPTIONS = ("", ", channelwise_affine=False", ", momentum=0.5", ", eps=0.25")


def batch_norm_modes() -> tuple[str, ...]:
    """Return the modes of `BatchNorm`; `""` if it has no such argument."""
    return ("",) if BATCH_NORM_MODES.lacking() else ("ema", "batch")


def _text(mode: str, axis: str, options: str) -> str:
    return f"eqx.nn.BatchNorm(2, {axis}{mode and f', mode={mode!r}'}{options})"


@st.composite
def batch_norms(
    draw: st.DrawFn,
    *,
    dtypes: bool = False,
    one: bool = False,
    options: bool = True,
    narrow: bool = False,
) -> Recipe:
    """Draw a batch normalisation and its state: bind `model`, `state`, `batch` and `over_batch`.

    Features: `batch-norm:ema` or `batch-norm:batch`.

    Args:
        dtypes: also half precision and complex numbers; default `False`.
        one: draw no prior operation on the layer; default `False`.
        options: draw the other arguments of the layer too; default `True`.
        narrow: the batch has fewer bits than the numbers of the layer; default `False`.
    """
    scope = Scope()
    scope.define(OVER_BATCH)
    mode = draw(st.sampled_from(batch_norm_modes()))
    scope.note(f"batch-norm:{mode or 'ema'}")
    dtype = draw(st.sampled_from(_DTYPES)) if dtypes else _DEFAULT
    extra = draw(st.sampled_from(_OPTIONS if options else _OPTIONS[:1]))
    extra += f", dtype={dtype}" if dtypes else ""
    dtype = draw(st.sampled_from(_NARROW)) if narrow else dtype
    text = _text(mode, "'batch'", extra)
    scope.bind("batch", f"jax.device_put(np.array({draw(st.sampled_from(_BATCHES))}, {dtype}))")
    scope.statement(f"make = lambda: {text}")
    scope.statement("model, state = eqx.nn.make_with_state(make)()")
    if not one:
        apply(draw, scope, "model", PRIOR_OPERATIONS)
    return scope.recipe()


@st.composite
def two_axis_norms(draw: st.DrawFn) -> Recipe:
    """Draw the same normalisation over one axis and over two: bind `one`, `two` and `batch`."""
    scope = Scope()
    scope.define(OVER_BATCH)
    mode = draw(st.sampled_from(batch_norm_modes()))
    extra = draw(st.sampled_from(_OPTIONS))
    for name, axis in (("one", "'batch'"), ("two", draw(st.sampled_from(_AXES)))):
        scope.statement(f"{name} = eqx.nn.make_with_state(lambda: {_text(mode, axis, extra)})()")
    scope.bind("batch", f"jax.device_put({_DEFAULT}({draw(st.sampled_from(_BATCHES[:1]))}))")
    return scope.recipe()


_AXES = ("('outer', 'batch')", "['outer', 'batch']", "('batch', 'outer')")
_SPECTRAL = (
    "eqx.nn.SpectralNorm(eqx.nn.Linear(2, 2{}, key=jax.random.key(0)), 'weight'{},"
    " key=jax.random.key(1))"
)
_SPECTRAL_OPTIONS = (
    ("", ""),
    (", use_bias=False", ""),
    ("", ", num_power_iterations=3"),
    (", dtype=jnp.bfloat16", ""),
)


@st.composite
def spectral_norms(draw: st.DrawFn) -> Recipe:
    """Draw a spectral normalisation and its state: bind `model`, `state` and `x`."""
    scope = Scope()
    option = draw(st.sampled_from(_SPECTRAL_OPTIONS))
    scope.statement(f"make = lambda: {_SPECTRAL.format(*option)}")
    scope.statement("model, state = eqx.nn.make_with_state(make)()")
    dtype = "jnp.bfloat16" if "bfloat16" in option[0] else "np.float32"
    scope.bind("x", f"jax.device_put(np.array([1, -2], {dtype}))")
    apply(draw, scope, "model", PRIOR_OPERATIONS)
    return scope.recipe()


STEPPING = """\
class SteppingLayer(eqx.nn.StatefulLayer):
    index: eqx.nn.StateIndex

    def __init__(self, start):
        self.index = eqx.nn.StateIndex(jax.device_put(np.float32(start)))

    def __call__(self, x, state, *, key=None):
        value = state.get(self.index)
        return x + value, state.set(self.index, 2 * value)
"""
_MAYBE = """\
class MaybeStateful(eqx.nn.StatefulLayer):
    stateful: bool = eqx.field(static=True)

    def is_stateful(self):
        return self.stateful

    def __call__(self, x, state=None, *, key=None):
        return (2 * x, state) if self.stateful else 2 * x
"""
_STATELESS = (
    "eqx.nn.Identity()",
    "eqx.nn.Lambda(jnp.negative)",
    "MaybeStateful(False)",
    "eqx.nn.Sequential([eqx.nn.Lambda(abs), MaybeStateful(False)])",
)
_STATEFUL = (
    "SteppingLayer(1)",
    "MaybeStateful(True)",
    "eqx.nn.Sequential([SteppingLayer(3), eqx.nn.Lambda(abs)])",
)


@st.composite
def sequences(draw: st.DrawFn, *, stateful: bool = True) -> Recipe:
    """Draw an `eqx.nn.Sequential` and its state: bind `model`, `state` and `x`.

    Args:
        stateful: let some of its layers have state; default `True`.
    """
    scope = Scope()
    scope.define(STEPPING, _MAYBE)
    table = (*_STATEFUL, *_STATELESS) if stateful else _STATELESS
    layers = draw(st.lists(st.sampled_from(table), max_size=4))
    scope.statement(f"make = lambda: eqx.nn.Sequential([{', '.join(layers)}])")
    scope.statement("model, state = eqx.nn.make_with_state(make)()")
    scope.bind("x", "jax.device_put(np.float32([1, -2]))")
    return scope.recipe()
