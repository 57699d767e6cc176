"""Flax NNX: what filters match, which are equal, which are refused."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.filters import BY_IDENTITY, filters
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import differ, refuses, true

from ._inputs import MODULES

law = Topic("nnx.filters", "Flax NNX: filters", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html"
_DSL = f"{_GUIDE}#the-filter-dsl"
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/filterlib.html"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/filterlib.py"


@st.composite
def _with_leaves(draw: st.DrawFn, *names: str) -> Recipe:
    """Draw filters with their meanings, and `module`, whose leaves they are asked about."""
    scope = Scope()
    for name in names or ("filter",):
        scope.include(draw(filters(name)))
    scope.bind("leaves_of", draw(MODULES))
    return scope.recipe()


@st.composite
def _one_of(draw: st.DrawFn, **tables: tuple[str, ...]) -> Recipe:
    """Draw an entry at the same place of each table."""
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
# None of the forms in the table of the guide.
_NO_FILTERS = ("1", "0", "2.5", "b'encoder'", "{}", "{'a': nnx.Param}", "frozenset()", "object()")
_BY_VALUE = filters().filter(lambda recipe: not BY_IDENTITY & recipe.features)


@law(
    "a filter matches the leaves that its documentation names",
    source=_DSL,
    needs={"filterlib"},
    case=_with_leaves(),
)
def a_filter_matches_what_it_is_documented_to(lib, case):
    matches = lib.filterlib.to_predicate(case.filter)
    for path, leaf in _leaves(lib, case):
        got = matches(path, leaf)
        true(bool(got) is bool(case.meaning(path, leaf)), (path, leaf, got), "another answer")


@law(
    "Not, All and Any are the negation, the conjunction and the disjunction of filters",
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
    "each literal stands for its callable form, and is equal to it",
    source=_DSL,
    needs={"filterlib"},
    case=_one_of(literal=_LITERALS, form=_FORMS),
)
def a_literal_is_its_callable_form(lib, case):
    predicate = lib.filterlib.to_predicate(case.literal)
    true(predicate == case.form, predicate, f"{case.form}")
    true(hash(predicate) == hash(case.form), predicate, f"the hash of {case.form}")


@law(
    "a predicate is its own predicate",
    source=_GUIDE,
    needs={"filterlib"},
    case=filters(),
)
def a_predicate_is_its_own_predicate(lib, case):
    predicate = lib.filterlib.to_predicate(case.filter)
    true(lib.filterlib.to_predicate(predicate) is predicate, predicate, "the very predicate")


@law(
    "filters that are written alike are equal and hash alike",
    source=f"{_CODE}#L129-L213",
    level="should",
    needs={"filterlib"},
    case=_BY_VALUE,
)
def equal_filters_are_equal(lib, case):
    to_predicate = lib.filterlib.to_predicate
    one, other = to_predicate(case.filter), to_predicate(case.rebuild().filter)
    true((one == other) is True and (one != other) is False, one, f"a filter equal to {other}")
    true(hash(one) == hash(other), hash(one), "the hash of an equal filter")


@law(
    "a filter is not equal to its negation, to a part of it, or to anything that is no filter",
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
    "what is no filter is a TypeError",
    source=f"{_CODE}#L32-L55",
    level="should",
    needs={"filterlib"},
    case=_one_of(bad=_NO_FILTERS),
)
def what_is_no_filter_is_refused(lib, case):
    refuses(TypeError, lambda: lib.filterlib.to_predicate(case.bad))


@law(
    "what is no filter is a TypeError inside another filter too",
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
