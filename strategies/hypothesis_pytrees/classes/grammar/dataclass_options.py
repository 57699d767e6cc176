"""Traits of dataclasses that are no `eqx.Module`: options of the decorator, and construction.

No code reads a child, because a child may be anything.
"""

from __future__ import annotations

from .construction import FACTORY
from .traits import CLASS, Trait

CHECKED = """\
def __post_init__(self):
    if not hasattr(self, 'x'):
        raise AttributeError('x')
"""
# A class has one of them.
POST_INIT = frozenset({"__post_init__"})

# A frozen dataclass has frozen bases only, and one that is not frozen has none.
# Source: https://docs.python.org/3/library/dataclasses.html#frozen-instances, and
# https://peps.python.org/pep-0557/#inheritance
FROZEN_OPTION = frozenset({"frozen or not"})
OPTIONS: tuple[Trait, ...] = (
    Trait("kw-only-class kw-only", option="kw_only=True", by_keyword=True),
    Trait("identity-eq", option="eq=False"),
    # `order` needs `eq`.
    # Source: https://docs.python.org/3/library/dataclasses.html#dataclasses.dataclass
    Trait("ordered", option="order=True", clashes=frozenset({"identity-eq"})),
    # A class that defines `__hash__` has no such option.
    # Source: the same.
    Trait("unsafe-hash", option="unsafe_hash=True", clashes=frozenset({"__hash__"})),
    Trait("no-repr-class", option="repr=False"),
)
SLOTS: tuple[Trait, ...] = (
    # A cached property needs a `__dict__`, and one parent alone may have slots that are not empty.
    # Sources: https://docs.python.org/3/library/functools.html#functools.cached_property, and
    # https://docs.python.org/3/reference/datamodel.html#slots
    Trait(
        "slots",
        option="slots=True",
        everywhere=True,
        claims=frozenset({"__slots__"}),
        clashes=frozenset({"cached-property"}),
        one_parent=True,
    ),
    Trait("slots-below slots", option_below="slots=True", claims=frozenset({"__slots__"})),
)
CONSTRUCTION: tuple[Trait, ...] = (
    Trait("post-init", CHECKED, claims=POST_INIT),
    Trait(
        "post-init-inherited post-init",
        CHECKED,
        # `dataclasses` makes a second class for slots, in which `super()` fails.
        # Source: https://docs.python.org/3.13/library/dataclasses.html#dataclasses.dataclass
        f"""\
def __post_init__(self):
    super({CLASS}, self).__post_init__()
""",
        claims=POST_INIT,
    ),
    Trait(
        "own-new",
        """\
def __new__(cls, *arguments, **values):
    return object.__new__(cls)
""",
    ),
    FACTORY,
)
# The `InitVar` has a default, for libraries that make instances again from their fields.
INIT_VAR = Trait(
    "init-var post-init",
    """\
bias: dataclasses.InitVar[int] = 1

def __post_init__(self, bias):
    if bias < 0:
        raise ValueError('bias must not be negative')
""",
    claims=POST_INIT,
)
# Only for libraries that have static fields.
STATIC_CHECKED = Trait(
    "post-init-static post-init static default",
    """\
order: int = STATIC(default=1)

def __post_init__(self):
    if self.order < 0:
        raise ValueError('order must not be negative')
""",
    claims=POST_INIT,
)
NO_COMPARE = Trait(
    "no-compare", "loose: typing.Any = FIELD(compare=False, default=None)", passed="loose=$"
)
REPLACED = Trait("redeclared", "again: typing.Any = 1", "again: typing.Any = 2", passed="again=$")
_ROOT = """\
class AbstractBase(abc.ABC):
    pass
"""
ABSTRACT = Trait(
    "abstract-method abstract",
    """\
@abc.abstractmethod
def total(self):
    ...
""",
    """\
def total(self):
    return 1
""",
    base="AbstractBase",
    last=True,
    definitions=(_ROOT,),
    # In a diamond, `abc.ABC` could stand before a base on one side and behind it on the other.
    # Source: https://docs.python.org/3/howto/mro.html
    claims=frozenset({"Callback"}),
)


def frozen_or_not(*, default: bool) -> tuple[Trait, ...]:
    """Return the option that a class is frozen or not, and a dataclass of either sort as a base.

    Args:
        default: whether a class without the option is frozen.
    """
    option = Trait(
        "mutable" if default else "frozen",
        option=f"frozen={not default}",
        everywhere=True,
        claims=FROZEN_OPTION,
    )
    return (
        option,
        _with_dataclass("dataclass-base plain-base", frozen=default),
        _with_dataclass(
            f"other-dataclass-base dataclass-base plain-base {option.name}",
            frozen=not default,
            option=option.option,
        ),
    )


def _with_dataclass(features: str, *, frozen: bool, option: str = "") -> Trait:
    name = "FrozenDataclass" if frozen else "MutableDataclass"
    text = f"""\
@dataclasses.dataclass(frozen={frozen})
class {name}:
    plain: typing.Any = dataclasses.field(default=None, kw_only=True)
"""
    return Trait(
        features,
        base=name,
        base_field="plain",
        last=True,
        passed="plain=$",
        option=option,
        everywhere=bool(option),
        definitions=(text,),
        claims=FROZEN_OPTION,
    )
