"""Draw recurrent cells of Flax NNX, and layers that apply cells over sequences."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

from .parts import COUNTED, called, chosen, counted

_CODE = "https://github.com/google/flax/blob/v{}/flax/nnx/nn/recurrent.py"
_STREAMS = Since("rngs that are an RngStream", "flax>=0.12.0", _CODE.format("0.12.0"))
_CARRY_INIT = Since("carry_init of a call", "flax>=0.12.4", _CODE.format("0.12.4"))
_BATCHES = ((), (2,), (2, 3))
_CELLS = ("LSTMCell", "OptimizedLSTMCell", "SimpleCell", "GRUCell")
_OPTIONS = {
    "kernel_init": ("nnx_counted",),
    "recurrent_kernel_init": ("nnx_counted",),
    "bias_init": ("nnx_counted",),
    "activation_fn": ("jnp.sin",),
    "dtype": ("jnp.bfloat16", "jnp.float32"),
    "param_dtype": ("jnp.bfloat16", "jnp.float16"),
}


def _draw_cell(draw: st.DrawFn, scope: Scope) -> tuple[str, dict[str, str]]:
    """Bind `cell`, and return the name of its class and its options."""
    scope.define(COUNTED)
    name = draw(st.sampled_from(_CELLS))
    extra = {"SimpleCell": {"residual": ("True",)}}.get(name, {"gate_fn": ("jnp.cos",)})
    if name == "GRUCell":
        # The same number for each bias of the formula, however they are kept.
        extra = {**extra, "bias_init": ("nnx.initializers.constant(1.0)",)}
    options = chosen(draw, {**_OPTIONS, **extra})
    scope.note(f"cell:{name}")
    halves = [one for one in ("dtype", "param_dtype") if "16" in options.get(one, "")]
    scope.note(*(f"half:{one}" for one in halves))
    # The default initializer of the other cells makes no half precision.
    if "recurrent_kernel_init" not in options:
        scope.note("recurrent:default")
    scope.bind("cell", f"nnx.{name}(3, 2{called(options)}, rngs=nnx.Rngs(0))")
    return name, options


def _keeps_dtype(name: str, options: dict[str, str], dtype: str) -> bool:
    """Return whether a cell returns a carry of the dtype of its first carry.

    Args:
        name: its class.
        options: its options.
        dtype: that of the input, such as `"float32"`.
    """
    carry = options.get("param_dtype", "jnp.float32")
    computed = options.get("dtype", "jnp.float32" if name == "SimpleCell" else "")
    if carry == "jnp.float32":
        # The others multiply the carry with what they compute, which is of the wider dtype.
        return name != "SimpleCell" or computed == carry or "residual" in options
    return carry == (computed or f"jnp.{dtype}")


@st.composite
def stepped(draw: st.DrawFn) -> Recipe:
    """Bind `cell`, `x`, a `carry` for it, made by itself or drawn, and the `kind` of the cell.

    `hidden_bias` is the number `b_hn` of the formula of a GRU; feature `gru:bias` if it is not 0.
    """
    scope = Scope()
    name, options = _draw_cell(draw, scope)
    scope.bind("kind", repr(name.removeprefix("Optimized").removesuffix("Cell")))
    has_bias = name == "GRUCell" and "bias_init" in options
    scope.bind("hidden_bias", "1.0" if has_bias else "0.0")
    scope.note(*(["gru:bias"] if has_bias else []))
    batch = draw(st.sampled_from(_BATCHES))
    scope.bind("x", counted((*batch, 3), draw(st.sampled_from(("float32", "bfloat16")))))
    given = counted((*batch, 2))
    streams = [] if _STREAMS.lacking() else ["nnx.RngStream(0, tag='carry')"]
    rngs = draw(st.sampled_from(["nnx.Rngs(0)", "nnx.Rngs(carry=1)", *streams]))
    init = "" if _CARRY_INIT.lacking() else draw(st.sampled_from(("", ", carry_init=nnx_counted")))
    made = f"cell.initialize_carry(x.shape, {rngs}{init})"
    drawn = f"({given}, 0.5 * {given})" if "LSTM" in name else given
    scope.bind("carry", draw(st.sampled_from((made, drawn))))
    return scope.recipe()


_ADDER = """\
class NnxAdder(nnx.Module):
    # Halves its carry and adds its input.
    num_feature_axes = 1

    def initialize_carry(self, input_shape, rngs=None, carry_init=None):
        return jnp.zeros(input_shape)

    def __call__(self, carry, x):
        carry = 0.5 * carry + x
        return carry, 1.0 + carry
"""
_FLAGS = ("time_major", "reverse", "keep_order", "return_carry")
_LENGTHS = {0: "3", 1: "[1, 4]", 2: "[[1, 2, 4], [3, 4, 2]]"}
# Up to 0.11, the layer itself takes `Rngs` alone.
_RNGS = ("nnx.Rngs(0)", "True", "nnx.RngStream(0, tag='carry')", "False")


@st.composite
def unrolled(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, an RNN of a `cell`, an input `x`, and `options` of the call.

    `meant` are the options of the call and those of the layer; `carry` is the first carry.
    """
    scope = Scope()
    real = draw(st.booleans())
    half = draw(st.booleans())
    dtype = "bfloat16" if half else "float32"
    if real:
        kept = _keeps_dtype(*_draw_cell(draw, scope), dtype)
        scope.note(*([] if kept else ["carry:other-dtype"]))
    else:
        scope.define(COUNTED, _ADDER)
        scope.bind("cell", "NnxAdder()")
    batch = draw(st.sampled_from(_BATCHES))
    scope.note(f"batch:{len(batch)}")
    flags = {name: draw(st.booleans()) for name in _FLAGS}
    scope.note(*(name for name in flags if flags[name]))
    shape = (4, *batch, 3) if flags["time_major"] else (*batch, 4, 3)
    scope.bind("x", counted(shape, dtype if real else "float32"))
    # A sequence without a batch has one length, which no document mentions.
    has_lengths = bool(batch) and draw(st.booleans())
    lengths = f"jnp.array({_LENGTHS[len(batch)]})" if has_lengths else "None"
    scope.note(*(["lengths"] if has_lengths else []))
    rngs = draw(st.sampled_from(_RNGS[:1] if _STREAMS.lacking() else _RNGS))
    scope.note(f"rngs:{rngs.partition('(')[0].removeprefix('nnx.').lower()}")
    # Given to the layer, or to the call.
    of_call = [name for name in _FLAGS if draw(st.booleans())]
    made = {name: str(value) for name, value in flags.items() if name not in of_call}
    made["unroll"] = draw(st.sampled_from(("1", "2")))
    given = {name: str(flags[name]) for name in of_call}
    given |= {"seq_lengths": lengths} if has_lengths else {}
    if rngs == "False":
        given["rngs"] = draw(st.sampled_from(("nnx.Rngs(0)", "nnx.RngStream(0, tag='carry')")))
    scope.bind("layer", f"nnx.RNN(cell{called(made)}, rngs={rngs})")
    scope.bind("options", f"dict({called(given).removeprefix(', ')})")
    scope.bind("meant", f"dict(lengths={lengths}{called({n: str(v) for n, v in flags.items()})})")
    scope.bind("carry", f"cell.initialize_carry({(*batch, 3)!r}, nnx.Rngs(0))")
    return scope.recipe()


@st.composite
def bidirectional(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, an `nnx.Bidirectional` over two cells that add, and its arguments and merge."""
    scope = Scope()
    scope.define(COUNTED, _ADDER)
    batch = draw(st.sampled_from(_BATCHES[1:]))
    scope.note(f"batch:{len(batch)}")
    flags = {name: draw(st.booleans()) for name in ("time_major", "return_carry")}
    shape = (4, *batch, 3) if flags["time_major"] else (*batch, 4, 3)
    scope.bind("cell", "NnxAdder()")
    scope.bind("x", counted(shape))
    has_lengths = draw(st.booleans())
    lengths = f"jnp.array({_LENGTHS[len(batch)]})" if has_lengths else "None"
    scope.note(*(["lengths"] if has_lengths else []))
    options = {name: str(value) for name, value in flags.items()}
    of_call = draw(st.booleans())
    merge = draw(st.sampled_from(("", "lambda one, other: one - 2 * other")))
    made = {} if of_call else dict(options)
    made |= {"merge_fn": merge} if merge else {}
    given = dict(options) if of_call else {}
    given |= {"seq_lengths": lengths} if has_lengths else {}
    scope.bind("layer", f"nnx.Bidirectional(nnx.RNN(cell), nnx.RNN(NnxAdder()){called(made)})")
    scope.bind("options", f"dict({called(given).removeprefix(', ')})")
    scope.bind("merge", merge or "lambda one, other: np.concatenate([one, other], axis=-1)")
    scope.bind("meant", f"dict(lengths={lengths}, time_major={flags['time_major']})")
    scope.bind("return_carry", str(flags["return_carry"]))
    scope.bind("carry", f"jnp.zeros({(*batch, 3)!r})")
    return scope.recipe()
