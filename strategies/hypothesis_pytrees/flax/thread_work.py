"""Work for threads: what Flax does with structs, dicts and saved states, without NNX."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.together import repeated
from hypothesis_pytrees.core.ways import way

_STRUCT = """\
def thread_struct(tree):
    @flax.struct.dataclass
    class ThreadStruct:
        x: typing.Any
        tag: str = flax.struct.field(pytree_node=False, default='tag')

    class ThreadChildStruct(ThreadStruct):
        pass

    made = ThreadStruct(tree).replace(tag='new')
    state = flax.serialization.to_state_dict(made)
    restored = flax.serialization.from_state_dict(made, state)
    return jtu.tree_map(lambda x: x, restored).x, restored.tag, sorted(state)
"""
_NODE = """\
def thread_node(tree):
    class ThreadPyTreeNode(flax.struct.PyTreeNode):
        x: typing.Any
        count: int = flax.struct.field(pytree_node=False, default=0)

    made = ThreadPyTreeNode(x=tree).replace(count=2)
    return jtu.tree_leaves(made), made.count
"""
_REGISTERS = """\
def thread_serializes(tree):
    class ThreadSaved:
        def __init__(self, held):
            self.held = held

    flax.serialization.register_serialization_state(
        ThreadSaved, lambda saved: {'held': saved.held}, lambda _, state: ThreadSaved(state['held'])
    )
    state = flax.serialization.to_state_dict([ThreadSaved(tree)])
    return flax.serialization.from_state_dict([ThreadSaved(None)], state)[0].held
"""
_PATH = """\
def thread_path(name, depth):
    target, state = {'a': 1.0}, {}
    for level in range(depth):
        target, state = {f'{name}_{level}': target}, {f'{name}_{level}': state}
    try:
        flax.serialization.from_state_dict(target, state)
    except ValueError as error:
        return str(error), flax.serialization.current_path()
"""
_FROZEN = """\
def thread_frozen(tree):
    held = flax.core.freeze({'a': {'b': tree, 'c': 1}, 'd': 2})
    rest, popped = held.pop('d')
    return flax.core.unfreeze(rest), popped, sorted(held.copy({'e': 3})), held == held.copy({})
"""
_HASH = """\
def thread_hash():
    held = flax.core.freeze({'a': {'b': 1}, 'c': (2, 'text')})
    return hash(held) == hash(flax.core.freeze({'c': (2, 'text'), 'a': {'b': 1}}))
"""
_BYTES = """\
def thread_bytes(name):
    saved = {name: np.float32([1, 2]), 'b': [1, 2.5, {'c': np.int8(3)}]}
    return flax.serialization.from_bytes(saved, flax.serialization.to_bytes(saved))
"""
_FLAT = """\
def thread_flat(tree):
    nested = {'a': {'b': tree}, 'c': {}}
    flat = flax.traverse_util.flatten_dict(nested, sep='/', keep_empty_nodes=True)
    return sorted(flat), flax.traverse_util.unflatten_dict(flat, sep='/')['a']
"""
OPERATIONS: Sequence[Kind] = (
    way("struct", "(lambda: thread_struct(tree))", _STRUCT),
    way("node", "(lambda: thread_node(tree))", _NODE),
    way("register", "(lambda: thread_serializes(tree))", _REGISTERS),
    way("path", "(lambda: thread_path($name, 3))", _PATH),
    way("path", "(lambda: thread_path($name, 20))", _PATH),
    way("frozen", "(lambda: thread_frozen(tree))", _FROZEN),
    way("hash", "thread_hash", _HASH),
    way("bytes", "(lambda: thread_bytes($name))", _BYTES),
    way("flat", "(lambda: thread_flat(tree))", _FLAT),
)
_TREES = ("1.5", "None", "[1, {'a': 2.5}]", "{'x': np.float32([1, 2]), 'y': ()}", "(np.int8(1), 2)")
_NAMES = ("'layer'", "'weight'", "'x'")


@st.composite
def saved_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that does something with structs, dicts or states."""
    scope = Scope()
    scope.bind("tree", draw(st.sampled_from(_TREES)))
    kind = draw(st.sampled_from(available(OPERATIONS)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    return repeated(scope.recipe(kind.template.replace("$name", draw(st.sampled_from(_NAMES)))))


_ITEMS = """\
def thread_items(count, error):
    for index in range(count):
        yield {'index': index}
    if error:
        raise OSError('no more')


def all_items(items):
    # The items, and the name of the error that ends them.
    found = []
    try:
        found.extend(items)
    except OSError as error:
        return found, str(error)
    return found, ''
"""


@st.composite
def prefetched(draw: st.DrawFn) -> Recipe:
    """Draw `items`, which gives an iterator that may end with an error, and a `size` of a buffer.

    `all_items` gives the items and the text of the error. Feature `items:error-first` if there is
    no item before the error.
    """
    scope = Scope()
    scope.define(_ITEMS)
    count, error = draw(st.integers(0, 5)), draw(st.booleans())
    if error:
        scope.note("items:error-first" if count == 0 else "items:error")
    scope.bind("items", f"lambda: thread_items({count}, {error})")
    scope.bind("read", "all_items")
    scope.bind("size", str(draw(st.integers(1, 3))))
    return scope.recipe()
