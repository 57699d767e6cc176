"""Draw layers of every kind with options, and the ways to call them, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .parts import COUNTED, counted

_TAGGED = "nnx.with_metadata(nnx_counted, tag='a')"
_INIT = f"kernel_init={_TAGGED}, rngs=nnx.Rngs(0)"
_LINEAR = f"nnx.Linear(4, 2, {_INIT}{{}})"
_NOISY = "dropout_rate=0.5, deterministic=False"
_NORM = f"scale_init={_TAGGED}, rngs=nnx.Rngs(0)"
# Name, constructor with `$` for options of dtypes, shape of the input, and a call if it is another.
_ROWS: Sequence[tuple[str, str, tuple[int, ...], str]] = (
    ("linear", _LINEAR.format("$"), (2, 4), ""),
    ("linear", _LINEAR.format(", use_bias=False$"), (4,), ""),
    ("general", f"nnx.LinearGeneral(4, (2, 3), {_INIT}$)", (2, 4), ""),
    ("einsum", f"nnx.Einsum('na,ab->nb', (4, 2), (2,), {_INIT}$)", (3, 4), ""),
    ("conv", f"nnx.Conv(4, 2, (2,), {_INIT}$)", (1, 3, 4), ""),
    ("conv", f"nnx.ConvTranspose(4, 2, (2,), use_bias=False, {_INIT}$)", (1, 3, 4), ""),
    ("lora", f"nnx.LoRA(4, 1, 2, b_initializer={_TAGGED}, rngs=nnx.Rngs(0)$)", (2, 4), ""),
    ("lora", f"nnx.LoRALinear(4, 2, lora_rank=1, {_INIT}$)", (2, 4), ""),
    ("embed", f"nnx.Embed(3, 2, embedding_init={_TAGGED}, rngs=nnx.Rngs(0)$)", (4,), "index"),
    ("batch-norm", f"nnx.BatchNorm(4, {_NORM}$)", (2, 4), ""),
    ("batch-norm", f"nnx.BatchNorm(4, use_bias=False, use_scale=False, {_NORM}$)", (2, 4), ""),
    ("layer-norm", f"nnx.LayerNorm(4, use_bias=False, {_NORM}$)", (2, 4), ""),
    ("rms-norm", f"nnx.RMSNorm(4, {_NORM}$)", (2, 4), ""),
    ("group-norm", f"nnx.GroupNorm(4, num_groups=2, use_scale=False, {_NORM}$)", (2, 4), ""),
    ("instance-norm", f"nnx.InstanceNorm(4, {_NORM}$)", (2, 3, 4), ""),
    ("weight-norm", f"nnx.WeightNorm({_LINEAR.format('')}, rngs=nnx.Rngs(0)$)", (2, 4), ""),
    ("weight-norm-around", f"nnx.WeightNorm({_LINEAR.format('$')}, rngs=nnx.Rngs(0))", (2, 4), ""),
    ("spectral-norm", f"nnx.SpectralNorm({_LINEAR.format('$')}, rngs=nnx.Rngs(0))", (2, 4), ""),
    ("dropout", "nnx.Dropout(0.5, rngs=nnx.Rngs(0))", (2, 4), ""),
    ("attention", f"nnx.MultiHeadAttention(2, 4, decode=False, {_INIT}$)", (1, 3, 4), ""),
    (
        "attention",
        f"nnx.MultiHeadAttention(2, 4, decode=False, {_NOISY}, {_INIT}$)",
        (1, 3, 4),
        "",
    ),
    *(
        (
            "cell",
            f"nnx.{cell}(4, 2, recurrent_kernel_init=nnx_counted, {_INIT}$)",
            (2, 4),
            "carry",
        )
        for cell in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "SimpleCell")
    ),
    ("sequential", f"nnx.Sequential({_LINEAR.format('$')}, jnp.tanh)", (2, 4), ""),
)
_CALLS = {
    "": "lambda layer, x: layer(x)",
    "index": "lambda layer, x: layer(jnp.abs(x).astype(jnp.int32))",
    "carry": "lambda layer, x: layer(layer.initialize_carry(x.shape, nnx.Rngs(0)), x)",
}
_DTYPES = {
    "": "",
    "half": ", dtype=jnp.bfloat16",
    "half-parameters": ", param_dtype=jnp.bfloat16",
    "half-everywhere": ", dtype=jnp.bfloat16, param_dtype=jnp.bfloat16",
}
_STATED = '''\
def nnx_stated(call, graphdef):
    """Return a function of a State and an array that calls a layer and returns its new State."""

    def step(state, x):
        layer = nnx.merge(graphdef, state)
        call(layer, x)
        return nnx.state(layer)

    return step


def nnx_through(layer, apply):
    """Split a layer, apply a function to its GraphDef and State, and update it."""
    graphdef, state = nnx.split(layer)
    nnx.update(layer, apply(graphdef, state))
'''
_WAYS = {
    "eager": "call(layer, x)",
    "nnx-jit": "nnx.jit(call)(layer, x)",
    "nnx-remat": "nnx.remat(call)(layer, x)",
    "nnx-grad": (
        "nnx.grad(lambda layer, x: sum(leaf.astype(jnp.float32).sum() "
        "for leaf in jtu.tree_leaves(call(layer, x))))(layer, x)"
    ),
    "nnx-cond": (
        "nnx.cond(x.size > 0, lambda layer, x: (call(layer, x), None)[1], "
        "lambda layer, x: None, layer, x)"
    ),
    "nnx-loop": ("nnx.fori_loop(0, 2, lambda _, held: (call(*held), held)[1], (layer, x))"),
    "jax-jit": (
        "nnx_through(layer, lambda graphdef, state: jax.jit(nnx_stated(call, graphdef))(state, x))"
    ),
    "jax-scan": (
        "nnx_through(layer, lambda graphdef, state: jax.lax.scan("
        "lambda state, _: (nnx_stated(call, graphdef)(state, x), None), state, None, length=2)[0])"
    ),
}
_JOURNEYS = ("made", "nnx.merge(*nnx.split(made))", "nnx.clone(made)")


@st.composite
def called_layers(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, an input `x`, and `run(layer, x)`, which calls it, maybe in a transform."""
    scope = Scope()
    scope.define(COUNTED, _STATED)
    known = [row for row in _ROWS if names.has(row[1].partition("(")[0])]
    name, made, shape, form = draw(st.sampled_from(known))
    precision = draw(st.sampled_from(tuple(_DTYPES))) if "$" in made else ""
    scope.note(f"layer:{name}", f"precision:{precision or 'default'}")
    scope.bind("made", made.replace("$", _DTYPES[precision]))
    scope.bind("layer", draw(st.sampled_from(_JOURNEYS)))
    if draw(st.booleans()):
        scope.note("mode:eval")
        scope.statement("layer.eval()")
    scope.bind("x", counted(shape, draw(st.sampled_from(("float32", "bfloat16")))))
    scope.bind("call", _CALLS[form])
    way = draw(st.sampled_from(tuple(_WAYS)))
    scope.note(f"way:{way}")
    scope.bind("run", f"lambda layer, x: {_WAYS[way]}")
    return scope.recipe()
