"""`eqx.Module` classes that differ in what happens during construction.

No constructor reads a child, because a child may be anything. Constructors check or count values of
their own, so that a law can detect an extra run.
"""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .module_kinds import module_kind

POST_INIT = module_kind(
    "post-init init-false",
    "Derived($0)",
    """\
class Derived(eqx.Module):
    x: typing.Any
    seen: str = eqx.field(init=False, static=True)
    count: int = eqx.field(init=False)

    def __post_init__(self):
        self.seen = type(self.x).__name__
        self.count = 7
""",
)
CONVERTER = module_kind(
    "converter",
    # Not idempotent: a second run leaves a tuple in a tuple.
    "Wrapped($0)",
    """\
class Wrapped(eqx.Module):
    x: typing.Any = eqx.field(converter=lambda value: (value,))
""",
)
CONVERTER_POST_INIT = module_kind(
    "converter post-init init-false",
    "WrappedDerived($0)",
    """\
class WrappedDerived(eqx.Module):
    x: typing.Any = eqx.field(converter=lambda value: [value])
    seen: str = eqx.field(init=False, static=True)

    def __post_init__(self):
        self.seen = type(self.x).__name__
""",
)
CHECK_INIT = module_kind(
    "check-init default",
    # A map over the leaves may replace `limit` by anything; unflatten must not check it.
    "Limited($0)",
    """\
class Limited(eqx.Module):
    x: typing.Any
    limit: typing.Any = 3

    def __check_init__(self):
        if type(self.limit) is not int:
            raise ValueError('limit must be an int')
""",
)
UNSET = module_kind(
    "init default default-unset",
    "Unset($0)",
    """\
class Unset(eqx.Module):
    x: typing.Any
    width: int = eqx.field(default=42)

    def __init__(self, x):
        self.x = x
""",
)
COUNTED = module_kind(
    "init init-effect",
    "Counted($0)",
    """\
class Counted(eqx.Module):
    x: typing.Any
    constructions: typing.ClassVar[int] = 0

    def __init__(self, x):
        self.x = x
        Counted.constructions += 1
""",
)

CONSTRUCTION: tuple[Kind, ...] = (
    module_kind(
        "default",
        "Defaulted($0)",
        """\
class Defaulted(eqx.Module):
    x: typing.Any
    y: typing.Any = None
    z: typing.Any = 'z'
""",
    ),
    module_kind(
        "default default-set",
        "DefaultSet($0, $1)",
        """\
class DefaultSet(eqx.Module):
    x: typing.Any
    y: typing.Any = 1
""",
    ),
    module_kind(
        "default-factory",
        "Factory($0)",
        """\
class Factory(eqx.Module):
    x: typing.Any
    items: list = dataclasses.field(default_factory=lambda: [1, 2])
    table: dict = eqx.field(default_factory=dict)
""",
    ),
    CONVERTER,
    module_kind(
        "converter",
        "Arrays($0, 2.0, [1, 2])",
        """\
class Arrays(eqx.Module):
    x: typing.Any
    scale: jax.Array = eqx.field(converter=jnp.asarray)
    offsets: np.ndarray = eqx.field(converter=np.asarray)
""",
    ),
    module_kind(
        "converter static default",
        "StaticWrapped($0)",
        """\
class StaticWrapped(eqx.Module):
    x: typing.Any
    tag: typing.Any = eqx.field(static=True, converter=lambda tag: (tag,), default='tag')
""",
    ),
    POST_INIT,
    CONVERTER_POST_INIT,
    CHECK_INIT,
    module_kind(
        "init",
        "Unpacked(($0, $1))",
        """\
class Unpacked(eqx.Module):
    left: typing.Any
    right: typing.Any

    def __init__(self, pair):
        self.left, self.right = pair
""",
    ),
    COUNTED,
    module_kind(
        "init init-effect init-writes-argument",
        "Stamped({'b': $0})",
        """\
class Stamped(eqx.Module):
    table: dict

    def __init__(self, table):
        self.table = table
        self.table['a'] = 42
""",
    ),
    module_kind(
        "init converter",
        "InitWrapped($0)",
        """\
class InitWrapped(eqx.Module):
    x: typing.Any = eqx.field(converter=lambda value: (value,))

    def __init__(self, x):
        self.x = x
""",
    ),
    UNSET,
    module_kind(
        "init default default-unset static",
        "UnsetStatic($0)",
        """\
class UnsetStatic(eqx.Module):
    x: typing.Any
    width: int = eqx.field(default=42, static=True)

    def __init__(self, x):
        self.x = x
""",
    ),
    module_kind(
        "init-var post-init init-false",
        "Scaled($0, 3)",
        """\
class Scaled(eqx.Module):
    x: typing.Any
    factor: dataclasses.InitVar[int]
    area: int = eqx.field(init=False)

    def __post_init__(self, factor):
        self.area = factor * factor
""",
    ),
)
