"""Makes a broken `Module` base: what it registers, or what its classes do, is changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.tree_util as jtu


@dataclasses.dataclass
class Registration:
    """The functions with which a class is registered as a node.

    Args:
        cls: the class.
        flatten_with_keys: gives pairs of key and child, and the aux data.
        flatten: gives children and aux data.
        unflatten: takes aux data and children.
    """

    cls: type
    flatten_with_keys: Callable[[Any], tuple[Any, Any]]
    flatten: Callable[[Any], tuple[Any, Any]]
    unflatten: Callable[[Any, Any], Any]

    def map_children(self, change: Callable[[Any, list[Any]], list[Any]]) -> None:
        """Change the children of every flatten; `change` takes the node and its children."""
        keyed, plain = self.flatten_with_keys, self.flatten

        def flatten_with_keys(node: Any) -> tuple[Any, Any]:
            pairs, aux = keyed(node)
            keys = [key for key, _ in pairs]
            children = change(node, [child for _, child in pairs])
            return tuple(zip(keys, children, strict=False)), aux

        def flatten(node: Any) -> tuple[Any, Any]:
            children, aux = plain(node)
            return tuple(change(node, list(children))), aux

        self.flatten_with_keys, self.flatten = flatten_with_keys, flatten

    def after_unflatten(self, change: Callable[[Any], Any]) -> None:
        """Do something to each instance that unflatten makes; what `change` gives is dropped."""
        real = self.unflatten

        def unflatten(aux: Any, children: Any) -> Any:
            node = real(aux, children)
            change(node)
            return node

        self.unflatten = unflatten


def broken_module(
    eqx: Any,
    *,
    registration: Callable[[Registration], None] | None = None,
    body: Callable[[str, tuple[type, ...], dict[str, Any]], None] | None = None,
    finish: Callable[[type], None] | None = None,
    call: Callable[[Callable[..., Any], type, tuple[Any, ...], dict[str, Any]], Any] | None = None,
    methods: dict[str, Any] | None = None,
) -> type:
    """Make a base class that stands in for `eqx.Module`.

    Args:
        eqx: the real library.
        registration: changes what a class registers.
        body: changes a class's namespace before the class is made.
        finish: changes a class after it is made.
        call: makes an instance; takes what the real metaclass would do, the class, the arguments.
        methods: attributes of the base class itself.
    """
    real = type(eqx.Module)

    class Meta(real):
        def __new__(
            mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **keywords: Any
        ) -> type:
            if body is not None and bases != (eqx.Module,):
                body(name, bases, namespace)
            register = jtu.register_pytree_with_keys
            changed = _registering(register, registration) if registration else register
            jtu.register_pytree_with_keys = changed
            try:
                cls = super().__new__(mcs, name, bases, namespace, **keywords)
            finally:
                jtu.register_pytree_with_keys = register
            if finish is not None and bases != (eqx.Module,):
                finish(cls)
            return cls

        def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
            if call is None:
                return super().__call__(*args, **kwargs)
            return call(super().__call__, cls, args, kwargs)

    return Meta("Module", (eqx.Module,), dict(methods or {}))


def _registering(
    register: Callable[..., None], change: Callable[[Registration], None]
) -> Callable[..., None]:
    def changed(
        cls: type,
        flatten_with_keys: Callable[[Any], Any],
        unflatten_func: Callable[[Any, Any], Any],
        flatten_func: Callable[[Any], Any] | None = None,
    ) -> None:
        def plain(node: Any) -> tuple[Any, Any]:
            pairs, aux = flatten_with_keys(node)
            return tuple(child for _, child in pairs), aux

        found = Registration(cls, flatten_with_keys, flatten_func or plain, unflatten_func)
        change(found)
        register(cls, found.flatten_with_keys, found.unflatten, found.flatten)

    return changed


def field_names(cls: type, *, static: bool) -> list[str]:
    """Return the names of a class's fields that are static, or of those that are not."""
    fields = dataclasses.fields(cls)
    return [field.name for field in fields if bool(field.metadata.get("static")) is static]
