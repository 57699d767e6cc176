"""The texts of the classes of a shape."""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from .traits import CLASS, DROPPED, FIELD, STATIC, Declared, Form, Trait

# Annotations of names that are not fields.
# Source: https://docs.python.org/3/library/dataclasses.html#class-variables
_NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")


def class_text(
    name: str, bases: Sequence[str], options: Sequence[str], body: str, form: Form, fields: Declared
) -> str:
    """Return the text of a class.

    Args:
        name: its name.
        bases: its bases and class keywords, without the root.
        options: options of the dataclass; keywords of the class if no decorator takes them.
        body: its lines; empty for none.
        form: how its library is told of it.
        fields: the names of its fields, inherited ones included.
    """
    if form.decorated is None:
        head, within = "", [*bases, *options]
    else:
        head, within = form.decorated(f"({', '.join(options)})" if options else "", fields), bases
    for marker, call in ((FIELD, form.field), (DROPPED, form.field), (STATIC, form.static)):
        body = body.replace(marker, call)
    inside = f"({', '.join(within)})" if within else ""
    return f"{head}class {name}{inside}:\n{textwrap.indent(body or 'pass', '    ')}\n"


def roles(name: str, body: str) -> Iterator[tuple[str, str]]:
    """Yield each field that a class declares, and the attribute of `Declared` that it belongs to.

    Args:
        name: the name of the class.
        body: its lines.
    """
    for line in ast.parse(body).body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            if any(word in ast.unparse(line.annotation) for word in _NO_FIELDS):
                continue
            field = line.target.id
            value = ast.unparse(line.value) if line.value else ""
            role = {STATIC: "static", DROPPED: "dropped"}.get(value.partition("(")[0] + "(", "data")
            mangled = field.startswith("__") and not field.endswith("__")
            yield f"_{name}{field}" if mangled else field, "made" if "init=False" in value else role


def declared(found: Mapping[str, str]) -> Declared:
    """Return the fields of a class.

    Args:
        found: what `roles` yields for its bases and then for itself.
    """
    return Declared(*(tuple(f for f in found if found[f] == role) for role in Declared._fields))


def initialiser(here: Sequence[Trait], *, first: bool) -> Iterator[str]:
    """Yield the text of `__init__` for traits of one class, if it needs one."""
    own = [f"{trait.passed.partition('=')[0]}=None" for trait in here if trait.passed]
    lines = [trait.setup.strip("\n") for trait in here if trait.setup]
    if first:
        head, lines = ", ".join(["self", "x", *own]), ["self.x = x", *lines]
    else:
        head = ", ".join(["self", "*arguments", *own, "**values"])
        lines = ["super().__init__(*arguments, **values)", *lines]
    if first or len(lines) > 1:
        yield f"def __init__({head}):\n{textwrap.indent(chr(10).join(lines), '    ')}"


def apart(lines: Sequence[str], name: str) -> str:
    """Join the parts of a body, with an empty line around methods.

    Args:
        lines: the parts.
        name: the name of the class.
    """
    text = ""
    for one, other in itertools.pairwise(["", *lines]):
        text += other if not one else ("\n\n" if "\n" in one + other else "\n") + other
    return text.replace(CLASS, name)
