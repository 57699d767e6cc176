"""Where a child process was when it ended, read from the stack that it has written."""

from __future__ import annotations

import re
import signal
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from treelaws.core.limits import places

# Marks in the file with the stack.
WITHIN, _TIMEOUT, _CURRENT = "limit ", "Timeout (", "Current thread "
# The line of the function that a child process runs, on whose stack the user's code stands.
_SERVE = re.compile(
    rf'{re.escape(str(Path(__file__).with_name("serving.py")))}", line \d+ in serve$', re.M
)


def how_it_ended(code: int | None, stack: Path) -> str:
    """Return how and where a child ended."""
    text = stack.read_text(encoding="utf-8", errors="replace") if stack.exists() else ""
    place = next(_places(text), "")
    at = f" at {place}" if place else ""
    if _TIMEOUT in text:
        limit = text.partition(_TIMEOUT)[0].rpartition(WITHIN)[2].split()[0]
        return f"did not end within {limit} s{at}"
    if code is None:
        return f"closed the files of the process{at}"
    if code < 0:
        return f"crashed the process with {signal.Signals(-code).name}{at}"
    return f"ended the process with exit code {code}{at}"


def _places(text: str) -> Iterator[str]:
    """Yield the places of the user's code on the stack of the main thread, innermost first."""
    stacks = [one for one in text.split("\n\n") if 'File "' in one]
    ours = [one for one in stacks if _CURRENT in one or _SERVE.search(one)] or stacks[-1:]
    for line in ours[-1].splitlines() if ours else ():
        _, found, rest = line.partition('File "')
        file, _, rest = rest.rpartition('", line ')
        if found and not _is_ours(file):
            yield f"{Path(file).name}:{rest}"


def _is_ours(file: str) -> bool:
    """Return whether a file belongs to Python, JAX or this suite."""
    folders = Path(file).parents
    names = {one.name for one in folders}
    if "site-packages" in names:
        return bool(names & places.OURS)
    python = (Path(sysconfig.get_path("stdlib")), Path(__file__).parents[1])
    return bool({*python} & {*folders}) or "hypothesis_pytrees" in names or file[:7] == "<frozen"
