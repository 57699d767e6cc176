"""Small `eqx.nn` layers without state, of few shapes: a new shape costs a compilation."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

_LEAKY = """\
def leaky(x):
    return jnp.maximum(x, 0.1 * x)
"""


def _layer(features: str, template: str, *definitions: str) -> Kind:
    names = tuple(one if one.startswith("module:") else f"layer:{one}" for one in features.split())
    return Kind("layer", template, definitions, names)


# `layer:slow`: over 150 ms for the first one in a process, 1-3 ms for each after it.
LAYERS: tuple[Kind, ...] = (
    _layer("identity", "eqx.nn.Identity()"),
    _layer("lambda", "eqx.nn.Lambda($0)"),
    _layer("linear", "eqx.nn.Linear(2, 2, key=jax.random.key(0))"),
    _layer("linear no-bias", "eqx.nn.Linear(2, 2, use_bias=False, key=jax.random.key(0))"),
    _layer("linear scalar", "eqx.nn.Linear('scalar', 2, key=jax.random.key(0))"),
    _layer("dropout", "eqx.nn.Dropout(0.5)"),
    _layer("dropout inference", "eqx.nn.Dropout(0.5, inference=True)"),
    _layer("layer-norm", "eqx.nn.LayerNorm(2)"),
    _layer("layer-norm no-bias", "eqx.nn.LayerNorm(2, use_weight=False, use_bias=False)"),
    _layer("rms-norm", "eqx.nn.RMSNorm(2)"),
    _layer("group-norm", "eqx.nn.GroupNorm(1, 2)"),
    _layer("prelu", "eqx.nn.PReLU()"),
    _layer("avg-pool", "eqx.nn.AvgPool1d(2)"),
    _layer("adaptive-pool", "eqx.nn.AdaptiveAvgPool1d(1)"),
    _layer("embedding", "eqx.nn.Embedding(2, 2, key=jax.random.key(0))"),
    _layer("rope", "eqx.nn.RotaryPositionalEmbedding(4)"),
    _layer("sequential", "eqx.nn.Sequential([eqx.nn.Lambda($0), eqx.nn.Identity()])"),
    _layer(
        "sequential linear",
        "eqx.nn.Sequential([eqx.nn.Linear(2, 2, key=jax.random.key(0)), eqx.nn.Lambda(leaky)])",
        _LEAKY,
    ),
    _layer(
        "mlp",
        "eqx.nn.MLP(2, 2, 2, 1, leaky, leaky, key=jax.random.key(0))",
        _LEAKY,
    ),
    # Its default activations are a custom_jvp function and a lambda.
    _layer("mlp module:unpicklable", "eqx.nn.MLP(2, 2, 2, 1, key=jax.random.key(0))"),
    _layer("attention", "eqx.nn.MultiheadAttention(1, 2, key=jax.random.key(0))"),
    _layer(
        "weight-norm module:unpicklable",
        "eqx.nn.WeightNorm(eqx.nn.Linear(2, 2, key=jax.random.key(0)))",
    ),
    _layer("conv slow", "eqx.nn.Conv1d(1, 1, 2, key=jax.random.key(0))"),
    _layer("gru slow", "eqx.nn.GRUCell(2, 2, key=jax.random.key(0))"),
    _layer("lstm slow", "eqx.nn.LSTMCell(2, 2, key=jax.random.key(0))"),
)
