"""What one class of a registered node holds, and how it is flattened and unflattened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis_pytrees.classes.grammar.traits import CLASS

from .parts import NAMES, NodeTrait, Part, Storage
from .registration import KEY_TYPES

FIRST = Part("x")
_KEYS = {trait.name: trait.key for trait in KEY_TYPES}


class Layout:
    """The traits of one class, those in it and those of its parent.

    Args:
        name: its name.
        parent: the name of the class that it inherits from; empty for none.
        inherited: the traits of the parent.
        own: the traits that stand in it.
        every: the traits of the class that is drawn, which may be one that inherits from this one.
    """

    def __init__(
        self,
        name: str,
        parent: str,
        inherited: Sequence[NodeTrait],
        own: Sequence[NodeTrait],
        every: Sequence[NodeTrait],
    ) -> None:
        self.name = name
        self.parent = parent
        self.own = own
        self.has = {feature for trait in every for feature in trait.has}
        self.storage = storage_of(every)
        first = [] if "no-children" in self.has else [FIRST]
        self.inherited = _in_order([*first, *_parts(inherited)] if parent else [])
        self.new = _in_order(_parts(own) if parent else [*first, *_parts(own)])
        self.parts = [*self.inherited, *self.new]
        self.children = [part for part in self.parts if not part.aux]
        self._constants = [one.constant for one in (*inherited, *own) if one.constant]
        self._container = next((one.container for one in every if one.container), "")
        keys = [trait for trait in every if trait.key]
        self.key_type = keys[0].name if keys else self.storage.key
        self._key = keys[0].key if keys else _KEYS[self.key_type]
        self._two_functions = "two functions" in self.has
        self.keyed = bool(keys) or self._two_functions

    @property
    def registration(self) -> str:
        """The function of `jax.tree_util` that registers it."""
        if "by-class" in self.has:
            return f"register_pytree_{'with_keys' if self.keyed else 'node'}_class"
        with_keys = self.keyed and "keys-argument" not in self.has
        return "register_pytree_with_keys" if with_keys else "register_pytree_node"

    def call(self) -> str:
        """Write a call of its constructor, in which `$0`, `$1`, ... stand for the children."""
        arguments, slots = [], 0
        for part in self.parts:
            text = part.passed.replace(CLASS, self.name)
            for _ in range(text.count("$")):
                text = text.replace("$", f"#{slots}", 1)
                slots += 1
            if text:
                arguments.append(text if part is FIRST else f"{part.name}={text}")
        return f"{self.name}({', '.join(arguments)})".replace("#", "$")

    def flatten(self, node: str) -> Iterator[tuple[str, str]]:
        """Yield the names and bodies of the functions that flatten the instance named `node`."""
        order = self._order()
        aux = [f"{node}.{part.name}" for part in self.parts if part.aux]
        names = f"{tuple(part.name for part in order)}"
        aux += [constant.replace(NAMES, names) for constant in self._constants]
        returned = f"({', '.join(aux)})" if len(aux) > 1 else "".join(aux) or "None"
        children = [part.read.format(self.read(node, part)) for part in order]
        keys = [
            self._key.format(name=part.name, index=self.children.index(part), position=position)
            for position, part in enumerate(order)
        ]
        pairs = [f"({key}, {child})" for key, child in zip(keys, children, strict=True)]
        if self._two_functions or not self.keyed:
            yield "flatten", f"return {self._contained(children)}, {returned}"
        if self.keyed:
            yield "flatten_with_keys", f"return {self._contained(pairs)}, {returned}"

    def unflatten(self, cls: str) -> tuple[str, list[str]]:
        """Return the name of the first parameter of unflatten, and its lines.

        Args:
            cls: what the function calls the class.
        """
        aux = [part.name for part in self.parts if part.aux] + ["_"] * len(self._constants)
        lines = [f"{', '.join(aux)} = aux"] if len(aux) > 1 else []
        names = [part.name for part in self._order()]
        if names:
            targets = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
            lines.append(f"{targets} = children")
        given = ", ".join(part.name for part in self.parts)
        if "unflatten" not in self.has:
            lines.append(f"return {cls}({given})")
        elif self.storage.root == "tuple":
            lines.append(f"return tuple.__new__({cls}, [{given}])")
        else:
            lines.append(f"node = {self.storage.root}.__new__({cls})")
            lines += [*self.stored("node", self.parts, made=False), "return node"]
        return aux[0] if len(aux) == 1 else "aux", lines

    def stored(self, node: str, parts: Sequence[Part], *, made: bool) -> Iterator[str]:
        """Yield the lines that store values in the instance named `node`.

        Args:
            node: its name.
            parts: what to store, each a local variable of its name.
            made: whether these are arguments of the constructor; else what flatten returned.
        """
        values = {one.name: one.stored.format(one.name) if made else one.name for one in parts}
        children = {one.name: values.pop(one.name) for one in parts if not one.aux}
        if not self.storage.written:
            values = children | values
        elif children or not (made and self.parent):
            yield self.storage.written.format(
                node=node,
                values=", ".join(children.values()),
                keywords=", ".join(f"{name}={value}" for name, value in children.items()),
            )
        yield from (self.assigned(node, name, value) for name, value in values.items())

    def assigned(self, node: str, name: str, value: str) -> str:
        """Write the line that sets one attribute."""
        if "frozen" in self.has:
            return f"object.__setattr__({node}, '{name}', {value})"
        return f"{node}.{name} = {value}"

    def read(self, node: str, part: Part) -> str:
        """Write the expression that reads one child."""
        index = self.children.index(part)
        return self.storage.read.format(node=node, name=part.name, index=index)

    def _order(self) -> list[Part]:
        """Return the children in the order of flatten."""
        return self.children[::-1] if "reordered" in self.has else self.children

    def _contained(self, items: Sequence[str]) -> str:
        if self._container:
            return self._container.format(f"[{', '.join(items)}]")
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def storage_of(traits: Sequence[NodeTrait]) -> Storage:
    """Return where nodes with these traits keep their children."""
    return next((one.storage for one in traits if one.storage is not None), Storage())


def _parts(traits: Sequence[NodeTrait]) -> list[Part]:
    return [part for trait in traits for part in trait.parts]


def _in_order(parts: Sequence[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: part.aux)
