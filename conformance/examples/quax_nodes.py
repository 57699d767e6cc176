"""Node types of the examples that come with Quax."""

from .library import Library

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
        "quax.examples.named.NamedArray": (
            "quax.examples.named.NamedArray(jnp.ones(2), (quax.examples.named.Axis(2),))"
        ),
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
""",
)
