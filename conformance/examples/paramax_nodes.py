"""Node types of paramax."""

from .library import Library

LIBRARY = Library(
    "paramax",
    {
        "paramax.NonTrainable": ("paramax.NonTrainable($0)",),
        "paramax.Parameterize": ("paramax.Parameterize(operator.neg, $0)",),
        "paramax.RealToIncreasingOnInterval": (
            "paramax.RealToIncreasingOnInterval(jnp.zeros(3), (-1.0, 1.0), "
            "min_width=0.1, include_endpoints='both')"
        ),
        "paramax.WeightNormalization": ("paramax.WeightNormalization(jnp.ones((2, 3)))",),
    },
    "import operator\nimport paramax\n",
)
