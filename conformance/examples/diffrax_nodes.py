"""Node types of Diffrax: solvers, terms, paths, controllers, adjoints, solutions."""

from .library import Library

_ABSTRACT = "an abstract base class, whose concrete subclasses are tried"
_PLAIN = (
    "BacksolveAdjoint",
    "Bosh3",
    "ConstantStepSize",
    "DirectAdjoint",
    "Dopri5",
    "Dopri8",
    "Euler",
    "EulerHeun",
    "ForwardMode",
    "GeneralShARK",
    "Heun",
    "ImplicitAdjoint",
    "ImplicitEuler",
    "ItoMilstein",
    "KenCarp3",
    "KenCarp4",
    "KenCarp5",
    "Kvaerno3",
    "Kvaerno4",
    "Kvaerno5",
    "LeapfrogMidpoint",
    "Midpoint",
    "NoProgressMeter",
    "Ralston",
    "RecursiveCheckpointAdjoint",
    "ReversibleHeun",
    "SEA",
    "SPaRK",
    "SRA1",
    "SemiImplicitEuler",
    "ShARK",
    "Sil3",
    "SlowRK",
    "StratonovichMilstein",
    "TextProgressMeter",
    "TqdmProgressMeter",
    "Tsit5",
)
_TERM = "dfx.ODETerm(lambda t, y, args: -y)"
_POINTS = "ts=jnp.linspace(0.0, 1.0, 2), ys=jnp.ones(2)"

LIBRARY = Library(
    "diffrax",
    {
        **{f"diffrax.{name}": f"dfx.{name}()" for name in _PLAIN},
        "diffrax.ALIGN": "dfx.ALIGN(0.1)",
        "diffrax.QUICSORT": "dfx.QUICSORT(0.1)",
        "diffrax.ShOULD": "dfx.ShOULD(0.1)",
        "diffrax.HalfSolver": "dfx.HalfSolver(dfx.Euler())",
        "diffrax.VeryChord": "dfx.VeryChord(rtol=1e-3, atol=1e-3)",
        "diffrax.PIDController": (
            "dfx.PIDController(rtol=1e-3, atol=1e-3)",
            "dfx.PIDController(rtol=1e-3, atol=1e-3, dtmin=0.1, force_dtmin=False)",
        ),
        "diffrax.ClipStepSizeController": (
            "dfx.ClipStepSizeController("
            "dfx.PIDController(rtol=1e-3, atol=1e-3), step_ts=jnp.ones(2))"
        ),
        "diffrax.StepTo": "dfx.StepTo(jnp.linspace(0.0, 1.0, 3))",
        "diffrax.ODETerm": (_TERM, "dfx.ODETerm(eqx.nn.Identity())"),
        "diffrax.ControlTerm": (
            "dfx.ControlTerm(lambda t, y, args: y, dfx.UnsafeBrownianPath((), jax.random.key(0)))",
            f"dfx.ControlTerm(lambda t, y, args: y, dfx.LinearInterpolation({_POINTS}))",
        ),
        "diffrax.MultiTerm": f"dfx.MultiTerm({_TERM}, {_TERM})",
        "diffrax.UnderdampedLangevinDiffusionTerm": (
            "dfx.UnderdampedLangevinDiffusionTerm("
            "jnp.ones(2), jnp.ones(2), dfx.UnsafeBrownianPath((2,), jax.random.key(0)))"
        ),
        "diffrax.UnderdampedLangevinDriftTerm": (
            "dfx.UnderdampedLangevinDriftTerm(jnp.ones(2), jnp.ones(2), jnp.tanh)"
        ),
        "diffrax.UnsafeBrownianPath": (
            "dfx.UnsafeBrownianPath((2,), jax.random.key(0))",
            "dfx.UnsafeBrownianPath((2,), jax.random.PRNGKey(0))",
        ),
        "diffrax.VirtualBrownianTree": (
            "dfx.VirtualBrownianTree(0.0, 1.0, 0.1, (2,), jax.random.key(0))"
        ),
        "diffrax.BrownianIncrement": "dfx.BrownianIncrement($0, $1)",
        "diffrax.SpaceTimeLevyArea": "dfx.SpaceTimeLevyArea($0, $1, $2)",
        "diffrax.SpaceTimeTimeLevyArea": "dfx.SpaceTimeTimeLevyArea($0, $1, $2, jnp.ones(2))",
        "diffrax.LinearInterpolation": f"dfx.LinearInterpolation({_POINTS})",
        "diffrax.CubicInterpolation": (
            "dfx.CubicInterpolation(ts=jnp.linspace(0.0, 1.0, 3), "
            "coeffs=(jnp.ones(2), jnp.ones(2), jnp.ones(2), jnp.ones(2)))"
        ),
        "diffrax.LocalLinearInterpolation": (
            "dfx.LocalLinearInterpolation(t0=0.0, t1=1.0, y0=jnp.ones(2), y1=jnp.ones(2))"
        ),
        "diffrax.ThirdOrderHermitePolynomialInterpolation": (
            "dfx.ThirdOrderHermitePolynomialInterpolation("
            "t0=0.0, t1=1.0, y0=jnp.ones(2), y1=jnp.ones(2), k0=jnp.ones(2), k1=jnp.ones(2))"
        ),
        "diffrax.DenseInterpolation": (
            "dfx.DenseInterpolation(ts=jnp.linspace(0.0, 1.0, 3), ts_size=jnp.array(3), "
            "infos={'y0': jnp.ones((2, 1)), 'y1': jnp.ones((2, 1))}, "
            "interpolation_cls=dfx.LocalLinearInterpolation, direction=1, t0_if_trivial=0.0, "
            "y0_if_trivial=jnp.ones(1))"
        ),
        "diffrax.SaveAt": (
            "dfx.SaveAt(t1=True)",
            "dfx.SaveAt(ts=jnp.ones(2))",
            "dfx.SaveAt(subs=[dfx.SubSaveAt(t1=True), dfx.SubSaveAt(t0=True)])",
        ),
        "diffrax.SubSaveAt": ("dfx.SubSaveAt(t1=True)", "dfx.SubSaveAt(ts=jnp.ones(2))"),
        "diffrax.Event": ("dfx.Event(jnp.tanh)", "dfx.Event({'a': jnp.tanh})"),
        "diffrax.DiscreteTerminatingEvent": "dfx.DiscreteTerminatingEvent(jnp.tanh)",
        "diffrax.SteadyStateEvent": "dfx.SteadyStateEvent(rtol=1e-3, atol=1e-3)",
        "diffrax.MultiButcherTableau": "dfx.MultiButcherTableau(dfx.KenCarp3.tableau)",
        "diffrax.Solution": (
            "dfx.Solution(t0=0.0, t1=1.0, ts=$0, ys=$1, interpolation=None, stats={'n': $2}, "
            "result=dfx.RESULTS.successful, solver_state=None, controller_state=None, "
            "made_jump=None, event_mask=None)"
        ),
    },
    "import diffrax as dfx\nimport equinox as eqx\n",
    not_tried={
        "diffrax.AbstractBrownianIncrement": _ABSTRACT,
        "diffrax.AbstractDIRK": _ABSTRACT,
        "diffrax.AbstractERK": _ABSTRACT,
        "diffrax.AbstractESDIRK": _ABSTRACT,
        "diffrax.AbstractRungeKutta": _ABSTRACT,
        "diffrax.AbstractSDIRK": _ABSTRACT,
        "diffrax.AbstractSRK": _ABSTRACT,
        "diffrax.AbstractSpaceTimeLevyArea": _ABSTRACT,
        "diffrax.AbstractSpaceTimeTimeLevyArea": _ABSTRACT,
        "diffrax.FourthOrderPolynomialInterpolation": (
            "lacks the attribute c_mid, which private subclasses in solvers set"
        ),
    },
)
