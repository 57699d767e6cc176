"""Node types of Optax: the states of its transformations."""

from .library import Library

LIBRARY = Library(
    "optax",
    {
        "optax.GradientTransformationExtraArgs": (
            "optax.GradientTransformationExtraArgs($0, $1)",
            "optax.with_extra_args_support(optax.identity())",
        ),
        # Beside the templates of NamedTuples, what transformations themselves make.
        "optax.ScaleByAdamState": (
            "optax.ScaleByAdamState($0, $1, $2)",
            "optax.scale_by_adam().init({'w': jnp.ones(2)})",
        ),
    },
    "import optax\n",
)
