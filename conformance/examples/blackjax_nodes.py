"""Node types of BlackJAX: states and results of samplers."""

from .library import Library

LIBRARY = Library(
    "blackjax",
    {
        "blackjax.mcmc.mala.MALAState": "blackjax.mala(density, 0.1).init(jnp.ones(2))",
        "blackjax.SamplingAlgorithm": "SAMPLER",
        "blackjax.mcmc.nuts.NUTSInfo": "INFO",
        "blackjax.mcmc.random_walk.RWState": (
            "blackjax.additive_step_random_walk(density, "
            "blackjax.mcmc.random_walk.normal(jnp.ones(2))).init(jnp.ones(2))"
        ),
        "blackjax.mcmc.slice.SliceState": "",
        "blackjax.smc.base.SMCState": "",
        "blackjax.optimizers.dual_averaging.DualAveragingState": "",
        "blackjax.adaptation.base.AdaptationInfo": "",
        "blackjax.vi.meanfield_vi.MFVIState": "",
        "blackjax.vi.svgd.SVGDState": "",
        "blackjax.mcmc.trajectory.Trajectory": "",
    },
    """\
import blackjax


def density(x):
    return -jnp.sum(x**2)


SAMPLER = blackjax.nuts(density, step_size=0.1, inverse_mass_matrix=jnp.ones(2))
INFO = SAMPLER.step(jax.random.key(0), SAMPLER.init(jnp.ones(2)))[1]
""",
    rest="they are made like those that are tried",
)
