"""Equinox Modules: default values and default factories."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from treelaws.core.law import Topic
from treelaws.equality import refuses, true

law = Topic("equinox.module.defaults", "Equinox: default values of fields", family="equinox")
_DEFAULTS = "https://docs.python.org/3/library/dataclasses.html#mutable-default-values"


_MUTABLE = ("[]", "[1]", "{}", "set()", "dict(a=1)", "{1}")
_UNHASHABLE = ("np.zeros(2)", "jax.device_put(np.ones(2))", "bytearray()", "collections.deque()")
_DEFINE = """\
def define():
    class Shared(eqx.Module):
        x: typing.Any = {default}
    return Shared()"""


@st.composite
def _refused_defaults(draw: st.DrawFn, defaults: tuple[str, ...]) -> Recipe:
    scope = Scope()
    default = draw(st.sampled_from(defaults))
    if draw(st.booleans()):
        default = f"eqx.field(default={default}, static={draw(st.booleans())})"
    scope.statement(_DEFINE.format(default=default))
    return scope.recipe()


@law(
    "a list, dict or set as a default value raises ValueError when the class is defined",
    source=_DEFAULTS,
    needs={"Module", "field"},
    case=_refused_defaults(_MUTABLE),
)
def mutable_defaults_are_refused(lib, case):
    refuses(ValueError, case.define)


@law(
    "an unhashable default value raises ValueError when the class is defined",
    source=_DEFAULTS,
    needs={"Module", "field", "unhashable_defaults_are_refused"},
    case=_refused_defaults(_UNHASHABLE),
)
def unhashable_defaults_are_refused(lib, case):
    """Dataclasses of Python 3.11 and later treat every unhashable default as mutable."""
    refuses(ValueError, case.define)


_FACTORY = """\
class Factory_{index}(eqx.Module):
    x: typing.Any = {field}
    y: typing.Any = None
"""
_FACTORIES = ("list", "dict", "lambda: [1]", "lambda: np.zeros(2)", "lambda: lambda: 1")


@st.composite
def _factories(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    index = draw(st.integers(0, 2 * len(_FACTORIES) - 1))
    library = "eqx" if index % 2 else "dataclasses"
    field = f"{library}.field(default_factory={_FACTORIES[index // 2]})"
    scope.define(_FACTORY.format(index=index, field=field))
    given = scope.bind("given", draw(trees(max_leaves=2)))
    for name in ("one", "other"):
        scope.bind(name, f"Factory_{index}({draw(st.sampled_from(('', f'y={given}')))})")
    return scope.recipe()


@law(
    "a default factory gives each instance its own object",
    source=_DEFAULTS,
    needs={"Module", "field"},
    case=_factories(),
)
def factories_run_for_each_instance(lib, case):
    true(case.one.x is not case.other.x, case.one.x, "a different object for each instance")
    true(type(case.one.x) is type(case.other.x), case.other.x, f"the type of {case.one.x!r}")
