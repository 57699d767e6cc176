"""Node types of OTT-JAX: geometries, costs, problems, solvers and results."""

from .library import Judgement, Library

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
    judgements=(
        Judgement(
            "dict_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "SoftDTW, epsilon schedules, regularizers, geometries, linear problems and "
            "Sinkhorn return a dict as aux data. JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
        Judgement(
            "flatten_copies_leaves",
            ("node.flatten.*", "node.copies.*", "node.transforms.*", "node.keys.*"),
            "ott.utils.register_pytree_node flattens the result of dataclasses.asdict, which "
            "makes deep copies of all leaves (ott/utils.py). JAX documents that flatten "
            "returns the children.",
            "each call of a jitted function copies the arrays of an ImplicitDiff, if it holds "
            "any, and donate_argnums donates the copy",
            subjects=("*.Momentum", "*.ImplicitDiff"),
        ),
        Judgement(
            "none_is_replaced_in_unflatten",
            ("node.transforms.vmap_takes_axes_as_a_node",),
            "PointCloud.tree_unflatten calls the constructor, which puts x in the place of y "
            "if y is None (ott/geometry/pointcloud.py). JAX documents that placeholders may "
            "stand for leaves.",
            "jax.tree.unflatten(jax.tree.structure(cloud), [0, None]) holds 0 twice, so that "
            "vmap with it as in_axes also maps over y, and equinox.combine of what "
            "equinox.partition made may have x in the place of y",
        ),
        Judgement(
            "momentum_changes_in_unflatten",
            ("node.flatten.unflatten_undoes_flatten",),
            "Sinkhorn.tree_unflatten calls the constructor, which sets the inner_iterations "
            "of its default momentum to its own (ott/solvers/linear/sinkhorn.py).",
            "jax.tree.map(lambda x: x, Sinkhorn()) has momentum.inner_iterations 10 instead "
            "of 1, and a map over the two raises ValueError",
            subjects=("ott.solvers.linear.sinkhorn.Sinkhorn",),
        ),
        Judgement(
            "initializer_compares_by_identity",
            ("node.aux.*", "node.copies.*"),
            "The aux data of a Sinkhorn holds its initializer, a class without __eq__. JAX "
            "documents that aux data is compared by ==.",
            "jit compiles again for each new Sinkhorn(), each deep copy and each loaded pickle",
            subjects=("ott.solvers.linear.sinkhorn.Sinkhorn",),
        ),
    ),
)
