"""The hostile classes that a run of the laws must survive, and the verdict of one law on each.

A sound class stands first, in the middle and at the end: it must hold beside them.
"""

from __future__ import annotations

from . import hostile_flattens as flattens, hostile_nodes as nodes, hostile_processes as processes
from .user_nodes import TheirLayer, TheirPair, TheirStore

LAW = "node.flatten.unflatten_undoes_flatten"
# By class: the verdict, and a part of the report.
VERDICTS: dict[type, tuple[str, str]] = {
    TheirStore: ("held", ""),
    flattens.RaisesInFlatten: ("broken", "ZeroDivisionError"),
    flattens.RaisesInUnflatten: ("broken", "ZeroDivisionError"),
    flattens.ExitsInFlatten: ("broken", "SystemExit"),
    flattens.ExitsGeneratorInFlatten: ("broken", "GeneratorExit"),
    flattens.InterruptsInFlatten: ("broken", "KeyboardInterrupt"),
    flattens.InterruptsInUnflatten: ("broken", "KeyboardInterrupt"),
    flattens.RecursesInFlatten: ("broken", "RecursionError"),
    flattens.ThreeParts: ("broken", "ValueError"),
    flattens.NoParts: ("broken", "ValueError"),
    flattens.Generates: ("broken", "ValueError"),
    flattens.GeneratesChildren: ("held", ""),
    flattens.IsItsOwnChild: ("broken", "RecursionError"),
    flattens.UnhashableAux: ("held", ""),
    flattens.NanAux: ("held", ""),
    flattens.ArrayAux: ("held", ""),
    flattens.HugeAux: ("held", ""),
    flattens.UnequalAux: ("held", ""),
    flattens.ManyLeaves: ("held", ""),
    flattens.HashesAnew: ("broken", ""),
    flattens.EqualToEverything: ("held", ""),
    flattens.ReprIsNoText: ("held", ""),
    flattens.BoolIsNoBool: ("held", ""),
    TheirPair: ("held", ""),
    nodes.ErrorInEq: ("broken", "treedefs cannot be compared"),
    nodes.ErrorInRepr: ("held", ""),
    nodes.ErrorInBool: ("held", ""),
    nodes.AttributesRaise: ("broken", "ZeroDivisionError"),
    nodes.LiesAboutItsClass: ("held", ""),
    processes.EndsInUnflatten: ("broken", "ended the process with exit code 0 at hostile_proces"),
    processes.CrashesInFlatten: ("broken", "crashed the process with SIGSEGV at hostile_process"),
    processes.WaitsInFlatten: ("broken", "did not end within 3 s at hostile_processes.py"),
    processes.ChangesEverything: ("held", "flatten changes the current folder"),
    processes.SeedsRandomNumbers: ("held", ""),
    TheirLayer: ("held", ""),
}
CLASSES = list(VERDICTS)
# Some of them, since the child processes of each take a second of a processor.
FEW = [
    TheirStore,
    flattens.RaisesInFlatten,
    flattens.ExitsInFlatten,
    flattens.InterruptsInUnflatten,
    nodes.ErrorInEq,
    processes.EndsInUnflatten,
    processes.ChangesEverything,
    TheirLayer,
]
# What a trial in a child process says of classes.
HAZARDS: dict[type, str] = {
    processes.EndsInFlatten: "flatten ended the process with exit code 3 at hostile_processes.py:",
    processes.EndsInUnflatten: "unflatten ended the process with exit code 0 at hostile_processe",
    processes.CrashesInFlatten: "flatten crashed the process with SIGSEGV at hostile_processes.py:",
    processes.WaitsInUnflatten: "unflatten did not end within 1 s at hostile_processes.py:",
    processes.StartsThreads: "flatten changes the threads of the process",
    processes.ChangesTheFolder: "flatten changes the current folder",
    processes.ChangesTheEnvironment: "flatten changes the environment variables",
    processes.ChangesJax: "flatten changes the configuration of JAX",
    processes.ChangesPython: "flatten changes the recursion limit of Python",
    processes.TurnsWarningsIntoErrors: "flatten changes the filters of warnings",
    flattens.IsItsOwnChild: "flatten has more than 200 levels of children, perhaps without end",
    flattens.Deep: "flatten has more than 200 levels of children, perhaps without end",
}
