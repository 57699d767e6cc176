"""Helpers for the tables of `eqx.Module` classes: features, template, class texts."""

from __future__ import annotations

import re

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import Since

_CLASS_NAME = re.compile(r"^class (\w+)", re.MULTILINE)


def module_kind(
    features: str, template: str, *definitions: str, needs: tuple[Since, ...] = ()
) -> Kind:
    """Return one kind of `eqx.Module`.

    Args:
        features: names separated by blanks; `"static default"` gives `module:static` and
            `module:default`.
        template: expression text; `$0`, `$1`, ... stand for the children.
        definitions: texts of the classes and functions that the template needs, bases first.
        needs: features of a release that it uses, beside the names in its text; default none.
    """
    tags = tuple(f"module:{one}" for one in features.split())
    return Kind("module", template, definitions, tags, needs=needs)


def empty_subclass(kind: Kind) -> Kind:
    """Return the same kind through `class BareX(X): pass`, where `X` is the last class it defines.

    Raises:
        ValueError: the template does not name the last class that the kind defines.
    """
    defined = _CLASS_NAME.findall(kind.definitions[-1]) if kind.definitions else []
    called = rf"(?<!\w){defined[-1]}(?=[(\[])" if defined else ""
    if not called or not re.search(called, kind.template):
        raise ValueError(f"{kind.template!r} calls no class of its last definition; name it there")
    base, name = defined[-1], f"Bare{defined[-1]}"
    return Kind(
        kind.name,
        re.sub(called, name, kind.template),
        (*kind.definitions, f"class {name}({base}):\n    pass\n"),
        (*kind.features, "module:bare-subclass"),
        needs=kind.needs,
    )
