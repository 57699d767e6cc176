"""Functions of Flax NNX whose names differ between releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis_pytrees.core.names import has

from . import matches


def optimizer_update(optimizer: Any, model: Any, grads: Any) -> Any:
    """Update an Optimizer of Flax NNX, which takes the model as an argument since 0.11."""
    if matches("flax", ">=0.11"):
        return optimizer.update(model, grads)
    return optimizer.update(grads)


def raw_value(variable: Any) -> Any:
    """Return the value of a Variable of Flax NNX, without its hooks."""
    cls = type(variable)
    if has("nnx.Variable.get_raw_value"):
        return variable.get_raw_value()
    # Up to 0.10.6 a State holds VariableStates, whose value is the raw one.
    return variable.value if cls.__name__ == "VariableState" else variable.raw_value


def value(variable: Any) -> Any:
    """Read a Variable of Flax NNX as its users do: `get_value` since 0.12.1, before it `value`."""
    return variable.get_value() if has("nnx.Variable.get_value") else variable.value


def parameter(held: Any) -> Any:
    """Return the array that a layer holds, or `None`, for which old layers hold a Variable."""
    return None if held is None else value(held)


def set_value(variable: Any, value: Any) -> None:
    """Write a Variable of Flax NNX as its users do: `set_value` since 0.12.1, before it `value`."""
    if has("nnx.Variable.set_value"):
        variable.set_value(value)
    else:
        variable.value = value


def type_of(variable: Any) -> tuple[type, ...]:
    """Return the type of a Variable of Flax NNX; of a VariableState also the type it stands for."""
    cls = type(variable)
    return (cls, variable.type) if cls.__name__ == "VariableState" else (cls,)


def flat(nnx: Any, state: Any) -> dict[tuple[Any, ...], Any]:
    """Return the leaves of a State of Flax NNX by path: a method up to 0.10.3, then a function."""
    return dict(nnx.to_flat_state(state) if has("nnx.to_flat_state") else state.flat_state())


def from_flat(nnx: Any, flat: Any) -> Any:
    """Make a State of Flax NNX from its leaves by path."""
    if has("nnx.from_flat_state"):
        return nnx.from_flat_state(flat)
    return nnx.State.from_flat_path(flat)


def pure(nnx: Any, state: Any) -> dict[Any, Any]:
    """Return the values of a State of Flax NNX as nested dicts."""
    return nnx.to_pure_dict(state) if has("nnx.to_pure_dict") else state.to_pure_dict()


def replace_pure(nnx: Any, state: Any, pure: Any) -> None:
    """Put the values of nested dicts into a State of Flax NNX."""
    if has("nnx.replace_by_pure_dict"):
        nnx.replace_by_pure_dict(state, pure)
    else:
        state.replace_by_pure_dict(pure)


def merge_states(nnx: Any, *states: Any) -> Any:
    """Make one State of Flax NNX of several."""
    return nnx.merge_state(*states) if has("nnx.merge_state") else nnx.State.merge(*states)


def split_state(nnx: Any, state: Any, *filters: Any) -> tuple[Any, ...]:
    """Split a State of Flax NNX by filters that match everything; always give a tuple."""
    split = nnx.split_state if has("nnx.split_state") else type(state).split
    parts = split(state, *filters)
    return parts if isinstance(parts, tuple) else (parts,)


def filter_state(nnx: Any, state: Any, *filters: Any) -> tuple[Any, ...]:
    """Return the parts of a State of Flax NNX that filters match; always give a tuple."""
    filtered = nnx.filter_state if has("nnx.filter_state") else type(state).filter
    parts = filtered(state, *filters)
    return parts if isinstance(parts, tuple) else (parts,)


def diff(nnx: Any, state: Any, other: Any) -> Any:
    """Return the part of a State of Flax NNX that another State lacks."""
    statelib = nnx.statelib
    return statelib.diff(state, other) if has("nnx.statelib.diff") else state - other


def map_state(nnx: Any, function: Any, state: Any) -> Any:
    """Map a function of path and leaf over a State of Flax NNX."""
    return nnx.map_state(function, state) if has("nnx.map_state") else state.map(function)


def iter_modules(nnx: Any, module: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over the modules in a module of Flax NNX: up to 0.12.0 by a method."""
    return nnx.iter_modules(module) if has("nnx.iter_modules") else nnx.Module.iter_modules(module)


def iter_children(nnx: Any, module: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over the attributes of a module of Flax NNX: up to 0.12.0 by a method."""
    return (
        nnx.iter_children(module) if has("nnx.iter_children") else nnx.Module.iter_children(module)
    )


def set_metadata(variable: Any, **metadata: Any) -> None:
    """Set metadata of a Variable of Flax NNX: attributes up to 0.11, then `set_metadata`."""
    if has("nnx.Variable.set_metadata"):
        variable.set_metadata(**metadata)
    else:
        for name, value in metadata.items():
            setattr(variable, name, value)


def metadata(variable: Any) -> dict[str, Any]:
    """Return the metadata of a Variable of Flax NNX."""
    return dict(variable.get_metadata())
