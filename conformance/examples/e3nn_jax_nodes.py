"""Node types of e3nn-jax."""

from .library import Judgement, Library

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
    judgements=(
        Judgement(
            "zero_flags_are_dropped",
            ("node.aux.unflatten_restores_the_configuration",),
            "zero_flags are neither children nor aux data on purpose: the file says 'We "
            "purposefully do not register zero_flags'. They are a hint for speed, and no "
            "document promises that unflatten restores a hint.",
            subjects=("e3nn_jax.IrrepsArray",),
            false_alarm=True,
        ),
        Judgement(
            "linear_compares_by_identity",
            ("*",),
            "equinox.Linear has a FunctionalLinear in a static field "
            "(e3nn_jax/_src/linear_equinox.py), a class without __eq__, so that each "
            "construction, deep copy and pickle has a treedef of its own. JAX documents that "
            "aux data is compared by ==.",
            "jit compiles again for each instance, and two models of one architecture cannot "
            "be mapped together or averaged with jax.tree.map",
            subjects=("e3nn_jax.equinox.Linear",),
        ),
    ),
)
