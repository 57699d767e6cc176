"""Node types of FlowJAX: bijections and distributions."""

from .library import Library

LIBRARY = Library(
    "flowjax",
    {
        "flowjax.bijections.Affine": "bij.Affine(jnp.zeros(2), jnp.ones(2))",
        "flowjax.bijections.Chain": (
            "bij.Chain([bij.Affine(jnp.zeros(2), jnp.ones(2)), bij.Tanh((2,))])"
        ),
        "flowjax.bijections.Permute": "bij.Permute(jnp.array([1, 0, 2]))",
        "flowjax.bijections.Invert": "bij.Invert(bij.Exp((2,)))",
        "flowjax.bijections.RationalQuadraticSpline": (
            "bij.RationalQuadraticSpline(knots=4, interval=2.0)"
        ),
        "flowjax.bijections.Planar": "bij.Planar(jax.random.key(0), dim=3)",
        "flowjax.bijections.Coupling": (
            "bij.Coupling(jax.random.key(0), transformer=bij.Affine(), "
            "untransformed_dim=1, dim=3, nn_width=4, nn_depth=1)"
        ),
        "flowjax.bijections.MaskedAutoregressive": (
            "bij.MaskedAutoregressive(jax.random.key(0), transformer=bij.Affine(), "
            "dim=3, nn_width=4, nn_depth=1)"
        ),
        "flowjax.bijections.TriangularAffine": "bij.TriangularAffine(jnp.zeros(2), jnp.eye(2))",
        "flowjax.bijections.Stack": "bij.Stack([bij.Exp(), bij.Tanh()])",
        "flowjax.bijections.Vmap": "bij.Vmap(bij.Affine(), axis_size=3)",
        "flowjax.distributions.StandardNormal": "dist.StandardNormal((2,))",
        "flowjax.distributions.Normal": "dist.Normal(jnp.zeros(2))",
        "flowjax.distributions.Uniform": "dist.Uniform(jnp.zeros(2), jnp.ones(2))",
        "flowjax.distributions.MultivariateNormal": (
            "dist.MultivariateNormal(jnp.zeros(2), jnp.eye(2))"
        ),
        "flowjax.distributions.Transformed": (
            "dist.Transformed(dist.StandardNormal((2,)), bij.Exp((2,)))",
            (
                "flowjax.flows.masked_autoregressive_flow(jax.random.key(0), "
                "base_dist=dist.StandardNormal((2,)), nn_width=4, nn_depth=1, "
                "flow_layers=2)"
            ),
        ),
    },
    """\
import flowjax.bijections as bij
import flowjax.distributions as dist
import flowjax.flows
""",
    rest="they are made like those that are tried",
)
