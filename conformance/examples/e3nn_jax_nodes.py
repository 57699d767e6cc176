"""Node types of e3nn-jax."""

from .library import Library

LIBRARY = Library(
    "e3nn_jax",
    {
        "e3nn_jax.Irrep": ("e3nn.Irrep(1, -1)", "e3nn.Irrep('0e')"),
        "e3nn_jax.MulIrrep": ("e3nn.MulIrrep(2, e3nn.Irrep(1, 1))",),
        "e3nn_jax.Irreps": ("e3nn.Irreps('2x0e + 1o')", "e3nn.Irreps('')"),
        "e3nn_jax.IrrepsArray": (
            "e3nn.IrrepsArray('0e + 1o', jnp.ones((2, 4)))",
            "e3nn.IrrepsArray('2x0e', jnp.ones((2, 2)), zero_flags=(False,))",
        ),
        "e3nn_jax.SphericalSignal": (
            "e3nn.SphericalSignal(jnp.ones((4, 5)), 'soft', p_val=1, p_arg=-1)",
            "e3nn.SphericalSignal.zeros(4, 5, 'gausslegendre')",
        ),
        "e3nn_jax.equinox.Linear": (
            "e3nn_jax.equinox.Linear(irreps_in=e3nn.Irreps('0e + 1o'), "
            "irreps_out=e3nn.Irreps('2x0e'), key=jax.random.key(0))"
        ),
    },
    "import e3nn_jax\nimport e3nn_jax as e3nn\nimport e3nn_jax.equinox\n",
    distribution="e3nn-jax",
)
