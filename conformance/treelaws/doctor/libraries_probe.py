"""Runs the checks that need JAX, in a child process; arguments: files of known departures."""

from __future__ import annotations

import functools
import sys

from .children import make
from .jax_backend import check_backend, check_imports
from .known_files import check_known

if __name__ == "__main__":
    make(
        {
            "backend": check_backend,
            "imports": check_imports,
            "laws": functools.partial(check_known, sys.argv[1:]),
        }
    )
