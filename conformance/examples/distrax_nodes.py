"""Node types of Distrax: distributions and bijectors."""

from .library import Judgement, Library

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
    judgements=(
        Judgement(
            "lists_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "Jittable.tree_flatten returns two lists in its aux data "
            "(distrax/_src/utils/jittable.py). JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
        Judgement(
            "leaves_decide_the_structure",
            ("node.flatten.unflatten_accepts_documented_placeholders",),
            "Jittable.tree_flatten takes as children those values of its attributes that are "
            "arrays at that time, so that None or a text in the place of an array becomes aux "
            "data. JAX documents that None may stand for a leaf.",
            "jax.tree.map(lambda leaf: None, d) has another structure than d, and a map over both "
            "raises ValueError",
        ),
        Judgement(
            "bound_methods_in_aux_data",
            ("node.aux.*", "node.copies.*", "node.transforms.jit_*"),
            "Block keeps bound methods of itself in attributes, which become aux data. Two bound "
            "methods are equal only if they belong to one object. JAX documents that aux data is "
            "compared by ==.",
            "jit compiles again for each new MultivariateNormalDiag, which holds a Block",
            ("distrax.Block", "distrax.MultivariateNormalDiag"),
        ),
        Judgement(
            "reading_fills_a_cache",
            ("node.copies.reading_attributes_keeps_the_structure",),
            "Reading batch_shape, event_shape or dtype of a Transformed writes the result into an "
            "attribute, which is part of the aux data (distrax/_src/distributions/transformed.py).",
            "jit compiles again for a distribution whose batch_shape was read in between",
            ("distrax.Transformed",),
        ),
    ),
)
