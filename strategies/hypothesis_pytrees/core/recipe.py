"""Recipes: strategies draw the source text of a value, not the value.

A drawn `Recipe` executes exactly the text that it prints, so a failing input can be pasted into
an empty file. Generated classes live in a `Namespace`, a real module in `sys.modules`, so that
`pickle`, `copy` and `typing.get_type_hints` find them; equal class text gives the one class object,
since JAX's registry of node types is global, refuses a second registration and never forgets.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib
import linecache
import re
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

# Names that recipe text may use without defining them, and their imports.
IMPORTS: Mapping[str, str] = {
    "abc": "import abc",
    "collections": "import collections",
    "copy": "import copy",
    "dataclasses": "import dataclasses",
    "enum": "import enum",
    "functools": "import functools",
    "itertools": "import itertools",
    "math": "import math",
    "operator": "import operator",
    "pickle": "import pickle",
    "typing": "import typing",
    "np": "import numpy as np",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "jtu": "import jax.tree_util as jtu",
    "eqx": "import equinox as eqx",
    "nnx": "from flax import nnx",
    "flax": "import flax",
    "chex": "import chex",
    "optax": "import optax",
}
# The file name of the statements of a recipe in a traceback.
RECIPE_FILE = "<recipe>"
_IMPORTED_NAME = re.compile(r"(?<![\w.])(" + "|".join(IMPORTS) + r")(?=\.)")
_MODULE_OF = {
    "np": "numpy",
    "jnp": "jax.numpy",
    "jtu": "jax.tree_util",
    "eqx": "equinox",
    "nnx": "flax.nnx",
}


def imported_names(text: str) -> list[str]:
    """Return the names of `IMPORTS` that `text` uses, in the order of their imports."""
    used = set(_IMPORTED_NAME.findall(text))
    return [name for name in IMPORTS if name in used]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """The source text of one value: class definitions, statements and an expression.

    Args:
        definitions: top-level texts (classes, registrations), each executed once per namespace.
        statements: lines executed in order on every build; they bind names.
        expression: text of the value; empty for a recipe that only binds names.
        features: properties of the value (`"module"`, `"module>dict"`, `"history:pickle"`).
    """

    definitions: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    expression: str = ""
    features: frozenset[str] = frozenset()

    def run(self, namespace: Namespace | None = None) -> dict[str, Any]:
        """Execute the text and return every name it binds; the value is under `"result"`."""
        return (namespace or default_namespace()).run(self)

    def build(self, namespace: Namespace | None = None) -> Any:
        """Execute the text again and return a new value.

        Args:
            namespace: where classes are defined and which libraries the text sees; by default the
                installed libraries.
        """
        return self.run(namespace).get("result")

    def source(self, name: str = "tree") -> str:
        """Print the recipe as a file that runs on its own.

        Args:
            name: the name of the value in the text.
        """
        body = [*self.statements]
        if self.expression and self.expression != name:
            body.append(f"{name} = {self.expression}")
        text = "\n\n".join([*self.definitions, "\n".join(body)])
        imports = "\n".join(IMPORTS[used] for used in imported_names(text))
        return "\n\n".join(part for part in (imports, text) if part) + "\n"

    def __repr__(self) -> str:
        return f"<recipe of {self.expression or '; '.join(self.statements)}>"


class Namespace:
    """The module in which the classes of recipes are defined, and the libraries they see.

    Args:
        libraries: replacements by the name that recipe text uses, for example `eqx=patched_copy`.
    """

    _count = 0

    def __init__(self, **libraries: Any) -> None:
        unknown = sorted(set(libraries) - set(IMPORTS))
        if unknown:
            allowed = ", ".join(IMPORTS)
            raise ValueError(f"recipe text never uses {unknown[0]!r}; it can use: {allowed}")
        suffix = f"_{Namespace._count}" if Namespace._count else ""
        Namespace._count += 1
        self.module = types.ModuleType(f"hypothesis_pytrees.generated{suffix}")
        self.module.__dict__.update(libraries)
        self._defined: set[str] = set()
        sys.modules[self.module.__name__] = self.module

    def run(self, recipe: Recipe) -> dict[str, Any]:
        """Run missing definitions and the statements, and return the names they bind."""
        for text in recipe.definitions:
            self.define(text)
        tail = [f"result = {recipe.expression}"] if recipe.expression else []
        text = "\n".join([*recipe.statements, *tail])
        code, names = _compiled(text)
        self._import(names)
        scope = dict(self.module.__dict__)
        exec(code, scope)
        return scope

    def define(self, text: str) -> None:
        """Execute the text of a definition, unless the same text was executed here before.

        Raises:
            ValueError: it defines a name that another definition has defined differently.
        """
        if text in self._defined:
            return
        # linecache shows generated lines in tracebacks, and inspect.getsource finds them.
        filename = f"<{self.module.__name__} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        self._import(imported_names(text))
        code, names = compile(text, filename, "exec", dont_inherit=True), self.module.__dict__
        before = {name: names[name] for name in code.co_names if name in names}
        exec(code, names)
        for name, value in before.items():
            if names.get(name, value) is not value and name not in IMPORTS:
                names[name] = value
                raise ValueError(
                    f"two definitions of {name!r} in one namespace; give one another name, or "
                    f"import its module and write `module.{name}`"
                )
        self._defined.add(text)

    def give(self, text: str, **names: Any) -> None:
        """Register existing objects as the result of a definition.

        Args:
            text: the definition; it is printed and never executed here.
            names: the objects, by the names that it defines.

        Raises:
            ValueError: a name is already used for another object.
        """
        for name, value in names.items():
            if self.module.__dict__.setdefault(name, value) is not value:
                raise ValueError(f"{name!r} stands for something else here; choose another name")
        self._defined.add(text)

    def _import(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.module.__dict__:
                self.module.__dict__[name] = importlib.import_module(_MODULE_OF.get(name, name))


# dont_inherit: this file's `from __future__ import annotations` would turn the annotations of
# every generated class into strings, and the built class would differ from the printed one.
@functools.lru_cache(maxsize=1024)
def _compiled(text: str) -> tuple[types.CodeType, tuple[str, ...]]:
    return compile(text, RECIPE_FILE, "exec", dont_inherit=True), tuple(imported_names(text))


@functools.cache
def default_namespace() -> Namespace:
    """Return the namespace with the installed libraries."""
    return Namespace()


class Scope:
    """Text under construction: collects definitions, statements and features for one recipe."""

    def __init__(self) -> None:
        self._definitions: dict[str, None] = {}
        self._statements: list[str] = []
        self._features: set[str] = set()
        self._names: set[str] = set()

    def define(self, *texts: str) -> None:
        """Add definitions, each once."""
        self._definitions.update(dict.fromkeys(texts))

    def note(self, *features: str) -> None:
        """Add features."""
        self._features.update(features)

    @property
    def features(self) -> set[str]:
        """The features added so far."""
        return self._features

    def fresh(self, name: str) -> str:
        """Reserve `name`, or `name_2`, `name_3`, ... if it is taken."""
        unique, count = name, 1
        while unique in self._names:
            count += 1
            unique = f"{name}_{count}"
        self._names.add(unique)
        return unique

    def bind(self, name: str, value: Recipe | str) -> str:
        """Bind a fresh name to the text of a value and return the name."""
        expression = self.include(value) if isinstance(value, Recipe) else value
        unique = self.fresh(name)
        if expression != unique:
            self._statements.append(f"{unique} = {expression}")
        return unique

    def rebind(self, name: str, expression: str) -> str:
        """Assign to a name that is bound already."""
        self._statements.append(f"{name} = {expression}")
        return name

    def statement(self, text: str) -> None:
        """Add a statement that binds no new name."""
        self._statements.append(text)

    def include(self, recipe: Recipe) -> str:
        """Add the text of another recipe, renaming names that are taken; return its expression."""
        self.define(*recipe.definitions)
        self.note(*recipe.features)
        renames: dict[str, str] = {}
        for text in recipe.statements:
            bound = re.match(r"(\w+) = ", text)
            if bound and bound[1] not in renames:
                renames[bound[1]] = self.fresh(bound[1])
        changed = {old: new for old, new in renames.items() if old != new}
        self._statements += [_rename(text, changed) for text in recipe.statements]
        return _rename(recipe.expression, changed)

    def value(self, expression: str, namespace: Namespace | None = None) -> Any:
        """Evaluate an expression over the names bound so far."""
        return self.recipe(expression).build(namespace)

    def recipe(self, expression: str = "") -> Recipe:
        """Return the finished recipe."""
        return Recipe(
            tuple(self._definitions), tuple(self._statements), expression, frozenset(self._features)
        )


def _rename(text: str, names: Mapping[str, str]) -> str:
    if not names:
        return text
    # A keyword of the same name (`Pair(shared=shared)`) stays; a statement has blanks around `=`.
    pattern = r"(?<![\w.'\"])(" + "|".join(map(re.escape, names)) + r")(?![\w'\"]|=(?!=))"
    return re.sub(pattern, lambda match: names[match[1]], text)
