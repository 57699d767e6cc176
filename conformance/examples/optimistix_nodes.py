"""Node types of Optimistix: solvers, searches, descents, adjoints, solutions."""

from .library import Library

_TOLERANCES = "rtol=1e-3, atol=1e-3"
_ABSTRACT = "an abstract base class, whose concrete subclasses are tried"
_SOLVERS = (
    "BFGS",
    "Bisection",
    "Chord",
    "DFP",
    "Dogleg",
    "FixedPointIteration",
    "GaussNewton",
    "IndirectLevenbergMarquardt",
    "LBFGS",
    "LevenbergMarquardt",
    "NelderMead",
    "Newton",
    "NonlinearCG",
    "GoldenSearch",
)
_PLAIN = (
    "BacktrackingArmijo",
    "ClassicalTrustRegion",
    "DampedNewtonDescent",
    "DoglegDescent",
    "ImplicitAdjoint",
    "IndirectDampedNewtonDescent",
    "LinearTrustRegion",
    "NewtonDescent",
    "RecursiveCheckpointAdjoint",
    "SteepestDescent",
)

LIBRARY = Library(
    "optimistix",
    {
        **{f"optimistix.{name}": f"optx.{name}({_TOLERANCES})" for name in _SOLVERS},
        **{f"optimistix.{name}": f"optx.{name}()" for name in _PLAIN},
        "optimistix.LearningRate": ("optx.LearningRate(0.1)", "optx.LearningRate(jnp.ones(()))"),
        "optimistix.GradientDescent": f"optx.GradientDescent(0.1, {_TOLERANCES})",
        "optimistix.OptaxMinimiser": f"optx.OptaxMinimiser(optax.adam(1e-3), {_TOLERANCES})",
        "optimistix.BestSoFarMinimiser": f"optx.BestSoFarMinimiser(optx.BFGS({_TOLERANCES}))",
        "optimistix.BestSoFarLeastSquares": (
            f"optx.BestSoFarLeastSquares(optx.GaussNewton({_TOLERANCES}))"
        ),
        "optimistix.BestSoFarRootFinder": f"optx.BestSoFarRootFinder(optx.Newton({_TOLERANCES}))",
        "optimistix.BestSoFarFixedPoint": (
            f"optx.BestSoFarFixedPoint(optx.FixedPointIteration({_TOLERANCES}))"
        ),
        "optimistix.NonlinearCGDescent": "optx.NonlinearCGDescent(optx.polak_ribiere)",
        "optimistix.Solution": "optx.Solution($0, optx.RESULTS.successful, $1, {'steps': $2}, $3)",
    },
    "import optax\nimport optimistix as optx\nimport optimistix.compat\n",
    not_tried={
        "optimistix.AbstractBFGS": _ABSTRACT,
        "optimistix.AbstractDFP": _ABSTRACT,
        "optimistix.AbstractGaussNewton": _ABSTRACT,
        "optimistix.AbstractGradientDescent": _ABSTRACT,
        "optimistix.AbstractLBFGS": _ABSTRACT,
    },
)
