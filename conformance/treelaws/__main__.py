"""The command line: the first word is the command, and only its module is imported."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treelaws.compat import devices
from treelaws.core.errors import BadInput


class Command(NamedTuple):
    """The module and the help of a command.

    Args:
        module: below `treelaws`; it has `add_arguments(parser)` and `run(options)`.
        help: one line.
    """

    module: str
    help: str


COMMANDS: Mapping[str, Command] = {
    "laws": Command("commands.laws", "list laws: id, level, statement, source"),
    "doctor": Command("doctor.command", "check this machine for anything that distorts a run"),
    "findings": Command("commands.findings", "list known bugs of released libraries"),
    "issue": Command("commands.issue", "print an issue about a finding or a failure as Markdown"),
    "replay": Command("commands.replay", "rerun witnesses with the installed versions"),
    "report": Command("commands.report", "write the reports of a run that was killed"),
    "diff": Command("commands.diff", "explain each changed verdict between two reports"),
    "merge": Command("commands.merge", "join the reports of shards into one"),
    "costs": Command("commands.costs", "print, from a report, how long each law takes"),
    "bisect": Command("releases.bisect.command", "find the release that introduced or fixed a bug"),
    "first-bad": Command(
        "releases.bisect.first_bad", "find the first affected release of each finding"
    ),
    "matrix": Command("releases.matrix.command", "run the suite on many releases"),
    "carried": Command(
        "releases.carried.command", "let one release read what another wrote, or your checkpoint"
    ),
    "timeline": Command(
        "releases.timeline.command", "time a fixed set of operations on the last releases"
    ),
    "names": Command(
        "releases.names.command", "check which releases have the names that laws and inputs use"
    ),
    "past-bugs": Command("releases.past_bugs.command", "check that the suite finds past bugs"),
    "faults": Command(
        "strength.faults.command", "break each function that laws call, and see which law notices"
    ),
    "mutate": Command(
        "strength.mutations.command", "change a library's source, and see which laws notice"
    ),
    "coverage": Command(
        "strength.coverage.command", "show which public functions and options no law calls"
    ),
    "harvest": Command(
        "strength.harvest.command", "see which kinds of argument other projects' tests alone pass"
    ),
    "classes": Command("commands.classes", "print the generated classes of inputs"),
    "pages": Command("commands.pages", "write the generated pages of the documentation"),
}
# Names of earlier releases of the suite.
_RENAMED: Mapping[str, str] = {"history": "past-bugs"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: words of the command line; default `sys.argv`.

    Returns:
        0; 1 if something needs attention, such as a witness that still breaks its law; 2 for
        invalid input.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    name = _RENAMED.get(words[0], words[0]) if words else ""
    if name not in COMMANDS:
        _overview().parse_args(words[:1])
        return 2
    if name != words[0]:
        print(f"`{words[0]}` is now called `{name}`", file=sys.stderr)
    if name != "doctor":
        # Most commands run laws, here or in processes of their own.
        devices.ask()
    # Only this module: `doctor` must also run if jax does not import.
    module = importlib.import_module(f"treelaws.{COMMANDS[name].module}")
    parser = argparse.ArgumentParser(
        prog=f"python -m treelaws {name}", description=COMMANDS[name].help
    )
    module.add_arguments(parser)
    options = parser.parse_args(words[1:])
    try:
        return module.run(options)
    except BadInput as raised:
        print(raised, file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe; the rest must not be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _overview() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m treelaws", description="The suite's commands.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.help)
    return parser


if __name__ == "__main__":
    sys.exit(main())
