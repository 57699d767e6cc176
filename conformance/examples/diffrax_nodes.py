"""Node types of Diffrax: solvers, controllers, terms, interpolations and solutions."""

from .library import Library

LIBRARY = Library(
    "diffrax",
    {
        "diffrax.ODETerm": "diffrax.ODETerm(lambda t, y, args: -y)",
        "diffrax.ControlTerm": (
            "diffrax.ControlTerm(lambda t, y, args: y, "
            "diffrax.LinearInterpolation(jnp.arange(3.0), jnp.ones(3)))"
        ),
        "diffrax.MultiTerm": (
            "diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, args: -y), "
            "diffrax.ODETerm(lambda t, y, args: y))"
        ),
        "diffrax.Euler": "diffrax.Euler()",
        "diffrax.Dopri5": "diffrax.Dopri5()",
        "diffrax.Tsit5": "diffrax.Tsit5()",
        "diffrax.Kvaerno5": (
            "diffrax.Kvaerno5()",
            "diffrax.Kvaerno5(root_finder=diffrax.VeryChord(rtol=1e-3, atol=1e-3))",
        ),
        "diffrax.HalfSolver": "diffrax.HalfSolver(diffrax.Euler())",
        "diffrax.PIDController": "diffrax.PIDController(rtol=1e-3, atol=1e-6)",
        "diffrax.ConstantStepSize": "diffrax.ConstantStepSize()",
        "diffrax.StepTo": "diffrax.StepTo(jnp.arange(3.0))",
        "diffrax.SaveAt": ("diffrax.SaveAt(ts=jnp.arange(3.0))", "diffrax.SaveAt(t1=True)"),
        "diffrax.LinearInterpolation": (
            "diffrax.LinearInterpolation(jnp.arange(3.0), jnp.ones((3, 2)))"
        ),
        "diffrax.CubicInterpolation": (
            "diffrax.CubicInterpolation(jnp.arange(3.0), "
            "diffrax.backward_hermite_coefficients(jnp.arange(3.0), jnp.ones((3, 2))))"
        ),
        "diffrax.VirtualBrownianTree": (
            "diffrax.VirtualBrownianTree(0.0, 1.0, 1e-3, (2,), jax.random.key(0))"
        ),
        "diffrax.UnsafeBrownianPath": "diffrax.UnsafeBrownianPath((2,), jax.random.key(0))",
        "diffrax.RecursiveCheckpointAdjoint": (
            "diffrax.RecursiveCheckpointAdjoint()",
            "diffrax.RecursiveCheckpointAdjoint(checkpoints=4)",
        ),
        "diffrax.BacksolveAdjoint": "diffrax.BacksolveAdjoint()",
        "diffrax.Event": "diffrax.Event(lambda t, y, args, **kwargs: y)",
        "diffrax.Solution": "SOLUTION",
    },
    """\
import diffrax
import optimistix

TERM = diffrax.ODETerm(lambda t, y, args: -y)
SOLUTION = diffrax.diffeqsolve(TERM, diffrax.Euler(), 0.0, 1.0, 0.1, jnp.ones(2))
""",
    rest="they are made like those that are tried",
)
