"""Traits of dataclasses, `eqx.Module` classes included, that are methods and properties."""

from __future__ import annotations

from .traits import Trait

GETATTR = Trait(
    "getattr",
    """\
def __getattr__(self, name):
    if name == 'other':
        return self.x
    raise AttributeError(name)
""",
)
OWN_EQUALITY = Trait(
    "own-equality",
    """\
def __eq__(self, other):
    return type(other) is type(self)

def __hash__(self):
    return 1
""",
    claims=frozenset({"__eq__", "__hash__"}),
)
_CALL = frozenset({"__call__"})

MEMBERS: tuple[Trait, ...] = (
    Trait(
        "method",
        '''\
def read(self, by: int = 0) -> typing.Any:
    """Return x."""
    return self.x
''',
    ),
    Trait(
        "class-method",
        """\
@classmethod
def named(cls):
    return cls.__name__
""",
    ),
    Trait(
        "static-method",
        """\
@staticmethod
def twice(x):
    return 2 * x
""",
    ),
    Trait(
        "call",
        """\
def __call__(self, *arguments):
    return self.x
""",
        claims=_CALL,
    ),
    Trait(
        "property",
        """\
@property
def view(self):
    return [self.x]
""",
    ),
    Trait(
        "setter property",
        """\
@property
def alias(self):
    return self.x

@alias.setter
def alias(self, value):
    raise AssertionError('was set')
""",
    ),
    Trait(
        "cached-property",
        """\
@functools.cached_property
def pair(self):
    return (self.x, self.x)
""",
    ),
    GETATTR,
    OWN_EQUALITY,
    Trait(
        "equal-to-nothing own-equality",
        """\
def __eq__(self, other):
    return False
""",
        claims=frozenset({"__eq__"}),
    ),
    Trait(
        "operators",
        """\
def __add__(self, other):
    return self

def __neg__(self):
    return self
""",
    ),
    Trait(
        "own-repr",
        """\
def __repr__(self):
    return 'mine'
""",
    ),
)
# What a mapping has methods of its own for.
ITEMS: tuple[Trait, ...] = (
    Trait(
        "falsy",
        """\
def __len__(self):
    return 0
""",
    ),
    Trait(
        "indexed",
        """\
def __getitem__(self, index):
    return (self.x,)[index]
""",
    ),
    Trait(
        "iterated",
        """\
def __iter__(self):
    return iter((self.x, self.x))
""",
    ),
)
DECORATED: tuple[Trait, ...] = (
    Trait(
        "compiled-call call decorated-method",
        """\
@eqx.filter_jit
def __call__(self, *arguments):
    return arguments
""",
        claims=_CALL,
    ),
    Trait(
        "decorated-method",
        """\
@eqx.filter_jit
def compiled(self, y):
    return y
""",
    ),
    Trait(
        "mapped-method decorated-method",
        """\
@eqx.filter_vmap
def mapped(self, y):
    return y
""",
    ),
)
