"""What the processes do: read what can be run, run the source as it is, run a mutant.

Each imports the suite itself, since the suite imports the library that may be a mutant.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import importing
from .extras import tool

Send = Callable[..., None]
# Libraries that import none of the mutated one, to be imported before a process is forked.
_BESIDE = {
    "equinox": ("jax.numpy", "flax.nnx", "optax"),
    "flax": ("jax.numpy", "equinox", "optax"),
    "optax": ("jax.numpy", "equinox"),
    "chex": ("jax.numpy", "equinox"),
}
# Limits in seconds: of the laws of the source as it is, of a case and of an import of a mutant.
_LONGEST, _CASE, _IMPORT = 900.0, 20.0, 180.0
# After so many laws without an input, or that do not end, the others do not run.
_MOST = {"error": 25, "time": 3}


def preload(library: str) -> None:
    """Import what the processes need and what does not import a library under test."""
    for name in ("hypothesis", "numpy", *_BESIDE.get(library, ())):
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
    assert library not in sys.modules


def plan(send: Send, library: str, patterns: Sequence[str], replays: bool) -> None:
    """Send what the results depend on and the laws by topic, or why there are none.

    Args:
        send: sends a message.
        library: the library.
        patterns: the laws; default all.
        replays: whether to send the names of the known departures whose witnesses break their laws
            as recorded, too.
    """
    from . import checking

    try:
        checking.load(library)
    except Exception as raised:
        send(({}, {}, f"--module: {library} cannot be imported: {checking.told(raised)}"))
        return
    try:
        send((checking.about(), checking.pairs(library, patterns), ""))
    except ValueError as raised:
        send(({}, {}, f"--laws: {raised}"))
        return
    if replays:
        found = checking.witnesses(library, patterns)
        send([one.name for one in found if checking.departs(one)])


def clean(send: Send, library: str, pairs: Sequence[tuple[str, str]], root: Path) -> None:
    """Run laws on the source as it is; send each verdict, its time, and the lines that ran.

    Args:
        send: sends a message.
        library: the library.
        pairs: the laws and their subjects.
        root: folder of the library.
    """
    loading = _Lines(root)
    with loading:
        from . import checking

        checking.load(library)
    send(("import", loading.found))
    for law, subject in pairs:
        send(("begin", law, subject), _LONGEST)
        before, lines = time.process_time(), _Lines(root)
        with lines:
            how, detail = checking.attempt(law, subject)
        seconds = round(time.process_time() - before, 3)
        send(("end", law, subject, how, detail, seconds, lines.found))


class _Lines:
    """The lines of a library that run in a `with` block, by file.

    Args:
        root: folder of the library.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.found: dict[str, list[int]] = {}
        self._coverage = tool("coverage").Coverage(
            data_file=None, config_file=False, include=[f"{root}/*"], messages=False
        )
        # A block in which nothing of the library runs is expected.
        self._coverage.set_option("run:disable_warnings", ["no-data-collected"])

    def __enter__(self) -> None:
        self._coverage.start()

    def __exit__(self, *raised: object) -> None:
        self._coverage.stop()
        data = self._coverage.get_data()
        for path in data.measured_files():
            file = Path(path).relative_to(self._root.parent).as_posix()
            self.found[file] = sorted(data.lines(path) or ())


def mutant(
    send: Send,
    module: str,
    text: str,
    pairs: Sequence[tuple[str, str, float, bool]],
    patterns: Sequence[str],
    witnesses: Mapping[str, object],
) -> None:
    """Run laws on a mutant until one is broken; send how it ended, by what, and its time.

    A law without an input, or that does not end, kills the mutant only if no other law is broken.

    Args:
        send: sends a message.
        module: the changed module.
        text: its source.
        pairs: the laws, their subjects, the seconds that they took on the source as it is, and
            whether they have few examples.
        patterns: the laws whose witnesses are replayed.
        witnesses: names of the known departures to replay if no law is broken.
    """
    library = module.partition(".")[0]
    send(("begin", "", ""), _IMPORT)
    importing.install(module, text)
    try:
        from . import checking

        checking.load(library)
        importlib.import_module(module)
    except BaseException as raised:
        told = f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"[:200]
        send(("killed", "import", "", "", told, time.process_time()))
        return
    from treelaws.core.limits import time_limit

    weak: dict[str, list[tuple[str, ...]]] = {how: [] for how in _MOST}
    with time_limit.case_seconds(_CASE):
        for law, subject, seconds, few in pairs:
            send(("begin", law, subject), 60 + 10 * seconds)
            how, detail = checking.attempt(law, subject, few=few)
            found = ("killed", how, law, subject, detail)
            if how == "law":
                send((*found, time.process_time()))
                return
            if how in weak:
                weak[how].append(found)
            if any(len(weak[how]) == most for how, most in _MOST.items()):
                break
        if noticed := [*weak["error"], *weak["time"]]:
            send((*noticed[0], time.process_time()))
            return
        send(("begin", "", ""), _LONGEST)
        for one in checking.witnesses(library, patterns):
            if one.name in witnesses and not checking.departs(one):
                told = f"{one.name} is stale"
                send(("stale", "witness", one.law, one.subject, told, time.process_time()))
                return
    send(("survived", "", "", "", "", time.process_time()))
