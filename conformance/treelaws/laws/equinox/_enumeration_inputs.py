"""Inputs of laws about Enumerations: classes, and their members."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import prior_operations

_TEXT = """\
class Result(eqx.Enumeration):
    good = 'went well'
    bad = 'went wrong'
    unknown = ''


class MoreResult(Result):
    late = 'came late'
    good = 'went well'


class Unrelated(eqx.Enumeration):
    other = 'something else'
    good = 'went well'


class Both(Unrelated, Result):
    both = 'both of them'
"""
_MEMBERS = {
    "Result": {"good": "went well", "bad": "went wrong", "unknown": ""},
    "MoreResult": {
        "good": "went well",
        "bad": "went wrong",
        "unknown": "",
        "late": "came late",
    },
    "Unrelated": {"other": "something else", "good": "went well"},
    "Both": {
        "other": "something else",
        "good": "went well",
        "bad": "went wrong",
        "unknown": "",
        "both": "both of them",
    },
}
_PARENTS = (("Result", "MoreResult"), ("Result", "Both"), ("Unrelated", "Both"))


@st.composite
def members(draw: st.DrawFn) -> Recipe:
    """Bind a class, two of its members with names and messages, and their number."""
    scope = Scope()
    scope.define(_TEXT)
    cls = draw(st.sampled_from(list(_MEMBERS)))
    names = [draw(st.sampled_from(list(_MEMBERS[cls]))) for _ in range(2)]
    scope.bind("cls", cls)
    for bound, name in zip(("one", "other"), names, strict=True):
        scope.bind(bound, f"{cls}.{name}")
        scope.bind(f"{bound}_name", repr(name))
        scope.bind(f"{bound}_message", repr(_MEMBERS[cls][name]))
    prior_operations.apply(draw, scope, "one")
    scope.bind("size", repr(len(_MEMBERS[cls])))
    return scope.recipe()


@st.composite
def non_members(draw: st.DrawFn) -> Recipe:
    """Bind a class, a member of it, and an object that is not one."""
    scope = Scope()
    scope.define(_TEXT)
    cls = draw(st.sampled_from(list(_MEMBERS)))
    scope.bind("cls", cls)
    scope.bind("one", f"{cls}.good")
    others = [f"{name}.good" for name in _MEMBERS if name != cls]
    thing = draw(st.sampled_from((*others, "0", "'good'", "None", "np.int32(0)", "(1,)")))
    scope.bind("other", thing)
    return scope.recipe()


@st.composite
def promoted(draw: st.DrawFn) -> Recipe:
    """Bind a class, a subclass, and a member of the class with its name and message."""
    scope = Scope()
    scope.define(_TEXT)
    parent, child = draw(st.sampled_from(_PARENTS))
    name = draw(st.sampled_from(list(_MEMBERS[parent])))
    scope.bind("parent", parent)
    scope.bind("child", child)
    scope.bind("name", repr(name))
    member = scope.bind("member", f"{parent}.{name}")
    prior_operations.apply(draw, scope, member)
    scope.bind("message", repr(_MEMBERS[parent][name]))
    return scope.recipe()


@st.composite
def batches(draw: st.DrawFn) -> Recipe:
    """Bind a class, a `batch` of one of its members, and the `messages` of the batch."""
    scope = Scope()
    scope.define(_TEXT)
    cls = draw(st.sampled_from(list(_MEMBERS)))
    name = draw(st.sampled_from(list(_MEMBERS[cls])))
    # Zero first, so that one of few examples has no rows.
    rows = draw(st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=2))
    scope.note("batch:empty" if 0 in rows else "batch:several" if 2 in rows else "batch:single")
    mapped = "lambda _: " + f"{cls}.{name}"
    for _ in rows:
        mapped = f"jax.vmap({mapped})"
    scope.bind("cls", cls)
    scope.bind("batch", f"{mapped}(jnp.zeros({tuple(rows)}))")
    scope.bind("messages", "[]" if 0 in rows else repr([_MEMBERS[cls][name]]))
    return scope.recipe()
