"""Every entry of the tables builds, its printed source rebuilds it, and recipes hold together."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import pickle
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import jax.tree_util as jtu
import numpy as np
import pytest

from hypothesis_pytrees import CONTAINERS, Kind, Namespace, Recipe, Scope
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import refusals
from hypothesis_pytrees.core.recipe import IMPORTS, default_namespace, imported_names
from hypothesis_pytrees.leaves.leaves import EVERY, recipe_of
from hypothesis_pytrees.nodes.nodes import NODES

TABLES: dict[str, tuple[Kind, ...]] = {
    "CONTAINERS": CONTAINERS,
    "NODES": NODES,
    "MODULES": MODULES,
    "LEAVES": tuple(EVERY),
}
# A release may lack these, and then has to refuse the definition.
NEWER = frozenset({"node:inferred-fields", "node:drop-fields"})
# A copy has another treedef; that of what `eqx.filter_grad` returns is a bug of Equinox.
_UNEQUAL = {"node:identity-aux", "module:deepcopy-differs", "module:filter-grad"}
CHILD = "jax.device_put(np.float32([1.0, 2.0]))"
_REFUSED = refusals((*NODES, *MODULES))


def recipe(kind: Kind) -> Recipe:
    return Recipe(kind.definitions, (), kind.text([CHILD] * kind.arity))


def parameters(*tables: str) -> list[Any]:
    """Every usable kind of the tables, by its text."""
    return [
        pytest.param(kind, id=f"{name.lower()}-{index}-{kind.name}")
        for name in tables
        for index, kind in enumerate(TABLES[name])
        if kind not in _REFUSED
    ]


def execute(source: str) -> Any:
    """Run printed source as a file of its own and give `tree`."""
    # In sys.modules, as every imported file is: pickle and dataclasses look classes up there.
    module = sys.modules["printed"] = types.ModuleType("printed")
    exec(compile(source, "<printed>", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__["tree"]


def outline(tree: Any) -> tuple[list[str], list[str], list[str]]:
    """Describe a tree without the identity of its classes: nodes, key paths, leaves."""
    nodes: list[str] = []

    def visit(node: Any) -> bool:
        nodes.append(type(node).__qualname__)
        return False

    jtu.tree_flatten(tree, is_leaf=visit)
    flat = jtu.tree_flatten_with_path(tree)[0]
    return nodes, [jtu.keystr(path) for path, _ in flat], [dress(leaf) for _, leaf in flat]


def dress(leaf: Any) -> str:
    kind = type(leaf).__qualname__
    if hasattr(leaf, "dtype") and hasattr(leaf, "shape"):
        data = np.asarray(leaf).tobytes() if isinstance(leaf, np.ndarray | np.generic) else b""
        return f"{kind} {leaf.dtype} {leaf.shape} {data!r}"
    return f"{kind} {leaf!r}" if kind in ("int", "float", "bool", "complex", "str") else kind


def bound_names(definition: str) -> Iterator[str]:
    """Names that the text of a definition binds at top level."""
    for statement in ast.parse(definition).body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            yield statement.name
        elif isinstance(statement, ast.Assign):
            yield from (node.id for node in statement.targets if isinstance(node, ast.Name))


class TestTables:
    @pytest.mark.parametrize("table", list(TABLES))
    def test_entries_are_distinct(self, table: str):
        entries = [(kind.template, kind.definitions) for kind in TABLES[table]]
        assert len(set(entries)) == len(entries)

    def test_a_name_is_defined_by_one_text(self):
        texts: dict[str, str] = {}
        for kinds in TABLES.values():
            for kind in kinds:
                for text in kind.definitions:
                    for name in bound_names(text):
                        assert texts.setdefault(name, text) == text, name

    def test_definitions_name_what_they_use(self):
        """The recipe of a kind needs no text of another kind."""
        given = {*IMPORTS, *dir(builtins)}
        for kinds in TABLES.values():
            for kind in kinds:
                expression = list(ast.walk(ast.parse(kind.text(["0"] * kind.arity))))
                used = {node.id for node in expression if isinstance(node, ast.Name)}
                arguments = {node.arg for node in expression if isinstance(node, ast.arg)}
                defined = {name for text in kind.definitions for name in bound_names(text)}
                assert used <= given | arguments | defined, kind

    def test_slots_count_up_from_zero(self):
        for kinds in TABLES.values():
            for kind in kinds:
                slots = set(map(int, re.findall(r"\$(\d+)", kind.template)))
                assert slots == set(range(kind.arity)), kind

    def test_only_newer_registrations_are_refused(self):
        refused = [kind for kind in _REFUSED if kind in NODES]
        assert all(NEWER & set(kind.features) for kind in refused), refused


class TestEveryKind:
    @pytest.mark.parametrize("kind", parameters(*TABLES))
    def test_source_rebuilds_build(self, kind: Kind):
        built = recipe(kind).build()
        assert outline(execute(recipe(kind).source())) == outline(built)

    @pytest.mark.parametrize("kind", parameters("CONTAINERS", "NODES", "MODULES"))
    def test_two_builds_share_class_and_structure(self, kind: Kind):
        one, two = recipe(kind).build(), recipe(kind).build()
        assert type(one) is type(two)
        assert outline(one) == outline(two)

    @pytest.mark.parametrize("kind", parameters("NODES"))
    def test_nodes_obey_their_contract(self, kind: Kind):
        tree = recipe(kind).build()
        leaves, structure = jtu.tree_flatten(tree)
        rebuilt = jtu.tree_unflatten(structure, leaves)
        assert type(rebuilt) is type(tree)
        assert list(map(id, jtu.tree_leaves(rebuilt))) == list(map(id, leaves))
        keyed, keyed_structure = jtu.tree_flatten_with_path(tree)
        assert [id(leaf) for _, leaf in keyed] == list(map(id, leaves))
        paths = [jtu.keystr(path) for path, _ in keyed]
        assert len(set(paths)) == len(paths)
        assert structure == keyed_structure == jtu.tree_structure(rebuilt)
        assert structure == jtu.tree_structure(recipe(kind).build())
        hash(structure)

    @pytest.mark.parametrize("kind", parameters("NODES"))
    def test_nodes_accept_any_children(self, kind: Kind):
        tree = recipe(kind).build()
        markers = [object() for _ in jtu.tree_leaves(tree)]
        marked = jtu.tree_unflatten(jtu.tree_structure(tree), markers)
        assert list(map(id, jtu.tree_leaves(marked))) == list(map(id, markers))
        if "node:typed-children" in kind.features:
            return
        children, one_level = jtu.tree_flatten(tree, is_leaf=lambda node: node is not tree)
        markers = [object() for _ in children]
        marked = jtu.tree_unflatten(one_level, markers)
        again = jtu.tree_leaves(marked, is_leaf=lambda node: node is not marked)
        assert list(map(id, again)) == list(map(id, markers))

    @pytest.mark.parametrize("kind", parameters("NODES", "MODULES"))
    def test_nodes_survive_copies(self, kind: Kind):
        tree = recipe(kind).build()
        copies = [copy.copy(tree), copy.deepcopy(tree)]
        if not {"node:unpicklable", "module:unpicklable"} & set(kind.features):
            copies.append(pickle.loads(pickle.dumps(tree)))
        for other in copies:
            assert outline(other) == outline(tree)
            if not _UNEQUAL & set(kind.features):
                assert jtu.tree_structure(other) == jtu.tree_structure(tree)

    @pytest.mark.parametrize("kind", parameters("LEAVES"))
    def test_leaves_are_leaves(self, kind: Kind):
        leaf = recipe_of(kind).build()
        assert jtu.tree_leaves([leaf])[0] is leaf

    def test_constructor_effects_do_not_happen_on_unflatten(self):
        counted = [kind for kind in NODES if "node:init-effect" in kind.features]
        assert len(counted) > 1
        for kind in counted:
            tree = recipe(kind).build()
            before = type(tree).created
            jtu.tree_map(lambda leaf: leaf, tree)
            assert type(tree).created == before > 0


class TestRecipe:
    def test_source_imports_what_it_uses(self):
        source = Recipe(expression="[np.zeros(1), math.pi]").source("value")
        assert source == ("import math\nimport numpy as np\n\nvalue = [np.zeros(1), math.pi]\n")

    def test_source_of_a_bound_name_assigns_once(self):
        assert Recipe((), ("tree = [1]",), "tree").source() == "tree = [1]\n"

    def test_attributes_are_not_imports(self):
        assert imported_names("self.np.x + my_copy.y") == []

    def test_recipe_without_expression_binds_names(self):
        bound = Recipe(statements=("one = 1", "two = one + 1")).run()
        assert (bound["one"], bound["two"]) == (1, 2)
        assert Recipe(statements=("one = 1",)).build() is None

    def test_statements_run_afresh_on_each_build(self):
        text = Recipe((), ("shared = [0]",), "[shared, shared]")
        one, two = text.build(), text.build()
        assert one[0] is one[1]
        assert one[0] is not two[0]

    def test_repr_is_the_expression(self):
        assert repr(Recipe(expression="[1]")) == "<recipe of [1]>"
        assert repr(Recipe(statements=("x = 1", "y = 2"))) == "<recipe of x = 1; y = 2>"


class TestNamespace:
    def test_equal_text_gives_the_identical_class(self):
        text = "class OnceDefined:\n    pass\n"
        namespace = Namespace()
        first = Recipe((text,), (), "OnceDefined").build(namespace)
        assert Recipe((str(text),), (), "OnceDefined").build(namespace) is first
        assert Recipe((text,), (), "OnceDefined").build(Namespace()) is not first

    def test_classes_are_found_by_module_and_source(self):
        text = "class Findable:\n    colour = 'red'\n"
        cls = Recipe((text,), (), "Findable").build()
        assert sys.modules[cls.__module__].Findable is cls
        assert cls.__module__ == default_namespace().module.__name__
        assert pickle.loads(pickle.dumps(cls())).colour == "red"

    def test_methods_show_their_source(self):
        text = "def shown(x):\n    return x + 1\n"
        assert inspect.getsource(Recipe((text,), (), "shown").build()) == text

    def test_text_is_compiled_as_it_stands(self):
        """An annotation is the object that the text names, as in a file of its own."""
        text = "class AnnotatedPlainly:\n    x: int\n"
        cls = Recipe((text,), (), "AnnotatedPlainly").build()
        assert cls.__annotations__ == {"x": int}

    def test_libraries_are_replaced(self):
        fake = types.SimpleNamespace(zeros=lambda shape: ("fake", shape))
        text = Recipe(expression="jnp.zeros(3)")
        assert text.build(Namespace(jnp=fake)) == ("fake", 3)

    def test_unknown_library_is_refused(self):
        with pytest.raises(ValueError, match=r"'torch'.*eqx"):
            Namespace(torch=None)

    def test_a_definition_that_failed_is_tried_again(self):
        namespace = Namespace()
        text = "class Late(jnp.Base):\n    pass\n"
        with pytest.raises(AttributeError, match="Base"):
            namespace.define(text)
        namespace.module.__dict__["jnp"] = types.SimpleNamespace(Base=object)
        namespace.define(text)
        assert namespace.module.__dict__["Late"].__name__ == "Late"


class TestScope:
    def test_fresh_names(self):
        scope = Scope()
        assert [scope.fresh("x"), scope.fresh("x"), scope.fresh("x")] == ["x", "x_2", "x_3"]

    def test_include_renames_on_collision(self):
        shared = Recipe((), ("shared = [1]",), "(shared, shared)")
        scope = Scope()
        text = f"[{scope.include(shared)}, {scope.include(shared)}]"
        assert scope.recipe(text).source() == (
            "shared = [1]\nshared_2 = [1]\ntree = [(shared, shared), (shared_2, shared_2)]\n"
        )

    def test_include_keeps_keywords_attributes_and_keys(self):
        text = "dict(shared=shared, other=[shared]), {'shared': shared}, operator.shared"
        scope = Scope()
        scope.fresh("shared")
        renamed = scope.include(Recipe((), ("shared = 1",), text))
        assert renamed == (
            "dict(shared=shared_2, other=[shared_2]), {'shared': shared_2}, operator.shared"
        )

    def test_include_renames_comparisons(self):
        scope = Scope()
        scope.fresh("x")
        assert scope.include(Recipe((), ("x = 1",), "x==1")) == "x_2==1"

    def test_include_keeps_rebinding(self):
        scope = Scope()
        scope.fresh("tree")
        other = Recipe((), ("tree = [1]", "tree = tree + [2]"), "tree")
        assert scope.value(scope.include(other)) == [1, 2]

    def test_bind_rebind_statement_value(self):
        scope = Scope()
        name = scope.bind("x", "[1]")
        scope.statement(f"{name}.append(2)")
        scope.rebind(name, f"{name} + [3]")
        assert scope.value(name) == [1, 2, 3]

    def test_definitions_and_features_are_collected_once(self):
        kind = next(kind for kind in NODES if kind.definitions)
        scope = Scope()
        scope.include(recipe_of(Kind("leaf", "1", kind.definitions, ("one",))))
        scope.include(recipe_of(Kind("leaf", "2", kind.definitions, ("two",))))
        done = scope.recipe("[]")
        assert done.definitions == kind.definitions
        assert done.features == {"leaf", "one", "two"} == scope.features


class TestKind:
    def test_text_fills_each_slot(self):
        kind = Kind("pair", "Pair($1, $0, again=$1)")
        assert kind.arity == 2
        assert kind.text(["a", "b"]) == "Pair(b, a, again=b)"

    def test_child_text_with_a_slot_in_it_is_kept(self):
        assert Kind("box", "[$0]").text(["'$1'"]) == "['$1']"
