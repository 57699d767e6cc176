"""Node types of NumPyro: distributions, constraints, transforms and states of inference."""

from .library import Judgement, Library

LIBRARY = Library(
    "numpyro",
    {
        "numpyro.distributions.Normal": ("dist.Normal(jnp.zeros(2), jnp.ones(2))", "dist.Normal()"),
        "numpyro.distributions.Beta": "dist.Beta(jnp.ones(2), 2.0)",
        "numpyro.distributions.Gamma": "dist.Gamma(jnp.ones(2), 2.0)",
        "numpyro.distributions.Dirichlet": "dist.Dirichlet(jnp.ones(3))",
        "numpyro.distributions.BernoulliProbs": "dist.Bernoulli(jnp.array([0.2, 0.4]))",
        "numpyro.distributions.CategoricalLogits": "dist.Categorical(logits=jnp.zeros(3))",
        "numpyro.distributions.Uniform": "dist.Uniform(0.0, jnp.ones(2))",
        "numpyro.distributions.StudentT": "dist.StudentT(3.0, jnp.zeros(2), 1.0)",
        "numpyro.distributions.MultivariateNormal": (
            "dist.MultivariateNormal(jnp.zeros(2), jnp.eye(2))"
        ),
        "numpyro.distributions.Independent": "dist.Normal(jnp.zeros(2)).to_event(1)",
        "numpyro.distributions.ExpandedDistribution": "dist.Normal().expand([3])",
        "numpyro.distributions.TransformedDistribution": (
            "dist.TransformedDistribution(dist.Normal(), transforms.ExpTransform())"
        ),
        "numpyro.distributions.MixtureSameFamily": (
            "dist.MixtureSameFamily(dist.Categorical(jnp.ones(2) / 2), "
            "dist.Normal(jnp.zeros(2), 1.0))"
        ),
        "numpyro.distributions.Delta": "dist.Delta(jnp.ones(2))",
        "numpyro.distributions.LKJCholesky": "dist.LKJCholesky(3, 1.0)",
        "numpyro.distributions.GaussianRandomWalk": "dist.GaussianRandomWalk(jnp.float32(1), 4)",
        "numpyro.distributions.constraints.greater_than": "constraints.greater_than(0.0)",
        "numpyro.distributions.constraints.interval": "constraints.interval(0.0, jnp.ones(()))",
        "numpyro.distributions.distribution.ComposeTransform": (
            "transforms.ComposeTransform([transforms.ExpTransform(), "
            "transforms.AffineTransform(0.0, 2.0)])"
        ),
        "numpyro.distributions.batch_util.AffineTransform": (
            "transforms.AffineTransform(jnp.zeros(2), 2.0)"
        ),
        "numpyro.distributions.transforms.PermuteTransform": (
            "transforms.PermuteTransform(jnp.array([1, 0]))"
        ),
        "numpyro.infer.hmc.HMCState": "",
        "numpyro.infer.svi.SVIState": "",
    },
    """\
import numpyro.distributions as dist
from numpyro.distributions import constraints, transforms
import numpyro.infer
""",
    rest="they are made like those that are tried",
    judgements=(
        Judgement(
            "dict_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "The aux data of transforms and constraints holds a dict, that of an "
            "ExpandedDistribution an OrderedDict. JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
        Judgement(
            "validation_is_lost_in_unflatten",
            ("node.flatten.unflatten_adds_no_attribute",),
            "tree_flatten takes _validate_args from the __dict__ of the instance, where it is "
            "missing unless validate_args was given, and tree_unflatten then sets it to None, "
            "which hides the default of the class (numpyro/distributions/distribution.py).",
            "with validation on, which is the default, Uniform(0.0, 1.0).log_prob(5.0) warns and "
            "is -inf; after jax.tree.map(lambda x: x, distribution) it is -0.0, without a warning",
            ("numpyro.distributions.*",),
        ),
    ),
)
