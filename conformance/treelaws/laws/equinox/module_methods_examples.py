"""Equinox Modules: tools that read a class find what they find in an ordinary class."""

from __future__ import annotations

import doctest

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from .module_methods import bound_methods_keep_metadata, law

_TEXT = """\
        \'\'\'Show.

        >>> {number} + 1
        {sum}
        \'\'\'
        return {number}
"""
_HEADS = {
    "method": "    def {name}(self):\n",
    "class-method": "    @classmethod\n    def {name}(cls):\n",
    "static-method": "    @staticmethod\n    def {name}():\n",
    "property": "    @property\n    def {name}(self):\n",
    "call": "    def __call__(self):\n",
    "init": "    def __init__(self):\n",
    "jitted": "    @jax.jit\n    def {name}(self):\n",
    "wrapped": "    @functools.wraps(len)\n    def {name}(self):\n",
}


@st.composite
def _documented(draw: st.DrawFn) -> Recipe:
    """Bind `module`, a class of a Module, and `twin`, an ordinary class with the same body."""
    scope = Scope()
    kinds = draw(st.lists(st.sampled_from(list(_HEADS)), min_size=1, max_size=3, unique=True))
    below = draw(st.booleans())
    scope.note(*(f"member:{kind}" for kind in kinds))
    body = ""
    for number, kind in enumerate(kinds):
        text = _TEXT.format(number=number, sum=number + 1)
        if kind == "init":
            text = text.replace(f"return {number}", "pass")
        body += _HEADS[kind].format(name=f"member_{number}") + text + "\n"
    stem = "".join(kind.title().replace("-", "") for kind in kinds)
    for name, cls, base in (
        ("module", f"Documented{stem}", "(eqx.Module)"),
        ("twin", f"PlainDocumented{stem}", ""),
    ):
        scope.define(f"class {cls}{base}:\n{body}")
        if below:
            scope.define(f"class {cls}Below({cls}):\n{body}")
        scope.bind(name, f"{cls}Below" if below else cls)
    return scope.recipe()


@law(
    "`doctest` finds the examples in the methods of a Module, as in those of an ordinary class",
    source="https://github.com/patrick-kidger/equinox/issues/1016",
    needs={"Module"},
    level="should",
    case=_documented(),
    parents=[bound_methods_keep_metadata],
)
def examples_of_methods_are_found(lib, case):
    equal(_examples(case.module), _examples(case.twin))


def _examples(cls):
    """Return the places and texts of the examples that `doctest` finds in a class."""
    found = doctest.DocTestFinder().find(cls, "cls")
    return {one.name: [example.source for example in one.examples] for one in found if one.examples}
