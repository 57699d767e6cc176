"""Flax: batches that are padded for all devices beside static arguments and results."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same, true

from .jax_utils import law, padding_changes_no_result

_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.jax_utils.html"
_NEEDS = {"jax_utils.pad_shard_unpad"}
# Static arguments: also trees of arrays with other sizes than that of the batch.
_STATIC = ("2", "'text'", "None", "object()", "{'w': np.ones((5, 2))}", "[np.float32(1.0)]", "max")
_BATCHES = (
    "np.arange({0}.0)",
    "[np.ones(({0}, 2)), (np.arange({0}),)]",
    "{{'image': np.ones({0})}}",
)


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    """Draw `args` and `named`, with batches among static arguments, and which are static.

    `options` of `pad_shard_unpad` say that by places and names; `least` is a size or `None`.
    """
    scope = Scope()
    size = repr(draw(st.integers(0, 9)))
    # One batch tells the size.
    kinds = ["batch", *draw(st.lists(st.sampled_from(("static", "batch")), max_size=3))]
    kinds = draw(st.permutations(kinds))
    texts = [
        draw(st.sampled_from(_BATCHES)).format(size)
        if kind == "batch"
        else draw(st.sampled_from(_STATIC))
        for kind in kinds
    ]
    count = draw(st.integers(0, len(kinds)))
    names = [f"n{place}" for place in range(count, len(kinds))]
    scope.bind("args", f"[{', '.join(texts[:count])}]")
    scope.bind("named", f"{{{', '.join(map('{!r}: {}'.format, names, texts[count:]))}}}")
    places = tuple(place for place in range(count) if kinds[place] == "static")
    named = dict(zip(names, kinds[count:], strict=True))
    static = tuple(name for name, kind in named.items() if kind == "static")
    scope.bind("places", repr(places))
    scope.bind("names", repr(static))
    form = draw(st.sampled_from(("tuple", "list", "frozenset")))
    chosen = [f"static_argnums={form}(places)"] if places != (0,) or draw(st.booleans()) else []
    chosen += [f"static_argnames={form}(names)"] if static or draw(st.booleans()) else []
    scope.bind("options", f"dict({', '.join(chosen)})")
    scope.bind("least", repr(draw(st.sampled_from((None, 1, 4)))))
    return scope.recipe()


@law(
    "`pad_shard_unpad` passes static arguments on as they are, and returns the others as they were "
    "where the function returns its arguments",
    source=f"{_DOCS}#flax.jax_utils.pad_shard_unpad",
    needs=_NEEDS,
    case=_calls(),
    parents=[padding_changes_no_result],
)
def static_arguments_are_not_padded(lib, case):
    static = []

    def called(*args, **named):
        static.append(_static(case, args, named))
        return _batches(case, args, named)

    padded = lib.jax_utils.pad_shard_unpad(called, **case.options)
    got = padded(*case.args, **case.named, min_device_batch=case.least)
    same(static, [_static(case, case.args, case.named)], identical=True)
    same(got, _batches(case, case.args, case.named))


@law(
    "`pad_shard_unpad` with `static_return=True` returns what the function returns",
    source=f"{_DOCS}#flax.jax_utils.pad_shard_unpad",
    needs=_NEEDS,
    case=_calls(),
    parents=[static_arguments_are_not_padded],
)
def static_results_are_returned_as_they_are(lib, case):
    results = []

    def called(*args, **named):
        results.append([args, named])
        return results[0]

    padded = lib.jax_utils.pad_shard_unpad(called, **case.options, static_return=True)
    got = padded(*case.args, **case.named, min_device_batch=case.least)
    true(got is results[0], got, "the list that the function returns")


def _static(case, args, named):
    """Return the static ones of arguments by place and name."""
    return _chosen(case, args, named, is_static=True)


def _batches(case, args, named):
    """Return the other arguments by place and name."""
    return _chosen(case, args, named, is_static=False)


def _chosen(case, args, named, *, is_static):
    static = {*map(str, case.places), *case.names}
    given = {**{str(place): one for place, one in enumerate(args)}, **named}
    return {key: one for key, one in given.items() if (key in static) is is_static}
