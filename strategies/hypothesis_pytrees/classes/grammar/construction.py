"""Traits of `eqx.Module` classes that run code when an instance is made.

No code reads a child, because a child may be anything. It checks or counts values of its own, so
that a law can detect an extra run.
"""

from __future__ import annotations

from .traits import CLASS, Trait

# A class has one of them: `__init__` replaces that of the dataclass, which calls `__post_init__`.
# Source: https://docs.python.org/3/library/dataclasses.html#post-init-processing
_MADE = frozenset({"__init__ or __post_init__"})
_INIT = frozenset({*_MADE, "__init__"})
_INIT_BODY = """\
def __init__(self, x, **values):
    self.x = x
    for name in values:
        setattr(self, name, values[name])
"""
FACTORY = Trait(
    "factory",
    """\
@classmethod
def like(cls, x, **values):
    return cls(x=x, **values)
""",
)

CONSTRUCTION: tuple[Trait, ...] = (
    Trait("init", _INIT_BODY, claims=_INIT),
    Trait(
        "init-effect init",
        f"constructions: typing.ClassVar[int] = 0\n\n{_INIT_BODY}    {CLASS}.constructions += 1",
        claims=_INIT,
    ),
    Trait(
        "post-init init-false",
        """\
seen: str = eqx.field(init=False)

def __post_init__(self):
    self.seen = type(self.x).__name__
""",
        claims=_MADE,
    ),
    Trait(
        "post-init-inherited post-init init-false static",
        """\
calls: str = eqx.field(init=False, static=True)

def __post_init__(self):
    self.calls = 'parent'
""",
        """\
def __post_init__(self):
    super().__post_init__()
    self.calls = self.calls + ' child'
""",
        claims=_MADE,
    ),
    Trait(
        "init-var post-init init-false",
        """\
factor: dataclasses.InitVar[int] = dataclasses.field(kw_only=True)
area: int = eqx.field(init=False)

def __post_init__(self, factor):
    self.area = factor * factor
""",
        passed="factor=3",
        claims=_MADE,
    ),
    # A field without `init` has no default in the class; an InitVar with one has.
    Trait(
        "init-var-default init-var post-init init-false",
        """\
margin: dataclasses.InitVar[int] = 2
border: int = eqx.field(init=False)

def __post_init__(self, margin):
    self.border = 2 * margin
""",
        claims=_MADE,
    ),
    Trait(
        "init-super init",
        below="""\
def __init__(self, x, **values):
    taken = inspect.signature(super().__init__).parameters
    super().__init__(x, **{name: values.pop(name) for name in list(values) if name in taken})
    for name in values:
        setattr(self, name, values[name])
""",
        definitions=("import inspect\n",),
        claims=_INIT,
    ),
    Trait(
        "init-false-factory init-false default-factory",
        "seen_items: list = eqx.field(init=False, default_factory=list)",
        clashes=frozenset({"__init__"}),
    ),
    # `__init__` does not set it: it stays an attribute of the class.
    Trait(
        "init-false-default init-false default-unset",
        "kept: int = eqx.field(init=False, default=7)",
    ),
    Trait(
        "check-init default",
        # A map over the leaves may replace `most` by anything; unflatten must not check it.
        """\
most: typing.Any = 3

def __check_init__(self):
    if type(self.most) is not int:
        raise ValueError('most must be an int')
""",
    ),
    Trait(
        "own-new",
        """\
def __new__(cls, *arguments, **values):
    return super().__new__(cls)
""",
    ),
    FACTORY,
)
