"""Node types of JAXopt."""

from .library import Library

LIBRARY = Library(
    "jaxopt",
    {"jaxopt.base.LinearOperator": "jaxopt.base.LinearOperator(jnp.ones((2, 3)))"},
    "import jaxopt\nimport jaxopt.base\n",
)
