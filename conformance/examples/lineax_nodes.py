"""Node types of lineax: linear operators, solvers and solutions."""

from .library import Judgement, Library

_MATRIX = "lx.MatrixLinearOperator(jnp.eye(2))"
_SHAPE = "jax.ShapeDtypeStruct((2,), jnp.float32)"

LIBRARY = Library(
    "lineax",
    {
        "lineax.MatrixLinearOperator": (
            _MATRIX,
            "lx.MatrixLinearOperator(jnp.ones((2, 3)))",
            "lx.MatrixLinearOperator(jnp.eye(2), lx.symmetric_tag)",
        ),
        "lineax.PyTreeLinearOperator": (
            f"lx.PyTreeLinearOperator({{'a': jnp.eye(2)}}, {{'a': {_SHAPE}}})",
        ),
        "lineax.JacobianLinearOperator": (
            "lx.JacobianLinearOperator(lambda x, args: x * args, jnp.ones(2), jnp.ones(2))",
        ),
        "lineax.FunctionLinearOperator": (f"lx.FunctionLinearOperator(lambda x: 2 * x, {_SHAPE})",),
        "lineax.IdentityLinearOperator": (f"lx.IdentityLinearOperator({_SHAPE})",),
        "lineax.DiagonalLinearOperator": (
            "lx.DiagonalLinearOperator(jnp.ones(2))",
            "lx.DiagonalLinearOperator({'a': jnp.ones(2)})",
        ),
        "lineax.TridiagonalLinearOperator": (
            "lx.TridiagonalLinearOperator(jnp.ones(3), jnp.ones(2), jnp.ones(2))",
        ),
        "lineax.TaggedLinearOperator": (
            f"lx.TaggedLinearOperator({_MATRIX}, lx.positive_semidefinite_tag)",
        ),
        "lineax.TangentLinearOperator": (f"lx.TangentLinearOperator({_MATRIX}, {_MATRIX})",),
        "lineax.AddLinearOperator": (f"{_MATRIX} + {_MATRIX}",),
        "lineax.MulLinearOperator": (f"{_MATRIX} * 2.0",),
        "lineax.NegLinearOperator": (f"-{_MATRIX}",),
        "lineax.DivLinearOperator": (f"{_MATRIX} / 2.0",),
        "lineax.ComposedLinearOperator": (f"{_MATRIX} @ {_MATRIX}",),
        "lineax.Solution": (
            "lx.Solution($0, lx.RESULTS.successful, {'steps': $1}, $2)",
            f"lx.linear_solve({_MATRIX}, jnp.ones(2))",
        ),
        "lineax.AutoLinearSolver": ("lx.AutoLinearSolver(well_posed=True)",),
        "lineax.LU": ("lx.LU()",),
        "lineax.QR": ("lx.QR()",),
        "lineax.SVD": ("lx.SVD()", "lx.SVD(rcond=0.1)"),
        "lineax.Cholesky": ("lx.Cholesky()",),
        "lineax.CG": ("lx.CG(rtol=1e-3, atol=1e-3)", "lx.CG(1e-3, 1e-3, max_steps=5)"),
        "lineax.BiCGStab": ("lx.BiCGStab(1e-3, 1e-3)",),
        "lineax.GMRES": ("lx.GMRES(1e-3, 1e-3, restart=4)",),
        "lineax.LSMR": ("lx.LSMR(1e-3, 1e-3)",),
        "lineax.Normal": ("lx.Normal(lx.CG(1e-3, 1e-3))",),
        "lineax.Diagonal": ("lx.Diagonal()", "lx.Diagonal(well_posed=True)"),
        "lineax.Triangular": ("lx.Triangular()",),
        "lineax.Tridiagonal": ("lx.Tridiagonal()",),
    },
    "import lineax as lx\n",
    judgements=(
        Judgement(
            "tags_compare_by_identity",
            (
                "node.copies.deepcopy_equals_the_original",
                "node.copies.pickle_equals_the_original",
                "node.copies.pickle_after_unflatten_equals_the_original",
            ),
            "Tags such as symmetric_tag are instances of a class without __eq__, __reduce__ "
            "and __deepcopy__ (lineax/_tags.py), so that a copy holds another tag, which "
            "lineax does not know.",
            "lx.is_symmetric(copy.deepcopy(operator)) is False; for a deep copy of a positive "
            "semidefinite operator AutoLinearSolver takes LU instead of Cholesky, and CG "
            "raises ValueError",
            subjects=("lineax.MatrixLinearOperator", "lineax.TaggedLinearOperator"),
        ),
        Judgement(
            "list_in_a_static_field",
            ("node.aux.aux_data_is_hashable",),
            "input_structure and output_structure are what jax.tree_util.tree_flatten gives, whose "
            "first part is a list, in a static field (lineax/_operator.py). JAX documents aux data "
            "as hashable.",
            "hash(operator's aux data) raises, and so does a cache keyed by it",
        ),
    ),
)
