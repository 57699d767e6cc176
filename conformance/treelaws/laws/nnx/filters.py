"""Flax NNX: which leaves filters match, which filters are equal, which values are filters."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.filters import BY_IDENTITY, filters
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, true

from ._inputs import MODULES

law = Topic("nnx.filters", "Flax NNX: filters", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html"
_DSL = f"{_GUIDE}#the-filter-dsl"
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/filterlib.html"
_PROTOCOL = f"{_GUIDE}#the-filter-protocol"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/filterlib.py"


@st.composite
def _with_leaves(draw: st.DrawFn, *names: str) -> Recipe:
    """Draw filters with their meanings, and `leaves_of`, a module whose leaves they match."""
    scope = Scope()
    for name in names or ("filter",):
        scope.include(draw(filters(name)))
    scope.bind("leaves_of", draw(MODULES))
    return scope.recipe()


@st.composite
def _one_of(draw: st.DrawFn, **tables: tuple[str, ...]) -> Recipe:
    """Draw an index, and bind the entry at that index of each table."""
    place = draw(st.integers(0, len(next(iter(tables.values()))) - 1))
    scope = Scope()
    for name, table in tables.items():
        scope.bind(name, table[place])
        scope.note(f"{name}:{table[place]}")
    return scope.recipe()


_LITERALS = (
    *("...", "True", "None", "False", "nnx.Param", "nnx.Variable", "'encoder'", "''"),
    *("(nnx.Param, 'encoder')", "[nnx.Param, 'encoder']", "()", "[]"),
)
_FORMS = (
    *("nnx.Everything()", "nnx.Everything()", "nnx.Nothing()", "nnx.Nothing()"),
    *("nnx.OfType(nnx.Param)", "nnx.OfType(nnx.Variable)", "nnx.WithTag('encoder')"),
    *("nnx.WithTag('')", "nnx.Any(nnx.Param, 'encoder')", "nnx.Any(nnx.Param, 'encoder')"),
    *("nnx.Any()", "nnx.Any()"),
)
# Values that are not in the guide's table of filters.
_NO_FILTERS = ("1", "0", "2.5", "b'encoder'", "{}", "{'a': nnx.Param}", "frozenset()", "object()")
_BY_VALUE = filters().filter(lambda recipe: not BY_IDENTITY & recipe.features)


@st.composite
def _paths(draw: st.DrawFn) -> Recipe:
    """Draw a `key`, and a `path` of names and numbers, which may have it or a part that does."""
    scope = Scope()
    scope.bind("key", draw(st.sampled_from(("'conv'", "'conv1'", "'1'", "1", "''"))))
    parts = st.sampled_from(("'conv1'", "'conv'", "'deconv'", "1", "11", "'1'", "'kernel'"))
    path = draw(st.lists(parts, max_size=3))
    scope.bind("path", f"({''.join(f'{part}, ' for part in path)})")
    return scope.recipe()


@law(
    "a filter matches exactly the leaves that the guide says it matches",
    source=_DSL,
    needs={"filterlib"},
    case=_with_leaves(),
)
def a_filter_matches_what_it_is_documented_to(lib, case):
    matches = lib.filterlib.to_predicate(case.filter)
    for path, leaf in _leaves(lib, case):
        got = matches(path, leaf)
        true(bool(got) is bool(case.meaning(path, leaf)), (path, leaf, got), "the opposite answer")


@law(
    "`Not` negates a filter; `All` and `Any` combine filters by `and` and by `or`",
    source=_DSL,
    needs={"filterlib", "Not", "All", "Any"},
    case=_with_leaves("one", "other"),
)
def filters_combine_as_logic_does(lib, case):
    made = lib.Not(case.one), lib.All(case.one, case.other), lib.Any(case.one, case.other)
    for at in _leaves(lib, case):
        one, other = bool(case.meaning_of_one(*at)), bool(case.meaning_of_other(*at))
        wanted = (not one, one and other, one or other)
        for combined, answer in zip(made, wanted, strict=True):
            true(bool(combined(*at)) is answer, (combined, at), f"{answer}")


@law(
    "`to_predicate(literal)` equals the callable form of the literal and has the same hash",
    source=_DSL,
    level="should",
    needs={"filterlib"},
    case=_one_of(literal=_LITERALS, form=_FORMS),
)
def a_literal_is_its_callable_form(lib, case):
    predicate = lib.filterlib.to_predicate(case.literal)
    equal(predicate, case.form)
    equal(hash(predicate), hash(case.form))


@law(
    "a function given as a filter matches the leaves for which it returns True, and no others",
    source=_PROTOCOL,
    needs={"filterlib"},
    case=_with_leaves(),
)
def a_predicate_is_its_own_predicate(lib, case):
    function = lambda path, leaf: bool(case.meaning(path, leaf))
    matches = lib.filterlib.to_predicate(function)
    for path, leaf in _leaves(lib, case):
        got, wanted = matches(path, leaf), function(path, leaf)
        true(bool(got) is wanted, (path, leaf, got), f"{wanted}")


@law(
    "`to_predicate(predicate)` equals the predicate",
    source=f"{_CODE}#L32-L55",
    level="should",
    needs={"filterlib"},
    case=filters(),
)
def a_predicate_equals_its_predicate(lib, case):
    """Otherwise a jitted function with the filter as a static argument is traced again."""
    predicate = lib.filterlib.to_predicate(case.filter)
    equal(lib.filterlib.to_predicate(predicate), predicate)


@law(
    "two predicates made from equal filters are equal and have equal hashes",
    source=f"{_CODE}#L129-L213",
    level="should",
    needs={"filterlib"},
    case=_BY_VALUE,
)
def equal_filters_are_equal(lib, case):
    to_predicate = lib.filterlib.to_predicate
    one, other = to_predicate(case.filter), to_predicate(case.rebuild().filter)
    true((one == other) is True and (one != other) is False, one, f"a filter equal to {other}")
    equal(hash(one), hash(other))


@law(
    "a filter differs from its negation, from filters that contain it and from other values",
    source=f"{_CODE}#L129-L213",
    level="should",
    needs={"filterlib", "Not", "All", "Any"},
    case=_BY_VALUE,
)
def different_filters_differ(lib, case):
    one = lib.filterlib.to_predicate(case.filter)
    for other in (lib.Not(one), lib.All(one), lib.Any(one), lib.All(one, one), 1, "encoder", None):
        differ(one, other)


@law(
    "`to_predicate(value)` raises TypeError if the value is not a filter",
    source=f"{_CODE}#L32-L55",
    level="should",
    needs={"filterlib"},
    case=_one_of(bad=_NO_FILTERS),
)
def what_is_no_filter_is_refused(lib, case):
    refuses(TypeError, lambda: lib.filterlib.to_predicate(case.bad))


@law(
    "a value that is not a filter raises TypeError inside another filter too",
    source=f"{_CODE}#L32-L55",
    level="should",
    needs={"filterlib", "Not", "All", "Any"},
    case=_one_of(bad=_NO_FILTERS),
)
def what_is_no_filter_is_refused_inside_another(lib, case):
    refuses(TypeError, lambda: lib.Not(case.bad))
    refuses(TypeError, lambda: lib.All(lib.Param, case.bad))
    refuses(TypeError, lambda: lib.filterlib.to_predicate((lib.Param, case.bad)))


def _leaves(lib, case):
    return nnx_api.flat(lib, lib.state(case.leaves_of)).items()


@law(
    "`PathContains` with `exact=False` matches a path if the text of a part of it contains that of "
    "the key, and with `exact=True` if a part is equal to the key",
    source="https://github.com/google/flax/pull/5094",
    level="should",
    needs={"path_filters_take_substrings"},
    case=_paths(),
)
def path_filters_match_parts_of_names(lib, case):
    contained = any(str(case.key) in str(part) for part in case.path)
    equal(lib.PathContains(case.key, exact=False)(case.path, None), contained)
    whole = any(case.key == part for part in case.path)
    equal(lib.PathContains(case.key, exact=True)(case.path, None), whole)
