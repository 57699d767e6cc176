"""Modules of Flax NNX that return their arguments, converted to Linen, alone and in modules."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_CLASS = """\
class NnxReturnsArguments(nnx.Module):
    def __init__(self, *args, **named):
        self.given = lambda: (args, named)

    def __call__(self):
        return self.given()
"""
# By the feature of what the argument holds. Linen makes tuples of lists and FrozenDicts of dicts.
_VALUES = {
    "text": ("'relu'", "''", "b'relu'"),
    "number": ("3", "0.5", "True", "None"),
    "tuple": ("(3, 4)", "()", "('a', (1, None))"),
    "array": ("np.ones(2)", "(np.float32(1), np.arange(3))"),
    "function": ("max", "np.tanh", "nnx.Linear", "(max, dict)"),
    "frozen-dict": ("flax.core.freeze({'rate': 0.5})", "flax.core.freeze({'a': {'b': 1}})"),
}
_NAMES = ("features", "in_features", "kernel_init", "args", "kwargs", "scope", "path", "training")


@st.composite
def converted_arguments(draw: st.DrawFn) -> Recipe:
    """Draw `args` and `named`; `linen`, the module that they make; and `skipped`, `skip_rng`.

    The module returns its arguments. Features are `argument:` with what they hold.
    """
    scope = Scope()
    scope.define(_CLASS)
    kinds = draw(st.lists(st.sampled_from(tuple(_VALUES)), min_size=1, max_size=3))
    scope.note(*(f"argument:{kind}" for kind in kinds))
    texts = [draw(st.sampled_from(_VALUES[kind])) for kind in kinds]
    count = draw(st.integers(0, len(texts)))
    names = draw(st.permutations(_NAMES))[: len(texts) - count]
    scope.bind("args", f"({''.join(f'{text}, ' for text in texts[:count])})")
    scope.bind("named", f"{{{', '.join(map('{!r}: {}'.format, names, texts[count:]))}}}")
    skipped = draw(st.booleans())
    scope.bind("skipped", repr(skipped))
    option = ", skip_rng=True" if skipped else draw(st.sampled_from(("", ", skip_rng=False")))
    option += draw(st.sampled_from(("", ", name='converted'")))
    forms = (
        "nnx.bridge.to_linen(NnxReturnsArguments, *args, **named{})",
        "nnx.bridge.ToLinen(NnxReturnsArguments, args=args, kwargs=named{})",
        "nnx.bridge.ToLinen(NnxReturnsArguments, args, named{})",
    )
    scope.bind("linen", draw(st.sampled_from(forms)).format(option))
    return scope.recipe()


_HOLDER = """\
class NnxLinenHoldsConverted(flax.linen.Module):
    # Calls converted modules one after the other.
    makers: tuple

    @flax.linen.compact
    def __call__(self, x):
        seen = []
        for make in self.makers:
            x, values = make()(x)
            seen.append(values)
        return x, seen
"""


@st.composite
def held_converted(draw: st.DrawFn, part: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw `linen` and `parts` as `part`; and `outer`, a module of Linen that holds it by `names`.

    Args:
        part: draws a converted module, `linen`, its `parts` and its input `x`.
    """
    scope = Scope()
    scope.include(draw(part))
    scope.define(_HOLDER)
    names = draw(st.lists(st.sampled_from(("a", "w", "layers_0")), max_size=2, unique=True))
    made = "lambda: nnx.bridge.to_linen(NnxConvertible, parts{})"
    makers = [made.format(f", name={name!r}") for name in names]
    # Linen names the others itself.
    others = draw(st.integers(0 if names else 1, 2))
    makers += [made.format("")] * others
    given = [*names, *(f"ToLinen_{place}" for place in range(others))]
    scope.bind("names", repr(given))
    scope.bind("outer", f"NnxLinenHoldsConverted(({''.join(f'{one}, ' for one in makers)}))")
    return scope.recipe()
