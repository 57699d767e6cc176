"""Equinox Modules: reading attributes, properties and cached properties."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.classes.module_callables import CALLABLES
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.availability import usable
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

law = Topic("equinox.module.properties", "Equinox: properties of Modules", family="equinox")
_WRAPPER = (
    "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.module_update_wrapper"
)
_CACHED = "https://github.com/patrick-kidger/equinox/issues/539"
_METADATA = ("__name__", "__qualname__", "__doc__", "__module__")


@st.composite
def _readable(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    cached = [kind for kind in MODULES if "module:cached-property" in kind.features]
    computed = [kind for kind in MODULES if "module:property" in kind.features]
    # Classes whose attributes run code are drawn more often.
    table = draw(st.sampled_from((MODULES, (*CALLABLES, *cached), computed)))
    module = scope.bind("module", draw(trees(roots=usable(table), max_leaves=3)))
    prior_operations.apply(draw, scope, module)
    return scope.recipe()


@law(
    "reading attributes, properties and cached properties does not change the treedef",
    source=_CACHED,
    needs={"Module"},
    level="should",
    case=_readable(),
)
def reading_leaves_the_structure_alone(lib, case):
    before = jtu.tree_structure(case.module)
    for name in dir(case.module):
        getattr(case.module, name, None)
    equal(jtu.tree_structure(case.module), before)


@law(
    "the name, docstring and module of an instance are the same after flatten and unflatten",
    source=_WRAPPER,
    needs={"Module"},
    level="should",
    case=_readable(),
)
def metadata_survives_a_round_trip(lib, case):
    back = jtu.tree_map(lambda leaf: leaf, case.module)
    for name in _METADATA:
        same(getattr(back, name, "unset"), getattr(case.module, name, "unset"))


_CACHING = """\
class OncePaired(eqx.Module):
    x: typing.Any

    @functools.cached_property
    def pair(self):
        return [self.x, object()]
"""


@st.composite
def _caching(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_CACHING)
    module = scope.bind("module", f"OncePaired({scope.bind('x', draw(trees(max_leaves=2)))})")
    if draw(st.booleans()):
        scope.statement("module.pair")
    prior_operations.apply(draw, scope, module)
    return scope.recipe()


@law(
    "a cached property is computed once per instance, and again after `tree_map`",
    source=_CACHED,
    needs={"Module"},
    level="should",
    case=_caching(),
)
def cached_properties_follow_the_instance(lib, case):
    true(case.module.pair is case.module.pair, case.module.pair, "one object")
    mapped = jtu.tree_map(lambda leaf: (leaf,), case.module)
    true(mapped.pair[0] is mapped.x, mapped.pair, "the leaf of the mapped instance")
