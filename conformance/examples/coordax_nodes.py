"""Node types of coordax: labelled arrays and their axes."""

from .library import Judgement, Library

LIBRARY = Library(
    "coordax",
    {
        "coordax.Field": (
            "coordax.field(jnp.ones((2, 3)), 'x', 'y')",
            "coordax.field(jnp.ones(2), coordax.SizedAxis('x', 2))",
            "coordax.field(jnp.ones((2, 3)))",
        ),
        "coordax.SizedAxis": "coordax.SizedAxis('x', 3)",
        "coordax.LabeledAxis": "coordax.LabeledAxis('x', np.arange(3.0))",
        "coordax.CartesianProduct": (
            "coordax.CartesianProduct((coordax.SizedAxis('x', 2), coordax.SizedAxis('y', 3)))"
        ),
        "coordax.SelectedAxis": "coordax.SelectedAxis(coordax.SizedAxis('x', 2), axis=0)",
        "coordax.Scalar": "coordax.Scalar()",
        "coordax.named_axes.NamedArray": (
            "coordax.named_axes.NamedArray(jnp.ones((2, 3)), ('x', None))"
        ),
    },
    """\
import coordax
import numpy as np
""",
    judgements=(
        Judgement(
            "node_as_a_leaf_fails_in_unflatten",
            ("node.flatten.unflatten_accepts_documented_placeholders",),
            "NamedArray.tree_unflatten wraps leaves that are not arrays, but takes a tree of "
            "arrays, such as a node or (), for an array, and fails an assertion "
            "(coordax/named_axes.py). JAX documents that placeholders, and in older pages a "
            "node of the class, may stand for a leaf.",
            "jax.tree.map(lambda x: (x, x), field) raises AssertionError without a message, "
            "and so does each map that returns a tree of arrays",
        ),
    ),
)
