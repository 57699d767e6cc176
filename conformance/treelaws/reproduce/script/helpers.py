"""Collects the helpers of a law as text, with their own helpers and imports."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterable, Iterator, Mapping

from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.core.statements import extent

from .sources import Piece, file_of, find
from .syntax import Edit, attributes_of, loaded, renamed, span
from .untyped_helpers import stripped, typeless

_CHECKS = ("treelaws.equality", "treelaws.core.mismatch")
# Says by a table of releases whether a library has a name; a script looks at the library.
_HAS = ("hypothesis_pytrees.core.names", "has")
# Hands over what was written: a script reads it itself, or is run twice.
_CARRIED = ("treelaws.laws._carried", "carried")
_ACROSS = """\
def carried(written):
    file = pathlib.Path("carried.bin")
    if sys.argv[1] == "write":
        file.write_bytes(written)
        sys.exit()
    return file.read_bytes()
"""


class Helpers:
    """The helpers of one script.

    Args:
        checks: the texts of the checks, by name.
        taken: names that are used otherwise in the script.
        hiding: local variables of the helpers, which would shadow a helper of that name.
        typed: keep docstrings and annotations.
        across: the script is run with `write` and then, by another release, with `read`.
    """

    def __init__(
        self,
        checks: Mapping[str, str],
        taken: Iterable[str],
        hiding: frozenset[str],
        *,
        typed: bool,
        across: bool = False,
    ) -> None:
        self._ways, self._hiding, self._typed = checks, hiding, typed
        self._across = across
        self._owners = {name: ("", IMPORTS.get(name, "")) for name in taken}
        self._pieces: dict[tuple[str, str], Piece] = {}
        self._parts: list[str] = []
        self._checks: list[str] = []
        # Import statements, and attributes of the case that helpers read.
        self.imports: dict[str, None] = {}
        self.case_names: dict[str, None] = {}

    @property
    def texts(self) -> list[str]:
        """The texts of the helpers, each after those it depends on."""
        return [*self._checks, *self._parts]

    @property
    def modules(self) -> set[str]:
        """The modules that the helpers come from."""
        return {module for module, _ in self._pieces}

    def edits_for(self, module: str, node: ast.AST) -> list[Edit]:
        """Add the helpers that a node of a module uses; return the edits that rename them."""
        edits: list[Edit] = []
        for name in loaded(node):
            piece = find(module, name)
            if piece is None:
                continue
            if piece.node is None and piece.module:
                edits += self._of_module(piece.module, name, node)
                continue
            if piece.key == _HAS:
                edits += _looking(name, node)
                continue
            if piece.key == _CARRIED:
                edits += [] if self._across else _unwrapping(name, node)
                self._hand_over()
                continue
            self._take(piece)
            edits += self._rename(node, piece)
        return edits

    def _hand_over(self) -> None:
        if self._across and _ACROSS not in self._parts:
            self._parts.append(_ACROSS)
            self.imports |= {"import pathlib": None, "import sys": None}

    def _of_module(self, module: str, alias: str, node: ast.AST) -> Iterator[Edit]:
        for one in attributes_of(alias, node):
            piece = find(module, one.attr)
            assert piece is not None, f"{module} has no {one.attr}"
            self._take(piece)
            yield Edit(*span(one), self._called(piece))

    def _rename(self, node: ast.AST, piece: Piece) -> Iterator[Edit]:
        if self._called(piece) != piece.name:
            yield from renamed(node, piece.name, self._called(piece))

    def _called(self, piece: Piece) -> str:
        """Return the name of a piece in the script, without underscores if that is free."""
        if piece.line:
            return self._imported_as(piece)
        plain = piece.name.strip("_") or piece.name
        for name in (plain, piece.name, f"its_{plain}", f"its_own_{plain}"):
            if keyword.iskeyword(name) or hasattr(builtins, name) or name in self._hiding:
                continue
            if self._owners.setdefault(name, piece.key) == piece.key:
                return name
        raise AssertionError(f"no name is free for {piece.name}")

    def _imported_as(self, piece: Piece) -> str:
        """Return the name of an import, another one where a helper or the input has its name."""
        for name in (piece.name, f"its_{piece.name}"):
            if self._owners.setdefault(name, ("", piece.origin)) == ("", piece.origin):
                return name
        raise AssertionError(f"no name is free for {piece.line}")

    def _take(self, piece: Piece) -> None:
        if piece.line:
            self.imports[piece.line_as(self._imported_as(piece))] = None
        elif piece.key not in self._pieces:
            self._pieces[piece.key] = piece
            if piece.module in _CHECKS and piece.name in self._ways:
                self._checks.append(self._as_called(piece, self._ways[piece.name]))
            else:
                self._write(piece)

    def _as_called(self, piece: Piece, text: str) -> str:
        """Return the text of a check under the name by which the script calls it."""
        for statement in ("def", "class"):
            text = text.replace(f"{statement} {piece.name}(", f"{statement} {self._called(piece)}(")
        return text

    def _write(self, piece: Piece) -> None:
        node = piece.node
        assert node is not None
        file = file_of(piece.module)
        edits = [] if self._typed else list(stripped(file, node))
        self.case_names.update(dict.fromkeys(one.attr for one in attributes_of("case", node)))
        edits += self.edits_for(piece.module, node if self._typed else typeless(node))
        edits += self._rename(node, piece)
        self._parts.append(file.text(*extent(node), edits))
        for loop in file.completing(piece.name):
            edits = [*self.edits_for(piece.module, loop), *self._rename(loop, piece)]
            self._parts.append(file.text(*extent(loop), edits))


def _unwrapping(called: str, node: ast.AST) -> Iterator[Edit]:
    """Yield the edits that turn `carried(x)` into `x`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == called:
            whole, inner = span(one), span(one.args[0])
            yield Edit(whole[0], inner[0], "")
            yield Edit(inner[1], whole[1], "")


def _looking(called: str, node: ast.AST) -> Iterator[Edit]:
    """Yield the edits that turn `has("nnx.x")` into `hasattr(nnx, "x")`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == called:
            (name,) = one.args
            assert isinstance(name, ast.Constant)
            assert isinstance(name.value, str)
            home, _, last = name.value.rpartition(".")
            yield Edit(*span(one), f'hasattr({home}, "{last}")')
