"""Wrapped functions and methods, which are `eqx.Module` instances of the library."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .module_kinds import module_kind
from .module_specials import PLAIN

_DOUBLE = """\
def double(x):
    return 2 * x
"""
_METER = '''\
class Meter(eqx.Module):
    x: typing.Any
    unit: str = eqx.field(static=True, default='m')

    def read(self, offset: int = 0) -> typing.Any:
        """Return what the meter shows."""
        return self.x

    @classmethod
    def like(cls, x):
        return cls(x)

    @staticmethod
    def twice(x):
        return 2 * x
'''
_SCALE = """\
class Scale(eqx.Module):
    factor: typing.Any

    def __call__(self, x):
        return jtu.tree_map(lambda leaf: leaf * x, self.factor)
"""
_DECORATED = """\
class Decorated(eqx.Module):
    x: typing.Any

    @eqx.filter_jit
    def compiled(self, y):
        return y

    @eqx.filter_vmap
    def mapped(self, y):
        return y
"""
_WRAPPER = """\
class Wrapper(eqx.Module):
    function: typing.Any
    x: typing.Any

    def __call__(self, *arguments):
        return self.function(*arguments)

    @property
    def __wrapped__(self):
        return self.function
"""
CALLABLES: tuple[Kind, ...] = (
    module_kind("call", "Scale($0)", _SCALE),
    module_kind("bound-method", "Meter($0).read", _METER),
    module_kind("bound-method plain", "Plain(Meter($0).read, $1)", _METER, PLAIN),
    module_kind("partial", "eqx.Partial(double, $0, key=$1)", _DOUBLE),
    module_kind("partial bound-method", "eqx.Partial(Meter($0).read, $1)", _METER),
    # Pickle finds the wrapper, not the function, under the function's name; and a deep copy makes
    # another compiled function, which the treedef takes for a different one.
    # filter_jit compares the parts of its function that are not arrays, and a drawn child might
    # refuse to be compared.
    module_kind(
        "filter-jit unpicklable deepcopy-differs",
        "eqx.filter_jit(Scale(jax.device_put(np.float32([1.0, 2.0]))))",
        _SCALE,
    ),
    module_kind(
        "filter-jit bound-method unpicklable deepcopy-differs",
        "Decorated($0).compiled",
        _DECORATED,
    ),
    module_kind("filter-vmap", "eqx.filter_vmap(Scale($0))", _SCALE),
    module_kind("filter-vmap bound-method unpicklable", "Decorated($0).mapped", _DECORATED),
    module_kind("filter-grad", "eqx.filter_grad(Scale($0))", _SCALE),
    module_kind("wrapper", "eqx.module_update_wrapper(Wrapper(double, $0))", _WRAPPER, _DOUBLE),
    module_kind(
        "wrapper bound-method",
        "eqx.module_update_wrapper(Wrapper(Meter($0).read, $1))",
        _METER,
        _WRAPPER,
    ),
)
