"""Node types of evosax: states and parameters of strategies."""

from .library import Library

LIBRARY = Library(
    "evosax",
    {
        "evosax.algorithms.distribution_based.cma_es.State": (
            "es.CMA_ES(population_size=4, "
            "solution=jnp.zeros(2)).init(jax.random.key(0), jnp.zeros(2), "
            "es.CMA_ES(population_size=4, solution=jnp.zeros(2)).default_params)"
        ),
        "evosax.algorithms.distribution_based.cma_es.Params": (
            "es.CMA_ES(population_size=4, solution=jnp.zeros(2)).default_params"
        ),
        "evosax.algorithms.distribution_based.open_es.State": (
            "es.Open_ES(population_size=4, "
            "solution=jnp.zeros(2)).init(jax.random.key(0), jnp.zeros(2), "
            "es.Open_ES(population_size=4, solution=jnp.zeros(2)).default_params)"
        ),
        "evosax.algorithms.distribution_based.open_es.Params": (
            "es.Open_ES(population_size=4, solution=jnp.zeros(2)).default_params"
        ),
        "evosax.algorithms.distribution_based.snes.State": (
            "es.SNES(population_size=4, solution=jnp.zeros(2)).init(jax.random.key(0), "
            "jnp.zeros(2), es.SNES(population_size=4, "
            "solution=jnp.zeros(2)).default_params)"
        ),
        "evosax.algorithms.distribution_based.learned_es.Params": (
            "es.LearnedES(population_size=4, solution=jnp.zeros(2)).default_params"
        ),
        "evosax.algorithms.population_based.pso.Params": (
            "es.PSO(population_size=4, solution=jnp.zeros(2)).default_params"
        ),
        "evosax.algorithms.population_based.simple_ga.Params": (
            "es.SimpleGA(population_size=4, solution=jnp.zeros(2)).default_params"
        ),
    },
    """\
import evosax.algorithms as es
""",
    rest="they are made like those that are tried",
)
