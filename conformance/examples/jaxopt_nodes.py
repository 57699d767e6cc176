"""Node types of JAXopt."""

from .library import Judgement, Library

LIBRARY = Library(
    "jaxopt",
    {"jaxopt.base.LinearOperator": "jaxopt.base.LinearOperator(jnp.ones((2, 3)))"},
    "import jaxopt\nimport jaxopt.base\n",
    judgements=(
        Judgement(
            "constructor_in_unflatten",
            ("*",),
            "LinearOperator.tree_unflatten calls __init__, which calls jnp.array on its "
            "argument (jaxopt/_src/base.py). JAX documents that constructors which unflatten "
            "runs should avoid conversions, or else expect object() and None.",
            "jax.tree.map(lambda x: None, operator) raises, each map copies the matrix, and "
            "jax.eval_shape, jax.jacobian and jax.hessian raise; jit, scan, grad and vmap "
            "with an integer axis work",
            subjects=("jaxopt.base.LinearOperator",),
        ),
    ),
)
