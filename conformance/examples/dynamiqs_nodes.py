"""Node types of Dynamiqs: quantum arrays, methods, options and results."""

from .library import Library

LIBRARY = Library(
    "dynamiqs",
    {
        "dynamiqs.integrators.MaterializedQArray": (
            "dynamiqs.asqarray(jnp.eye(2))",
            "dynamiqs.fock(3, 1)",
        ),
        "dynamiqs.integrators.Tsit5": (
            "dynamiqs.method.Tsit5()",
            "dynamiqs.method.Tsit5(rtol=1e-3)",
        ),
        "dynamiqs.integrators.Euler": "dynamiqs.method.Euler(0.1)",
        "dynamiqs.integrators.Expm": "dynamiqs.method.Expm()",
        "dynamiqs.integrators.Rouchon1": "dynamiqs.method.Rouchon1(0.1)",
        "dynamiqs.integrators.Event": "dynamiqs.method.Event(dtmax=0.1)",
        "dynamiqs.gradient.Direct": "dynamiqs.gradient.Direct()",
        "dynamiqs.gradient.BackwardCheckpointed": "dynamiqs.gradient.BackwardCheckpointed()",
        "dynamiqs.Options": "dynamiqs.Options()",
        "dynamiqs.NoProgressMeter": "dynamiqs.NoProgressMeter()",
        "dynamiqs.SESolveResult": "RESULT",
    },
    """\
import dynamiqs
import dynamiqs.integrators
import dynamiqs.gradient

RESULT = dynamiqs.sesolve(dynamiqs.sigmaz(), dynamiqs.fock(2, 0), jnp.array([0.0, 0.1]))
""",
    rest="they are made like those that are tried",
)
