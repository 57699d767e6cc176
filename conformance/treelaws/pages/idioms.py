"""The page of idioms: where each holds, with a witness where it does not."""

from __future__ import annotations

import importlib
import pkgutil

from treelaws.laws import idioms
from treelaws.laws.idioms._idiom import Problem

_HEAD = """\
# Idioms

Idioms for PyTrees that articles and threads recommend: where each holds, and a witness where it
does not. What holds is a law, which this suite tries on random trees in every run; each example is
run, and each witness is run and must fail as stated. This page is generated: `python -m treelaws
pages docs`.
"""


def problems() -> list[Problem]:
    """Give every problem, in the order of the files `laws/idioms/*.py`."""
    names = [module.name for module in pkgutil.iter_modules(idioms.__path__)]
    files = [name for name in names if not name.startswith("_")]
    return [importlib.import_module(f"{idioms.__name__}.{name}").PROBLEM for name in files]


def page() -> str:
    """Give the whole page as Markdown."""
    return "\n".join([_HEAD, *(problem.printed() for problem in problems())])
