"""The helper of the tables of registered nodes."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import Since


def node_kind(
    registration: str,
    template: str,
    *definitions: str,
    tags: str = "",
    needs: tuple[Since, ...] = (),
) -> Kind:
    """Return the kind of a registered node.

    Args:
        registration: how JAX came to know it; the name of the kind.
        template: expression text in which `$0`, `$1`, ... stand for the children.
        definitions: texts of the classes that the expression needs, bases first.
        tags: features without their prefix, separated by blanks.
        needs: features of a release that it uses, beside the names in its text.
    """
    features = tuple(f"node:{tag}" for tag in tags.split())
    return Kind(registration, template, definitions, features, needs=needs)
