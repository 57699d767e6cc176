"""Node types of interpax: interpolators."""

from .library import Library

LIBRARY = Library(
    "interpax",
    {
        "interpax.Interpolator1D": (
            "interpax.Interpolator1D(jnp.arange(4.0), jnp.ones(4))",
            "interpax.Interpolator1D(jnp.arange(4.0), jnp.ones(4), method='linear')",
        ),
        "interpax.Interpolator2D": (
            "interpax.Interpolator2D(jnp.arange(3.0), jnp.arange(4.0), jnp.ones((3, 4)))"
        ),
        "interpax.PPoly": "interpax.PPoly(jnp.ones((3, 2)), jnp.arange(3.0))",
        "interpax.CubicSpline": "interpax.CubicSpline(jnp.arange(4.0), jnp.ones(4))",
        "interpax.CubicHermiteSpline": (
            "interpax.CubicHermiteSpline(jnp.arange(3.0), jnp.ones(3), jnp.zeros(3))"
        ),
        "interpax.Akima1DInterpolator": (
            "interpax.Akima1DInterpolator(jnp.arange(5.0), jnp.ones(5))"
        ),
        "interpax.PchipInterpolator": (
            "interpax.PchipInterpolator(jnp.arange(4.0), jnp.arange(4.0))"
        ),
    },
    """\
import interpax
""",
    rest="they are made like those that are tried",
)
