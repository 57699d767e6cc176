"""Node types whose aux data has one fault."""

from __future__ import annotations

from hypothesis_pytrees import Kind
from selftest.mutant import node_mutant


def _kinds(definition: str, *templates: str) -> list[Kind]:
    return [Kind("node", template, (definition,)) for template in templates]


def _node(name: str, flatten: str = "node.tag") -> str:
    return f"""\
class {name}:
    def __init__(self, value, tag):
        self.value, self.tag = value, tag


jtu.register_pytree_node(
    {name},
    lambda node: ((node.value,), {flatten}),
    lambda tag, children: {name}(*children, tag),
)
"""


node_mutant(
    "aux data is an array",
    *_kinds(_node("ArrayTagged"), "ArrayTagged($0, np.array([1, 2]))"),
    fault="aux data is an array, whose == has no truth value and which has no hash",
    kills=[
        "node.aux.equal_builds_have_equal_treedefs",
        "node.aux.treedef_equality_is_a_bool",
        "node.aux.aux_data_is_hashable",
        "node.flatten.equal_builds_map_together",
        "node.transforms.jit_does_not_retrace_for_an_equal_node",
    ],
)
node_mutant(
    "aux data is one object an instance",
    *_kinds(
        """\
class Token:
    pass


"""
        + _node("Tokened"),
        "Tokened($0, Token())",
    ),
    fault="aux data compares by identity, and each constructor makes its own",
    kills=[
        "node.aux.equal_builds_have_equal_treedefs",
        "node.aux.treedef_survives_pickle",
        "node.aux.treedef_survives_deepcopy",
        "node.flatten.equal_builds_map_together",
        "node.transforms.jit_does_not_retrace_for_an_equal_node",
        "node.copies.deepcopy_equals_the_original",
        "node.copies.pickle_equals_the_original",
        "node.copies.pickle_after_unflatten_equals_the_original",
    ],
)
node_mutant(
    "aux data is the shape of a leaf",
    *_kinds(_node("Shaped", "np.shape(node.value)"), "Shaped($0, None)"),
    fault="aux data is taken from the leaf, so that the treedef changes with it",
    kills=["node.aux.treedef_depends_on_no_leaf"],
)
node_mutant(
    "aux data equals everything",
    *_kinds(
        """\
class Tolerant:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return True

    def __hash__(self):
        return id(self)


"""
        + _node("Tolerating", "Tolerant(node.tag)").replace(
            "children, tag)", "children, tag.text)"
        ),
        "Tolerating($0, 'one')",
        "Tolerating($0, 'other')",
    ),
    fault="aux data of every configuration compares equal, and hashes by identity",
    kills=[
        "node.aux.different_configuration_gives_different_treedefs",
        "node.aux.equal_treedefs_have_equal_hashes",
        "node.aux.equal_builds_have_equal_hashes",
    ],
)
node_mutant(
    "aux data compares with its own kind only",
    *_kinds(
        """\
class Picky:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        return hash(self.text)


"""
        + _node("PickyTagged"),
        "PickyTagged($0, Picky('text'))",
        "PickyTagged($0, None)",
    ),
    fault="== of aux data raises where another instance has None",
    kills=["node.aux.treedef_equality_is_a_bool"],
)
node_mutant(
    "aux data has no equality with itself",
    *_kinds(
        """\
class NeverEqual:
    def __eq__(self, other):
        return False

    def __hash__(self):
        return 1


"""
        + _node("UnequalTagged", "NeverEqual()"),
        "UnequalTagged($0, None)",
    ),
    fault="aux data never equals aux data, not even that of the same node",
    kills=["node.aux.treedef_equals_itself"],
)
node_mutant(
    "aux data loses its text in copies",
    *_kinds(
        """\
class Forgetful:
    def __init__(self, text=''):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Forgetful) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __reduce__(self):
        return Forgetful, ()


"""
        + _node("ForgetfulTagged"),
        "ForgetfulTagged($0, Forgetful('text'))",
    ),
    fault="what copy and pickle make of the aux data has the default text",
    kills=[
        "node.aux.treedef_survives_pickle",
        "node.aux.treedef_survives_deepcopy",
        "node.copies.deepcopy_equals_the_original",
        "node.copies.pickle_equals_the_original",
    ],
)
node_mutant(
    "unflatten restores the default configuration",
    *_kinds(
        _node("Defaulting", "None").replace("children, tag)", "children, 'default')"),
        "Defaulting($0, 'default')",
        "Defaulting($0, 'chosen')",
    ),
    fault="the configuration is in no aux data, so that a map loses it",
    kills=["node.aux.unflatten_restores_the_configuration"],
)
