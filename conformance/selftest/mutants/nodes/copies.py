"""Node types that go wrong when they are copied, pickled, read or dropped."""

from __future__ import annotations

from hypothesis_pytrees import Kind
from selftest.mutant import node_mutant


def _kind(name: str, body: str, rebuild: str = "", aux: str = "node.tag") -> Kind:
    text = f"""\
class {name}:
    def __init__(self, x, tag='tag'):
        self.x, self.tag = x, tag

{body}

{rebuild or f"def rebuild_{name}(tag, children): return {name}(*children, tag)"}


jtu.register_pytree_node({name}, lambda node: ((node.x,), {aux}), rebuild_{name})
"""
    return Kind("node", f"{name}($0, 'chosen')", (text,))


node_mutant(
    "a shallow copy goes deep",
    _kind(
        "GoesDeep",
        """\
    def __copy__(self):
        return copy.deepcopy(self)
""",
    ),
    fault="copy.copy copies the leaves",
    kills=["node.copies.copy_keeps_structure_and_leaves"],
)
node_mutant(
    "pickles lose the configuration",
    _kind(
        "LosesTag",
        """\
    def __reduce__(self):
        return LosesTag, (self.x,)
""",
    ),
    fault="what copy and pickle rebuild has the default configuration",
    kills=[
        "node.copies.copy_keeps_structure_and_leaves",
        "node.copies.deepcopy_equals_the_original",
        "node.copies.pickle_equals_the_original",
        "node.copies.pickle_after_unflatten_equals_the_original",
    ],
)
node_mutant(
    "a deep copy marks the original",
    _kind(
        "MarksOriginal",
        """\
    def __deepcopy__(self, memo):
        self.copied = True
        return MarksOriginal(copy.deepcopy(self.x, memo), self.tag)
""",
    ),
    fault="copy.deepcopy sets an attribute of what it copies",
    kills=["node.copies.deepcopy_changes_nothing_in_the_original"],
)
node_mutant(
    "loading adds an attribute",
    _kind(
        "AddsOnLoad",
        """\
    def __setstate__(self, state):
        self.__dict__.update(state, loaded=True)
""",
    ),
    fault="copies and pickles have an attribute more than the original",
    kills=["node.copies.copies_hold_the_same_attributes"],
)
node_mutant(
    "copies are not frozen",
    Kind(
        "node",
        "Frozen($0)",
        (
            """\
class Frozen:
    def __init__(self, x):
        self.x = x
        self.frozen = True

    def __setattr__(self, name, value):
        if getattr(self, 'frozen', False):
            raise AttributeError(name)
        super().__setattr__(name, value)

    def __getstate__(self):
        return {'x': self.x}


def rebuild_frozen(_, children):
    node = object.__new__(Frozen)
    (node.x,) = children
    return node


jtu.register_pytree_node(Frozen, lambda node: ((node.x,), None), rebuild_frozen)
""",
        ),
    ),
    fault="neither unflatten nor copies freeze what they make",
    kills=["node.copies.unflatten_keeps_frozen", "node.copies.copies_keep_frozen"],
)
node_mutant(
    "a property caches in the aux data",
    _kind(
        "CachesTag",
        """\
    @property
    def label(self):
        self.tag = self.tag + '!'
        return self.tag

    def __repr__(self):
        return f'CachesTag({self.label})'
""",
    ),
    fault="reading or printing the node changes its configuration",
    kills=[
        "node.copies.reading_attributes_keeps_the_structure",
        "node.copies.looking_at_a_node_keeps_the_structure",
    ],
)
node_mutant(
    "aux data counts attributes",
    Kind(
        "node",
        "Attributed($0)",
        (
            """\
class Attributed(typing.Generic[typing.TypeVar('AttributedItem')]):
    def __init__(self, x):
        self.x = x


jtu.register_pytree_node(
    Attributed, lambda node: ((node.x,), len(vars(node))), lambda _, items: Attributed(*items)
)
""",
        ),
    ),
    fault="the treedef changes with each attribute that somebody notes on the instance",
    kills=["node.copies.typing_alias_keeps_the_structure"],
)
node_mutant(
    "a node refers to itself",
    _kind(
        "SelfReferring",
        "",
        """\
def rebuild_SelfReferring(tag, children):
    node = SelfReferring(*children, tag)
    node.root = node
    return node
""",
    ),
    fault="unflatten makes a reference cycle, which keeps the leaves until the collector runs",
    kills=[
        "node.copies.dropped_node_is_freed",
        "node.copies.dropped_copy_is_freed",
        "node.copies.failed_map_keeps_no_leaf",
    ],
)
node_mutant(
    "a failed constructor stays in a register",
    Kind(
        "node",
        "Unfinished($0)",
        (
            """\
class Unfinished:
    begun = []

    def __init__(self, *items):
        self.items = items
        Unfinished.begun.append(self)
        (self.item,) = items
        Unfinished.begun.pop()


jtu.register_pytree_node(
    Unfinished, lambda node: ((node.item,), None), lambda _, items: Unfinished(*items)
)
""",
        ),
    ),
    fault="the constructor notes the instance until it is done, which it never is where it fails",
    kills=["node.copies.failed_constructor_keeps_nothing"],
)
