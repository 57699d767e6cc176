"""Equinox: `Enumeration`, enums that are pytrees."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import prior_operations
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

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
    "two members are equal exactly if they have one name, and unequal otherwise",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
)
def members_are_equal_by_name(lib, case):
    equal = case.one_name == case.other_name
    true(bool(case.one == case.other) == equal, case.one == case.other, str(equal))
    true(bool(case.one != case.other) != equal, case.one != case.other, str(not equal))


@law(
    "indexing the class with a member gives its message, which its repr shows",
    source=_DOCS,
    needs={"Enumeration"},
    case=_members(),
)
def members_have_messages(lib, case):
    same(case.cls[case.one], case.one_message)
    true(f"<{case.one_message}>" in repr(case.one), repr(case.one), case.one_message)


@law(
    "a member is an instance of its class, and the class has as many as were written or inherited",
    source=f"{_CODE}#L139-L143",
    needs={"Enumeration"},
    level="should",
    case=_members(),
)
def members_are_instances(lib, case):
    true(isinstance(case.one, case.cls), case.one, f"an instance of {case.cls.__name__}")
    same(len(case.cls), case.size)


@law(
    "a member goes through jit",
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
    "a member has one leaf, and comes back from a round trip",
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
    "where chooses between two members by a scalar boolean",
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
def _strangers(draw: st.DrawFn) -> Recipe:
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
    "a member cannot be compared with anything but a member of its own class",
    source=_DOCS,
    needs={"Enumeration"},
    case=_strangers(),
)
def members_compare_with_their_own_only(lib, case):
    refuses(ValueError, lambda: case.one == case.other)
    refuses(ValueError, lambda: case.one != case.other)


@law(
    "where, promote and indexing refuse what is no member of the class",
    source=_DOCS,
    needs={"Enumeration"},
    level="should",
    case=_strangers(),
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
    "promote gives the member of the same name in a subclass",
    source=_DOCS,
    needs={"Enumeration"},
    case=_promoted(),
)
def promote_keeps_the_name(lib, case):
    promoted = case.child.promote(case.member)
    true(bool(promoted == getattr(case.child, case.name)), promoted, case.name)
    same(case.child[promoted], case.message)


@law(
    "a class only promotes members of its base classes",
    source=_DOCS,
    needs={"Enumeration"},
    case=_promoted(),
)
def promote_goes_down_only(lib, case):
    refuses(ValueError, lambda: case.parent.promote(case.child.promote(case.member)))
    refuses(ValueError, lambda: case.parent.promote(case.member))
