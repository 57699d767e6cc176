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
            "LinearOperator.tree_unflatten calls __init__, which calls jnp.array on its argument "
            "(jaxopt/_src/base.py). JAX documents that constructors which unflatten runs must take "
            "object() and None and avoid conversions.",
            "jax.tree.map(lambda x: None, operator) raises, any map to other than arrays gives "
            "arrays, and each map copies the matrix; vmap, scan and grad work",
            ("jaxopt.base.LinearOperator",),
        ),
    ),
)
