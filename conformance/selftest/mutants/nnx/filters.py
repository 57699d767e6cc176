"""Mutants of filters."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "nnx.filters."


@mutant("nnx", kills=[_ID + "a_filter_matches_what_it_is_documented_to"])
def nested_leaves_match_nothing(nnx):
    """No filter matches a leaf below another module."""

    def to_predicate(filter):
        predicate = nnx.filterlib.to_predicate(filter)
        return lambda path, value: len(path) < 2 and predicate(path, value)

    return {"filterlib.to_predicate": to_predicate}


@mutant("nnx", kills=[_ID + "filters_combine_as_logic_does"])
def any_is_all(nnx):
    """`Any` matches what all of its filters match."""
    return {"Any": nnx.All}


@mutant("nnx", kills=[_ID + "a_literal_is_its_callable_form"])
def none_is_everything(nnx):
    """`None` stands for everything."""

    def to_predicate(filter):
        return nnx.filterlib.to_predicate(... if filter is None else filter)

    return {"filterlib.to_predicate": to_predicate}


@mutant("nnx", kills=[_ID + "a_predicate_is_its_own_predicate"])
def functions_match_everything(nnx):
    """`to_predicate` takes a function for a filter that matches every leaf."""

    def to_predicate(filter):
        function = isinstance(filter, type(to_predicate))
        return nnx.Everything() if function else nnx.filterlib.to_predicate(filter)

    return {"filterlib.to_predicate": to_predicate}


@mutant("nnx", kills=[_ID + "a_predicate_equals_its_predicate"])
def predicates_are_wrapped(nnx):
    """`to_predicate` makes a new function each time."""

    def to_predicate(filter):
        predicate = nnx.filterlib.to_predicate(filter)
        return lambda path, value: predicate(path, value)

    return {"filterlib.to_predicate": to_predicate}


@mutant("nnx", kills=[_ID + "equal_filters_are_equal"])
def any_is_compared_by_identity(nnx):
    """Two `Any` of equal filters are not equal, as up to flax 0.8."""

    class Any(nnx.Any):
        __eq__ = object.__eq__
        __hash__ = object.__hash__

    return {"Any": Any}


@mutant("nnx", kills=[_ID + "different_filters_differ"])
def all_of_one_is_that_one(nnx):
    """`All` of one filter says that it is equal to that filter."""

    class All(nnx.All):
        def __eq__(self, other):
            return self.predicates == (other,) or super().__eq__(other)

        __hash__ = nnx.All.__hash__

    return {"All": All}


@mutant("nnx", kills=[_ID + "what_is_no_filter_is_refused"])
def what_is_no_filter_matches_nothing(nnx):
    """`to_predicate` takes what it does not know for a filter that matches nothing."""

    def to_predicate(filter):
        try:
            return nnx.filterlib.to_predicate(filter)
        except (TypeError, ValueError):
            return nnx.Nothing()

    return {"filterlib.to_predicate": to_predicate}


@mutant("nnx", kills=[_ID + "what_is_no_filter_is_refused_inside_another"])
def not_takes_anything(nnx):
    """`Not` of what is no filter matches everything."""

    def negation(filter):
        try:
            return nnx.Not(filter)
        except (TypeError, ValueError):
            return nnx.Everything()

    return {"Not": negation}


@mutant("nnx", kills=["nnx.filters.transforms_take_filters_of_any_form"])
def differentiated_state_is_never_a_string(nnx):
    """`DiffState` takes a string, and a tuple that holds one, for a filter that matches nothing."""

    def differentiated(argnum, filter):
        texts = filter if isinstance(filter, tuple) else (filter,)
        is_text = any(isinstance(one, str) for one in texts)
        return nnx.DiffState(argnum, nnx.Nothing() if is_text else filter)

    def axes(pairs):
        return nnx.StateAxes([(one, None if isinstance(one, tuple) else at) for one, at in pairs])

    def average(params, decay, *, only):
        return nnx.EMA(params, decay, only=nnx.Not(only) if isinstance(only, nnx.Not) else only)

    return {"DiffState": differentiated, "StateAxes": axes, "EMA": average}


@mutant("nnx", kills=["nnx.filters.functions_take_filters_of_any_form"])
def a_state_by_a_type_is_empty(nnx):
    """`state` gives nothing for a type that stands alone."""

    def state(node, *filters):
        return nnx.state(
            node, *(nnx.Nothing() if isinstance(one, type) else one for one in filters)
        )

    return {"state": state}
