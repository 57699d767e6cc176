"""JAX: dataclasses with any options, registered without lists of their fields."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from .dataclasses import _DOCS, _FRESH, _same_objects, law

_DECORATORS = ("", "slots=True", "frozen=True", "order=True", "eq=False", "kw_only=True",
               "unsafe_hash=True", "frozen=True, slots=True", "repr=False")  # fmt: skip
# By role: how a field is declared; one that is not an argument of the constructor has a default.
_FIELDS = {
    "data": ("typing.Any = dataclasses.field(default='d')", "typing.Any = 'd'",
             "typing.Any = dataclasses.field(default_factory=list, compare=False)",
             "typing.Any = dataclasses.field(default='d', kw_only=True)",
             "typing.Any = dataclasses.field(default='d', metadata={'static': False})"),
    "meta": ("str = dataclasses.field(default='m', metadata={'static': True})",
             "str = dataclasses.field(default='m', metadata={'static': True, 'u': 1}, hash=False)"),
    "uninit": ("str = dataclasses.field(default='u', init=False)",
               "typing.Any = dataclasses.field(default_factory=str, init=False, repr=False)"),
}  # fmt: skip


@st.composite
def _classes(draw: st.DrawFn) -> Recipe:
    """Bind a new dataclass `Fresh` and `values`, the data fields of an instance.

    Feature: `dataclass:uninit` if a field is not an argument of the constructor.
    """
    scope = Scope()
    options = draw(st.sampled_from(_DECORATORS))
    roles = draw(st.lists(st.sampled_from(("data", "data", "meta", "uninit")), max_size=4))
    lines = [f"@dataclasses.dataclass({options})", "class Fresh:"]
    lines += [f"    f{at}: {draw(st.sampled_from(_FIELDS[role]))}" for at, role in enumerate(roles)]
    scope.statement("\n".join([*lines, *([] if roles else ["    pass"])]))
    scope.note(*(f"dataclass:{role}" for role in roles))
    scope.bind("Fresh", "Fresh")
    data = [f"'f{at}': ['leaf {at}']" for at, role in enumerate(roles) if role == "data"]
    scope.bind("values", f"{{{', '.join(data)}}}")
    scope.bind("names", repr([f"f{at}" for at, _ in enumerate(roles)]))
    return scope.recipe()


@law(
    "`register_dataclass` without lists takes a dataclass with any options and kinds of fields; a "
    "field with `init=False` is left to the constructor",
    source=_DOCS,
    needs={"tree.static"},
    case=_classes(),
    level="should",
    weight=_FRESH,
)
def any_dataclass_can_be_registered_without_lists(lib, case):
    lib.tree_util.register_dataclass(case.Fresh)
    node = case.Fresh(**case.values)
    _same_objects(lib.tree_util.tree_leaves(node), lib.tree_util.tree_leaves(case.values))
    found = lib.tree_util.tree_map(lambda leaf: leaf, node)
    same(*([getattr(one, name) for name in case.names] for one in (found, node)))
