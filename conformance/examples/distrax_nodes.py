"""Node types of Distrax: distributions and bijectors."""

from .library import Cause, Library

_NORMAL = "distrax.Normal(jnp.zeros(2), jnp.ones(2))"
_CATEGORICAL = "distrax.Categorical(logits=jnp.zeros(2))"

LIBRARY = Library(
    "distrax",
    {
        "distrax.Bernoulli": (
            "distrax.Bernoulli(probs=jnp.ones(2) / 2)",
            "distrax.Bernoulli(logits=jnp.ones(2))",
        ),
        "distrax.Beta": "distrax.Beta(jnp.ones(2), jnp.ones(2))",
        "distrax.Block": "distrax.Block(distrax.Tanh(), 1)",
        "distrax.Categorical": (_CATEGORICAL, "distrax.Categorical(probs=jnp.ones(2) / 2)"),
        "distrax.CategoricalUniform": (
            "distrax.CategoricalUniform("
            "low=jnp.zeros(2), high=jnp.ones(2), logits=jnp.ones((2, 2)))"
        ),
        "distrax.Chain": (
            "distrax.Chain([distrax.Tanh(), distrax.ScalarAffine(jnp.ones(2), jnp.ones(2))])"
        ),
        "distrax.Clipped": f"distrax.Clipped({_NORMAL}, -1.0, 1.0)",
        "distrax.ClippedLogistic": "distrax.ClippedLogistic(jnp.zeros(2), jnp.ones(2), -1.0, 1.0)",
        "distrax.ClippedNormal": "distrax.ClippedNormal(jnp.zeros(2), jnp.ones(2), -1.0, 1.0)",
        "distrax.Deterministic": "distrax.Deterministic(jnp.ones(2))",
        "distrax.DiagLinear": "distrax.DiagLinear(jnp.ones(2))",
        "distrax.DiagPlusLowRankLinear": (
            "distrax.DiagPlusLowRankLinear(jnp.ones(2), jnp.ones((2, 1)), jnp.ones((2, 1)))"
        ),
        "distrax.Dirichlet": "distrax.Dirichlet(jnp.ones(2))",
        "distrax.EpsilonGreedy": "distrax.EpsilonGreedy(jnp.ones(2), 0.1)",
        "distrax.Gamma": "distrax.Gamma(jnp.ones(2), jnp.ones(2))",
        "distrax.Greedy": "distrax.Greedy(jnp.ones(2))",
        "distrax.Gumbel": "distrax.Gumbel(jnp.zeros(2), jnp.ones(2))",
        "distrax.GumbelCDF": "distrax.GumbelCDF()",
        "distrax.HMM": (
            f"distrax.HMM({_CATEGORICAL}, distrax.Categorical(logits=jnp.zeros((2, 2))), {_NORMAL})"
        ),
        "distrax.Independent": f"distrax.Independent({_NORMAL}, 1)",
        "distrax.Inverse": "distrax.Inverse(distrax.ScalarAffine(jnp.ones(2), jnp.ones(2)))",
        "distrax.Joint": f"distrax.Joint({{'a': {_NORMAL}, 'b': {_NORMAL}}})",
        "distrax.Lambda": "distrax.Lambda(jnp.tanh)",
        "distrax.Laplace": "distrax.Laplace(jnp.zeros(2), jnp.ones(2))",
        "distrax.LogStddevNormal": "distrax.LogStddevNormal(jnp.zeros(2), jnp.ones(2))",
        "distrax.Logistic": "distrax.Logistic(jnp.zeros(2), jnp.ones(2))",
        "distrax.LowerUpperTriangularAffine": (
            "distrax.LowerUpperTriangularAffine(jnp.eye(2), jnp.ones(2))"
        ),
        "distrax.MaskedCoupling": (
            "distrax.MaskedCoupling(jnp.array([True, False]), jnp.tanh, distrax.Shift)"
        ),
        "distrax.MixtureOfTwo": f"distrax.MixtureOfTwo(0.5, {_NORMAL}, {_NORMAL})",
        "distrax.MixtureSameFamily": f"distrax.MixtureSameFamily({_CATEGORICAL}, {_NORMAL})",
        "distrax.Multinomial": "distrax.Multinomial(3, logits=jnp.ones(2))",
        "distrax.MultivariateNormalDiag": (
            "distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2))"
        ),
        "distrax.MultivariateNormalDiagPlusLowRank": (
            "distrax.MultivariateNormalDiagPlusLowRank(jnp.zeros(2), jnp.ones(2), jnp.ones((2, 1)))"
        ),
        "distrax.MultivariateNormalFromBijector": (
            "distrax.MultivariateNormalFromBijector(jnp.zeros(2), distrax.DiagLinear(jnp.ones(2)))"
        ),
        "distrax.MultivariateNormalFullCovariance": (
            "distrax.MultivariateNormalFullCovariance(jnp.zeros(2), jnp.eye(2))"
        ),
        "distrax.MultivariateNormalTri": (
            "distrax.MultivariateNormalTri(jnp.zeros(2), jnp.eye(2))",
            "distrax.MultivariateNormalTri(jnp.zeros(2), jnp.eye(2), is_lower=False)",
        ),
        "distrax.Normal": (_NORMAL, "distrax.Normal(0.0, 1.0)"),
        "distrax.OneHotCategorical": "distrax.OneHotCategorical(logits=jnp.ones(2))",
        "distrax.Quantized": f"distrax.Quantized({_NORMAL}, low=0.0)",
        "distrax.RationalQuadraticSpline": (
            "distrax.RationalQuadraticSpline(jnp.ones((2, 7)), 0.0, 1.0)"
        ),
        "distrax.ScalarAffine": (
            "distrax.ScalarAffine(jnp.ones(2), jnp.ones(2))",
            "distrax.ScalarAffine(jnp.ones(2), log_scale=jnp.ones(2))",
        ),
        "distrax.Shift": "distrax.Shift(jnp.ones(2))",
        "distrax.Sigmoid": "distrax.Sigmoid()",
        "distrax.Softmax": "distrax.Softmax(jnp.ones(2))",
        "distrax.SplitCoupling": (
            "distrax.SplitCoupling(1, 1, jnp.tanh, distrax.Shift)",
            "distrax.SplitCoupling(1, 1, jnp.tanh, distrax.Shift, swap=True)",
        ),
        "distrax.Tanh": "distrax.Tanh()",
        "distrax.Transformed": f"distrax.Transformed({_NORMAL}, distrax.Tanh())",
        "distrax.TriangularLinear": "distrax.TriangularLinear(jnp.eye(2))",
        "distrax.UnconstrainedAffine": "distrax.UnconstrainedAffine(jnp.eye(2), jnp.ones(2))",
        "distrax.Uniform": "distrax.Uniform(jnp.zeros(2), jnp.ones(2))",
        "distrax.VonMises": "distrax.VonMises(jnp.zeros(2), jnp.ones(2))",
    },
    "import distrax\n",
    causes=(
        Cause(
            "lists_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "The aux data of a Jittable is (metadata, switch, treedef), and the first two are "
            "lists (distrax/_src/utils/jittable.py). JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
        Cause(
            "leaves_decide_the_treedef",
            ("*",),
            "Jittable.tree_flatten takes for children what is an array, a tracer or a plain "
            "object(), and puts any other value into the aux data "
            "(distrax/_src/utils/jittable.py). JAX documents that None and object() stand for "
            "leaves, and that aux data does not depend on them.",
            "a map that returns None, numbers or text gives a distribution with another structure, "
            "which cannot be mapped together with the first, nor be used as in_axes of vmap",
        ),
    ),
)
