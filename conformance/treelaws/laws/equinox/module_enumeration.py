"""Equinox: `Enumeration`, an enum whose members are pytrees."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import prior_operations
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

law = Topic("equinox.module.enumeration", "Equinox: Enumeration", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/enumerations/"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_enum.py"

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
def _members(draw: st.DrawFn) -> Recipe:
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


@law(
    "`==` compares two members by name, and `!=` is its opposite",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
)
def members_are_equal_by_name(lib, case):
    same_name = case.one_name == case.other_name
    equal(bool(case.one == case.other), same_name)
    equal(bool(case.one != case.other), not same_name)


@law(
    "`cls[member]` is the message of the member, and its `repr` shows the message",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
)
def members_have_messages(lib, case):
    same(case.cls[case.one], case.one_message)
    true(f"<{case.one_message}>" in repr(case.one), repr(case.one), case.one_message)


@law(
    "`isinstance(member, cls)` is true, and `len(cls)` counts own and inherited members",
    source=f"{_CODE}#L139-L143",
    needs={"Enumeration"},
    level="should",
    case=_members(),
)
def members_are_instances(lib, case):
    true(isinstance(case.one, case.cls), case.one, f"an instance of {case.cls.__name__}")
    same(len(case.cls), case.size)


@law(
    "`jax.jit` accepts a member and returns an equal member",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
    weight=0.1,
)
def members_go_through_jit(lib, case):
    back = jax.jit(lambda member: member)(case.one)
    true(bool(back == getattr(case.cls, case.one_name)), back, case.one_name)
    same(case.cls[back], case.one_message)


@law(
    "a member has one leaf, and equals itself after flatten and unflatten",
    source=f"{_CODE}#L146-L150",
    needs={"Enumeration"},
    level="should",
    case=_members(),
)
def members_survive_a_round_trip(lib, case):
    same(len(jtu.tree_leaves(case.one)), 1)
    back = jtu.tree_map(lambda leaf: leaf, case.one)
    true(bool(back == case.one), back, repr(case.one))


@law(
    "`cls.where(condition, a, b)` is `a` for a true scalar condition and `b` for a false one",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
    weight=0.5,
)
def where_chooses_a_member(lib, case):
    true(bool(case.cls.where(True, case.one, case.other) == case.one), case.one, "the first")
    no = jnp.asarray(False)
    true(bool(case.cls.where(no, case.one, case.other) == case.other), case.other, "the second")


@st.composite
def _non_members(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_TEXT)
    cls = draw(st.sampled_from(list(_MEMBERS)))
    scope.bind("cls", cls)
    scope.bind("one", f"{cls}.good")
    others = [f"{name}.good" for name in _MEMBERS if name != cls]
    thing = draw(st.sampled_from((*others, "0", "'good'", "None", "np.int32(0)", "(1,)")))
    scope.bind("other", thing)
    return scope.recipe()


@law(
    "comparing a member with anything but a member of its own class raises ValueError",
    source=_DOCS,
    needs={"Enumeration"},
    case=_non_members(),
)
def members_compare_with_their_own_only(lib, case):
    refuses(ValueError, lambda: case.one == case.other)
    refuses(ValueError, lambda: case.one != case.other)


@law(
    "`where` and indexing raise ValueError for non-members, `promote` for members of the class",
    source=_DOCS,
    needs={"Enumeration"},
    level="should",
    case=_non_members(),
)
def methods_refuse_strangers(lib, case):
    refuses(ValueError, lambda: case.cls.where(True, case.one, case.other))
    refuses(ValueError, lambda: case.cls[case.other])
    refuses(ValueError, lambda: case.cls.promote(case.one))


@st.composite
def _promoted(draw: st.DrawFn) -> Recipe:
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


@law(
    "`subclass.promote(member)` is the member of the same name in the subclass",
    source=_DOCS,
    needs={"Enumeration"},
    case=_promoted(),
)
def promote_keeps_the_name(lib, case):
    promoted = case.child.promote(case.member)
    true(bool(promoted == getattr(case.child, case.name)), promoted, case.name)
    same(case.child[promoted], case.message)


@law(
    "`cls.promote(member)` raises ValueError unless the member belongs to a base class of `cls`",
    source=_DOCS,
    needs={"Enumeration"},
    level="should",
    case=_promoted(),
)
def promote_goes_down_only(lib, case):
    refuses(ValueError, lambda: case.parent.promote(case.child.promote(case.member)))
    refuses(ValueError, lambda: case.parent.promote(case.member))
