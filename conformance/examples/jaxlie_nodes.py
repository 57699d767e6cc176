"""Node types of jaxlie: its Lie groups."""

from .library import Library

LIBRARY = Library(
    "jaxlie",
    {
        "jaxlie.SO2": ("jaxlie.SO2.from_radians(0.5)", "jaxlie.SO2.identity((2,))"),
        "jaxlie.SO3": ("jaxlie.SO3.identity()", "jaxlie.SO3.identity((2,))"),
        "jaxlie.SE2": ("jaxlie.SE2.identity()", "jaxlie.SE2.identity((2,))"),
        "jaxlie.SE3": ("jaxlie.SE3.identity()", "jaxlie.SE3.identity((2,))"),
    },
    "import jaxlie\n",
)
