"""Node types of evosax: states and parameters of strategies."""

from .library import Library

LIBRARY = Library(
    "evosax",
    {
        "evosax.algorithms.distribution_based.cma_es.State": "STATES['CMA_ES']",
        "evosax.algorithms.distribution_based.cma_es.Params": "PARAMS['CMA_ES']",
        "evosax.algorithms.distribution_based.open_es.State": "STATES['Open_ES']",
        "evosax.algorithms.distribution_based.open_es.Params": "PARAMS['Open_ES']",
        "evosax.algorithms.distribution_based.snes.State": "STATES['SNES']",
        "evosax.algorithms.distribution_based.learned_es.Params": "PARAMS['LearnedES']",
        "evosax.algorithms.population_based.pso.Params": "PARAMS['PSO']",
        "evosax.algorithms.population_based.simple_ga.Params": "PARAMS['SimpleGA']",
    },
    """\
import evosax.algorithms as es

NAMES = ("CMA_ES", "Open_ES", "SNES", "LearnedES", "PSO", "SimpleGA")
MADE = {name: getattr(es, name)(population_size=4, solution=jnp.zeros(2)) for name in NAMES}
PARAMS = {name: made.default_params for name, made in MADE.items()}
STATES = {
    name: MADE[name].init(jax.random.key(0), jnp.zeros(2), PARAMS[name]) for name in NAMES[:3]
}
""",
    rest="they are made like those that are tried",
)
