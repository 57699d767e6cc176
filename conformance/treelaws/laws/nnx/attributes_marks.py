"""Flax NNX: options of `nnx.data` and `nnx.static`, which mark fields of classes."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from .attributes import law

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/pytreelib.py"
# By option: its default in the signature, and other values.
_OPTIONS = {
    "init": ("True", "False"),
    "repr": ("True", "False"),
    "hash": ("None", "True"),
    "compare": ("True", "False"),
    "metadata": ("None", "{'unit': 'metre'}"),
    # Written as False, it is an option of the field, which that of the class does not change.
    "kw_only": ("dataclasses.MISSING", "True"),
    "default": ("dataclasses.MISSING", "2.5"),
    "default_factory": ("None", "list"),
}


@st.composite
def _marks(draw: st.DrawFn) -> Recipe:
    """Draw `mark`, a function, `given`, options of it, and `written`: these and some defaults."""
    scope = Scope()
    scope.bind("mark", draw(st.sampled_from(("nnx.data", "nnx.static"))))
    names = draw(st.lists(st.sampled_from(tuple(_OPTIONS)), min_size=1, max_size=3, unique=True))
    given = [name for name in names if draw(st.booleans())]
    # A field has one default.
    given = [one for one in given if one != "default_factory" or "default" not in given]
    scope.bind("given", f"dict({', '.join(f'{name}={_OPTIONS[name][1]}' for name in given)})")
    defaults = [name for name in names if name not in given]
    scope.note(*(f"written:{name}" for name in defaults))
    texts = (f"{name}={_OPTIONS[name][0]}" for name in defaults)
    scope.bind("written", f"dict(given, {', '.join(texts)})")
    return scope.recipe()


@law(
    "`data` and `static` mark a field alike whether an option is left out or given its default",
    source=_CODE,
    level="should",
    needs={"data", "static", "dataclass"},
    case=_marks(),
)
def a_default_that_is_written_changes_nothing(lib, case):
    equal(_about(case.mark(**case.written)), _about(case.mark(**case.given)))


def _about(field):
    """Return what a field holds: two fields are never equal."""
    names = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    return {name: getattr(field, name) for name in names} | {"metadata": dict(field.metadata)}
