"""The command `doctor`: what of this machine would spoil a run, one line for each check."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence

from .results import PROBLEM, Result, problem, reason

# A backend that waits for a device, such as a TPU that somebody else holds, would wait for ever.
_MOST_SECONDS = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="FILE",
        help="known departures to look at, as of pytest; repeatable",
    )


def run(options: argparse.Namespace) -> int:
    """Print a line for each check; exit code 1 where there is a problem."""
    levels = []
    for found in _results(options.known):
        print(found, flush=True)
        levels.append(found.level)
    problems = levels.count(PROBLEM)
    print(f"{problems} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


def _results(files: Sequence[str]) -> Iterator[Result]:
    try:
        # They read versions with `packaging`, which comes with pytest.
        from .cache import check_cache
        from .children import Child
        from .environment import check_environment
        from .versions import check_versions
    except ImportError as raised:
        yield problem("treelaws", f"{reason(raised)}; pip install treelaws")
        return
    # They take seconds, and start while the rest is looked at.
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
