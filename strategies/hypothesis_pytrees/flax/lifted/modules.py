"""Linen modules of several collections that compute without rounding."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

CODE = """\
def flax_linen_numbers(shape, start=0):
    numbers = (np.arange(math.prod(shape)) * 3 + start) % 7
    return jax.device_put(numbers.astype(np.float32).reshape(shape))


def flax_linen_drawn(key, shape):
    return jax.random.randint(key, shape, 0, 3).astype(np.float32)


def flax_linen_boxed(box, make):
    # `box` is the name of a kind of box, or empty.
    def make_box(*args, **options):
        value = make(*args, **options)
        names = ('rows', None, 'columns', None)[: value.ndim]
        wrap = flax.linen.with_partitioning
        if box == 'LogicallyPartitioned':
            wrap = flax.linen.with_logical_partitioning
        return wrap(lambda: value, names)()

    return make_box if box else make


class FlaxLinenSteps(flax.linen.Module):
    # Does its steps in order. All numbers are small integers and none is negative, so that no sum
    # is rounded and no zero has a sign.
    steps: tuple

    @flax.linen.compact
    def __call__(self, c, *xs, more=None):
        c = jnp.remainder(c, 16)
        for x in jtu.tree_leaves((xs, more)):
            c = c + x
        for kind, name, *rest in self.steps:
            if kind == 'bias':
                make = flax_linen_boxed(rest[0], flax_linen_drawn)
                c = c + self.param(name, make, (2,))
            elif kind == 'kernel':
                make = flax_linen_boxed(rest[0], flax_linen_drawn)
                c = jnp.remainder(c @ self.param(name, make, (2, 2)), 16)
            elif kind == 'count':
                start = lambda: flax_linen_drawn(self.make_rng('params'), (2,))
                held = self.variable('stats', name, flax_linen_boxed(rest[0], start))
                c = c + held.value
                if self.is_mutable_collection('stats') and not self.is_initializing():
                    held.value = held.value + c
            elif kind == 'constant':
                start = lambda: flax_linen_drawn(self.make_rng('params'), (2,))
                c = c + self.variable('consts', name, start).value
            elif kind == 'sow':
                self.sow('intermediates', name, c)
            else:
                c, _ = FlaxLinenSteps(rest[0], name=name)(c)
        return c, {'total': c.sum(), 'parts': (c, None), 'fixed': jnp.zeros(3, np.float32)}

    def go(self, *args, **options):
        return self(*args, **options)


class FlaxLinenHolder(flax.linen.Module):
    # Calls a function with the module that it holds.
    inner: flax.linen.Module
    call: typing.Callable

    def __call__(self, *args, **options):
        return self.call(self.inner, *args, **options)
"""
BOXES = ("Partitioned", "LogicallyPartitioned")
KINDS = ("bias", "kernel", "count", "constant", "sow")
# The same, with more of those that change a variable.
COUNTING = ("count", *KINDS, "count")
COLLECTIONS = ("params", "stats", "consts", "intermediates")
_OF = {"bias": "params", "kernel": "params", "count": "stats", "constant": "consts"}
_BOXED = ("bias", "kernel", "count")
_NAMES = ("w", "kernel", "b_0")


def steps(
    draw: st.DrawFn, scope: Scope, kinds: Collection[str] = KINDS, *, boxes: bool = True
) -> str:
    """Draw the text of the steps of a `FlaxLinenSteps`.

    Features are `step:` with the kind of a step, `box:` with that of a box, `boxed:`
    with a collection that holds one, `inner:deep` for a
    module inside a module that is inside, and `in:` with a collection that holds a variable.

    Args:
        draw: the function of Hypothesis.
        scope: takes the class and the features.
        kinds: what steps do, beside calls of modules.
        boxes: whether some variables are in boxes.
    """
    scope.define(CODE)
    held = ("", *BOXES) if boxes and draw(st.booleans()) else ("",)
    return _steps(draw, scope, tuple(sorted(kinds)), held, 2, itertools.count())


def _steps(
    draw: st.DrawFn,
    scope: Scope,
    kinds: tuple[str, ...],
    held: tuple[str, ...],
    depth: int,
    numbers: itertools.count[int],
) -> str:
    texts: list[str] = []
    for name in _NAMES[: draw(st.integers(1, 3))]:
        kind = draw(st.sampled_from((*kinds, *(("inner",) if depth else ()))))
        scope.note(f"step:{kind}", *([f"in:{_OF[kind]}"] if kind in _OF else []))
        if kind == "inner":
            scope.note(*(["inner:deep"] if depth == 1 else []))
            inner = _steps(draw, scope, kinds, held, depth - 1, numbers)
            texts.append(f"('inner', {name!r}, {inner})")
        elif kind in _BOXED:
            box = draw(st.sampled_from(held))
            scope.note(*([f"box:{box}", f"boxed:{_OF[kind]}"] if box else []))
            texts.append(f"({kind!r}, {name!r}, {box!r})")
        else:
            texts.append(f"({kind!r}, {name!r})")
    return f"({', '.join(texts)},)"
