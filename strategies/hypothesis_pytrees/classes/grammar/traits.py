"""Traits: one feature of a class each, and the rules on which go together."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from hypothesis_pytrees.core.releases import Since

# In the lines of a trait: the name of the class that they stand in.
CLASS = "<class>"


@dataclasses.dataclass(frozen=True, repr=False)
class Trait:
    """One feature of a class, as text.

    Args:
        features: names separated by blanks, the first of which is the trait's own.
        body: lines of the body of the class.
        below: lines of the body of a subclass, for a trait that needs one.
        passed: what the constructor is passed by keyword; each `$` stands for a child.
        base: a further base class.
        last: whether the further base comes behind `eqx.Module`; default before.
        base_below: how the subclass names this class among its bases, where `{}` is its name.
        keyword_below: a keyword of the subclass.
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
    last: bool = False
    base_below: str = ""
    keyword_below: str = ""
    setup: str = ""
    definitions: tuple[str, ...] = ()
    claims: frozenset[str] = frozenset()
    clashes: frozenset[str] = frozenset()
    needs: tuple[Since, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def name(self) -> str:
        """The first of its features; traits of one name never stand in one class."""
        return self.features.split()[0]

    @property
    def of_two(self) -> bool:
        """Whether it needs a class and a subclass."""
        return bool(self.below or self.base_below or self.keyword_below)

    @property
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
