"""Node types as the documentation of simple-pytree makes them."""

from .library import Judgement, Library

_CLASSES = """\
from simple_pytree import Pytree, field, static_field


class SimplePair(Pytree):
    def __init__(self, x, y):
        self.x = x
        self.y = y


class SimpleStatic(Pytree):
    x: typing.Any
    name: str = static_field()

    def __init__(self, x, name='text'):
        self.x = x
        self.name = name


class SimpleMutable(Pytree, mutable=True):
    def __init__(self, x):
        self.x = x


@dataclasses.dataclass
class SimpleDataclass(Pytree):
    x: typing.Any
    y: int = static_field(default=1)


class SimpleChild(SimpleStatic):
    def __init__(self, x, z):
        super().__init__(x)
        self.z = z
"""

LIBRARY = Library(
    "simple_pytree",
    {},
    _CLASSES,
    distribution="simple-pytree",
    searched=False,
    own={
        "simple_pytree.Pytree, plain": "SimplePair($0, $1)",
        "simple_pytree.Pytree, static field": ("SimpleStatic($0)", "SimpleStatic($0, 'other')"),
        "simple_pytree.Pytree, mutable": "SimpleMutable($0)",
        "simple_pytree.Pytree, dataclass": ("SimpleDataclass($0)", "SimpleDataclass($0, 2)"),
        "simple_pytree.Pytree, subclass": "SimpleChild($0, $1)",
    },
    judgements=(
        Judgement(
            "dict_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "The aux data is (names, static_fields), and static_fields is a dict "
            "(simple_pytree/pytree.py). JAX documents aux data as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
    ),
)
