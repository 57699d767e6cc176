"""Equinox: what the function of a Jacobian or a Hessian gets."""

from __future__ import annotations

import itertools

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import same

from ._functions import energy, with_inexact
from .grad import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_ANY = structures()
_NAMES = ("filter_jacfwd", "filter_jacrev", "filter_hessian")


@law(
    "`filter_jacfwd`, `filter_jacrev` and `filter_hessian` take the arguments of the function, and "
    "give it all of them, the first with its static leaves",
    source=f"{_DOCS}filter_jacfwd",
    needs=set(_NAMES),
    case=cases(tree=structures(finite=True, inexact=True), other=_ANY, option=_ANY),
)
def a_jacobian_takes_the_arguments_of_its_function(lib, case):
    others = [(case.other,), {"option": case.option}]
    for name in _NAMES:
        seen = []
        got = getattr(lib, name)(_noting(seen))(case.tree, case.other, option=case.option)
        same(seen[0][0], _without_numbers(case.tree))
        same(seen[0][1:], others)
        same(got, getattr(lib, name)(energy)(case.tree))


def _noting(seen):
    """Return `energy`, which notes what it gets apart from the arrays it is differentiated in."""

    def noting(tree, *args, **named):
        seen.append([_without_numbers(tree), args, named])
        return energy(tree)

    return noting


def _without_numbers(tree):
    return with_inexact(tree, itertools.repeat(None))
