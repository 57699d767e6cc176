"""Flax NNX: annotations of classes, which name types of the user's own module."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from .attributes import law

_CLASSES = "https://flax.readthedocs.io/en/latest/nnx_basics.html#the-flax-nnx-module-system"
# Names of types that a user's module and one of the library's may both have, and other names.
_NAMES = {
    "own": ("Kind", "Config", "Layer"),
    "type-variable": ("A", "P", "T"),
    "class": ("Variable",),
    "object": ("errors", "config", "graphlib", "jax", "data", "MISSING"),
    "marker": ("Data", "Static"),
}
# By shape: the class that the user defines as `$`, and an annotation.
_SHAPES = {
    "name": ("class $: pass", "$"),
    "in-list": ("class $: pass", "list[$]"),
    "union": ("class $: pass", "$ | None"),
    "generic": ("class $(typing.Generic[typing.TypeVar('Held')]): pass", "$[int]"),
    "inner": ("class $:\n    class Inner: pass", "$.Inner"),
    "unknown": ("", "$"),
    "class-variable": ("class $: pass", "typing.ClassVar[$]"),
}
_LATE = "from __future__ import annotations\n"
_VALUES = {"static": ("'text'", "3", "None"), "data": ("nnx.Param(1.0)", "jnp.ones(2)")}
_BASES = ("nnx.Module", "nnx.Pytree")
_BODY = "    def __init__(self, x):\n        self.x = x\n"
# Runs the text of a module of its own, in which it finds its types, and returns its class.
_DEFINED = """\
def nnx_annotated(text):
    import sys
    module = type(sys)("nnx_annotated_module")
    module.nnx = nnx
    sys.modules[module.__name__] = module
    exec(compile(text, "<user>", "exec", dont_inherit=True), vars(module))
    return module.Annotated
"""


@st.composite
def _annotated(draw: st.DrawFn) -> Recipe:
    """Draw `define`, which runs a user's module and returns its class, and a `value` to hold."""
    scope = Scope()
    scope.define(_DEFINED)
    late = draw(st.booleans())
    place = draw(st.sampled_from(tuple(_NAMES)))
    name = draw(st.sampled_from(_NAMES[place]))
    # The name of a marker that is unknown to the module of the class may stand for the marker.
    shapes = [one for one in _SHAPES if one != "unknown" or place != "marker"]
    shape = draw(st.sampled_from(shapes))
    own, annotation = (text.replace("$", name) for text in _SHAPES[shape])
    scope.note(f"shape:{shape}", f"name:{place}", "text:late" if late else "text:quoted")
    # A class variable is not a field of a dataclass.
    plain = shape == "class-variable" or draw(st.booleans())
    text = (
        f"{_LATE * late}import dataclasses\nimport typing\n\n\n{own}\n\n"
        f"{'' if plain else '@dataclasses.dataclass'}\n"
        f"class Annotated({draw(st.sampled_from(_BASES))}):\n"
        f"    x: {annotation if late else repr(annotation)}\n{_BODY * plain}"
    )
    scope.bind("define", f"lambda: nnx_annotated({text!r})")
    kind = draw(st.sampled_from(("static", "data")))
    scope.note(f"value:{kind}", *[f"marker:{name}"] * (place == "marker"))
    scope.bind("value", draw(st.sampled_from(_VALUES[kind])))
    return scope.recipe()


@law(
    "a class of modules is annotated with any types of the module that it stands in, also as text, "
    "and its instances have the leaves that they have without annotations",
    source=_CLASSES,
    level="should",
    needs={"Module", "Pytree", "is_data"},
    case=_annotated(),
)
def annotations_name_types_of_their_own_module(lib, case):
    node = case.define()(case.value)
    same(jtu.tree_leaves(node), jtu.tree_leaves(lib.Dict(x=case.value)), identical=True)
