"""Modules of Flax NNX that are converted to Linen, and the converted ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.names import has
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .variable_values import CODE as _VALUES_CODE

_CLASS = """\
nnx_held_as_data = getattr(nnx, 'data', lambda held: held)


def nnx_plus_one(variable, value):
    return jtu.tree_map(lambda leaf: leaf + 1, value)


class NnxConvertible(nnx.Module):
    # Holds Variables, modules and arrays; a call adds all, and changes what is not a parameter.
    def __init__(self, parts, rngs=None):
        self.parts = parts
        for kind, name, *rest in parts:
            if kind == 'variable':
                collection, value, at, metadata = rest
                variable = nnx.variable_type_from_name(collection, allow_register=True)
                held = variable(FLAX_VALUES[value](at), **dict(metadata))
            elif kind == 'again':
                held = getattr(self, rest[0])
            elif kind == 'array':
                held = nnx_held_as_data(jax.device_put(np.float32(0.5)))
            else:
                held = [NnxConvertible(inner) for inner in rest[0]]
                held = dict(zip(range(2, 4), held)) if kind == 'int-dict' else held
                held = dict(zip('ab', held)) if kind == 'dict' else held
                held = held[0] if kind == 'one' else nnx_held_as_data(held)
            setattr(self, name, held)

    def __call__(self, x):
        seen = []
        for kind, name, *rest in self.parts:
            held = getattr(self, name)
            if kind in ('variable', 'again'):
                value = held.get_value() if hasattr(held, 'get_value') else held.value
                seen.append(value)
                x = sum(jtu.tree_leaves(value), x)
                if not isinstance(held, nnx.Param):
                    write = getattr(held, 'set_value', lambda new: setattr(held, 'value', new))
                    write(jtu.tree_map(lambda leaf: leaf + 1, value))
            elif kind == 'array':
                x = x + held
            else:
                held = [held] if kind == 'one' else held
                for one in held.values() if kind.endswith('dict') else held:
                    x, inner = one(x)
                    seen.append(inner)
        return x, seen
"""
_NAMES = ("w", "kernel", "_hidden", "layers_0", "name", "bias", "c")
_COLLECTIONS = ("params", "params", "batch_stats", "cache", "nnx_counts")
_HELD = ("one", "list", "dict", "int-dict")
VALUES = ("array", "number", "none", "tuple", "list", "empty-tuple", "dict", "empty-dict")
OF_ARRAYS = ("array", "tuple", "list")
_METADATA = {
    "none": "()",
    "note": "(('note', 'text'),)",
    "two": "(('note', 'text'), ('count', 2))",
    "on-get": "(('on_get_value', nnx_plus_one),)",
    "on-set": "(('on_set_value', nnx_plus_one),)",
    "on-create": "(('on_create_value', nnx_plus_one),)",
}
PLAIN = ("none", "note", "two")
METADATA = tuple(_METADATA)
KINDS = ("variable", "variable", "again")


@st.composite
def convertible(
    draw: st.DrawFn,
    *,
    values: Sequence[str] = VALUES,
    metadata: Sequence[str] = METADATA,
    kinds: Sequence[str] = KINDS,
    depth: int = 2,
) -> Recipe:
    """Draw `make()`, which makes a module of NNX; `linen`, the converted one; and its input `x`.

    `given` has the metadata of its own Variables, by collection and name. Features are `value:`
    with the kind of a value, `held:` with how modules inside are held, `metadata:`,
    `collections:several`, and `part:` with what else a module holds.

    Args:
        values: the kinds of values of Variables; default all.
        metadata: the kinds of their metadata; default all.
        kinds: what a module holds, beside modules; default Variables, also at two places.
        depth: how many levels of modules it holds; default 2.
    """
    scope = Scope()
    scope.define(_VALUES_CODE)
    scope.define(_CLASS)
    module = _Module(draw, scope, values, metadata, kinds)
    scope.bind("parts", module.parts(depth))
    scope.bind("make", "lambda: NnxConvertible(parts)")
    converted = (
        "nnx.bridge.to_linen(NnxConvertible, parts)",
        "nnx.bridge.to_linen(NnxConvertible, parts=parts)",
        "nnx.bridge.ToLinen(NnxConvertible, args=(parts,), skip_rng=True)",
    )
    scope.bind("linen", draw(st.sampled_from(converted)))
    scope.bind("x", "jax.device_put(np.float32([1.0, -2.0]))")
    scope.bind(
        "given",
        "{(part[2], part[1]): dict(part[5]) for part in parts if part[0] == 'variable'}",
    )
    return scope.recipe()


class _Module:
    """Draws the parts of a module; the arguments are those of `convertible`."""

    def __init__(
        self,
        draw: st.DrawFn,
        scope: Scope,
        values: Sequence[str],
        metadata: Sequence[str],
        kinds: Sequence[str],
    ) -> None:
        # Older releases refuse arrays in modules.
        usable = kinds if has("nnx.data") else [kind for kind in kinds if kind != "array"]
        self._draw, self._scope, self._kinds = draw, scope, usable
        self._values, self._metadata = values, metadata
        self._collections = set[str]()
        self._numbers = itertools.count(1)

    def parts(self, depth: int) -> str:
        """Return a tuple of parts, with modules to a depth."""
        drawn = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3, unique=True)
        texts, variables = list[str](), list[str]()
        for name in self._draw(drawn):
            texts.append(self._part(name, depth, variables))
        return f"({', '.join(texts)},)"

    def _part(self, name: str, depth: int, variables: list[str]) -> str:
        kind = self._draw(st.sampled_from((*self._kinds, *(_HELD if depth else ()))))
        if kind == "again" and not variables:
            kind = "variable"
        self._scope.note(f"held:{kind}" if kind in _HELD else f"part:{kind}")
        if kind in _HELD:
            count = 1 if kind == "one" else self._draw(st.integers(1, 2))
            inner = "".join(f"{self.parts(depth - 1)}, " for _ in range(count))
            return f"({kind!r}, {name!r}, ({inner}))"
        if kind == "again":
            return f"('again', {name!r}, {variables[0]!r})"
        if kind == "array":
            return f"('array', {name!r})"
        variables.append(name)
        value, about = (
            self._draw(st.sampled_from(table)) for table in (self._values, self._metadata)
        )
        self._scope.note(f"value:{value}", f"metadata:{about}")
        collection = self._draw(st.sampled_from(_COLLECTIONS))
        self._collections.add(collection)
        self._scope.note(*(["collections:several"] if len(self._collections) > 1 else []))
        at = next(self._numbers)
        return f"('variable', {name!r}, {collection!r}, {value!r}, {at}, {_METADATA[about]})"
