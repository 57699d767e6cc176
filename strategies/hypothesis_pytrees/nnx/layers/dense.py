"""Draw dense layers of Flax NNX, each with its options, an input, and what it computes by hand."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import LORA_INITIALIZERS, Since

from .parts import COUNTED, counted

_INIT = "kernel_init=nnx_counted, bias_init=nnx_counted, rngs=nnx.Rngs(0)"
_LORA = "a_initializer=nnx_counted, b_initializer=nnx_counted"
_KERNEL = "layer.kernel[...].astype(jnp.float32)"
_BIAS = "layer.bias[...].astype(jnp.float32)"
_BASE = f"nnx.Linear(3, 4, {_INIT})"
# Name, constructor, shape of the input, further arguments of the call, and what it returns for a
# layer and `x`, where `$` stands for the options that all have.
_ROWS: Sequence[tuple[str, str, tuple[int, ...], str, str]] = (
    ("linear", f"nnx.Linear(3, 4, {_INIT}$)", (2, 3), "", f"x @ {_KERNEL} + {_BIAS}"),
    ("linear", f"nnx.Linear(3, 4, use_bias=False, {_INIT}$)", (3,), "", f"x @ {_KERNEL}"),
    (
        "general",
        f"nnx.LinearGeneral(3, (4, 2), {_INIT}$)",
        (2, 3),
        "",
        f"np.einsum('ni,iab->nab', x, {_KERNEL}) + {_BIAS}",
    ),
    (
        "general",
        f"nnx.LinearGeneral((2, 3), 4, axis=(0, -1), {_INIT}$)",
        (2, 5, 3),
        "",
        f"np.einsum('inj,ija->na', x, {_KERNEL}) + {_BIAS}",
    ),
    (
        "general",
        f"nnx.LinearGeneral(3, [4], axis=[-1], batch_axis={{0: 2}}, {_INIT}$)",
        (2, 5, 3),
        "",
        f"np.einsum('bni,bia->bna', x, {_KERNEL}) + {_BIAS}[:, None]",
    ),
    (
        "einsum",
        f"nnx.Einsum('ta,hab->thb', (4, 3, 2), (4, 2), {_INIT}$)",
        (5, 3),
        "",
        f"np.einsum('ta,hab->thb', x, {_KERNEL}) + {_BIAS}",
    ),
    (
        "einsum",
        f"nnx.Einsum('...a, ab -> b...', (3, 2), (2,), {_INIT}$)",
        (2, 5, 3),
        "",
        f"np.moveaxis(x @ {_KERNEL} + {_BIAS}, -1, 0)",
    ),
    (
        "einsum-at-call",
        f"nnx.Einsum(None, (4, 3, 2), (4, 2), {_INIT}$)",
        (5, 3),
        ", 'ta,hab->thb'",
        f"np.einsum('ta,hab->thb', x, {_KERNEL}) + {_BIAS}",
    ),
    (
        "lora",
        f"nnx.LoRA(3, 2, 4, {_LORA}, rngs=nnx.Rngs(0)$)",
        (2, 3),
        "",
        "x @ np.float32(layer.lora_a[...]) @ np.float32(layer.lora_b[...])",
    ),
    (
        "lora-around",
        f"nnx.LoRA(3, 2, 4, base_module={_BASE}, {_LORA}, rngs=nnx.Rngs(0)$)",
        (2, 3),
        "",
        "x @ np.float32(layer.lora_a[...]) @ np.float32(layer.lora_b[...]) + layer.base_module(x)",
    ),
    (
        "lora-linear",
        f"nnx.LoRALinear(3, 4, lora_rank=2, {_LORA}, {_INIT}$)",
        (2, 3),
        "",
        f"x @ {_KERNEL} + {_BIAS} + layer.lora(x)",
    ),
    (
        "attend",
        "nnx.Embed(4, 3, embedding_init=nnx_counted, rngs=nnx.Rngs(0)$).attend",
        (2, 3),
        "",
        "x @ np.float32(layer.__self__.embedding[...]).T",
    ),
)
_DTYPES = {
    "": "",
    "half": ", dtype=jnp.bfloat16",
    "half-parameters": ", param_dtype=jnp.bfloat16",
    "half-everywhere": ", dtype=jnp.float16, param_dtype=jnp.float16",
}
_WANTED = {"half": "bfloat16", "half-everywhere": "float16"}


@st.composite
def dense(draw: st.DrawFn) -> Recipe:
    """Bind `call`, a call of a layer, and what it returns: `wanted`, numbers of a `dtype`."""
    scope = Scope()
    scope.define(COUNTED)
    lacking = LORA_INITIALIZERS.lacking()
    rows = [row for row in _ROWS if not (lacking and row[0].startswith("lora"))]
    name, made, shape, more, wanted = draw(st.sampled_from(rows))
    scope.note(f"layer:{name}")
    precision = draw(st.sampled_from(tuple(_DTYPES)))
    # The result of a base module has a dtype of its own.
    precision = "" if name in ("lora-around", "lora-linear") else precision
    scope.note(*([f"precision:{precision}"] if precision else []))
    scope.bind("layer", made.replace("$", _DTYPES[precision]))
    scope.bind("x", counted(shape))
    scope.bind("call", f"lambda: layer(x{more})")
    scope.bind("wanted", wanted)
    # "default: same as embedding"
    other = {"half-parameters": "bfloat16"} if name == "attend" else {}
    scope.bind("dtype", repr({**_WANTED, **other}.get(precision, "float32")))
    return scope.recipe()


_EMBED_DTYPES = {**_DTYPES, "integers": ", param_dtype=jnp.int8"}
_EMBED = "nnx.Embed({}, 3, embedding_init={}, rngs=nnx.Rngs(0){})"
# The other initialiser is between -1 and 1.
_WHOLE = "lambda key, shape, dtype, **_: jnp.arange(math.prod(shape), dtype=dtype).reshape(shape)"


@st.composite
def embedded(draw: st.DrawFn) -> Recipe:
    """Bind `call`, a call of an `nnx.Embed`, and its result: `wanted`, numbers of a `dtype`."""
    scope = Scope()
    scope.define(COUNTED)
    count = draw(st.sampled_from((1, 4)))
    precision = draw(st.sampled_from(("", "half", "half-parameters", "integers")))
    init = _WHOLE if precision == "integers" else "nnx_counted"
    scope.bind("layer", _EMBED.format(count, init, _EMBED_DTYPES[precision]))
    # "a parameterized function from integers [0, num_embeddings)"
    places = draw(st.sampled_from(("0", "[0]", "[[0], [3]]", "[3, 1, 0]", "[0, -1]", "[[-2]]")))
    scope.note(f"embeddings:{count}", *(["index:scalar"] if places == "0" else []))
    # "get the first three and last three embeddings"
    is_negative = "-" in places
    scope.note(*(["index:negative"] if is_negative else []))
    scope.note(*([f"precision:{precision}"] if precision else []))
    if count == 1:
        places = places.replace("-2", "-1").replace("3", "0").replace(" 1", " 0")
    kind = draw(st.sampled_from(("jnp.int32", "jnp.uint8", "np.int64")))
    kind = "jnp.int32" if is_negative else kind
    scope.bind("x", f"{kind.partition('.')[0]}.asarray({places}, dtype={kind})")
    # "greater than or equal to `num_embeddings` will result in `nan` values"
    if count == 4 and precision != "integers" and not is_negative and draw(st.booleans()):
        scope.rebind("x", "x + 4 * (x == 3).astype(x.dtype)")
    scope.bind("call", "lambda: layer(x)")
    scope.bind("table", "np.float32(layer.embedding[...])")
    scope.bind("rows", "np.float32([*table, *[[np.nan] * 3] * 7])")
    scope.bind("wanted", f"rows[np.where(x < 0, x + {count}, x)]")
    wanted = {"": "float32", "integers": "int8"}
    scope.bind("dtype", repr(wanted.get(precision, "bfloat16")))
    return scope.recipe()


_KEYWORDS = Since(
    "keyword arguments for each layer of a Sequential",
    "flax>=0.12.12",
    "https://github.com/google/flax/blob/v0.12.12/flax/nnx/helpers.py",
)
_SEQUENTIAL = """\
class NnxTimesPlus(nnx.Module):
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x, *, shift=0.0):
        return x * self.factor + shift


def nnx_doubled(x):
    return x * 2
"""
# Text, and what it does to a number `x` and the `shift` that is given by name.
_STEPS = (
    ("NnxTimesPlus(3.0)", "x * 3.0 + shift"),
    ("NnxTimesPlus(-1.0)", "-x + shift"),
    ("nnx_doubled", "x * 2"),
)


@st.composite
def sequences(draw: st.DrawFn) -> Recipe:
    """Bind `call`, a call of an `nnx.Sequential`, and the number that it returns: `wanted`."""
    scope = Scope()
    scope.define(_SEQUENTIAL)
    count = draw(st.integers(1, 3))
    steps = [draw(st.sampled_from(_STEPS)) for _ in range(count)]
    forms = ("", "(lambda x: (x, x + 1.0)), (lambda x, y: x * y)", "(lambda x: {'x': x})")
    form = draw(st.sampled_from(forms))
    scope.bind("x", "jnp.float32(2.0)")
    scope.bind("shift", draw(st.sampled_from(("0.0", "0.5"))))
    between = [f"{form}, "] if form else []
    texts = "".join([*between, *(f"{text}, " for text, _ in steps)])
    scope.bind("layer", f"nnx.Sequential({texts})")
    # "forwarded to every layer whose signature accepts them"
    takes = not _KEYWORDS.lacking() and any("shift" in one[1] for one in steps)
    given = "shift=shift" if takes else ""
    scope.bind("call", f"lambda: layer(x, {given})")
    if not given:
        scope.rebind("shift", "0.0")
    scope.bind("wanted", "x * (x + 1.0)" if between and "y" in form else "x")
    for _, meant in steps:
        scope.rebind("wanted", meant.replace("x", "wanted"))
    return scope.recipe()
