"""`eqx.Module` classes with two features: one in the base class, the other in the subclass."""

from __future__ import annotations

import dataclasses
import itertools

from hypothesis_pytrees.core.kinds import Kind

from .module_kinds import module_kind


@dataclasses.dataclass(frozen=True)
class _Part:
    """One feature: lines of a class body, and what the constructor is given for them."""

    feature: str
    body: str
    argument: str = ""

    @property
    def camel(self) -> str:
        return "".join(word.capitalize() for word in self.feature.split("-"))


_PARTS = (
    _Part("static", "    tag: typing.Any = eqx.field(static=True, default='tag')\n", ", tag=1"),
    _Part(
        "converter",
        "    boxed: typing.Any = eqx.field(converter=lambda value: (value,), default=None)\n",
        ", boxed=$1",
    ),
    _Part("kw-only", "    side: typing.Any = eqx.field(kw_only=True)\n", ", side='left'"),
    _Part(
        "cached-property",
        "    @functools.cached_property\n    def pair(self):\n        return (self.x, self.x)\n",
    ),
    _Part(
        "post-init",
        "    seen: str = eqx.field(init=False)\n\n"
        "    def __post_init__(self):\n        self.seen = type(self.x).__name__\n",
    ),
    _Part(
        "check-init",
        "    limit: typing.Any = 3\n\n    def __check_init__(self):\n"
        "        if type(self.limit) is not int:\n"
        "            raise ValueError('limit must be an int')\n",
    ),
)


def _base(part: _Part) -> str:
    return f"class With{part.camel}(eqx.Module):\n    x: typing.Any\n{part.body}"


def _pair(first: _Part, second: _Part) -> Kind:
    name = f"{first.camel}Then{second.camel}"
    return module_kind(
        f"pair {first.feature} {second.feature}",
        f"{name}($0{first.argument}{second.argument})",
        _base(first),
        f"class {name}(With{first.camel}):\n{second.body}",
    )


PAIRS: tuple[Kind, ...] = tuple(
    _pair(first, second) for first, second in itertools.combinations(_PARTS, 2)
)
