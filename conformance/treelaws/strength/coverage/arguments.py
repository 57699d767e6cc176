"""The kind of an argument in a few words, such as `lambda`, `eqx.Module` or `True`."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from .inventory import constructor

# Base classes by top-level module and name; those first that others are derived from last.
_BASES: Mapping[str, str] = {
    "equinox.Enumeration": "eqx.Enumeration",
    "equinox.State": "eqx.nn.State",
    "equinox.Module": "eqx.Module",
    "flax.Rngs": "nnx.Rngs",
    "flax.RngStream": "nnx.RngStream",
    "flax.Variable": "nnx.Variable",
    "flax.State": "nnx.State",
    "flax.GraphDef": "nnx.GraphDef",
    "flax.Optimizer": "nnx.Optimizer",
    "flax.Module": "nnx.Module",
    "flax.Object": "nnx.Object",
    "flax.Pytree": "nnx.Pytree",
    "flax.FrozenDict": "FrozenDict",
    "flax.NodeStates": "nnx.NodeStates",
    "jax.Tracer": "tracer",
    "jax.ShapeDtypeStruct": "ShapeDtypeStruct",
    "jax.Partial": "jtu.Partial",
    "jax.PartitionSpec": "PartitionSpec",
    "jax.Sharding": "Sharding",
    "jaxlib.PyTreeDef": "treedef",
    "jaxlib.PjitFunction": "compiled function",
    "jaxlib.Sharding": "Sharding",
    "numpy.ndarray": "np.ndarray",
    "numpy.generic": "NumPy scalar",
    "numpy.dtype": "dtype",
    "functools.partial": "functools.partial",
    "collections.OrderedDict": "OrderedDict",
    "collections.defaultdict": "defaultdict",
    "optax.GradientTransformation": "GradientTransformation",
}
_PLAIN = (int, float, complex, str, bytes, list, tuple, dict, set, slice)
_SOMETIMES_CALLABLE = ("eqx.Module", "nnx.Module", "nnx.Pytree", "dataclass", "other object")
_CALLABLE: Mapping[type, str] = {
    types.MethodType: "bound method",
    types.BuiltinFunctionType: "built-in function",
    types.MethodWrapperType: "built-in function",
}


def kind(value: Any, default: Any = None) -> str:
    """Return the kind of an argument.

    Args:
        value: the argument.
        default: the default of its parameter; texts are shown if it is a text.
    """
    if value is None or value is True or value is False or value is Ellipsis:
        return str(value)
    if isinstance(value, types.FunctionType):
        return "lambda" if value.__name__ == "<lambda>" else "function"
    if type(value) in _CALLABLE:
        return _CALLABLE[type(value)]
    if type(value) is int:
        return "negative int" if value < 0 else "int"
    if type(value) is str:
        return repr(value) if isinstance(default, str) else "str"
    if isinstance(value, type):
        return "class"
    if type(value) in (list, tuple):
        return _sequence(value)
    found = _by_type(type(value))
    return f"{found}, callable" if found in _SOMETIMES_CALLABLE and callable(value) else found


def _sequence(values: Any) -> str:
    """Return the kind of a list or a tuple, with that of its elements if they are options."""
    kinds = {kind(one) if _is_option(one) else "" for one in values} or {"nothing"}
    element = kinds.pop() if len(kinds) == 1 else ""
    return f"{type(values).__name__} of {element}" if element else type(values).__name__


def _is_option(value: Any) -> bool:
    return value is None or type(value) in (bool, int, str)


def _common(values: Iterable[Any]) -> str:
    kinds = {kind(one) for one in values}
    return kinds.pop() if len(kinds) == 1 else "many kinds"


def _by_type(found: type) -> str:
    names = {_label(base) for base in found.__mro__}
    for name, label in _BASES.items():
        if name in names:
            return label
    if found.__module__.split(".")[0] == "jax" and "Key" in found.__name__:
        return "PRNG keys"
    if any(_label(base) in ("jaxlib.ArrayImpl", "jax.Array") for base in found.__mro__):
        return "jax.Array"
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        return "named tuple"
    if found in _PLAIN:
        return found.__name__
    if base := next((one for one in _PLAIN if issubclass(found, one)), None):
        return f"subclass of {base.__name__}"
    return "dataclass" if hasattr(found, "__dataclass_fields__") else "other object"


def _label(base: type) -> str:
    return f"{base.__module__.split('.')[0]}.{base.__name__}"


class Arguments:
    """How the arguments of a function are read from a frame that has just begun.

    Args:
        value: the function or the class.
        code: the code of its outermost wrapper, which may take all as `*args` and `**kwargs`.
        bound: whether it is a method, whose first argument, an instance or a class, is left out.
    """

    def __init__(self, value: Any, code: CodeType, *, bound: bool) -> None:
        self._known = _parameters(value, bound=bound)
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[:count]
        without_first = bound or isinstance(value, type)
        self._names = names[1:] if without_first and code.co_argcount else names
        self._skipped = int(without_first and not code.co_argcount)
        self._star = code.co_varnames[count] if code.co_flags & inspect.CO_VARARGS else ""
        count += bool(self._star)
        self._stars = code.co_varnames[count] if code.co_flags & inspect.CO_VARKEYWORDS else ""

    def kinds(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return by parameter the kinds of the arguments that are not the default.

        Args:
            values: the local variables of the frame.
        """
        given = {name: values[name] for name in self._names if name in values}
        if not given.keys() <= self._known.keys():
            return {}
        rest = tuple(values.get(self._star, ()))[self._skipped :]
        named = dict(values.get(self._stars, {}))
        left = [
            name
            for name, one in self._known.items()
            if one.kind in _POSITIONAL and name not in given and name not in named
        ]
        given |= {name: named.pop(name) for name in self._known if name in named}
        given |= dict(zip(left, rest, strict=False))
        return self._of(given, rest[len(left) :], named)

    def _of(
        self, given: Mapping[str, Any], rest: tuple[Any, ...], named: Mapping[str, Any]
    ) -> dict[str, str]:
        found = {
            name: kind(value, self._known[name].default)
            for name, value in given.items()
            if value is not self._known[name].default
        }
        for name, one in self._known.items():
            if one.kind is inspect.Parameter.VAR_POSITIONAL and rest:
                found[f"*{name}"] = _common(rest)
            elif one.kind is inspect.Parameter.VAR_KEYWORD and named:
                found[f"**{name}"] = _common(named.values())
        return found


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _parameters(value: Any, *, bound: bool) -> dict[str, inspect.Parameter]:
    try:
        found = dict(inspect.signature(constructor(value) or value).parameters)
    except (TypeError, ValueError):
        return {}
    if (bound or isinstance(value, type)) and found:
        found.pop(next(iter(found)))
    return found
