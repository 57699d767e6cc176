"""Node types of Distrax: distributions and bijectors."""

from .library import Library

LIBRARY = Library(
    "distrax",
    {
        "distrax.Normal": "distrax.Normal(jnp.zeros(2), jnp.ones(2))",
        "distrax.Beta": "distrax.Beta(jnp.ones(2), jnp.ones(2))",
        "distrax.Uniform": "distrax.Uniform(jnp.zeros(2), jnp.ones(2))",
        "distrax.Bernoulli": "distrax.Bernoulli(probs=jnp.array([0.2, 0.4]))",
        "distrax.Categorical": "distrax.Categorical(logits=jnp.zeros(3))",
        "distrax.Deterministic": "distrax.Deterministic(jnp.ones(2))",
        "distrax.MultivariateNormalDiag": (
            "distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2))"
        ),
        "distrax.Independent": (
            "distrax.Independent(distrax.Normal(jnp.zeros(2), jnp.ones(2)), 1)"
        ),
        "distrax.Transformed": (
            "distrax.Transformed(distrax.Normal(jnp.zeros(2), jnp.ones(2)), distrax.Tanh())"
        ),
        "distrax.MixtureSameFamily": (
            "distrax.MixtureSameFamily(distrax.Categorical(logits=jnp.zeros(2)), "
            "distrax.Normal(jnp.zeros(2), jnp.ones(2)))"
        ),
        "distrax.ScalarAffine": "distrax.ScalarAffine(jnp.zeros(2), jnp.ones(2))",
        "distrax.Chain": "distrax.Chain([distrax.Tanh(), distrax.ScalarAffine(0.0, 2.0)])",
        "distrax.Block": "distrax.Block(distrax.Tanh(), 1)",
        "distrax.Lambda": "distrax.Lambda(jnp.exp)",
    },
    """\
import distrax
""",
    rest="they are made like those that are tried",
)
