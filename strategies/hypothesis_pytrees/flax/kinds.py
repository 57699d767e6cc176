"""How the tables of Flax and Chex classes are written: features, a template, class texts."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind


def struct_kind(features: str, template: str, *definitions: str) -> Kind:
    """Write one kind of `flax.struct` dataclass.

    Args:
        features: names separated by blanks; `"static default"` gives `struct:static` and
            `struct:default`.
        template: expression text; `$0`, `$1`, ... stand for the children.
        definitions: texts of the classes and functions that the template needs, bases first.
    """
    tags = tuple(f"struct:{one}" for one in features.split())
    return Kind("flax-struct", template, definitions, tags)


def frozen_kind(features: str, template: str) -> Kind:
    """Write one kind of `FrozenDict`; features get the prefix `frozen:`."""
    return Kind("FrozenDict", template, (), tuple(f"frozen:{one}" for one in features.split()))


def chex_kind(features: str, template: str, *definitions: str) -> Kind:
    """Write one kind of `chex.dataclass`; features get the prefix `chex:`."""
    tags = tuple(f"chex:{one}" for one in features.split())
    return Kind("chex-dataclass", template, definitions, tags)
