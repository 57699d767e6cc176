"""Flax NNX: methods of `Rngs` and of its streams that draw random numbers."""

from __future__ import annotations

import jax

from hypothesis_pytrees.nnx.random_methods import (
    every_random_function,
    initializers,
    random_functions,
)
from treelaws.equality import same

from ._model import same_graph
from .rngs import law

# A shape that each initializer takes.
_SHAPE = (2, 3, 3)
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/randomness.html#jax-random-shorthand-methods"


@law(
    "each method of Rngs that has the name of a function of `jax.random` gives the result of that "
    "function with the next key of the default stream",
    source=_GUIDE,
    needs={"Rngs.normal"},
    case=random_functions(),
)
def methods_of_rngs_take_the_next_default_key(lib, case):
    rngs, other = lib.Rngs(0), lib.Rngs(0)
    function = getattr(jax.random, case.name)
    for _ in range(2):
        wanted = function(other.default(), *case.arguments, **case.options)
        same(getattr(rngs, case.name)(*case.arguments, **case.options), wanted)
    same_graph(rngs, other)


@law(
    "each method of a stream that has the name of a function of `jax.random` gives the result of "
    "that function with the next key of the stream",
    source=_GUIDE,
    needs={"Rngs.normal"},
    case=random_functions(),
)
def methods_of_a_stream_take_its_next_key(lib, case):
    rngs, other = lib.Rngs(0, noise=1), lib.Rngs(0, noise=1)
    function = getattr(jax.random, case.name)
    for _ in range(2):
        wanted = function(other.noise(), *case.arguments, **case.options)
        same(getattr(rngs.noise, case.name)(*case.arguments, **case.options), wanted)
    same_graph(rngs, other)


@law(
    "each method of Rngs that has the name of a maker of initializers returns that initializer, "
    "which takes the next key each time it is called",
    source=_GUIDE,
    needs={"Rngs.lecun_normal"},
    case=initializers(),
)
def initializers_take_the_next_key(lib, case):
    rngs, other = lib.Rngs(0, noise=1), lib.Rngs(0, noise=1)
    initializer = getattr(jax.nn.initializers, case.name)(*case.arguments, **case.options)
    for ours, theirs in ((rngs, other.default), (rngs.noise, other.noise)):
        keyless = getattr(ours, case.name)(*case.arguments, **case.options)
        for _ in range(2):
            same(keyless(case.shape), initializer(theirs(), case.shape))
    same_graph(rngs, other)


@law(
    "Rngs and their streams have a method for each of these functions, whose result has the shape "
    "and dtype that the function gives",
    source=_GUIDE,
    needs={"Rngs.normal", "Rngs.lecun_normal"},
    case=every_random_function(),
    parents=[methods_of_rngs_take_the_next_default_key],
)
def every_method_is_there(lib, case):
    for name, *given in case.functions:
        _same_types(lib, _function(getattr(jax.random, name), *given), _method(name, *given))
    for name, *given in case.initializers:
        initializer = _called(jax.nn.initializers, name, *given)
        _same_types(lib, _function(initializer, (_SHAPE,), {}), _method(name, *given, _SHAPE))


def _function(function, arguments, options):
    """Return a function of a key that draws by a function of JAX."""
    return lambda key: function(key, *arguments, **options)


def _called(owner, name, arguments, options):
    return getattr(owner, name)(*arguments, **options)


def _method(name, arguments, options, *shapes):
    """Return a function of Rngs or a stream that draws by a method."""

    def drawn(owner):
        found = _called(owner, name, arguments, options)
        return found(*shapes) if shapes else found

    return drawn


def _same_types(lib, function, drawn):
    """Check that Rngs and a stream draw what a function of a key gives, by shape and dtype."""
    wanted = jax.eval_shape(function, jax.random.key(0))
    for owner in (lambda rngs: rngs, lambda rngs: rngs.default):
        same(jax.eval_shape(lambda owner=owner: drawn(owner(lib.Rngs(0)))), wanted)
