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
            "Jittable.tree_flatten decides by the values of the leaves which of them are "
            "children: None, text and numbers of Python go into the aux data. JAX documents "
            "that placeholders may stand for leaves.",
            "jax.tree.leaves(jax.tree.map(lambda leaf: 1.0, d)) is [], and jax.hessian with "
            "respect to a distribution raises ValueError",
        ),
        Judgement(
            "bound_methods_in_aux_data",
            ("node.aux.*", "node.copies.*", "node.transforms.jit_*"),
            "DiagLinear.__init__ stores bound methods of its Block in attributes "
            "(distrax/_src/bijectors/diag_linear.py), which become aux data and are equal "
            "only if they belong to one object; MultivariateNormalDiag holds a DiagLinear. "
            "JAX documents that aux data is compared by ==.",
            "jit compiles again for each new distribution; and the methods keep the old "
            "arrays: after jax.tree.map(lambda x: 3 * x, DiagLinear(jnp.ones(2))), diag is 3 "
            "and forward(1) is 1",
            subjects=("distrax.MultivariateNormalDiag",),
        ),
        Judgement(
            "reading_fills_a_cache",
            ("node.copies.reading_attributes_keeps_the_structure",),
            "Reading batch_shape, event_shape or dtype of a Transformed writes all three into "
            "attributes, which are part of the aux data "
            "(distrax/_src/distributions/transformed.py). That is surprising, but no document "
            "of JAX forbids that reading changes a treedef.",
            subjects=("distrax.Transformed",),
            false_alarm=True,
        ),
    ),
)
