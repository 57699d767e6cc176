"""Calls of `nn.vmap` and `nn.scan` on modules with variables of several collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import Argument, Arguments, filter_of, mapping_of, result_axes, size_option
from .modules import COLLECTIONS, COUNTING, steps
from .targets import bind_call, built

_STACK = "'metadata_params': {flax.linen.PARTITION_NAME: 'stack'}"
_BOXES = {"box:Partitioned", "box:LogicallyPartitioned"}
STREAMS = ("params", "noise")
_CARRY, SHARED = "'carry'", "None"


@st.composite
def mapped_modules(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.vmap`.

    `build(lift)` is the module with the transform, `plain` the module without. `args` are the
    arguments of all indices, `in_axes` their axes; `each` are the variables of each index, and
    `axis_of` are the axes of collections. `options` are those of `nn.vmap`, `call` those of
    `apply`. A feature is `split:some` if a stream is split.
    """
    scope = Scope()
    extra = built(draw, scope, steps(draw, scope))
    size = draw(st.integers(1, 3))
    given = Arguments(draw, scope, size, loop=False)
    args, in_axes = given.some([(2,), *(given.drawn() for _ in range(draw(st.integers(0, 2))))])
    bind_arguments(scope, args, in_axes, size)
    axis_of = axes_of(draw, scope, (SHARED,))
    scope.bind("out_axes", _out_axes(draw, scope))
    options = [
        f"'variable_axes': {mapping_of(draw, scope, axis_of)}",
        f"'split_rngs': {_splits(draw, scope)}",
        "'in_axes': in_axes",
        "'out_axes': out_axes",
        *size_option(draw, scope, "axis_size", size, given.is_mapped),
        *metadata(draw, scope),
    ]
    if draw(st.booleans()):
        options.append("'axis_name': 'batch'")
    if draw(st.booleans()):
        scope.note("option:spmd_axis_name")
        options.append("'spmd_axis_name': 'batch'")
    scope.bind("options", f"{{{', '.join(options)}}}")
    bind_call(draw, scope, extra, fixed=_fixed(axis_of), carried=_carried(axis_of))
    return scope.recipe()


@st.composite
def scanned_modules(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.scan`, with the names of `mapped_modules`.

    The first of `args` is carried, `in_axes` are the axes of the others, and `out_axes` those of
    the second result. `axis_of` a collection is also `'carry'`. `order` are the indices in order.
    The call may change what is carried.
    """
    scope = Scope()
    extra = built(draw, scope, steps(draw, scope, COUNTING))
    size = draw(st.integers(1, 4))
    given = Arguments(draw, scope, size, loop=True)
    args, in_axes = given.some([given.drawn() for _ in range(draw(st.integers(0, 2)))])
    carry = "flax_linen_numbers((2,), 5)"
    bind_arguments(scope, [Argument(carry, carry, ""), *args], in_axes, size)
    axis_of = axes_of(draw, scope, (_CARRY, SHARED, _CARRY, _CARRY))
    scope.bind("out_axes", result_axes(draw, scope, loop=True))
    reverse = draw(st.booleans())
    scope.bind("order", f"range({size})[::-1]" if reverse else f"range({size})")
    options = [
        *roles(draw, scope, axis_of),
        f"'split_rngs': {_splits(draw, scope)}",
        "'in_axes': in_axes",
        "'out_axes': out_axes",
        *(["'reverse': True"] if reverse else []),
        *size_option(draw, scope, "length", size, given.is_mapped),
        *metadata(draw, scope),
    ]
    unroll = draw(st.integers(1, 3))
    options += [f"'unroll': {unroll}"] if unroll > 1 else []
    scope.bind("options", f"{{{', '.join(options)}}}")
    bind_call(draw, scope, extra, fixed=_fixed(axis_of), carried=_carried(axis_of))
    return scope.recipe()


def bind_arguments(scope: Scope, args: Sequence[Argument], in_axes: str, size: int) -> None:
    """Bind arguments, the `seeds` of streams, and the variables of each index."""
    scope.bind("args", f"({''.join(f'{one.whole}, ' for one in args)})")
    scope.bind("in_axes", in_axes)
    scope.bind("seeds", "{'params': jax.random.key(7), 'noise': jax.random.key(8)}")
    scope.bind("example", f"({''.join(f'{one.one}, ' for one in args)})")
    made = "plain.init({**seeds, 'params': jax.random.key(i)}, *example)"
    scope.bind("each", f"[{made} for i in range({size})]")


def axes_of(draw: st.DrawFn, scope: Scope, others: tuple[str, ...]) -> dict[str, str]:
    """Bind and return the axis of each collection.

    Args:
        draw: the function of Hypothesis.
        scope: takes the name and the features.
        others: what a collection may have instead of an axis.
    """
    # `add_axis` of a box places the name of a negative axis wrongly; laws of boxes cover it.
    axes = ("0", "1") if scope.features & _BOXES else ("0", "1", "-1")
    found: dict[str, str] = {}
    for name in COLLECTIONS:
        # What is sown has another structure after a call, so that it cannot be carried.
        free = axes if name == "intermediates" else (*axes, *others)
        found[name] = draw(st.sampled_from(free))
        scope.note(f"{name}:{'shared' if found[name] == SHARED else found[name].strip(chr(39))}")
    scope.bind("axis_of", f"{{{', '.join(f'{name!r}: {axis}' for name, axis in found.items())}}}")
    return found


def roles(draw: st.DrawFn, scope: Scope, axis_of: Mapping[str, str]) -> list[str]:
    """Return the options of `nn.scan` that say what happens to each collection."""
    shared, carried = (
        [name for name in axis_of if axis_of[name] == role] for role in (SHARED, _CARRY)
    )
    scanned = {name: axis for name, axis in axis_of.items() if axis not in (SHARED, _CARRY)}
    others = [name for name in axis_of if name not in shared]
    options = [f"'variable_axes': {mapping_of(draw, scope, scanned)}"] if scanned else []
    if shared or draw(st.booleans()):
        options.append(f"'variable_broadcast': {filter_of(draw, shared, others)}")
    if carried or draw(st.booleans()):
        rest = [name for name in axis_of if name not in carried]
        options.append(f"'variable_carry': {filter_of(draw, carried, rest)}")
    return options


def _splits(draw: st.DrawFn, scope: Scope) -> str:
    split_of = {name: draw(st.sampled_from(("False", "True"))) for name in STREAMS}
    scope.note(*(["split:some"] if "True" in split_of.values() else []))
    return mapping_of(draw, scope, split_of)


def metadata(draw: st.DrawFn, scope: Scope) -> list[str]:
    """Return the option that names new axes, if it is needed or drawn."""
    return [_STACK] if scope.features & _BOXES or draw(st.booleans()) else []


def _out_axes(draw: st.DrawFn, scope: Scope) -> str:
    if draw(st.booleans()):
        return draw(st.sampled_from(("0", "-1")))
    first = draw(st.sampled_from(("0", "1", "-1", "-2")))
    return f"({first}, {result_axes(draw, scope, loop=False)})"


def _fixed(axis_of: Mapping[str, str]) -> list[str]:
    """Return the collections that a step would change while all indices share them."""
    return ["stats"] if axis_of["stats"] == SHARED else []


def _carried(axis_of: Mapping[str, str]) -> list[str]:
    return [name for name, axis in axis_of.items() if axis == _CARRY]
