"""Node types of RLax."""

from .library import Library

LIBRARY = Library(
    "rlax",
    {
        "rlax.EmaMoments": "rlax.EmaMoments(mean=$0, variance=$1)",
        "rlax.EmaState": "rlax.EmaState(mu=$0, nu=$1, decay_product=$2)",
        "rlax.PolicyTarget": "rlax.PolicyTarget(actions=$0, weights=$1)",
    },
    "import rlax\n",
)
