"""Traits: one feature of a class each, and the rules on which go together."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection
from typing import NamedTuple

from hypothesis_pytrees.core.releases import Since

# In the lines of a trait: the name of the class that they stand in.
CLASS = "<class>"
# In the lines of a trait: what a library calls to declare a field, one that is not data, and one
# that is not part of the node.
FIELD, STATIC, DROPPED = "FIELD(", "STATIC(", "DROPPED("


class Declared(NamedTuple):
    """Names of the fields of a class.

    Args:
        data: those that hold children.
        static: those that are not data.
        dropped: those that are not part of the node.
        made: those that the constructor does not take.
    """

    data: tuple[str, ...]
    static: tuple[str, ...]
    dropped: tuple[str, ...]
    made: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Form:
    """How a library is told that a class is a node.

    Args:
        root: the base class of the library; default none.
        decorated: writes the lines above the class from options, which are `""` or stand in
            parentheses, and from the names of its fields; default no lines.
        field: what stands for `FIELD` and `DROPPED`.
        static: what stands for `STATIC`.
        by_keyword: whether the constructor takes no positional arguments; default `False`.
        feature: the feature of its classes; default none.
    """

    root: str = ""
    decorated: Callable[[str, Declared], str] | None = None
    field: str = "dataclasses.field("
    static: str = ""
    by_keyword: bool = False
    feature: str = ""


@dataclasses.dataclass(frozen=True, repr=False)
class Trait:
    """One feature of a class, as text.

    Args:
        features: names separated by blanks, the first of which is the trait's own.
        body: lines of the body of the class.
        below: lines of the body of a subclass, for a trait that needs one.
        passed: what the constructor is passed by keyword; each `$` stands for a child.
        base: a further base class.
        base_field: the field that the further base declares.
        last: whether the further base comes behind the root; default before.
        base_below: how the subclass names this class among its bases, where `{}` is its name.
        keyword_below: a keyword of the subclass.
        option: an option of the dataclass, such as `"frozen=True"`.
        everywhere: whether all classes of a shape have the option; default the trait's own class.
        option_below: an option of the subclass.
        one_parent: whether no class of the shape may have two parents; default `False`.
        by_keyword: whether the first field must be passed by keyword; default `False`.
        form: how its library is told of all classes of a shape; default the form of the style.
        setup: lines of `__init__`, for a library whose classes write their own.
        definitions: texts that the lines and bases need.
        claims: what no other trait of the class may claim, such as `"__call__"`.
        clashes: claims and features that no other trait of the class may have.
        needs: features of a release that it uses; default none.
    """

    features: str
    body: str = ""
    below: str = ""
    passed: str = ""
    base: str = ""
    base_field: str = ""
    last: bool = False
    base_below: str = ""
    keyword_below: str = ""
    option: str = ""
    everywhere: bool = False
    option_below: str = ""
    one_parent: bool = False
    by_keyword: bool = False
    form: Form | None = None
    setup: str = ""
    definitions: tuple[str, ...] = ()
    claims: frozenset[str] = frozenset()
    clashes: frozenset[str] = frozenset()
    needs: tuple[Since, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @functools.cached_property
    def name(self) -> str:
        """The first of its features; traits of one name never stand in one class."""
        return self.features.split()[0]

    @functools.cached_property
    def of_two(self) -> bool:
        """Whether it needs a class and a subclass."""
        return bool(self.below or self.base_below or self.keyword_below or self.option_below)

    @functools.cached_property
    def has(self) -> frozenset[str]:
        """What other traits may clash with."""
        return self.claims | frozenset(self.features.split())


def fit(traits: Collection[Trait]) -> bool:
    """Return whether one class may have all of these traits."""
    claims = [claim for trait in traits for claim in (trait.name, *trait.claims)]
    if len(set(claims)) < len(claims):
        return False
    return not any(
        one.clashes & other.has for one in traits for other in traits if one is not other
    )
