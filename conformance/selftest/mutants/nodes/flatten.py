"""Node types whose flatten or unflatten has one fault."""

from __future__ import annotations

from hypothesis_pytrees import Kind
from selftest.mutant import node_mutant

_TRACED = [
    "node.transforms.tracers_come_in_the_structure",
    "node.transforms.scan_carries_a_node",
    "node.transforms.scan_maps_over_a_node",
    "node.transforms.while_loop_carries_a_node",
    "node.transforms.cond_returns_a_node",
    "node.transforms.grad_has_the_structure",
    "node.transforms.jvp_has_the_structure",
    "node.transforms.vjp_has_the_structure",
    "node.transforms.checkpoint_returns_a_node",
]


def _kind(template: str, definition: str) -> Kind:
    return Kind("node", template, (definition,))


node_mutant(
    "unflatten runs a constructor that stamps its table",
    _kind(
        "Stamping({'b': $0})",
        """\
class Stamping:
    def __init__(self, table):
        self.table = table
        self.table['a'] = 42


jtu.register_pytree_node(
    Stamping, lambda node: ((node.table,), None), lambda _, children: Stamping(*children)
)
""",
    ),
    fault="the constructor writes an entry, and unflatten runs it over what JAX put there",
    kills=[
        "node.flatten.replacing_one_leaf_keeps_the_others",
        "node.flatten.unflatten_accepts_documented_placeholders",
        "node.flatten.unflatten_accepts_any_leaf",
        "node.flatten.unflatten_runs_no_constructor",
        "node.transforms.vmap_takes_axes_as_a_node",
    ],
)
node_mutant(
    "unflatten scales tracers",
    _kind(
        "Scaling($0)",
        """\
class Scaling:
    def __init__(self, value):
        self.value = value


def rebuild_scaling(_, children):
    (value,) = children
    return Scaling(value + value if isinstance(value, jax.core.Tracer) else value)


jtu.register_pytree_node(Scaling, lambda node: ((node.value,), None), rebuild_scaling)
""",
    ),
    fault="unflatten computes with the leaves of a traced function: their values change",
    kills=[name for name in _TRACED if name != "node.transforms.tracers_come_in_the_structure"],
)
node_mutant(
    "unflatten runs a constructor that writes into its argument",
    _kind(
        "Noting($0)",
        """\
class Noting:
    def __init__(self, value):
        if type(value) is dict:
            value['seen'] = True
        self.value = value


jtu.register_pytree_node(
    Noting, lambda node: ((node.value,), None), lambda _, children: Noting(*children)
)
""",
    ),
    fault="the constructor adds an entry to a dict that it is given, the user's own one",
    kills=[
        "node.flatten.unflatten_writes_into_no_leaf",
        "node.flatten.unflatten_runs_no_constructor",
    ],
)
node_mutant(
    "unflatten runs a constructor that counts",
    _kind(
        "CountsItself($0)",
        """\
class CountsItself:
    created = 0

    def __init__(self, value):
        CountsItself.created += 1
        self.value = value


jtu.register_pytree_node(
    CountsItself, lambda node: ((node.value,), None), lambda _, children: CountsItself(*children)
)
""",
    ),
    fault="each map, jit and grad counts as a construction",
    kills=[
        "node.flatten.unflatten_has_no_outside_effect",
        "node.flatten.unflatten_runs_no_constructor",
    ],
)
node_mutant(
    "unflatten drops a falsy leaf",
    _kind(
        "DropsFalsy($0, $1)",
        """\
class DropsFalsy:
    def __init__(self, left, right):
        self.left, self.right = left, right


def rebuild_drops_falsy(_, children):
    left, right = children
    return DropsFalsy(left, right or None)


jtu.register_pytree_node(
    DropsFalsy, lambda node: ((node.left, node.right), None), rebuild_drops_falsy
)
""",
    ),
    fault="unflatten writes `right or None`: zeros vanish and arrays have no truth value",
    kills=[
        "node.flatten.unflatten_undoes_flatten",
        "node.flatten.unflatten_undoes_flatten_with_is_leaf",
        "node.flatten.identity_map_is_the_identity",
        "node.flatten.unflatten_accepts_any_leaf",
        "node.flatten.unflatten_looks_at_no_leaf",
        "node.transforms.tracers_come_in_the_structure",
        "node.transforms.jit_of_the_identity_is_the_identity",
        "node.transforms.compiled_identity_is_the_identity",
        "node.transforms.donated_node_comes_back",
        "node.transforms.device_put_keeps_the_structure",
        "node.transforms.vmap_maps_every_leaf",
    ],
)
node_mutant(
    "unflatten converts its leaves",
    _kind(
        "Converting($0)",
        """\
class Converting:
    def __init__(self, value):
        self.value = value if isinstance(value, jax.Array) else jnp.asarray(value)


jtu.register_pytree_node(
    Converting, lambda node: ((node.value,), None), lambda _, children: Converting(*children)
)
""",
    ),
    fault="the constructor makes an array of what it is given, and unflatten runs it",
    kills=[
        "node.flatten.unflatten_accepts_documented_placeholders",
        "node.flatten.unflatten_accepts_any_leaf",
        "node.flatten.unflatten_looks_at_no_leaf",
        "node.transforms.eval_shape_keeps_the_structure",
        "node.transforms.compiled_identity_is_the_identity",
        "node.transforms.args_info_has_the_structure",
        "node.transforms.vmap_takes_axes_as_a_node",
        "node.transforms.jacobian_is_a_node_of_nodes",
        "node.transforms.hessian_is_a_node_of_nodes",
    ],
)
node_mutant(
    "flatten copies leaves",
    _kind(
        "Copying($0)",
        """\
class Copying:
    def __init__(self, value):
        self.value = value


jtu.register_pytree_node(
    Copying, lambda node: ((copy.copy(node.value),), None), lambda _, children: Copying(*children)
)
""",
    ),
    fault="flatten hands out copies, so that no leaf is the user's object",
    kills=[
        "node.flatten.unflatten_undoes_flatten",
        "node.flatten.flatten_twice_gives_the_same_leaves",
        "node.flatten.map_visits_each_leaf_once",
        "node.flatten.leaves_of_the_children_are_the_leaves",
        "node.keys.flatten_with_path_gives_the_leaves_of_flatten",
        "node.keys.identity_map_with_path_is_the_identity",
        "node.copies.copy_keeps_structure_and_leaves",
    ],
)
node_mutant(
    "unflatten returns another type",
    _kind(
        "Losing($0)",
        """\
class Losing:
    def __init__(self, value):
        self.value = value


jtu.register_pytree_node(Losing, lambda node: ((node.value,), None), lambda _, items: list(items))
""",
    ),
    fault="unflatten gives the list of children",
    kills=[
        "node.flatten.unflatten_undoes_flatten",
        "node.flatten.unflatten_returns_the_registered_type",
        "node.flatten.equal_builds_map_together",
        *_TRACED,
    ],
)
node_mutant(
    "flatten counts its calls in the aux data",
    _kind(
        "Numbering($0)",
        """\
FLATTENINGS = {'count': 0}


class Numbering:
    def __init__(self, value):
        self.value = value


def flatten_numbering(node):
    FLATTENINGS['count'] += 1000
    return (node.value,), FLATTENINGS['count']


jtu.register_pytree_node(Numbering, flatten_numbering, lambda _, items: Numbering(*items))
""",
    ),
    fault="each flatten gives another treedef and changes a module's variable",
    kills=[
        "node.flatten.flatten_has_no_outside_effect",
        "node.flatten.equal_builds_map_together",
        "node.aux.equal_builds_have_equal_treedefs",
        "node.aux.treedef_depends_on_no_leaf",
        "node.aux.treedef_equals_itself",
        "node.keys.flatten_with_path_gives_the_treedef_of_flatten",
        "node.transforms.jit_does_not_retrace_for_an_equal_node",
        "node.transforms.jit_does_not_retrace_after_a_map",
        "node.transforms.args_info_has_the_structure",
        *_TRACED,
    ],
)
node_mutant(
    "flatten stores what it gives",
    _kind(
        "Storing($0)",
        """\
class Storing:
    def __init__(self, value):
        self.value = value


def flatten_storing(node):
    node.flat = (node.value,)
    return node.flat, None


jtu.register_pytree_node(Storing, flatten_storing, lambda _, items: Storing(*items))
""",
    ),
    fault="flatten sets an attribute of the node",
    kills=["node.flatten.flatten_changes_nothing_in_the_node"],
)
node_mutant(
    "flatten consumes the children",
    _kind(
        "Consuming($0, $1)",
        """\
class Consuming:
    def __init__(self, *items):
        self.items = list(items)


def flatten_consuming(node):
    return [node.items.pop(0) for _ in range(len(node.items))], None


jtu.register_pytree_node(Consuming, flatten_consuming, lambda _, items: Consuming(*items))
""",
    ),
    fault="flatten takes the children out of the node",
    kills=[
        "node.flatten.flatten_twice_gives_the_same_leaves",
        "node.flatten.flatten_changes_nothing_in_the_node",
        "node.flatten.map_visits_each_leaf_once",
        "node.flatten.leaves_of_the_children_are_the_leaves",
    ],
)
node_mutant(
    "unflatten swaps the children",
    _kind(
        "Swapping($0, $1)",
        """\
class Swapping:
    def __init__(self, left, right):
        self.left, self.right = left, right


jtu.register_pytree_node(
    Swapping,
    lambda node: ((node.left, node.right), None),
    lambda _, children: Swapping(*reversed(tuple(children))),
)
""",
    ),
    fault="unflatten puts the children back in the opposite order",
    kills=[
        "node.flatten.unflatten_undoes_flatten",
        "node.flatten.map_of_a_composition_is_the_composition",
        "node.flatten.replacing_one_leaf_keeps_the_others",
        "node.aux.unflatten_restores_the_configuration",
    ],
)
node_mutant(
    "flatten skips falsy children",
    _kind(
        "Skipping($0, $1)",
        """\
class Skipping:
    def __init__(self, *items):
        self.items = items


jtu.register_pytree_node(
    Skipping,
    lambda node: ([item for item in node.items if item], None),
    lambda _, items: Skipping(*items),
)
""",
    ),
    fault="flatten truth-tests the children to leave out empty ones",
    kills=["node.flatten.flatten_looks_at_no_leaf", "node.flatten.unflatten_undoes_flatten"],
)
node_mutant(
    "unflatten forgets an attribute",
    _kind(
        "Forgetting($0)",
        """\
class Forgetting:
    def __init__(self, value):
        self.value, self.size = value, 1


def rebuild_forgetting(_, children):
    node = object.__new__(Forgetting)
    (node.value,) = children
    return node


jtu.register_pytree_node(Forgetting, lambda node: ((node.value,), None), rebuild_forgetting)
""",
    ),
    fault="unflatten no longer keeps step with the constructor, which sets one attribute more",
    kills=["node.flatten.unflatten_restores_every_attribute"],
)
node_mutant(
    "unflatten marks what it makes",
    _kind(
        "Marking($0)",
        """\
class Marking:
    def __init__(self, value):
        self.value = value


def rebuild_marking(_, children):
    node = Marking(*children)
    node.rebuilt = True
    return node


jtu.register_pytree_node(
    Marking, lambda node: ((node.value,), hasattr(node, 'rebuilt')), rebuild_marking
)
""",
    ),
    fault="unflatten sets an attribute, which the aux data tells from a fresh instance",
    kills=[
        "node.flatten.unflatten_adds_no_attribute",
        "node.flatten.unflatten_undoes_flatten",
        "node.flatten.identity_map_is_the_identity",
        "node.transforms.jit_does_not_retrace_after_a_map",
        "node.copies.pickle_after_unflatten_equals_the_original",
    ],
)
