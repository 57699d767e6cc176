"""Draw a function of `jax.random` that streams of Flax NNX have as a method, with arguments."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

# By name: the arguments after the key. All since the first release with such methods.
_FUNCTIONS = {
    "ball": "(2,)",
    "bernoulli": "(0.5, (2, 3))",
    "beta": "(1.0, 2.0, (2,))",
    "binomial": "(5, 0.5, (2,))",
    "bits": "((2,),)",
    "categorical": "(jnp.zeros(4),)",
    "cauchy": "((2,),)",
    "chisquare": "(2.0, (2,))",
    "choice": "(5, (2,))",
    "dirichlet": "(jnp.ones(3),)",
    "double_sided_maxwell": "(0.0, 1.0, (2,))",
    "exponential": "((2,),)",
    "f": "(2.0, 3.0, (2,))",
    "gamma": "(2.0, (2,))",
    "generalized_normal": "(2.0, (2,))",
    "geometric": "(0.5, (2,))",
    "gumbel": "((2,),)",
    "laplace": "((2,),)",
    "loggamma": "(2.0, (2,))",
    "logistic": "((2,),)",
    "lognormal": "(1.0, (2,))",
    "maxwell": "((2,),)",
    "multinomial": "(5.0, jnp.float32([0.25, 0.25, 0.5]))",
    "multivariate_normal": "(jnp.zeros(2), np.eye(2, dtype=np.float32))",
    "normal": "((2, 3),)",
    "orthogonal": "(2,)",
    "pareto": "(2.0, (2,))",
    "permutation": "(5,)",
    "poisson": "(2.0, (2,))",
    "rademacher": "((2,),)",
    "randint": "((2,), 0, 9)",
    "rayleigh": "(1.0, (2,))",
    "t": "(2.0, (2,))",
    "triangular": "(0.0, 0.5, 1.0, (2,))",
    "truncated_normal": "(-1.0, 1.0, (2,))",
    "uniform": "()",
    "wald": "(1.0, (2,))",
    "weibull_min": "(1.0, 2.0, (2,))",
}
# Arguments that some functions take by name, in all supported releases of JAX.
_OPTIONS = {
    "ball": ("{'p': 1}", "{'shape': (3,), 'dtype': 'float16'}"),
    "bernoulli": ("{'mode': 'high'}",),
    "categorical": ("{'axis': 0}", "{'shape': (3,)}", "{'shape': (3,), 'replace': False}"),
    "choice": ("{'replace': False}", "{'p': jnp.float32([0, 0.5, 0, 0.5, 0])}"),
    "dirichlet": ("{'shape': (2,)}",),
    "lognormal": ("{'dtype': 'float16'}",),
    "multinomial": ("{'shape': (2, 3)}", "{'unroll': 2}"),
    "multivariate_normal": ("{'shape': (3,)}", "{'method': 'eigh'}", "{'method': 'svd'}"),
    "normal": ("{'dtype': 'float16'}", "{'dtype': 'complex64'}"),
    "orthogonal": ("{'shape': (3,)}", "{'m': 3}"),
    "permutation": ("{'independent': True}",),
    "poisson": ("{'dtype': 'int16'}",),
    "rademacher": ("{'dtype': 'int8'}",),
    "randint": ("{'dtype': 'uint8'}",),
    "truncated_normal": ("{'dtype': 'float16'}",),
    "uniform": ("{'shape': (3,), 'minval': -1.0, 'maxval': 2.0}", "{'dtype': 'float16'}"),
    "weibull_min": ("{'dtype': 'float16'}",),
}
# Calls that take another first argument: all arguments, and what is passed by name.
_ARRAYS = {
    "choice": (
        ("(np.arange(6).reshape(2, 3), (2,))", "{'axis': 1}"),
        ("(jnp.arange(5.0), (2,))", "{'replace': False}"),
    ),
    "permutation": (
        ("(np.arange(6).reshape(2, 3),)", "{'axis': 1}"),
        ("(jnp.arange(6).reshape(2, 3),)", "{'axis': 1, 'independent': True}"),
    ),
}
_SIDES = ("{'in_axis': 0, 'out_axis': 1}", "{'batch_axis': 0}", "{'dtype': 'float16'}")
_INITIALIZER_OPTIONS = {"delta_orthogonal": ("{'scale': 2.0}", "{'column_axis': 1}")}
# Of `jax.nn.initializers`: arguments, and the shape that the initializer gets.
_INITIALIZERS = {
    "delta_orthogonal": ("()", "(2, 3, 3)"),
    "glorot_normal": ("()", "(4, 2, 3)"),
    "glorot_uniform": ("()", "(4, 2, 3)"),
    "he_normal": ("()", "(4, 2, 3)"),
    "he_uniform": ("()", "(4, 2, 3)"),
    "kaiming_normal": ("()", "(4, 2, 3)"),
    "kaiming_uniform": ("()", "(4, 2, 3)"),
    "lecun_normal": ("()", "(4, 2, 3)"),
    "lecun_uniform": ("()", "(4, 2, 3)"),
    "variance_scaling": ("(1.0, 'fan_in', 'normal')", "(4, 2, 3)"),
    "xavier_normal": ("()", "(4, 2, 3)"),
    "xavier_uniform": ("()", "(4, 2, 3)"),
}


@st.composite
def random_functions(draw: st.DrawFn) -> Recipe:
    """Bind the `name` of a function, its `arguments` after the key, and `options` by name."""
    scope = Scope()
    name = draw(st.sampled_from(sorted(_FUNCTIONS)))
    scope.note(f"random:{name}")
    scope.bind("name", repr(name))
    arguments, options = draw(st.sampled_from(_calls(name)))
    scope.bind("arguments", arguments)
    scope.bind("options", options)
    return scope.recipe()


def _calls(name: str) -> Sequence[tuple[str, str]]:
    """Return the calls of a function: its arguments after the key, and what it takes by name."""
    named = ((_FUNCTIONS[name], options) for options in ("{}", *_OPTIONS.get(name, ())))
    return (*named, *_ARRAYS.get(name, ()))


def every_random_function() -> st.SearchStrategy[Recipe]:
    """Bind `functions` and `initializers`: each call as a name, arguments and options by name."""
    scope = Scope()
    functions = [(name, *call) for name in _FUNCTIONS for call in _calls(name)]
    makers = [
        (name, arguments, options)
        for name, (arguments, _) in _INITIALIZERS.items()
        for options in _maker_options(name)
    ]
    for bound, calls in (("functions", functions), ("initializers", makers)):
        texts = (f"({name!r}, {arguments}, {options})" for name, arguments, options in calls)
        scope.bind(bound, f"[{', '.join(texts)}]")
    return st.just(scope.recipe())


@st.composite
def initializers(draw: st.DrawFn) -> Recipe:
    """Bind the `name` of a maker of initializers, its `arguments` and `options`, and a `shape`."""
    scope = Scope()
    name = draw(st.sampled_from(sorted(_INITIALIZERS)))
    arguments, shape = _INITIALIZERS[name]
    scope.note(f"initializer:{name}")
    scope.bind("name", repr(name))
    scope.bind("arguments", arguments)
    scope.bind("options", draw(st.sampled_from(_maker_options(name))))
    scope.bind("shape", shape)
    return scope.recipe()


def _maker_options(name: str) -> Sequence[str]:
    return ("{}", *_INITIALIZER_OPTIONS.get(name, _SIDES))
