"""Node types of tinygp: kernels, processes, means, noise and quasiseparable matrices."""

from .library import Judgement, Library

LIBRARY = Library(
    "tinygp",
    {
        "tinygp.GaussianProcess": (
            "tinygp.GaussianProcess(tinygp.kernels.ExpSquared(), jnp.arange(3.0), diag=0.1)",
            (
                "tinygp.GaussianProcess(tinygp.kernels.quasisep.Matern32(1.0), "
                "jnp.arange(3.0), diag=0.1)"
            ),
        ),
        "tinygp.kernels.ExpSquared": "tinygp.kernels.ExpSquared(1.5)",
        "tinygp.kernels.Matern32": "tinygp.kernels.Matern32(jnp.float32(1.5))",
        "tinygp.kernels.Sum": "tinygp.kernels.Exp() + tinygp.kernels.Cosine()",
        "tinygp.kernels.Product": "2.0 * tinygp.kernels.Exp()",
        "tinygp.kernels.Custom": "tinygp.kernels.Custom(lambda x, y: x * y)",
        "tinygp.kernels.RationalQuadratic": "tinygp.kernels.RationalQuadratic(alpha=1.0)",
        "tinygp.kernels.quasisep.Celerite": (
            "tinygp.kernels.quasisep.Celerite(1.0, 0.5, 0.1, 0.2)"
        ),
        "tinygp.kernels.quasisep.CARMA": (
            "tinygp.kernels.quasisep.CARMA(jnp.array([0.1]), jnp.array([0.5]))"
        ),
        "tinygp.means.Mean": ("tinygp.means.Mean(1.0)", "tinygp.means.Mean(jnp.sin)"),
        "tinygp.gp.Diagonal": "tinygp.noise.Diagonal(jnp.ones(3))",
        "tinygp.noise.Dense": "tinygp.noise.Dense(jnp.eye(3))",
        "tinygp.noise.Banded": "tinygp.noise.Banded(jnp.ones(3), jnp.ones((3, 1)))",
        "tinygp.transforms.Linear": "tinygp.transforms.Linear(jnp.eye(2), tinygp.kernels.Exp())",
        "tinygp.solvers.quasisep.core.LowerTriQSM": (
            "qsm.LowerTriQSM(qsm.DiagQSM(jnp.ones(3)), "
            "qsm.StrictLowerTriQSM(jnp.ones((3, 1)), jnp.ones((3, 1)), jnp.ones((3, 1, "
            "1))))"
        ),
        "tinygp.numpyro_support.TinyDistribution": (
            "tinygp.GaussianProcess(tinygp.kernels.Exp(), jnp.arange(3.0), diag=0.1).numpyro_dist()"
        ),
    },
    """\
import tinygp
import tinygp.kernels.quasisep
import tinygp.noise
import tinygp.numpyro_support
import tinygp.solvers.quasisep.core as qsm
""",
    rest="they are made like those that are tried",
    judgements=(
        Judgement(
            "flatten_returns_a_bare_child",
            ("*",),
            "TinyDistribution.tree_flatten returns `self.gp, None` (tinygp/numpyro_support.py), "
            "a process in the place of an iterable of children. JAX documents that flatten returns "
            "an iterable of children and aux data.",
            "jax.jit, jax.tree.map and jax.tree.leaves raise ValueError for each TinyDistribution",
            ("tinygp.numpyro_support.TinyDistribution",),
        ),
    ),
)
