"""Inputs of several topics of JAX laws: hostile trees, prefixes and mismatched pairs."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.core.prior_operations import has_prior_operation
from hypothesis_pytrees.leaves.leaves import SUBCLASSES
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.prefixes import CUTS, draw_prefix
from hypothesis_pytrees.trees.trees import EVERY_KIND, draw_tree, every_kind
from treelaws.laws._short_trees import or_short

_UNSTEADY = {"node:typed-children", "node:fresh-container"}
# Some leaves are objects that no tree operation has a reason to look at.
_any_leaf = leaves(hostile=True)
hostile_trees = or_short(trees(_any_leaf, history=True))
# Two kinds of nodes are left out for laws that replace accepted nodes or compare them by identity.
# A Partial is rebuilt by a call, so its two children must stay a sequence and a mapping. Some nodes
# make new containers in each flatten, so that the accepted node is another object each time.
replaceable_trees = or_short(
    trees(
        _any_leaf,
        kinds=[kind for kind in EVERY_KIND if not _UNSTEADY & {*kind.features}],
        history=True,
    )
)

_TWINS = """\
LeftTwin = collections.namedtuple('LeftTwin', ['first', 'second'])
RightTwin = collections.namedtuple('RightTwin', ['first', 'second'])
"""
_BAG = """\
@dataclasses.dataclass(frozen=True)
class BagEdge:
    label: str

    def __str__(self):
        return f'<{self.label}>'


def make_bag(name, write_key):
    class Bag:
        def __init__(self, **items):
            self.items = items

        def __getattr__(self, label):
            try:
                return self.__dict__['items'][label]
            except KeyError:
                raise AttributeError(label) from None

    def flatten(bag):
        labels = tuple(sorted(bag.items))
        return [(write_key(label), bag.items[label]) for label in labels], labels

    Bag.__name__ = Bag.__qualname__ = name
    jtu.register_pytree_with_keys(
        Bag, flatten, lambda labels, children: Bag(**dict(zip(labels, children)))
    )
    return Bag


AttrBag = make_bag('AttrBag', jtu.GetAttrKey)
ItemBag = make_bag('ItemBag', jtu.DictKey)
IndexBag = make_bag('IndexBag', lambda label: jtu.SequenceKey('abcdef'.index(label)))
FlatBag = make_bag('FlatBag', lambda label: jtu.FlattenedIndexKey('abcdef'.index(label)))
EdgeBag = make_bag('EdgeBag', BagEdge)
TextBag = make_bag('TextBag', str)
"""
_TAGGED = """\
class TaggedBox:
    def __init__(self, value, tag):
        self.value, self.tag = value, tag


jtu.register_pytree_node(
    TaggedBox,
    lambda node: ((node.value,), node.tag),
    lambda tag, children: TaggedBox(*children, tag),
)
"""
_RECORD = """\
@functools.partial(jtu.register_dataclass, data_fields=['value'], meta_fields=['mode'])
@dataclasses.dataclass
class ModeRecord:
    value: typing.Any
    mode: str = 'fast'
"""
_UNIT = """\
@jtu.register_static
class StaticUnit(str):
    pass
"""
_PAIR_OF_RECORDS = """\
@functools.partial(jtu.register_dataclass, data_fields=['value'], meta_fields=[])
@dataclasses.dataclass
class LeftRecord:
    value: typing.Any


@functools.partial(jtu.register_dataclass, data_fields=['value'], meta_fields=[])
@dataclasses.dataclass
class RightRecord:
    value: typing.Any
"""
_UNPRINTABLE = """\
class Unprintable:
    def __repr__(self):
        raise RuntimeError('nobody should look at a leaf')
"""
_BAGS = ("AttrBag", "ItemBag", "IndexBag", "FlatBag", "EdgeBag", "TextBag")
# Pairs of values and the definitions that they need. The first is not a prefix of the second: the
# two differ at the root. Each group is drawn as often as the others.
_SEQUENCES = (
    ("list", "[1, 2]", "[1]", ""),
    ("list", "[]", "[1]", ""),
    ("tuple", "(*[1],)", "(1, 2)", ""),
)
_MAPPINGS = (
    ("dict", "{'a': 1}", "{'a': 1, 'b': 2}", ""),
    ("dict", "{'a': 1}", "{'b': 1}", ""),
    ("dict", "{1: 1}", "{'a': 1}", ""),
    ("OrderedDict", "collections.OrderedDict(a=1, b=2)", "collections.OrderedDict(b=2, a=1)", ""),
    ("OrderedDict", "collections.OrderedDict(a=1)", "collections.OrderedDict()", ""),
    ("defaultdict", "collections.defaultdict(int, a=1)", "collections.defaultdict(list, a=1)", ""),
    ("defaultdict", "collections.defaultdict(int, a=1)", "collections.defaultdict(int, b=1)", ""),
)
_AUX_DATA = (
    ("aux", "TaggedBox(1, 'left')", "TaggedBox(1, 'right')", _TAGGED),
    ("aux", "ModeRecord(1, 'fast')", "ModeRecord(1, 'slow')", _RECORD),
    ("aux", "StaticUnit('m')", "StaticUnit('s')", _UNIT),
    ("aux", "jtu.Partial(max, 1)", "jtu.Partial(min, 1)", ""),
)
_COUNTS = tuple((f"count:{bag}", f"{bag}(a=1)", f"{bag}(a=1, b=2)", _BAG) for bag in _BAGS)
_KEYS = tuple((f"keys:{bag}", f"{bag}(a=1)", f"{bag}(c=1)", _BAG) for bag in _BAGS)
_TYPES = (
    ("type", "(*[1, 2],)", "[1, 2]", ""),
    ("type", "{'a': 1}", "collections.OrderedDict(a=1)", ""),
    ("type", "LeftTwin(1, 2)", "(1, 2)", _TWINS),
    ("type", "LeftTwin(1, 2)", "RightTwin(1, 2)", _TWINS),
    ("type", "AttrBag(a=1)", "ItemBag(a=1)", _BAG),
)
_RECORDS = (
    ("type:dataclass", "LeftRecord(1)", "RightRecord(1)", _PAIR_OF_RECORDS),
    ("type:dataclass", "LeftRecord([1, 2])", "RightRecord([1, 2])", _PAIR_OF_RECORDS),
)
# An error message may print what was found, and printing a leaf may raise.
_HOSTILE = (
    ("hostile", "[1, 2]", "[Unprintable()]", _UNPRINTABLE),
    ("hostile", "[1]", "(Unprintable(),)", _UNPRINTABLE),
    ("hostile:keys", "{'a': 1}", "{'b': Unprintable()}", _UNPRINTABLE),
    ("hostile", "[1]", "Unprintable()", _UNPRINTABLE),
)
_NONES = (
    ("None", "None", "1", ""),
    ("None", "None", "()", ""),
    ("None", "[]", "None", ""),
)
_GROUPS = (_SEQUENCES, _MAPPINGS, _AUX_DATA, _COUNTS, _KEYS, _TYPES, _RECORDS)


def draw_mismatch(
    draw: st.DrawFn,
    scope: Scope,
    nones: bool = True,
    unique: bool = False,
    printable: bool = True,
) -> tuple[str, str]:
    """Draw two expressions whose roots differ; the first one is not a leaf.

    Args:
        nones: let either be `None`; default `True`.
        unique: let the first be an object that no other expression gives; default `False`. Python
            makes one object of all equal tuples of constants, and there is one `None`.
        printable: the repr of the second does not raise; default `True`.
    """
    groups = (*_GROUPS, *((_NONES,) if nones else ())) if printable else (_HOSTILE,)
    # The number after the last group stands for any node.
    index = draw(st.integers(0, len(groups) - (unique or not printable)))
    if index < len(groups):
        name, one, other, definitions = draw(st.sampled_from(groups[index]))
        scope.define(*(text for text in (definitions,) if text))
        scope.note(f"mismatch:{name}")
        return one, other
    # Any node of any library against a leaf.
    kinds = [kind for kind in every_kind() if kind.arity]
    one = draw_tree(draw, scope, roots=kinds, max_leaves=2)
    scope.note("mismatch:leaf")
    return one, "0"


def draw_context(draw: st.DrawFn, scope: Scope) -> tuple[int, str]:
    """Bind `context`, `flat` and `structure` of a tree and draw the number of one of its leaves.

    Returns:
        The number, and the text of that leaf's key path as `keystr` writes it.
    """
    scope.bind("context", draw_tree(draw, scope, max_leaves=3))
    names = names_of(scope)
    if not jtu.tree_leaves(names["context"]):
        scope.rebind("context", "[context, 0]")
    scope.statement("flat, structure = jtu.tree_flatten(context)")
    count = len(jtu.tree_leaves(names_of(scope)["context"]))
    number = draw(st.integers(0, count - 1))
    return number, f"jtu.keystr(jtu.tree_flatten_with_path(context)[0][{number}][0])"


def _replaced(number: int, value: str) -> str:
    return f"jtu.tree_unflatten(structure, [*flat[:{number}], {value}, *flat[{number + 1} :]])"


@st.composite
def mismatches(
    draw: st.DrawFn, nones: bool = True, where: bool = False, printable: bool = True
) -> Recipe:
    """Bind `prefix` and `tree` that differ at one place, and that `place` as `keystr` writes it.

    The difference is in a container, a key, aux data or a type, each in turn.

    Args:
        nones: let one of the two be `None` where they differ; default `True`.
        where: also bind `where`, a predicate that takes a path; default `False`.
        printable: the repr of `tree` does not raise; default `True`.
    """
    scope = Scope()
    # The mismatch is drawn first: Hypothesis tends to end a sequence of draws with zeros.
    one, other = draw_mismatch(draw, scope, nones, printable=printable)
    number, place = draw_context(draw, scope)
    if where:
        parameters = draw(st.sampled_from(["*path_and_node", "path, node"]))
        scope.note(f"predicate:{parameters}")
        scope.bind("where", f"lambda {parameters}: False")
    scope.bind("prefix", _replaced(number, one))
    scope.bind("tree", _replaced(number, other))
    scope.bind("place", place)
    return scope.recipe()


@st.composite
def guarded_mismatches(draw: st.DrawFn) -> Recipe:
    """Bind `prefix` and `tree` that differ inside a node that `is_leaf` accepts, and elsewhere.

    `place` is the second place; `agreeing` and `wide` are the trees without that difference.
    """
    scope = Scope()
    one, other = draw_mismatch(draw, scope)
    accepted, below = draw_mismatch(draw, scope, nones=False, unique=True)
    number, place = draw_context(draw, scope)
    scope.bind("accepted", accepted)
    scope.bind("below", below)
    scope.bind("is_leaf", "lambda node: node is accepted")
    # The accepted node comes before the mismatch or after it.
    first = draw(st.booleans())
    scope.note("accepted:first" if first else "accepted:last")

    def pair(guarded: str, text: str) -> str:
        return f"[{guarded}, {text}]" if first else f"[{text}, {guarded}]"

    scope.bind("prefix", pair("accepted", _replaced(number, one)))
    scope.bind("tree", pair("below", _replaced(number, other)))
    scope.bind("agreeing", pair("accepted", "context"))
    scope.bind("wide", pair("below", "context"))
    scope.bind("place", f"'[{int(first)}]' + {place}")
    return scope.recipe()


# Leaves of a prefix: each is another object; a list or a tuple would be a node.
_PARTS = (
    ("text", "''.join(['part {}'])", ()),
    ("int", "int('1000{}')", ()),
    ("int-subclass", "IntSubclass({})", (SUBCLASSES["int"],)),
    ("tuple-subclass", "TupleSubclass(({},))", (SUBCLASSES["tuple"],)),
)


@st.composite
def prefixes(draw: st.DrawFn) -> Recipe:
    """Bind a `tree` and a `prefix` of it whose leaves are distinct; feature `prefix:<leaf>`."""
    scope = Scope()
    scope.bind("tree", draw(or_short(trees(_any_leaf), share=4)))
    prefix = draw_prefix(draw, scope, draw(st.sampled_from(CUTS)))
    name, part, definitions = draw(st.sampled_from(_PARTS))
    scope.define(*definitions)
    scope.note(f"prefix:{name}")
    parts = [part.format(number) for number in range(len(prefix.subtrees))]
    scope.bind("prefix", prefix.text(parts))
    return scope.recipe()


def expressions(*texts: str) -> st.SearchStrategy[Recipe]:
    """Draw one of these expressions."""
    return st.sampled_from([Recipe(expression=text) for text in texts])


def builds_another_than_none(recipe: Recipe) -> bool:
    """Return whether a tree is not `None`; `False` if its copy or pickle raises."""
    # A copy or a pickle may raise any error; the laws of copies report it.
    try:
        return recipe.build() is not None
    except Exception:
        if has_prior_operation(recipe.features):
            return False
        raise
