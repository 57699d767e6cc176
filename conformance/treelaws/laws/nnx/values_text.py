"""Flax NNX: the text of a Variable."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.variables import VARIABLE_TYPES, values
from treelaws.equality import equal, true

from .values import law

_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html"
_NAMES = ("rank", "tag", "_private", "out")
_TEXTS = ("1", "True", "2.5", "'text'", "None", "('rows', None)", "()")
# Required entries, and the value of each that is not shown. No entry is `...`.
_OPTIONS = {"eager_sharding": True, "hijax": False, "ref": False}


@st.composite
def _shown(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, its `name`, its `value` and its metadata `given`, in their order."""
    scope = Scope()
    scope.bind("value", draw(values()))
    names = draw(st.lists(st.sampled_from(_NAMES), max_size=3, unique=True))
    pairs = [(name, draw(st.sampled_from(_TEXTS))) for name in names]
    kind = draw(st.sampled_from(VARIABLE_TYPES))
    scope.define(*kind.definitions)
    options = {key: draw(st.booleans()) for key in ("eager_sharding",) if draw(st.booleans())}
    given = [f"{key!r}: {text}" for key, text in (*pairs, *options.items())]
    scope.bind("given", f"{{{', '.join(given)}}}")
    scope.bind(
        "variable", kind.template.replace("$value", "value").replace("$options", ", **given")
    )
    scope.bind("display", "__import__('treescope').render_to_text")
    scope.bind("name", repr(kind.name.removeprefix("nnx.")))
    return scope.recipe()


@law(
    "the text of a Variable has the name of its type, the number of its numbers and of their "
    "bytes, its value, and the metadata that it was given, by name",
    source=_BASICS,
    # The guide shows such texts and promises none.
    level="observed",
    needs={"Variable.get_raw_value"},
    case=_shown(),
)
def the_text_shows_value_and_metadata(lib, case):
    found = "".join(repr(case.variable).split())
    # Mapping a dict sorts its keys.
    entries = [("value", jtu.tree_map(lambda leaf: leaf, case.value)), *case.given.items()]
    shown = [f"{name}={value!r}" for name, value in entries if _OPTIONS.get(name, ...) is not value]
    texts = ["".join(text.split()) for text in shown]
    equal(found.startswith(f"{case.name}({_size(case.value)}{texts[0]}"), True)
    equal(len(found), len(f"{case.name}({_size(case.value)}{','.join(texts)})"))
    true(all(text in found for text in texts), found, f"{texts}")


@law(
    "a Variable that Treescope displays has the name of its type, its value, and the metadata that "
    "it was given, by name",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/visualization.html",
    level="should",
    needs={"Variable.get_raw_value"},
    case=_shown(),
)
def treescope_shows_value_and_metadata(lib, case):
    found = "".join(case.display(case.variable).split())
    # A comment does not stand in a line of its own.
    starts = (f"{case.name}(value=", f"{case.name}({_size(case.value)}value=")
    true(found.startswith(starts), found, starts[1])
    names = [name for name, value in case.given.items() if _OPTIONS.get(name, ...) is not value]
    texts = ["".join(f"{name}={case.given[name]!r}".split()) for name in names]
    true(all(text in found for text in texts), found, f"{texts}")


def _size(value):
    """Return the number of numbers in the arrays of a value, and of their bytes, as text."""
    arrays = [leaf for leaf in jtu.tree_leaves(value) if hasattr(leaf, "nbytes")]
    count, size = (sum(getattr(one, name) for one in arrays) for name in ("size", "nbytes"))
    return f"#{count}({size}B)" if count else ""
