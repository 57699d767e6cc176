"""How often a comparison is right: of a version with itself, and with a copy that is slower.

    python perf/power.py [--runs 20] [--slowdown 0.041] [--busy 2]

Each run compares both on the dispatch of `eqx.filter_jit` with five kinds of nodes, by `measure`,
while so many other processes keep the processors busy. The copy is Equinox as it is installed, with
a `filter_jit` that lets its thread work on for that share of the time that a call took. It costs a
microsecond more than it makes up for, so what was really planted is the median ratio that is
printed: `--slowdown 0.041` plants 5 % of the calls compared here.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

_CLONE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_CLONE / folder) for folder in ("perf", "strategies", "conformance")]

from pytree_timing.pairs import Measured, Version, measure  # noqa: E402
from pytree_timing.verdicts import VERDICTS  # noqa: E402

_CASES = [f"dispatch.filter_jit-{kind}-100-cpu" for kind in ("dict", "mixed", "module", "node")]
_CASES += ["dispatch.filter_jit-module-10-cpu"]
# What the wrapper itself costs is a part of the slowdown, so it works on for that much less.
_PATCH = """

import time as _time


def _slowed(call, own):
    def slow(self, /, *args, **kwargs):
        begun = _time.thread_time_ns()
        result = call(self, *args, **kwargs)
        now = _time.thread_time_ns()
        until = now + SLOWDOWN * (now - begun) - own
        while now < until:
            now = _time.thread_time_ns()
        return result

    return slow


def _cost(call):
    costs, room, stuff = [], bytearray(1 << 18), bytes(1 << 18)
    for _ in range(2000):
        # After a dispatch, too, the code of the wrapper has left the cache.
        room[:] = stuff
        begun = _time.thread_time_ns()
        call(None, None)
        costs.append(_time.thread_time_ns() - begun)
    return sorted(costs)[len(costs) // 2]


def _nothing(self, /, *args, **kwargs):
    pass


# The loop ends with the first reading of the clock that comes late enough.
_reading = _cost(lambda *args: _time.thread_time_ns()) - _cost(lambda *args: None)
_wrapping = _cost(_slowed(_nothing, 1e9)) - _cost(_nothing)
type.__setattr__(_JitWrapper, "__call__", _slowed(_JitWrapper.__call__, _wrapping + _reading))
"""


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep processors busy with so many processes."""
    command = [sys.executable, "-c", "while True: sum(range(10_000))"]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def slower_copy(folder: Path, slowdown: float) -> Version:
    """Copy Equinox and let its `filter_jit` be slower by a share of the time of each call."""
    found = importlib.util.find_spec("equinox")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    shutil.copytree(package, folder / "equinox", ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "equinox" / "_jit.py").open("a") as file:
        file.write(_PATCH.replace("SLOWDOWN", repr(slowdown)))
    return Version(f"slower by {slowdown:.1%}", [sys.executable], (folder,))


def _told(found: Mapping[str, Measured]) -> list[tuple[str, float]]:
    told = []
    for name, one in found.items():
        if one.comparison is None:
            raise SystemExit(f"{name}: {one.problem}")
        told.append((one.comparison.verdict, one.comparison.ratio.value))
    return told


def main() -> None:
    """Compare, count the verdicts, and print them as they come."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="of each kind; default: 20")
    parser.add_argument("--slowdown", type=float, default=0.041, help="share; default: 0.041")
    parser.add_argument("--busy", type=int, default=2, help="other processes; default: 2")
    chosen = parser.parse_args()
    installed = Version("installed", [sys.executable])
    with tempfile.TemporaryDirectory() as folder, busy(chosen.busy):
        sides = {"itself": installed, "slower": slower_copy(Path(folder), chosen.slowdown)}
        seen: dict[str, list[tuple[str, float]]] = {name: [] for name in sides}
        for run in range(chosen.runs):
            for name, candidate in sides.items():
                begun = time.monotonic()
                seen[name] += _told(measure(installed, candidate, _CASES))
                counts = collections.Counter(verdict for verdict, _ in seen[name])
                shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
                middle = statistics.median(ratio for _, ratio in seen[name])
                seconds = time.monotonic() - begun
                print(
                    f"run {run + 1}, {name}: {shown}; median ratio {middle:.4f} ({seconds:.0f} s)",
                    flush=True,
                )


if __name__ == "__main__":
    main()
