"""Node types of Jraph: graphs."""

from .library import Library

LIBRARY = Library(
    "jraph",
    {
        "jraph.GraphsTuple": (
            "jraph.GraphsTuple(nodes=jnp.ones((3, 2)), edges=jnp.ones((2, 1)), "
            "receivers=jnp.array([0, 1]), senders=jnp.array([1, 2]), globals=None, "
            "n_node=jnp.array([3]), n_edge=jnp.array([2]))"
        ),
    },
    """\
import jraph
""",
)
