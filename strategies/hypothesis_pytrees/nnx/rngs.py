"""Random streams of Flax NNX and what is asked of them, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope


def _rngs(text: str, streams: str) -> Kind:
    features = tuple(f"stream:{name}" for name in streams.split())
    return Kind("nnx-rngs", text, (), features)


RNGS: Sequence[Kind] = (
    _rngs("nnx.Rngs(0)", "default"),
    _rngs("nnx.Rngs(params=0)", "params"),
    _rngs("nnx.Rngs(params=0, dropout=1)", "params dropout"),
    _rngs("nnx.Rngs(7, params=3)", "default params"),
    _rngs("nnx.Rngs(default=0, noise=jax.random.key(5))", "default noise"),
    _rngs("nnx.Rngs({'params': 1, 'noise': 2})", "params noise"),
    _rngs("nnx.Rngs(dropout=2, params=jax.random.key(1), noise=3)", "dropout params noise"),
)
STREAMS: Sequence[str] = ("params", "dropout", "noise", "default")


def streams_of(features: frozenset[str]) -> list[str]:
    """Return the names of the streams that the features of a recipe tell of, sorted."""
    return sorted(name[7:] for name in features if name.startswith("stream:"))


@st.composite
def random_streams(draw: st.DrawFn, *, most: int = 4, absent: bool = False) -> Recipe:
    """Draw `rngs`, the `names` of its streams, and `calls`, names of streams to call.

    Calls name streams that are there; where there is a default stream, others too. Feature
    `rngs:used` where each stream was called before, `calls:own` where the first call names a stream
    that is there.

    Args:
        most: most calls; default 4.
        absent: let calls name any stream, there or not; default `False`.

    Raises:
        ValueError: `most` is below 1.
    """
    if most < 1:
        raise ValueError(f"most must be at least 1, got {most}")
    scope = Scope()
    kind = draw(st.sampled_from(usable(tuple(RNGS))))
    scope.note(kind.name, *kind.features)
    scope.bind("rngs", kind.template)
    names = streams_of(frozenset(kind.features))
    scope.bind("names", repr(names))
    callable_names = STREAMS if absent or "default" in names else tuple(names)
    calls = draw(st.lists(st.sampled_from(callable_names), min_size=1, max_size=most))
    scope.bind("calls", repr(calls))
    if calls[0] in names:
        scope.note("calls:own")
    if draw(st.booleans()):
        scope.statement("[rngs[name]() for name in names]")
        scope.note("rngs:used")
    return scope.recipe()
