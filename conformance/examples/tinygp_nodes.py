"""Node types of tinygp: kernels, transforms, noise, solvers, quasiseparable matrices."""

from .library import Library

_EXP = "kernels.Exp(jnp.ones(2))"
_QUASI = "quasisep.Exp(jnp.float32(1))"
_GP = "tinygp.GaussianProcess(kernels.ExpSquared(), jnp.linspace(0.0, 1.0, 3), diag=jnp.ones(3))"
_DIAG = "core.DiagQSM(jnp.ones(2))"
_LOWER = "core.StrictLowerTriQSM(jnp.ones((2, 1)), jnp.ones((2, 1)), jnp.ones((2, 1, 1)))"
_UPPER = "core.StrictUpperTriQSM(jnp.ones((2, 1)), jnp.ones((2, 1)), jnp.ones((2, 1, 1)))"
_STATIONARY = ("Cosine", "Exp", "ExpSquared", "Matern32", "Matern52")

LIBRARY = Library(
    "tinygp",
    {
        **{
            f"tinygp.kernels.{name}": (f"kernels.{name}()", f"kernels.{name}(jnp.ones(2))")
            for name in _STATIONARY
        },
        "tinygp.GaussianProcess": _GP,
        "tinygp.kernels.Conditioned": f"{_GP}.condition(jnp.ones(3)).gp.kernel",
        "tinygp.kernels.Constant": "kernels.Constant(jnp.ones(2))",
        "tinygp.kernels.Custom": "kernels.Custom(jnp.multiply)",
        "tinygp.kernels.DotProduct": "kernels.DotProduct()",
        "tinygp.kernels.ExpSineSquared": "kernels.ExpSineSquared(gamma=jnp.ones(2))",
        "tinygp.kernels.L1Distance": "kernels.L1Distance()",
        "tinygp.kernels.L2Distance": "kernels.L2Distance()",
        "tinygp.kernels.Polynomial": "kernels.Polynomial(order=jnp.ones(2))",
        "tinygp.kernels.Product": f"{_EXP} * {_EXP}",
        "tinygp.kernels.Sum": f"{_EXP} + {_EXP}",
        "tinygp.kernels.RationalQuadratic": "kernels.RationalQuadratic(alpha=jnp.ones(2))",
        "tinygp.kernels.quasisep.CARMA": "quasisep.CARMA.init(jnp.ones(1), jnp.ones(1))",
        "tinygp.kernels.quasisep.Celerite": "quasisep.Celerite(1.0, 2.0, 3.0, 4.0)",
        "tinygp.kernels.quasisep.Cosine": "quasisep.Cosine(jnp.float32(1))",
        "tinygp.kernels.quasisep.Exp": _QUASI,
        "tinygp.kernels.quasisep.Matern32": "quasisep.Matern32(jnp.float32(1))",
        "tinygp.kernels.quasisep.Matern52": "quasisep.Matern52(jnp.float32(1))",
        "tinygp.kernels.quasisep.SHO": "quasisep.SHO(jnp.float32(1), jnp.float32(2))",
        "tinygp.kernels.quasisep.Product": f"{_QUASI} * {_QUASI}",
        "tinygp.kernels.quasisep.Sum": f"{_QUASI} + {_QUASI}",
        "tinygp.kernels.quasisep.Scale": f"2.0 * {_QUASI}",
        "tinygp.kernels.quasisep.Block": "quasisep.Block(jnp.eye(2), jnp.eye(1))",
        "tinygp.kernels.quasisep.DiagQSM": _DIAG,
        "tinygp.kernels.quasisep.StrictLowerTriQSM": _LOWER,
        "tinygp.solvers.quasisep.core.StrictUpperTriQSM": _UPPER,
        "tinygp.solvers.quasisep.core.LowerTriQSM": f"core.LowerTriQSM({_DIAG}, {_LOWER})",
        "tinygp.solvers.quasisep.core.UpperTriQSM": f"core.UpperTriQSM({_DIAG}, {_UPPER})",
        "tinygp.solvers.quasisep.core.SquareQSM": f"core.SquareQSM({_DIAG}, {_LOWER}, {_UPPER})",
        "tinygp.gp.SymmQSM": f"core.SymmQSM({_DIAG}, {_LOWER})",
        "tinygp.kernels.quasisep.GeneralQSM": (
            "quasisep.GeneralQSM(jnp.ones((2, 1)), jnp.ones((2, 1)), jnp.ones((2, 1)), "
            "jnp.ones((2, 1)), jnp.ones((2, 1, 1)), jnp.zeros(2, 'int32'))"
        ),
        "tinygp.gp.Diagonal": "tinygp.noise.Diagonal(jnp.ones(2))",
        "tinygp.noise.Banded": "tinygp.noise.Banded(jnp.ones(2), jnp.ones((2, 1)))",
        "tinygp.noise.Dense": "tinygp.noise.Dense(jnp.eye(2))",
        "tinygp.means.Mean": ("tinygp.means.Mean(jnp.ones(2))", "tinygp.means.Mean(jnp.tanh)"),
        "tinygp.means.Conditioned": (
            f"tinygp.means.Conditioned(jnp.ones(2), jnp.ones(2), {_EXP}, True)"
        ),
        "tinygp.transforms.Cholesky": f"tinygp.transforms.Cholesky(jnp.eye(2), {_EXP})",
        "tinygp.transforms.Linear": f"tinygp.transforms.Linear(jnp.ones(2), {_EXP})",
        "tinygp.transforms.Subspace": f"tinygp.transforms.Subspace(0, {_EXP})",
        "tinygp.transforms.Transform": f"tinygp.transforms.Transform(jnp.tanh, {_EXP})",
        "tinygp.gp.DirectSolver": f"{_GP}.solver",
        "tinygp.kernels.quasisep.Wrapper": f"quasisep.Wrapper({_QUASI})",
        "tinygp.solvers.kalman.KalmanSolver": (
            f"tinygp.solvers.kalman.KalmanSolver({_QUASI}, jnp.linspace(0.0, 1.0, 3), "
            "tinygp.noise.Diagonal(jnp.ones(3)))"
        ),
        "tinygp.gp.QuasisepSolver": (
            f"tinygp.GaussianProcess({_QUASI}, jnp.linspace(0.0, 1.0, 3), diag=jnp.ones(3)).solver"
        ),
    },
    """\
import tinygp
import tinygp.solvers.kalman
from tinygp import kernels
from tinygp.kernels import quasisep
from tinygp.solvers.quasisep import core
""",
    not_tried={
        "tinygp.numpyro_support.TinyDistribution": (
            "flatten raises: its tree_flatten returns the process itself, not a tuple of children"
        ),
    },
)
