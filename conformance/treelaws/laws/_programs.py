"""What an option of a transform changes in the program of JAX."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import jax

_PLAIN = (bool, int, float, type(None), enum.Enum, jax.sharding.Sharding)


def change_by(with_option: Callable[..., Any], without: Callable[..., Any], *args: Any) -> Any:
    """Return the parameters of primitives that only the jaxpr with an option has, and those of
    which only the other one has more, the latter without their values.

    Args:
        with_option: a function of arrays.
        without: the same without the option.
        args: the arrays.
    """
    one, other = (
        Counter(_parameters(jax.make_jaxpr(function)(*args).jaxpr))
        for function in (with_option, without)
    )
    # The values without an option are defaults, which a library may set otherwise.
    gone = Counter((primitive, name) for primitive, name, _ in (other - one).elements())
    return one - other, gone


def _parameters(jaxpr: Any) -> Iterator[tuple[str, str, str]]:
    for equation in jaxpr.eqns:
        for name, value in equation.params.items():
            for inner in value if isinstance(value, tuple | list) else (value,):
                # A closed program holds one.
                held = getattr(inner, "jaxpr", inner)
                if hasattr(held, "eqns"):
                    yield from _parameters(held)
            # Functions have other names in each library.
            if name != "name" and _is_plain(value):
                yield equation.primitive.name, name, _shown(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) or bool(_policy(value))


def _policy(value: Any) -> str:
    policies = vars(jax.checkpoint_policies).items()
    return next((name for name, one in policies if one is value), "")


def _shown(value: Any) -> str:
    in_order = sorted(map(repr, value)) if isinstance(value, set | frozenset) else value
    return _policy(value) or repr(in_order)
