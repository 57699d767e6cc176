"""The text of one class of a registered node."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hypothesis_pytrees.classes.grammar.traits import CLASS

from .parts import CHILDREN, NAMES, ROOT, NodeTrait, Part, Storage
from .registration import KEY_TYPES

_FIRST = Part("x")
_KEYS = {trait.name: trait.key for trait in KEY_TYPES}


class ClassText:
    """One class: the traits that stand in it, and those that it inherits from its parent.

    Args:
        name: its name.
        parent: the name of the class that it inherits from; empty for none.
        inherited: the traits of the parent.
        own: the traits that stand in it.
        every: the traits of the class that is drawn.
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
        self._parent = parent
        self._own = own
        self._has = {feature for trait in every for feature in trait.has}
        self._storage = storage_of(every)
        first = [] if "no-children" in self._has else [_FIRST]
        self._inherited = _in_order([*first, *_parts(inherited)] if parent else [])
        self._new = _in_order(_parts(own) if parent else [*first, *_parts(own)])
        self._all = [*self._inherited, *self._new]
        self._children = [part for part in self._all if not part.aux]
        self._constants = [one.constant for one in (*inherited, *own) if one.constant]
        self._container = next((one.container for one in every if one.container), "")
        named = [trait for trait in every if trait.key]
        self.key_feature = named[0].name if named else self._storage.key
        self._key = named[0].key if named else _KEYS[self._storage.key]
        self.keyed = bool(named or "two functions" in self._has)

    @property
    def registration(self) -> str:
        """The function of `jax.tree_util` that registers it."""
        if "by-class" in self._has:
            return f"register_pytree_{'with_keys' if self.keyed else 'node'}_class"
        with_keys = self.keyed and "keys-argument" not in self._has
        return "register_pytree_with_keys" if with_keys else "register_pytree_node"

    def call(self) -> str:
        """Write a call of its constructor, in which `$0`, `$1`, ... stand for the children."""
        arguments, slots = [], 0
        for part in self._all:
            text = part.passed.replace(CLASS, self.name)
            for _ in range(text.count("$")):
                text = text.replace("$", f"#{slots}", 1)
                slots += 1
            if text:
                arguments.append(text if part is _FIRST else f"{part.name}={text}")
        return f"{self.name}({', '.join(arguments)})".replace("#", "$")

    def text(self) -> str:
        """Write the class and its registration."""
        by_class = "by-class" in self._has
        functions = dict(self._methods() if by_class else self._functions())
        if by_class and self._parent and not (self._new or any(one.constant for one in self._own)):
            functions = {}  # The parent's methods make instances of `cls`.
        members = (one.body.strip("\n") for one in self._own if one.body)
        body = [*self._fields(), *self._constructor(), *members]
        body += functions.values() if by_class else ()
        written = "\n\n".join(body) or "pass"
        children = ", ".join(self._read("self", part) for part in self._children)
        for old, new in ((CHILDREN, f"[{children}]"), (ROOT, self._storage.root)):
            written = written.replace(old, new)
        text = f"class {self._head()}:\n{textwrap.indent(written, '    ')}\n"
        if "dataclass" in self._has:
            options = [f"{one}=True" for one in ("frozen", "slots") if one in self._has]
            text = f"@dataclasses.dataclass({', '.join(options)})\n{text}"
        if by_class:
            text = f"@jtu.{self.registration}\n{text}"
        else:
            order = ["flatten", "unflatten", "flatten_with_keys"]
            if self.registration == "register_pytree_with_keys":
                order.reverse()
            given = ", ".join(f"{one}_{self.name}" for one in order if one in functions)
            register = f"jtu.{self.registration}({self.name}, {given})\n"
            text = "\n\n".join([text, *(f"{one}\n" for one in functions.values()), register])
        return text.replace(CLASS, self.name)

    def _head(self) -> str:
        base = self._parent
        if not base and self._storage.root == "tuple":
            names = [part.name for part in self._all]
            defaults = ", ".join(part.default for part in self._all if part is not _FIRST)
            base = f"collections.namedtuple('NodeFields', {names}, defaults=[{defaults}])"
        bases = [
            *(one.base for one in self._own if one.base and not one.last),
            *([base] if base else []),
            *(one.base for one in self._own if one.base and one.last),
        ]
        return f"{self.name}({', '.join(bases)})" if bases else self.name

    def _fields(self) -> Iterator[str]:
        """Yield the lines before all methods: the slots, or the fields of a dataclass."""
        if "dataclass" in self._has:
            if self._new:
                yield "\n".join(
                    f"{one.name}: typing.Any{'' if one is _FIRST else f' = {one.default}'}"
                    for one in self._new
                )
        elif "slots" in self._has:
            stored = self._storage.written
            names = [one.name for one in self._new if one.aux or not stored]
            names += ["items"] * ("items" in stored and not self._parent)
            yield f"__slots__ = {() if self._storage.root == 'tuple' else tuple(names)}"

    def _constructor(self) -> Iterator[str]:
        setup = [one.setup for one in self._own if one.setup]
        if "dataclass" in self._has:
            name, parameters = "__post_init__", ["self"]
            changed = [one for one in self._new if one.stored != "{}"]
            lines = [
                self._assigned("self", one.name, one.stored.format(f"self.{one.name}"))
                for one in changed
            ]
        elif self._storage.root == "tuple":
            name, parameters, lines = "__init__", ["self", "*_", "**__"], []
        else:
            name, parameters = "__init__", ["self", *map(_parameter, self._all)]
            lines = list(self._stored("self", self._new)) if self._new or not self._parent else []
            if self._parent and (lines or setup):
                given = ", ".join(one.name for one in self._inherited)
                lines = [f"super().__init__({given})", *lines]
        if lines or setup:
            yield _function(name, parameters, [*lines, *setup])

    def _stored(self, node: str, parts: Sequence[Part], *, made: bool = True) -> Iterator[str]:
        """Yield the lines that store arguments; `made`: as the constructor does."""
        values = {one.name: one.stored.format(one.name) if made else one.name for one in parts}
        children = {one.name: values.pop(one.name) for one in parts if not one.aux}
        if not self._storage.written:
            values = children | values
        elif children or not (made and self._parent):
            yield self._storage.written.format(
                node=node,
                values=", ".join(children.values()),
                keywords=", ".join(f"{name}={value}" for name, value in children.items()),
            )
        yield from (self._assigned(node, name, value) for name, value in values.items())

    def _assigned(self, node: str, name: str, value: str) -> str:
        if "frozen" in self._has:
            return f"object.__setattr__({node}, '{name}', {value})"
        return f"{node}.{name} = {value}"

    def _functions(self) -> Iterator[tuple[str, str]]:
        for name, text in self._flatten("node"):
            yield name, _function(f"{name}_{self.name}", ["node"], [text])
        aux, lines = self._unflatten(self.name)
        yield "unflatten", _function(f"unflatten_{self.name}", [aux, "children"], lines)

    def _methods(self) -> Iterator[tuple[str, str]]:
        for name, text in self._flatten("self"):
            yield name, _function(f"tree_{name}", ["self"], [text])
        aux, lines = self._unflatten("cls")
        text = _function("tree_unflatten", ["cls", aux, "children"], lines)
        yield "unflatten", f"@classmethod\n{text}"

    def _flatten(self, node: str) -> Iterator[tuple[str, str]]:
        aux = [f"{node}.{part.name}" for part in self._all if part.aux]
        names = f"{tuple(part.name for part in self._order())}"
        aux += [constant.replace(NAMES, names) for constant in self._constants]
        returned = f"({', '.join(aux)})" if len(aux) > 1 else "".join(aux) or "None"
        children, pairs = [], []
        for position, part in enumerate(self._order()):
            child = self._read(node, part)
            children.append(part.read.format(child))
            index = self._children.index(part)
            key = self._key.format(name=part.name, index=index, position=position)
            pairs.append(f"({key}, {children[-1]})")
        if not self.keyed or "two functions" in self._has:
            yield "flatten", f"return {self._contained(children)}, {returned}"
        if self.keyed:
            yield "flatten_with_keys", f"return {self._contained(pairs)}, {returned}"

    def _contained(self, items: Sequence[str]) -> str:
        if self._container:
            return self._container.format(f"[{', '.join(items)}]")
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def _unflatten(self, cls: str) -> tuple[str, list[str]]:
        """Return the name of the first parameter of unflatten, and its lines."""
        aux = [part.name for part in self._all if part.aux] + ["_"] * len(self._constants)
        lines = [f"{', '.join(aux)} = aux"] if len(aux) > 1 else []
        names = [part.name for part in self._order()]
        if names:
            lines.append(
                f"{', '.join(names)} = children" if names[1:] else f"{names[0]}, = children"
            )
        given = ", ".join(part.name for part in self._all)
        if "unflatten" not in self._has:
            lines.append(f"return {cls}({given})")
        elif self._storage.root == "tuple":
            lines.append(f"return tuple.__new__({cls}, [{given}])")
        else:
            lines.append(f"node = {self._storage.root}.__new__({cls})")
            lines += [*self._stored("node", self._all, made=False), "return node"]
        return aux[0] if len(aux) == 1 else "aux", lines

    def _order(self) -> list[Part]:
        """Return the children in the order of flatten."""
        return self._children[::-1] if "reordered" in self._has else self._children

    def _read(self, node: str, part: Part) -> str:
        index = self._children.index(part)
        return self._storage.read.format(node=node, name=part.name, index=index)


def storage_of(traits: Sequence[NodeTrait]) -> Storage:
    """Return where nodes with these traits keep their children."""
    return next((one.storage for one in traits if one.storage is not None), Storage())


def _parts(traits: Sequence[NodeTrait]) -> list[Part]:
    return [part for trait in traits for part in trait.parts]


def _in_order(parts: Sequence[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: part.aux)


def _parameter(part: Part) -> str:
    return part.name if part is _FIRST else f"{part.name}={part.default}"


def _function(name: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    return f"def {name}({', '.join(parameters)}):\n{textwrap.indent(chr(10).join(lines), '    ')}"
