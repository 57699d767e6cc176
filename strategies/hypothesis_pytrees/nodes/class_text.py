"""The text of one class of a registered node, with its registration."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hypothesis_pytrees.classes.grammar.traits import CLASS

from .layout import FIRST, Layout
from .parts import CHILDREN, ROOT, Part


def class_text(layout: Layout) -> str:
    """Write a class and its registration.

    Args:
        layout: what it holds.
    """
    by_class = "by-class" in layout.has
    methods = list(_methods(layout)) if by_class else []
    members = (trait.body.strip("\n") for trait in layout.own if trait.body)
    body = "\n\n".join([*_fields(layout), *_constructor(layout), *members, *methods]) or "pass"
    children = ", ".join(layout.read("self", part) for part in layout.children)
    body = body.replace(CHILDREN, f"[{children}]").replace(ROOT, layout.storage.root)
    text = f"class {_head(layout)}:\n{textwrap.indent(body, '    ')}\n"
    if "dataclass" in layout.has:
        options = [f"{one}=True" for one in ("frozen", "slots") if one in layout.has]
        text = f"@dataclasses.dataclass({', '.join(options)})\n{text}"
    if by_class:
        text = f"@jtu.{layout.registration}\n{text}"
    else:
        text = "\n\n".join([text, *_functions(layout)])
    return text.replace(CLASS, layout.name)


def _head(layout: Layout) -> str:
    base = layout.parent
    if not base and layout.storage.root == "tuple":
        names = [part.name for part in layout.parts]
        defaults = ", ".join(part.default for part in layout.parts if part is not FIRST)
        base = f"collections.namedtuple('NodeFields', {names}, defaults=[{defaults}])"
    bases = [
        *(one.base for one in layout.own if one.base and not one.last),
        *([base] if base else []),
        *(one.base for one in layout.own if one.base and one.last),
    ]
    return f"{layout.name}({', '.join(bases)})" if bases else layout.name


def _fields(layout: Layout) -> Iterator[str]:
    """Yield the lines before all methods: the slots, or the fields of a dataclass."""
    if "dataclass" in layout.has:
        if layout.new:
            yield "\n".join(
                f"{one.name}: typing.Any{'' if one is FIRST else f' = {one.default}'}"
                for one in layout.new
            )
    elif "slots" in layout.has:
        stored = layout.storage.written
        names = [one.name for one in layout.new if one.aux or not stored]
        names += ["items"] * ("items" in stored and not layout.parent)
        yield f"__slots__ = {() if layout.storage.root == 'tuple' else tuple(names)}"


def _constructor(layout: Layout) -> Iterator[str]:
    """Yield the text of the method that runs when an instance is made, if the class has one."""
    setup = [one.setup for one in layout.own if one.setup]
    if "dataclass" in layout.has:
        name, parameters = "__post_init__", ["self"]
        lines = [
            layout.assigned("self", one.name, one.stored.format(f"self.{one.name}"))
            for one in layout.new
            if one.stored != "{}"
        ]
    elif layout.storage.root == "tuple":
        name, parameters, lines = "__init__", ["self", "*_", "**__"], []
    else:
        name, parameters = "__init__", ["self", *map(_parameter, layout.parts)]
        whole = layout.new or not layout.parent
        lines = list(layout.stored("self", layout.new, made=True)) if whole else []
        if layout.parent and (lines or setup):
            given = ", ".join(one.name for one in layout.inherited)
            lines = [f"super().__init__({given})", *lines]
    if lines or setup:
        yield _function(name, parameters, [*lines, *setup])


def _methods(layout: Layout) -> Iterator[str]:
    """Yield the methods of a class that registers itself."""
    if layout.parent and not (layout.new or any(one.constant for one in layout.own)):
        return  # It inherits them, and they make instances of `cls`.
    for name, text in layout.flatten("self"):
        yield _function(f"tree_{name}", ["self"], [text])
    aux, lines = layout.unflatten("cls")
    yield f"@classmethod\n{_function('tree_unflatten', ['cls', aux, 'children'], lines)}"


def _functions(layout: Layout) -> Iterator[str]:
    """Yield the functions that a class is registered with, and their registration."""
    given = [layout.name]
    flatten = dict(layout.flatten("node"))
    for name, text in flatten.items():
        yield f"{_function(f'{name}_{layout.name}', ['node'], [text])}\n"
    aux, lines = layout.unflatten(layout.name)
    yield f"{_function(f'unflatten_{layout.name}', [aux, 'children'], lines)}\n"
    order = ["flatten", "unflatten", "flatten_with_keys"]
    if layout.registration == "register_pytree_with_keys":
        order.reverse()
    given += [f"{one}_{layout.name}" for one in order if one == "unflatten" or one in flatten]
    yield f"jtu.{layout.registration}({', '.join(given)})\n"


def _parameter(part: Part) -> str:
    return part.name if part is FIRST else f"{part.name}={part.default}"


def _function(name: str, parameters: Sequence[str], lines: Sequence[str]) -> str:
    return f"def {name}({', '.join(parameters)}):\n{textwrap.indent(chr(10).join(lines), '    ')}"
