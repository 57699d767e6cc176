"""Draw convolutions and poolings of Flax NNX, and what they compute by hand."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

from .parts import COUNTED, counted

_LINEAR = "https://github.com/google/flax/blob/v{}/flax/nnx/nn/linear.py"
_REFLECT = Since("padding='REFLECT'", "flax>=0.12.8", _LINEAR.format("0.12.8"))
# Texts of what `padding` may be, and the numbers of places before and after by the size of the
# dilated kernel `k`; a mode for NumPy follows.
_PADDINGS = {
    "'VALID'": ("(0, 0)", "constant"),
    "'SAME'": ("((k - 1) // 2, k // 2)", "constant"),
    "'CIRCULAR'": ("((k - 1) // 2, k // 2)", "wrap"),
    "'REFLECT'": ("((k - 1) // 2, k // 2)", "reflect"),
    "'CAUSAL'": ("(k - 1, 0)", "constant"),
    "2": ("(2, 2)", "constant"),
    "[1]": ("(1, 1)", "constant"),
    "((1, 2),)": ("(1, 2)", "constant"),
    "[(0, 3)]": ("(0, 3)", "constant"),
}
_CONVOLVED = '''\
def nnx_convolved(x, kernel, bias, before, after, mode="constant", stride=1, step=1, groups=1):
    """Return the convolution of an array of shape (length, features), by hand."""
    x = np.pad(np.float32(x), ((before, after), (0, 0)), mode)
    kernel = np.float32(kernel)
    size, width, features = kernel.shape
    rows = []
    for at in range(0, len(x) - (size - 1) * step, stride):
        window = x[at : at + (size - 1) * step + 1 : step]
        row = []
        for feature in range(features):
            group = feature // (features // groups)
            part = window[:, group * width : (group + 1) * width]
            row.append((part * kernel[:, :, feature]).sum())
        rows.append(row)
    return np.float32(rows) + (0 if bias is None else np.float32(bias))
'''
_KERNELS = "kernel_init=nnx_counted, bias_init=nnx_counted, rngs=nnx.Rngs(0)"
_BATCHES = ((), (2,), (2, 1))


@st.composite
def convolved(draw: st.DrawFn) -> Recipe:
    """Bind `call`, a call of a convolution over one axis, and `wanted`, what it returns."""
    scope = Scope()
    scope.define(COUNTED, _CONVOLVED)
    transposed = draw(st.booleans())
    layer = "ConvTranspose" if transposed else "Conv"
    known = [text for text in _PADDINGS if text != "'REFLECT'" or not _REFLECT.lacking()]
    # The documentation of the transposed convolution names four modes.
    modes = [text for text in known if text != "'REFLECT'"] if transposed else known
    padding = draw(st.sampled_from(modes))
    scope.note(f"layer:{layer}", f"padding:{padding.strip(chr(39))}")
    size = draw(st.sampled_from(("3", "(2,)", "[3]")))
    # On which side an even kernel has more padding is documented for 'SAME' alone, by
    # `jax.lax.conv_general_dilated`.
    size = "3" if padding in ("'CIRCULAR'", "'REFLECT'") and size == "(2,)" else size
    step = draw(st.sampled_from(("1", "[2]", "None")))
    # "dilation * (kernel_size - 1)"; another stride is a dilation of the input.
    stride = "1" if transposed or padding == "'SAME'" else draw(st.sampled_from(("1", "2", "(2,)")))
    groups = 1 if transposed else draw(st.sampled_from((1, 2)))
    bias = draw(st.booleans())
    mask = draw(st.booleans())
    numbers = {"3": 3, "(2,)": 2, "[3]": 3}
    k = (numbers[size] - 1) * (2 if step == "[2]" else 1) + 1
    shape = (numbers[size], 2 // groups, 4)
    options = f"padding={padding}, strides={stride}, kernel_dilation={step}, use_bias={bias}"
    options += f", feature_group_count={groups}" if groups > 1 else ""
    options += f", mask=({counted(shape)} > 0).astype(jnp.float32)" if mask else ""
    scope.bind("layer", f"nnx.{layer}(2, 4, {size}, {options}, {_KERNELS})")
    batch = draw(st.sampled_from(_BATCHES))
    scope.bind("x", counted((*batch, 7, 2)))
    scope.bind("call", "lambda: layer(x)")
    text, mode = _PADDINGS[padding]
    # Without a padding, each place of the input meets each place of the kernel.
    text = "(k - 1, k - 1)" if transposed and padding == "'VALID'" else text
    # "Behaviour mirrors of `jax.lax.conv_transpose`", which pads an even kernel at the left.
    text = "(k // 2, (k - 1) // 2)" if transposed and padding == "'SAME'" else text
    before, after = eval(text, {"k": k})
    scope.bind("kernel", "layer.kernel[...]" + (" * layer.mask" if mask else ""))
    given = f"{before}, {after}, {mode!r}, {2 if '2' in stride else 1}, {2 if step == '[2]' else 1}"
    one = f"nnx_convolved(one, kernel, {'layer.bias[...]' if bias else None}, {given}, {groups})"
    scope.bind("rows", f"[{one} for one in x.reshape(-1, 7, 2)]")
    scope.bind("wanted", f"np.stack(rows).reshape({batch!r} + rows[0].shape)")
    return scope.recipe()


_POOLED = '''\
def nnx_pooled(x, reduce, window, strides, padding, empty):
    """Return the pools of an array of shape (batch, first, second, features), by hand."""
    whole = np.pad(x, ((0, 0), *padding, (0, 0)), constant_values=empty)
    pools = np.lib.stride_tricks.sliding_window_view(whole, window, axis=(1, 2))
    pools = pools[:, :: strides[0], :: strides[1]]
    return reduce(pools, axis=(-2, -1))
'''
# The function, its options, what it reduces with, and what a place outside holds.
_POOLS = (
    ("avg_pool", "", "np.mean", "0.0"),
    ("avg_pool", ", count_include_pad=False", "np.nanmean", "np.nan"),
    ("max_pool", "", "np.max", "-np.inf"),
    ("min_pool", "", "np.min", "np.inf"),
)
_WINDOWS = ("(2, 2)", "(3, 2)")
# Text of an option, and of what it means.
_STRIDES = (("None", "(1, 1)"), ("(1, 2)", "(1, 2)"), ("[2, 1]", "(2, 1)"))
_EDGES = (
    ("'VALID'", "((0, 0), (0, 0))"),
    ("((1, 0), (0, 1))", "((1, 0), (0, 1))"),
    ("[(0, 1), (0, 0)]", "((0, 1), (0, 0))"),
)


@st.composite
def pooled(draw: st.DrawFn) -> Recipe:
    """Bind `call`, a call of a pooling, and `wanted`, what it returns."""
    scope = Scope()
    scope.define(COUNTED, _POOLED)
    name, options, reduce, empty = draw(st.sampled_from(_POOLS))
    window = draw(st.sampled_from(_WINDOWS))
    strides, steps = draw(st.sampled_from(_STRIDES))
    padding, edges = draw(st.sampled_from(_EDGES))
    scope.note(*(["strides:list"] if strides.startswith("[") else []))
    scope.bind("x", counted((2, 4, 4, 1)))
    given = f"strides={strides}, padding={padding}{options}"
    scope.bind("call", f"lambda: nnx.{name}(x, {window}, {given})")
    scope.bind("wanted", f"nnx_pooled(x, {reduce}, {window}, {steps}, {edges}, {empty})")
    return scope.recipe()
