"""Node types of the examples that come with Quax."""

from .library import Judgement, Library

LIBRARY = Library(
    "quax",
    {
        "quax.examples.lora.LoraArray": (
            "quax.examples.lora.LoraArray(jnp.ones((2, 3)), rank=1, key=jax.random.key(0))"
        ),
        "quax.examples.prng.ThreeFry": "quax.examples.prng.ThreeFry(0)",
        "quax.examples.unitful.Unitful": (
            "quax.examples.unitful.Unitful(jnp.ones(2), {quax.examples.unitful.meters: 1})"
        ),
        "quax.examples.zero.Zero": "quax.examples.zero.Zero((2,), jnp.float32)",
        "quax.examples.structured_matrices.TridiagonalMatrix": (
            "quax.examples.structured_matrices.TridiagonalMatrix("
            "jnp.ones(2), jnp.ones(3), jnp.ones(2))"
        ),
        "quax.examples.named.NamedArray": ("quax.examples.named.NamedArray(jnp.ones(2), (AXIS,))"),
        "quax.examples.sparse.BCOO": (
            "quax.examples.sparse.BCOO(jnp.ones(2), jnp.zeros((2, 1), 'int32'), (3,))"
        ),
    },
    """\
import quax.examples.lora
import quax.examples.named
import quax.examples.prng
import quax.examples.sparse
import quax.examples.structured_matrices
import quax.examples.unitful
import quax.examples.zero

AXIS = quax.examples.named.Axis(2)
""",
    judgements=(
        Judgement(
            "units_compare_by_identity",
            ("node.copies.*_equals_the_original",),
            "Dimension compares by identity and copies like any object (quax/examples/unitful), so "
            "that a deep copy or a loaded pickle of an array has other units.",
            "quax.quaxify(jnp.add)(x, copy.deepcopy(x)) of an array of metres raises ValueError, "
            "although both print the same units",
            subjects=("quax.examples.unitful.Unitful",),
        ),
        Judgement(
            "dict_in_a_static_field",
            ("node.aux.aux_data_is_hashable",),
            "units is a dict in a static field. JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
            ("quax.examples.unitful.Unitful",),
        ),
    ),
)
