"""Runs scripts one after the other where this project cannot be imported, mutants in place.

Reads lines of JSON, `[path, mutant]`, and answers each with `[exit code, output]`. Mutants are
patches of a library, which live on when the modules that made them are gone.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selftest.mutant import load

_MODULES = {
    "jax": "jax",
    "jtu": "jax.tree_util",
    "eqx": "equinox",
    "flax": "flax",
    "chex": "chex",
    "nnx": "flax.nnx",
    "optax": "optax",
}
_HIDDEN = ("treelaws", "hypothesis_pytrees", "hypothesis", "pytest", "_pytest", "selftest")
# Compiled programs take a megabyte each.
_SCRIPTS_BETWEEN_CLEARINGS = 60


class _Guard:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in _HIDDEN:
            raise ImportError(f"a script must not import {name}")


def _run(path: str) -> int:
    text = Path(path).read_text()
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code)
            return 1
        return ended.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _serve(libraries: Mapping[str, Mapping[str, Any]]) -> None:
    import jax

    print(json.dumps("ready"), flush=True)
    real, main = dict(sys.modules), sys.modules["__main__"]
    for count, line in enumerate(sys.stdin, 1):
        path, mutant = json.loads(line)
        patches = {_MODULES[name]: value for name, value in libraries.get(mutant, {}).items()}
        sys.modules.update(patches)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = _run(path)
        sys.modules.update({name: real.get(name, sys.modules[name]) for name in patches})
        sys.modules["__main__"] = main
        if count % _SCRIPTS_BETWEEN_CLEARINGS == 0:
            jax.clear_caches()
        print(json.dumps([code, output.getvalue()]), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = {name: dict(mutant.subject.libraries) for name, mutant in load().items()}
    # The mutants stay: pickle looks for the classes of what they give by the modules' names.
    hidden = [name for name in sys.modules if name.partition(".")[0] in _HIDDEN]
    for name in hidden:
        if name.partition(".")[0] != "selftest":
            del sys.modules[name]
    sys.meta_path.insert(0, _Guard())  # type: ignore[arg-type]
    _serve(found)
