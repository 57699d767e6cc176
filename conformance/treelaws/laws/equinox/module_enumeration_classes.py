"""Equinox: which classes can be an `Enumeration`, and what documents them."""

from __future__ import annotations

import keyword
import warnings

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from treelaws.equality import equal, refuses, true

from ._enumeration_inputs import members
from .module_enumeration import law

_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_enum.py"
_PYTHON = "https://docs.python.org/3/reference/datamodel.html#special-attributes"
_NAMES = st.sampled_from([Recipe(expression=name) for name in ("'promote'", "'where'")])
_MIXIN = "class Mixin:\n    pass\n"
_SUBCLASS = "class SubMixin(Mixin):\n    pass\n"


# Attributes of the metaclass and of members, names of parameters, and names that Python allows.
_OTHER_NAMES = (
    *("mro", "error_if", "_value", "_enumeration", "_name_to_item", "name", "value", "names"),
    *("item", "message", "self", "cls", "mcs", "bases", "namespace", "match", "type", "_", "__x"),
)
_ANY_NAMES = st.one_of(
    st.sampled_from(_OTHER_NAMES), st.from_regex(r"[A-Za-z_é]\w{0,5}", fullmatch=True)
).filter(
    # Python gives names with two underscores at both ends their meaning; two names are taken.
    lambda name: (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and not (name.startswith("__") and name.endswith("__"))
        and name not in ("first", "last")
    )
)


@st.composite
def _named(draw: st.DrawFn) -> Recipe:
    """Bind the name of an entry."""
    scope = Scope()
    name = draw(_ANY_NAMES)
    if hasattr(type, name):
        scope.note("name:of-metaclass")
    scope.bind("name", repr(name))
    return scope.recipe()


@st.composite
def _with_mixins(draw: st.DrawFn) -> Recipe:
    """Bind a class and a `mixin`, which subclasses `object` or another class."""
    scope = Scope()
    scope.include(draw(members()))
    scope.define(_MIXIN, _SUBCLASS)
    name = draw(st.sampled_from(("Mixin", "SubMixin")))
    scope.note(f"base:{name}")
    scope.bind("mixin", name)
    return scope.recipe()


@law(
    "an Enumeration with an entry named `promote` or `where` raises ValueError",
    source=f"{_CODE}#L64-L74",
    needs={"Enumeration"},
    level="should",
    case=cases(name=_NAMES),
)
def names_of_methods_are_refused(lib, case):
    refuses(ValueError, lambda: type(lib.Enumeration)("Bad", (lib.Enumeration,), {case.name: ""}))


@law(
    "an entry of any name is a member of its Enumeration, and by `promote` of each below, or its "
    "name is refused",
    source="https://docs.kidger.site/equinox/api/enumerations/",
    needs={"Enumeration"},
    level="should",
    case=_named(),
    parents=(names_of_methods_are_refused,),
)
def an_entry_has_any_name(lib, case):
    kind = type(lib.Enumeration)
    try:
        made = kind("Named", (lib.Enumeration,), {"first": "", case.name: "text"})
    except (ValueError, AssertionError):
        return
    below = kind("Below", (made,), {"last": ""})
    equal([cls[getattr(cls, case.name)] for cls in (made, below)], ["text"] * 2)
    member = below.promote(getattr(made, case.name))
    true(bool(member == getattr(below, case.name)), member, case.name)


@law(
    "an Enumeration that also subclasses another class raises ValueError",
    source=f"{_CODE}#L80-L85",
    needs={"Enumeration"},
    level="should",
    case=_with_mixins(),
)
def other_base_classes_are_refused(lib, case):
    refuses(ValueError, lambda: type(lib.Enumeration)("Bad", (case.mixin, case.cls), {}))


@law(
    "an entry that a subclass gives another message has that message, of which a warning tells",
    source=f"{_CODE}#L38-L47",
    needs={"Enumeration"},
    level="should",
    case=members(),
)
def a_changed_message_is_the_latest(lib, case):
    for message in (case.one_message, "changed"):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            made = type(lib.Enumeration)("Changed", (case.cls,), {case.one_name: message})
        equal(any(case.one_name in str(one.message) for one in seen), message != case.one_message)
        equal((made[getattr(made, case.one_name)], len(made)), (message, case.size))


@law(
    "an Enumeration is a class with its own name, module and docstring",
    source=_PYTHON,
    needs={"Enumeration"},
    level="should",
    case=members(),
)
def an_enumeration_keeps_what_describes_it(lib, case):
    names = {"__module__": "somewhere", "__qualname__": "Outer.Kept", "__doc__": "It is kept."}
    made = type(lib.Enumeration)("Kept", (case.cls,), {**names, "entry": "one more"})
    equal({name: getattr(made, name) for name in names}, names)
    equal(made.__name__, "Kept")


@law(
    "a name that is not an entry of an Enumeration raises AttributeError",
    source="https://docs.python.org/3/reference/datamodel.html#object.__getattr__",
    needs={"Enumeration"},
    level="should",
    case=members(),
)
def a_missing_entry_is_an_attribute_error(lib, case):
    refuses(AttributeError, lambda: case.cls.no_entry)
    equal(getattr(case.cls, "no_entry", "default"), "default")


@law(
    "the documentation of an Enumeration lists its entries with their messages",
    source=f"{_CODE}#L101-L114",
    needs={"Enumeration"},
    level="observed",
    case=members(),
)
def documentation_lists_the_entries(lib, case):
    shown = f"`{case.one_name}`: {case.one_message}" if case.one_message else f"`{case.one_name}`"
    true(f"- {shown}" in case.cls.__doc__, case.cls.__doc__, shown)
