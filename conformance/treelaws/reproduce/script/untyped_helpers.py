"""Removes docstrings and annotations from helpers, for shorter scripts."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator

from .sources import File
from .syntax import Edit, span


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the body of a function or a class without its docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


@functools.lru_cache(maxsize=4096)
def stripped(file: File, node: ast.AST) -> tuple[Edit, ...]:
    """Return the edits that remove annotations and docstrings from a top-level statement."""
    return tuple(_stripped(file, node))


def _stripped(file: File, node: ast.AST) -> Iterator[Edit]:
    for one in ast.walk(node):
        if isinstance(one, ast.arg) and one.annotation:
            start = (one.lineno, one.col_offset + len(one.arg.encode()))
            yield Edit(start, span(one.annotation)[1], "")
        elif isinstance(one, ast.FunctionDef):
            yield from _of_function(file, one)
    if isinstance(node, ast.AnnAssign):
        yield Edit(span(node.target)[1], span(node.annotation)[1], "")
    # A class without any other statement needs its docstring.
    if isinstance(node, ast.ClassDef) and 0 < len(without_docstring(node.body)) < len(node.body):
        yield Edit(*span(node.body[0]), None)


def _of_function(file: File, function: ast.FunctionDef) -> Iterator[Edit]:
    if function.returns:
        line = file.lines[function.returns.lineno - 1].encode()
        arrow = line.rindex(b" ->", 0, function.returns.col_offset)
        yield Edit((function.returns.lineno, arrow), span(function.returns)[1], "")
    if len(without_docstring(function.body)) < len(function.body):
        yield Edit(*span(function.body[0]), None)
    for one in ast.walk(function):
        if isinstance(one, ast.AnnAssign) and one.value is not None:
            yield Edit(span(one.target)[1], span(one.annotation)[1], "")


@functools.lru_cache(maxsize=1024)
def typeless(node: ast.stmt) -> ast.stmt:
    """Return a copy of a top-level statement without annotations; a class is kept."""
    return node if isinstance(node, ast.ClassDef) else _Typeless().visit(copy.deepcopy(node))


class _Typeless(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(node.arg), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        self.generic_visit(node)
        node.annotation = ast.copy_location(ast.Constant(None), node.annotation)
        return node
