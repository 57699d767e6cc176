"""Node types of coordax: labelled arrays and their axes."""

from .library import Library

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
)
