"""The command `doctor`: checks in seconds for anything that would distort a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence

from .results import PROBLEM, Result, problem, reason

# A backend may wait forever for a device, such as a TPU that another process holds.
_MOST_SECONDS = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="FILE",
        help="TOML file of known departures to check; repeatable",
    )


def run(options: argparse.Namespace) -> int:
    """Print a line for each check; exit code 1 if there is a problem."""
    levels = []
    for found in _results(options.known):
        print(found, flush=True)
        levels.append(found.level)
    problems = levels.count(PROBLEM)
    print(f"{problems} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


def _results(files: Sequence[str]) -> Iterator[Result]:
    try:
        # These modules need `packaging`, which is installed with pytest.
        from .cache import check_cache
        from .children import Child
        from .environment import check_environment
        from .versions import check_versions
    except ImportError as raised:
        yield problem("treelaws", f"{reason(raised)}; pip install treelaws")
        return
    # These take seconds, so they run in parallel with the other checks.
    slow = [
        Child("pytest", f"{__package__}.pytest_probe"),
        Child("libraries", f"{__package__}.libraries_probe", files),
    ]
    yield from _safely("versions", check_versions)
    yield from _safely("environment", check_environment)
    for child in slow:
        yield from child.results(_MOST_SECONDS)
    yield from _safely("cache", check_cache)


def _safely(about: str, check: Callable[[], Iterable[Result]]) -> Iterator[Result]:
    try:
        yield from check()
    except Exception as raised:
        yield problem(about, reason(raised))
