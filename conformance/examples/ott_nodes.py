"""Node types of OTT-JAX: geometries, costs, problems, solvers and results."""

from .library import Library

LIBRARY = Library(
    "ott",
    {
        "ott.geometry.pointcloud.PointCloud": (
            "CLOUD",
            "pointcloud.PointCloud(jnp.ones((3, 2)), epsilon=0.1)",
        ),
        "ott.geometry.geometry.Geometry": "geometry.Geometry(jnp.ones((3, 4)))",
        "ott.geometry.grid.Grid": "grid.Grid(grid_size=(2, 3))",
        "ott.geometry.graph.Graph": "graph.Graph(jnp.eye(3))",
        "ott.geometry.low_rank.LRCGeometry": (
            "low_rank.LRCGeometry(jnp.ones((3, 2)), jnp.ones((4, 2)))"
        ),
        "ott.geometry.costs.SqEuclidean": "costs.SqEuclidean()",
        "ott.geometry.costs.PNormP": "costs.PNormP(1.5)",
        "ott.geometry.costs.SoftDTW": "costs.SoftDTW(0.1)",
        "ott.geometry.epsilon_scheduler.Epsilon": "epsilon_scheduler.Epsilon(0.1)",
        "ott.geometry.regularizers.L1": "regularizers.L1()",
        "ott.problems.linear.linear_problem.LinearProblem": "linear_problem.LinearProblem(CLOUD)",
        "ott.solvers.linear.sinkhorn.Sinkhorn": "sinkhorn.Sinkhorn()",
        "ott.solvers.linear.sinkhorn.SinkhornOutput": "OUTPUT",
        "ott.solvers.linear.acceleration.Momentum": "acceleration.Momentum()",
        "ott.solvers.linear.implicit_differentiation.ImplicitDiff": (
            "implicit_differentiation.ImplicitDiff()"
        ),
        "ott.tools.k_means.KMeansOutput": "MEANS",
    },
    """\
import ott.geometry.costs as costs
from ott.geometry import epsilon_scheduler, geometry, graph, grid, low_rank, pointcloud
from ott.geometry import regularizers
from ott.problems.linear import linear_problem
from ott.solvers.linear import acceleration, implicit_differentiation, sinkhorn, univariate
from ott.tools import k_means

CLOUD = pointcloud.PointCloud(jnp.ones((3, 2)), jnp.zeros((4, 2)))
# These run for a second, too long for each input.
MEANS = k_means.k_means(jnp.arange(8.0).reshape(4, 2), 2, rng=jax.random.key(0))
OUTPUT = sinkhorn.Sinkhorn()(linear_problem.LinearProblem(CLOUD))
""",
    distribution="ott-jax",
    rest="they are made like those that are tried",
)
