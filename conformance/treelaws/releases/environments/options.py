"""Options of commands that install other releases: `--with` and `--python`."""

from __future__ import annotations

import argparse

_RESOLVED = "other packages resolve as of the upload date of the release"


def add_environment_options(
    parser: argparse.ArgumentParser, *, several: str = "repeatable", default: str = _RESOLVED
) -> None:
    """Add `--with`, which gives `beside`, a list of pins, and `--python`.

    Args:
        parser: parser of the command.
        several: what the help says about `--with` that is given more than once.
        default: what the help says about a command without `--with`.
    """
    parser.add_argument(
        "--with",
        dest="beside",
        action="append",
        default=[],
        metavar="PIN",
        help=f"a package beside each release, such as 'jax==0.4.38'; {several}; default: {default}",
    )
    add_python_option(parser)


def add_python_option(parser: argparse.ArgumentParser) -> None:
    """Add `--python`, the interpreter of the environments."""
    parser.add_argument("--python", default="", help="version, or path; default: the running one")
