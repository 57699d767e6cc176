"""Modules that are initialised under `nn.vmap` or `nn.scan`."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import Argument, Arguments, mapping_of, size_option
from .loops import SHARED, STREAMS, axes_of, bind_arguments, metadata, roles
from .modules import steps
from .targets import built


@st.composite
def initialised_modules(draw: st.DrawFn, *, splits: bool = True) -> Recipe:
    """Draw a transform that adds an axis to variables: `build(lift)` is the module under `lift`.

    `plain` is the module without it, `args` and `example` are the arguments of both, `seeds` the
    streams, `axis_of` the axes of collections, and `size` is the number of indices. Features are
    `way:` with the transform.

    Args:
        splits: whether the streams may be split; default `True`.
    """
    is_split = splits and draw(st.booleans())
    scope = Scope()
    way = draw(st.sampled_from(("vmap", "scan")))
    scope.note(f"way:{way}", *(["split:some"] if is_split else []))
    # Initial variables do not hold what is sown.
    built(draw, scope, steps(draw, scope), methods=False)
    size = draw(st.integers(1, 3))
    given = Arguments(draw, scope, size, loop=way == "scan")
    count = draw(st.integers(0, 2))
    first = [(2,)] if way == "vmap" else []
    args, in_axes = given.some([*first, *(given.drawn() for _ in range(count))])
    if way == "scan":
        carry = "flax_linen_numbers((2,), 5)"
        args.insert(0, Argument(carry, carry, ""))
    bind_arguments(scope, args, in_axes, size)
    # Indices that share a variable share its key, too.
    axis_of = axes_of(draw, scope, () if is_split else (SHARED,))
    if way == "scan":
        options = roles(draw, scope, axis_of)
    else:
        options = [f"'variable_axes': {mapping_of(draw, scope, axis_of)}"]
    options += [
        f"'split_rngs': {mapping_of(draw, scope, dict.fromkeys(STREAMS, str(is_split)))}",
        "'in_axes': in_axes",
        *size_option(draw, scope, {"vmap": "axis_size"}.get(way, "length"), size, given.is_mapped),
        *metadata(draw, scope),
    ]
    scope.bind("options", f"{{{', '.join(options)}}}")
    scope.bind("lift", f"lambda target, **more: flax.linen.{way}(target, **options, **more)")
    return scope.recipe()
