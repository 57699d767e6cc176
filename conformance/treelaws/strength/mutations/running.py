"""Runs the laws on the source as it is, and on the mutants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treelaws.core.errors import BadInput

from . import jobs
from .book import Book
from .modules import folder_of
from .mutants import Mutant
from .processes import Ended, Task, run_all
from .relevance import Clean, ranges, relevant

Tell = Callable[[str], None]


class Laws:
    """The laws that run on the mutants of a library.

    Args:
        library: the library.
        patterns: the laws; default all.
        book: the results so far.
        workers: how many processes run at once.
        tell: takes a line of progress.
    """

    def __init__(
        self, library: str, patterns: Sequence[str], book: Book, workers: int, tell: Tell
    ) -> None:
        self._library, self._patterns, self._book = library, list(patterns), book
        self._workers, self._tell = workers, tell

    def measure(self) -> Clean:
        """Run the laws on the source as it is, unless the file of results has them.

        Raises:
            BadInput: the results in the file are of other versions or laws.
        """
        asked = (self._library, self._patterns, self._book.witnesses is None)
        (about, pairs, problem), *names = self._messages([Task("plan", jobs.plan, asked)])
        if problem:
            raise BadInput(problem)
        self._book.begin({"library": self._library, "laws": self._patterns, **about})
        for one in names:
            self._book.add("witnesses", names=one)
        topics = {topic: found for topic, found in pairs.items() if topic not in self._book.topics}
        if topics:
            count = sum(map(len, topics.values()))
            self._tell(f"{count} laws run on the source of {self._library} as it is")
        for topic, one in self._measured(topics):
            self._book.add("topic", topic=topic, **one)
        return Clean.of(self._book.topics)

    def _messages(self, tasks: Sequence[Task]) -> Iterator[Any]:
        for _, message in run_all(tasks, self._workers):
            if not isinstance(message, Ended):
                yield message
            elif message.how != "done":
                raise RuntimeError(f"{message.how}: {message.detail}")

    def _measured(self, topics: dict[str, list[tuple[str, str]]]) -> Iterator[tuple[str, Any]]:
        """Yield what is known of each topic; a law that ends its process is left out."""
        root = folder_of(self._library)
        known: dict[Any, dict[str, Any]] = {one: {"import": {}, "laws": []} for one in topics}
        left = {topic: list(pairs) for topic, pairs in topics.items()}
        while left:
            tasks = [
                Task(topic, jobs.clean, (self._library, pairs, root))
                for topic, pairs in left.items()
            ]
            for topic, message in run_all(tasks, self._workers):
                if isinstance(message, Ended):
                    if message.how == "error":
                        raise RuntimeError(message.detail)
                    if message.how != "done":
                        law, subject = left[topic].pop(0)
                        entry = _entry(law, subject, message.how, message.detail, 0.0, {})
                        known[topic]["laws"].append(entry)
                    if not left[topic]:
                        self._tell(f"{topic}: {_counted(known[topic]['laws'])}")
                        yield topic, known[topic]
                elif message[0] == "import":
                    known[topic]["import"] = _texts(message[1])
                elif message[0] == "end":
                    left[topic].pop(0)
                    known[topic]["laws"].append(_entry(*message[1:]))
            left = {topic: pairs for topic, pairs in left.items() if pairs}

    def judge(self, mutants: Sequence[Mutant], clean: Clean) -> None:
        """Run the laws on each mutant that the file of results does not have yet.

        Args:
            mutants: the mutants.
            clean: the laws on the source as it is.
        """
        new = {one.id: one for one in mutants if one.id not in self._book.mutants}
        wheres: dict[Any, str] = {}
        last: dict[Any, tuple[str, str]] = {}
        done = len(mutants) - len(new)

        def tasks() -> Iterator[Task]:
            for one in new.values():
                found = relevant(one, clean)
                wheres[one.id] = found.where
                groups = ((found.pairs, False), (found.others, True))
                pairs = [(p.law, p.subject, p.seconds, few) for group, few in groups for p in group]
                witnesses = dict.fromkeys(self._book.witnesses or ())
                arguments = (one.module.name, one.text, pairs, self._patterns, witnesses)
                yield Task(one.id, jobs.mutant, arguments)

        for id, message in run_all(tasks(), self._workers):
            if isinstance(message, Ended):
                if message.how == "done" or id in self._book.mutants:
                    continue
                # A changed library may make every further call fail, also those of this package.
                how = "time" if message.how == "time" else "crash"
                detail = message.detail.strip().rpartition("\n")[2][:200]
                message = ("killed", how, *last.get(id, ("", "")), detail, 0.0)
            elif message[0] == "begin":
                last[id] = message[1:]
                continue
            done += 1
            self._write(new[id], wheres[id], message)
            self._tell(f"[{done}/{len(mutants)}] {id}: {_told(message)}")

    def _write(self, mutant: Mutant, where: str, message: Sequence[Any]) -> None:
        outcome, by, law, subject, detail, seconds = message
        self._book.add(
            "mutant",
            id=mutant.id,
            module=mutant.module.name,
            file=mutant.module.file,
            line=mutant.line,
            operator=mutant.operator,
            before=mutant.before,
            after=mutant.after,
            where=where,
            outcome=outcome,
            by=by,
            law=law,
            subject=subject,
            detail=detail,
            seconds=round(seconds, 2),
        )


def _entry(law: str, subject: str, how: str, detail: str, seconds: float, lines: Any) -> Any:
    found = {"law": law, "subject": subject, "how": how, "detail": detail}
    return {**found, "seconds": seconds, "lines": _texts(lines)}


def _texts(lines: dict[str, list[int]]) -> dict[str, str]:
    return {file: ranges(found) for file, found in lines.items() if found}


def _counted(laws: Sequence[Any]) -> str:
    counts: dict[str, int] = {}
    for one in laws:
        counts[one["how"]] = counts.get(one["how"], 0) + 1
    return ", ".join(f"{count} {how}" for how, count in counts.items())


def _told(message: Sequence[Any]) -> str:
    outcome, by, law, subject, _, seconds = message
    noticed = f" by {law} [{subject}]" if law and by == "law" else f" ({by})" if by else ""
    return f"{outcome}{noticed}, {seconds:.1f} s"
