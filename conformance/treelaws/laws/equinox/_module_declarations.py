"""Drawn `eqx.Module` classes, each with a twin: a plain dataclass with the same text."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core import prior_operations


@dataclasses.dataclass(frozen=True)
class Declaration:
    """One way to declare a field; `{name}` is its name and `{field}` the library's `field`.

    Args:
        feature: its name in features.
        text: lines of the class body.
        static: whether it has `static=True`.
        optional: whether it has a default.
        keyword: whether it is keyword-only.
        metadata: its metadata, as text.
    """

    feature: str
    text: str
    static: bool = False
    optional: bool = False
    keyword: bool = False
    metadata: str = "{}"

    def lines(self, name: str, *, twin: bool) -> str:
        """Return the text of the declaration; that of a plain dataclass has no `static`."""
        text = (
            self.text.replace("static=True, ", "").replace("static=True", "") if twin else self.text
        )
        field = "dataclasses.field" if twin else "eqx.field"
        return "".join(f"    {line}\n" for line in text.format(name=name, field=field).split("\n"))


_UNIT = "metadata=dict(unit='m')"
DECLARATIONS: tuple[Declaration, ...] = (
    Declaration("bare", "{name}: typing.Any"),
    Declaration("static", "{name}: typing.Any = {field}(static=True)", static=True),
    Declaration("default", "{name}: typing.Any = 'preset'", optional=True),
    Declaration(
        "factory", "{name}: typing.Any = {field}(default_factory=lambda: [1])", optional=True
    ),
    Declaration(
        "static-default",
        "{name}: typing.Any = {field}(static=True, default='preset')",
        static=True,
        optional=True,
    ),
    Declaration("keyword", "{name}: typing.Any = {field}(kw_only=True)", keyword=True),
    Declaration(
        "metadata", f"{{name}}: typing.Any = {{field}}({_UNIT})", metadata="dict(unit='m')"
    ),
    Declaration(
        "static-metadata",
        f"{{name}}: typing.Any = {{field}}(static=True, {_UNIT})",
        static=True,
        metadata="dict(unit='m')",
    ),
    Declaration(
        "static-keyword-hidden",
        "{name}: typing.Any = {field}(static=True, kw_only=True, repr=False)",
        static=True,
        keyword=True,
    ),
    Declaration("string-annotation", "{name}: 'typing.Any'"),
)


@dataclasses.dataclass(frozen=True)
class Declared:
    """A class and its twin: the text of both, and the last declaration of each field."""

    name: str
    definitions: tuple[str, ...]
    fields: tuple[tuple[str, Declaration], ...]
    features: tuple[str, ...]


def _class(name: str, bases: str, body: str, *, twin: bool) -> str:
    head = f"@dataclasses.dataclass\nclass {name}" if twin else f"class {name}"
    return f"{head}{bases}:\n{body or '    pass' + chr(10)}"


def _declared(
    layout: str, parent: Sequence[tuple[str, Declaration]], child: Sequence[tuple[str, Declaration]]
) -> Declared | None:
    """Return a class with fields from a parent and a child, or `None` if it is invalid."""
    final = dict(parent) | dict(child)
    positional = [one.optional for one in final.values() if not one.keyword]
    if positional != sorted(positional):
        return None  # A dataclass field without a default cannot follow one with a default.
    parts = [f"{name}_{one.feature}".replace("-", "_") for name, one in (*parent, *child)]
    stem = "_".join(parts)
    texts: list[str] = []
    for twin in (False, True):
        tail = "Twin" if twin else ""
        base = "" if twin else "(eqx.Module)"
        bodies = ["".join(d.lines(n, twin=twin) for n, d in part) for part in (parent, child)]
        if layout == "flat":
            texts.append(_class(f"Flat_{stem}{tail}", base, bodies[0], twin=twin))
            continue
        above = f"Above_{layout}_{stem}{tail}"
        texts.append(_class(above, base, bodies[0], twin=twin))
        texts.append(_class(f"{layout.title()}_{stem}{tail}", f"({above})", bodies[1], twin=twin))
    features = (f"layout:{layout}", *(f"field:{one.feature}" for one in final.values()))
    return Declared(f"{layout.title()}_{stem}", tuple(texts), tuple(final.items()), features)


@functools.cache
def pool() -> tuple[Declared, ...]:
    """Return every class: one or two fields; in one class, inherited, redeclared or unchanged."""
    found = [_declared("flat", [("a", one)], []) for one in DECLARATIONS]
    for one, two in itertools.product(DECLARATIONS, DECLARATIONS):
        found.append(_declared("flat", [("a", one), ("b", two)], []))
        found.append(_declared("inherited", [("a", one)], [("b", two)]))
        found.append(_declared("redeclared", [("a", one)], [("a", two)]))
    found += [_declared("bare", [("a", one)], []) for one in DECLARATIONS]
    return tuple(one for one in found if one is not None)


@st.composite
def declared(
    draw: st.DrawFn, *, all_given: bool = False, history: bool = False, max_leaves: int = 2
) -> Recipe:
    """Draw a class of the pool, with instances of it and its twin from the same arguments.

    Binds `args`, `kwargs`, `module`, `twin`, and as lists of names `dynamic` and `static`;
    `metadata` maps each name to the declared metadata.

    Args:
        all_given: also give values to fields with a default; default `False`.
        history: first use the module (map, copy, pickle or read it); default `False`.
        max_leaves: leaf budget of each dynamic value; default 2.
    """
    scope = Scope()
    found = draw(st.sampled_from(pool()))
    scope.define(*found.definitions)
    scope.note(*found.features)
    args: list[str] = []
    kwargs: list[str] = []
    by_position = True
    for name, one in found.fields:
        if one.optional and not all_given and draw(st.booleans()):
            scope.note("field:default-used")
            by_position = False  # Later arguments can no longer be positional.
            continue
        text = repr(name) if one.static else scope.bind(name, draw(trees(max_leaves=max_leaves)))
        if by_position and not one.keyword:
            args.append(text)
        else:
            kwargs.append(f"{name!r}: {text}")
    scope.bind("args", f"({''.join(f'{text}, ' for text in args)})")
    scope.bind("kwargs", f"{{{', '.join(kwargs)}}}")
    scope.bind("twin", f"{found.name}Twin(*args, **kwargs)")
    module = scope.bind("module", f"{found.name}(*args, **kwargs)")
    if history:
        prior_operations.apply(draw, scope, module)
    scope.bind("dynamic", repr([name for name, one in found.fields if not one.static]))
    scope.bind("static", repr([name for name, one in found.fields if one.static]))
    pairs = ", ".join(f"{name!r}: {one.metadata}" for name, one in found.fields)
    scope.bind("metadata", f"{{{pairs}}}")
    return scope.recipe()
