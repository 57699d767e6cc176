"""Writes a broken law as a script: the input, the steps of the law, the expected result."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
import traceback
from collections.abc import Iterator, Mapping, Sequence

from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.compat import devices
from treelaws.compat.environment import environment
from treelaws.compat.parsing import parse
from treelaws.core.failure import Breach
from treelaws.core.mismatch import Mismatch
from treelaws.core.statements import own

from . import comparing
from .helpers import Helpers
from .sources import file_of
from .syntax import Edit, attributes_of, bound, defined, span, stored
from .untyped_helpers import without_docstring

# The name of `lib` in scripts, by the family of the law.
_LIBRARY = {
    "jax": "jax",
    "node": "jax",
    "equinox": "eqx",
    "nnx": "nnx",
    "flax": "flax",
    "chex": "chex",
    "optax": "optax",
    "transformation": "optax",
}
# Submodules that are only loaded if they are imported by name.
_SUBMODULES = (
    *("jax.export", "jax.flatten_util", "jax.extend", "jax.experimental", "flax.serialization"),
    *("flax.training.common_utils", "flax.training.train_state"),
    *("flax.training.dynamic_scale", "flax.training.early_stopping", "flax.cursor"),
)
_GENERATED = re.compile(r"hypothesis_pytrees\.generated(_\d+)?\.")
_BACKSLASH = "\\"
_WIDTH = 96


def scripts(breach: Breach, title: str = "", *, across: bool = False) -> Iterator[str]:
    """Yield scripts that exit with 1 while a law is broken, and with 0 once it holds.

    The shortest comes first; its comparison may be too short to show the bug.

    Args:
        breach: the broken law with its input.
        title: the first line of the scripts, which then do not name the law; default its sentence.
        across: one release runs the script with `write`, another with `read`; default `False`.
    """
    kinds = ((True, False), (True, True)) if across else _KINDS
    for whole, typed in kinds:
        for way in comparing.checks(_aspect_of(breach)):
            first = _Script(breach, way, title=title, whole=whole, typed=typed, across=across)
            first.text()
            # The first pass finds the helpers, and so their local variables.
            modules = {*first.helpers.modules, breach.law.check.__module__}
            hiding = frozenset[str]().union(*(file_of(module).locals for module in modules))
            yield _Script(
                breach, way, hiding, title, whole=whole, typed=typed, across=across
            ).text()


# Whether the steps after the one that broke the law are written, and docstrings and annotations.
_KINDS = ((False, False), (True, False), (True, True))


def _aspect_of(breach: Breach) -> str:
    return breach.cause.aspect if isinstance(breach.cause, Mismatch) else ""


class _Script:
    """One way to write it.

    Args:
        breach: the broken law with its input.
        way: the texts of the checks, by name.
        hiding: local variables of the helpers, whose names are not used.
        title: the first line; empty for the sentence of the law, and its id.
        whole: also write the steps of the law after the one that broke it.
        typed: keep docstrings and annotations of helpers.
        across: one release runs it with `write`, another with `read`.
    """

    def __init__(
        self,
        breach: Breach,
        way: Mapping[str, str],
        hiding: frozenset[str] = frozenset(),
        title: str = "",
        *,
        whole: bool,
        typed: bool,
        across: bool = False,
    ) -> None:
        self.breach, self.recipe, law = breach, breach.recipe, breach.law
        self.title = title
        self.module = law.check.__module__
        self.file = file_of(self.module)
        node = self.file.statements[law.name]
        assert isinstance(node, ast.FunctionDef)
        body = without_docstring(node.body)
        frames = traceback.extract_tb(breach.cause.__traceback__)
        reached = [frame.lineno or 0 for frame in frames if frame.name == law.name]
        last = reached[0] if reached and not whole else body[-1].lineno
        self.body = ast.Module([one for one in body if one.lineno <= last] or body, [])
        self.bound = [name for name in bound(self.recipe.statements) if name not in IMPORTS]
        self.definitions = bound(self.recipe.definitions)
        taken = [*IMPORTS, *self.bound, *self.definitions, "case", "build", "check"]
        self.helpers = Helpers(way, taken, hiding, typed=typed, across=across)

    def text(self) -> str:
        """Return the whole script."""
        law = self._law()
        given = self._built() if self._needs_case() else "\n".join(self._statements())
        parts = [*self.recipe.definitions, *self.helpers.texts, given, law]
        text = _spaced([part.strip("\n") for part in parts if part.strip()])
        needs = {*self.breach.law.needs} & {devices.NEED}
        setting = f"{devices.SETTING}\n" if needs else ""
        return f"{self._header()}\n{setting}{self._imports(text)}\n{text}\n"

    def _needs_case(self) -> bool:
        """Return whether the script needs a `case` object, because names would clash otherwise."""
        attributes = list(attributes_of("case", self.body))
        read = {one.attr for one in attributes}
        names = [one for one in ast.walk(self.body) if isinstance(one, ast.Name)]
        passes_case_on = sum(one.id == "case" for one in names) > len(attributes)
        clash = {*stored(self.body), *defined(self.body)} & {*read, *self.bound}
        hiding = any(hasattr(builtins, name) for name in self.bound)
        return passes_case_on or hiding or bool(clash) or "rebuild" in read or self._returns()

    def _returns(self) -> bool:
        nodes = [node for one in self.body.body for node in own(one)]
        return any(isinstance(node, (ast.Return, ast.Yield)) for node in nodes)

    def _law(self) -> str:
        edits = self.helpers.edits_for(self.module, self.body)
        library = _LIBRARY[self.breach.law.topic.family]
        for one in ast.walk(self.body):
            if isinstance(one, ast.Name) and one.id == "lib":
                edits.append(Edit(*span(one), library))
        if not self._needs_case():
            edits += [Edit(*span(one), one.attr) for one in attributes_of("case", self.body)]
        first, last = self.body.body[0], self.body.body[-1]
        assert last.end_lineno is not None
        text = textwrap.dedent(self.file.text(first.lineno, last.end_lineno, edits))
        if self._returns():
            return f"def check():\n{textwrap.indent(text, '    ')}\n\n\ncheck()"
        return text

    def _statements(self) -> list[str]:
        result = [f"result = {self.recipe.expression}"] if self.recipe.expression else []
        return [*self.recipe.statements, *result]

    def _built(self) -> str:
        self.helpers.imports["from types import SimpleNamespace"] = None
        read = [one.attr for one in attributes_of("case", self.body)]
        names = dict.fromkeys([*self.bound, *self.helpers.case_names, *read])
        known = {*self.bound, *self.definitions, "result"}
        # A helper may rebuild the case.
        fields = ["rebuild=build"] if "rebuild" in names else []
        fields += [f"{name}={name}" for name in names if name in known]
        body = "\n".join([*self._statements(), f"return SimpleNamespace({', '.join(fields)})"])
        return f"def build():\n{textwrap.indent(body, '    ')}\n\n\ncase = build()"

    def _header(self) -> str:
        lines = list(self._titled() if self.title else self._of_law())
        text = "\n".join(line.rstrip() for line in lines)
        return f'"""{text.replace(_BACKSLASH, _BACKSLASH * 2)}\n"""\n'

    def _titled(self) -> Iterator[str]:
        yield textwrap.fill(self.title, _WIDTH)
        yield ""
        yield self.breach.law.source
        yield "Exits with 1 while the bug is there, with 0 once it is fixed."

    def _of_law(self) -> Iterator[str]:
        law, subject = self.breach.law, self.breach.subject
        yield textwrap.fill(law.sentence, _WIDTH)
        yield ""
        yield f"Promised by {law.source}"
        yield f"Law {law.id}, level {law.level}, on {subject.library_name}."
        yield ""
        found = f"Exits with 1 while it is broken, with 0 once it holds. Found with {environment()}"
        yield textwrap.fill(f"{found}:", _WIDTH)
        yield ""
        # The script defines the classes of the input itself.
        difference = _GENERATED.sub("", self.breach.difference.strip("\n"))
        yield textwrap.indent(difference, "    ")

    def _imports(self, text: str) -> str:
        read = {one.id for one in ast.walk(parse(text)) if isinstance(one, ast.Name)}
        lines = {*self.helpers.imports, *(IMPORTS[name] for name in IMPORTS if name in read)}
        # Helpers of a law call the library `lib`.
        tails = {name: f"lib.{name.partition('.')[2]}." for name in _SUBMODULES}
        lines |= {f"import {name}" for name in tails if f"{name}." in text or tails[name] in text}
        lines |= {"import sys"} & {f"import {name}" for name in read}
        return "\n".join(sorted(lines, key=lambda line: (line.startswith("from "), line)))


def _spaced(parts: Sequence[str]) -> str:
    """Join parts with two blank lines around functions and classes, else one."""
    text, after = "", False
    for part in parts:
        block = part.startswith(("def ", "class ", "@"))
        text += f"\n\n{part}\n" if block or after else f"\n{part}\n"
        after = block
    return text.rstrip("\n")
