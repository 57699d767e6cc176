"""The page of idioms: where each holds, with a witness where it does not."""

from __future__ import annotations

import importlib
import pkgutil

from treelaws.laws import idioms
from treelaws.laws.idioms._idiom import Problem

_HEAD = """\
# Idioms

`pytest --pyargs treelaws --laws 'recipes.*'` runs the laws about the idioms on this page: code that
articles and threads recommend for PyTrees. The page says where each idiom holds and shows an input
where it fails. The project's own tests run every example, and every witness must fail as stated.

`python -m treelaws pages docs` generates this page.
"""


def problems() -> list[Problem]:
    """Return every problem, in the order of the files `laws/idioms/*.py`."""
    names = [module.name for module in pkgutil.iter_modules(idioms.__path__)]
    files = [name for name in names if not name.startswith("_")]
    return [importlib.import_module(f"{idioms.__name__}.{name}").PROBLEM for name in files]


def pages() -> dict[str, str]:
    """Return the text of the page by its path below the folder of the documentation."""
    return {"idioms.md": "\n".join([_HEAD, *(problem.printed() for problem in problems())])}
