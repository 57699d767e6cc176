"""Equinox: `Enumeration`, an enum whose members are pytrees."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._enumeration_inputs import batches, members, non_members, promoted
from ._errors import raises_with

law = Topic("equinox.module.enumeration", "Equinox: Enumeration", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/enumerations/"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_enum.py"


@law(
    "`==` compares two members by name, and `!=` is its opposite",
    source=_DOCS,
    needs={"Enumeration"},
    case=members(),
)
def members_are_equal_by_name(lib, case):
    same_name = case.one_name == case.other_name
    equal(bool(case.one == case.other), same_name)
    equal(bool(case.one != case.other), not same_name)


@law(
    "`cls[member]` is the message of the member, and its `repr` shows the message",
    source=_DOCS,
    needs={"Enumeration"},
    case=members(),
)
def members_have_messages(lib, case):
    same(case.cls[case.one], case.one_message)
    true(f"<{case.one_message}>" in repr(case.one), repr(case.one), case.one_message)


@law(
    "`isinstance(member, cls)` is true, and `len(cls)` counts own and inherited members",
    source=f"{_CODE}#L139-L143",
    needs={"Enumeration"},
    level="should",
    case=members(),
)
def members_are_instances(lib, case):
    true(isinstance(case.one, case.cls), case.one, f"an instance of {case.cls.__name__}")
    same(len(case.cls), case.size)


@law(
    "`jax.jit` accepts a member and returns an equal member",
    source=_DOCS,
    needs={"Enumeration"},
    case=members(),
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
    case=members(),
)
def members_survive_a_round_trip(lib, case):
    same(len(jtu.tree_leaves(case.one)), 1)
    back = jtu.tree_map(lambda leaf: leaf, case.one)
    true(bool(back == case.one), back, repr(case.one))


@law(
    "`cls.where(condition, a, b)` is `a` for a true scalar condition and `b` for a false one",
    source=_DOCS,
    needs={"Enumeration"},
    case=members(),
)
def where_chooses_a_member(lib, case):
    for wrap in (bool, jnp.asarray):
        yes, no = wrap(True), wrap(False)
        true(bool(case.cls.where(yes, case.one, case.other) == case.one), case.one, "the first")
        true(bool(case.cls.where(no, case.one, case.other) == case.other), case.other, "the second")


@law(
    "comparing a member with anything but a member of its own class raises ValueError",
    source=_DOCS,
    needs={"Enumeration"},
    case=non_members(),
)
def members_compare_with_their_own_only(lib, case):
    refuses(ValueError, lambda: case.one == case.other)
    refuses(ValueError, lambda: case.one != case.other)


@law(
    "`where` and indexing raise ValueError for non-members, `promote` for members of the class",
    source=_DOCS,
    needs={"Enumeration"},
    level="should",
    case=non_members(),
)
def methods_refuse_strangers(lib, case):
    refuses(ValueError, lambda: case.cls.where(True, case.one, case.other))
    refuses(ValueError, lambda: case.cls[case.other])
    refuses(ValueError, lambda: case.cls.promote(case.one))


@law(
    "`subclass.promote(member)` is the member of the same name in the subclass",
    source=_DOCS,
    needs={"Enumeration"},
    case=promoted(),
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
    case=promoted(),
)
def promote_goes_down_only(lib, case):
    refuses(ValueError, lambda: case.parent.promote(case.child.promote(case.member)))
    refuses(ValueError, lambda: case.parent.promote(case.member))


@law(
    "the results of `promote` and `where` have the structure, shape and dtype of members, as the "
    "results of two branches must",
    source=_DOCS,
    needs={"Enumeration"},
    level="should",
    case=promoted(),
)
def results_have_the_type_of_members(lib, case):
    own = getattr(case.child, case.name)
    made = case.child.promote(case.member)
    chosen = case.child.where(jnp.asarray(True), made, own)
    wanted = jax.eval_shape(lambda: own)
    same([jax.eval_shape(lambda one=one: one) for one in (made, chosen)], [wanted] * 2)


@law(
    "`member.error_if(token, condition)` raises the message of the member if the condition is "
    "true, and otherwise returns the token",
    source=_DOCS,
    needs={"Enumeration"},
    case=members(),
)
def members_raise_their_messages(lib, case):
    token = jnp.float32(1)
    same(case.one.error_if(token, False), token)
    equal(raises_with(case.one_message, lambda: case.one.error_if(token, True)), True)


@law(
    "within a transformation, a member has a text, and its class gives one for it",
    source=f"{_CODE}#L127-L129",
    needs={"Enumeration"},
    level="should",
    case=members(),
)
def traced_members_have_a_text(lib, case):
    texts = []
    jax.eval_shape(lambda member: texts.extend((repr(member), case.cls[member])), case.one)
    equal([type(text) for text in texts], [str, str])
    true(case.cls.__name__ in texts[0], texts[0], f"the name {case.cls.__name__}")


@law(
    "a batch of members, also one without rows, has a text with the message of each, and its class "
    "gives one for it",
    # "Needs vectorization for handling vmapped enumerations".
    source=f"{_CODE}#L129-L133",
    needs={"Enumeration"},
    level="should",
    case=batches(),
    parents=(members_have_messages,),
)
def batches_of_members_have_a_text(lib, case):
    for text in (repr(case.batch), case.cls[case.batch]):
        equal(type(text), str)
        missing = [message for message in case.messages if message not in text]
        true(not missing, text, f"a text with {missing}")
