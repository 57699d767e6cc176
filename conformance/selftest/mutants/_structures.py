"""A `PyTreeDef` with some methods replaced, for mutants."""

from __future__ import annotations

from typing import Any

_NAMES = ("tree_flatten", "tree_structure", "tree_flatten_with_path", "treedef_tuple")


def with_structure(jax: Any, **methods: Any) -> dict[str, Any]:
    """Patch the functions that make structures so that theirs have other methods.

    Args:
        methods: by name, special ones too; each takes the real structure first. A value that is
            no function replaces an attribute.
    """
    util = jax.tree_util

    def bare(value: Any) -> Any:
        return value._real if isinstance(value, Structure) else value

    def wrap(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(wrap, value))
        return Structure(value) if isinstance(value, util.PyTreeDef) else value

    class Structure:
        def __init__(self, real: Any) -> None:
            self._real = real

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._real, name)
            if not callable(found):
                return found
            return lambda *args: wrap(found(*map(bare, args)))

        def __eq__(self, other: object) -> Any:
            return self._real == bare(other)

        def __ne__(self, other: object) -> Any:
            return self._real != bare(other)

        def __hash__(self) -> int:
            return hash(self._real)

        def __repr__(self) -> str:
            return repr(self._real)

    for name, method in methods.items():
        if callable(method):
            replaced = lambda self, *args, method=method: wrap(method(self._real, *map(bare, args)))
            setattr(Structure, name, replaced)
        else:
            setattr(Structure, name, method)

    def patch(function: Any) -> Any:
        def patched(first: Any, *args: Any, **options: Any) -> Any:
            if function is util.treedef_tuple:
                first = list(map(bare, first))
            return wrap(function(first, *args, **options))

        return patched

    def bared(function: Any) -> Any:
        return lambda *args: function(*map(bare, args))

    takers = ("treedef_is_leaf", "treedef_children", "tree_transpose")
    made = {f"tree_util.{name}": patch(getattr(util, name)) for name in _NAMES}
    return {**made, **{f"tree_util.{name}": bared(getattr(util, name)) for name in takers}}
