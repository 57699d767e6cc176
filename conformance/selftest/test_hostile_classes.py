"""A class that hangs, raises or lies gives a record for every law, and the check ends."""

from __future__ import annotations

import contextlib
import functools
import itertools
import signal
import time
from collections.abc import Callable

import pytest

import treelaws
from treelaws.api.choosing import matching_laws
from treelaws.core.failure import DidNotEnd
from treelaws.core.limits import time_limit
from treelaws.core.limits.time_limit import Expired, limited
from treelaws.core.search import search
from treelaws.laws import law_named
from treelaws.subjects.user import BadSubject, subject_of

from . import hostile_nodes as nodes
from .pytest_runs import run_pytest
from .user_nodes import TheirStore

_ROUND_TRIP = "node.flatten.unflatten_undoes_flatten"
_LOOKS = "node.copies.looking_at_a_node_keeps_the_structure"
_READS = "node.copies.reading_attributes_keeps_the_structure"
_COPIES = "node.copies.deepcopy_equals_the_original"
_LAWS = (_ROUND_TRIP, f"{_ROUND_TRIP}_with_is_leaf", _LOOKS, _READS, _COPIES)
# Each input that does not end takes this long, some ten times a law. Inputs of other classes end
# much earlier, also on a busy machine.
_CASE_TIME = 0.2
_ENOUGH_TIME = 10.0
_ENDS_WITHIN = 60.0
# By class: the law that does not end, and the method that runs then.
_ENDLESS = {
    nodes.LoopInProperty: (_READS, "total"),
    nodes.LoopInEq: (_LOOKS, "__eq__"),
    nodes.LoopInRepr: (_LOOKS, "__repr__"),
    nodes.WaitInHash: (_LOOKS, "__hash__"),
    nodes.LoopInFlatten: (_ROUND_TRIP, "tree_flatten"),
    nodes.LoopInUnflatten: (_ROUND_TRIP, "tree_unflatten"),
}
_OTHERS = (
    nodes.EndlessItems,
    nodes.EndlessStream,
    nodes.HugeLength,
    nodes.RecursionInRepr,
    nodes.ErrorInEq,
    nodes.ErrorInRepr,
    nodes.ErrorInBool,
    nodes.ErrorInCopies,
    nodes.ErrorWithoutText,
    nodes.ExitInFlatten,
    nodes.AnswersEverything,
    nodes.LiesAboutItsClass,
    nodes.AttributesRaise,
    nodes.DiffersEachTime,
)


@functools.cache
def _records(found: type) -> dict[str, treelaws.Record]:
    begun = time.monotonic()
    case_time = _CASE_TIME if found in _ENDLESS else _ENOUGH_TIME
    records = treelaws.check(
        found, laws=_LAWS, mixed=False, on_broken="return", case_time=case_time
    )
    assert time.monotonic() - begun < _ENDS_WITHIN
    return {one.law: one for one in records}


def _each_law_has_a_record(found: type) -> None:
    records = _records(found)
    assert sorted(records) == sorted(law.id for law in matching_laws(_LAWS, "observed"))
    assert "error" not in {one.verdict for one in records.values()}


@pytest.mark.parametrize("found", _OTHERS, ids=lambda found: found.__name__)
def test_every_law_has_a_record(found: type) -> None:
    _each_law_has_a_record(found)


# One test for both facts: workers do not share the records, and these take long.
@pytest.mark.sweep
@pytest.mark.parametrize("found", _ENDLESS, ids=lambda found: found.__name__)
def test_a_law_that_does_not_end_is_broken_names_the_line_and_leaves_the_others(
    found: type,
) -> None:
    _each_law_has_a_record(found)
    law, method = _ENDLESS[found]
    record = _records(found)[law]
    line = record.message.splitlines()[0]
    assert line.startswith(f"{law} did not end within {_CASE_TIME:g} s at hostile_nodes.py:")
    assert line.endswith(f" in {method}, for {record.subject}")


@pytest.mark.parametrize("found", [nodes.EndlessItems, nodes.EndlessStream, nodes.HugeLength])
def test_an_iterator_without_end_breaks_no_law(found: type) -> None:
    assert {one.verdict for one in _records(found).values()} == {"held"}


def test_a_constructor_that_does_not_end_makes_no_subject() -> None:
    line = r"LoopInConstructor: creating an instance did not end within 0.2 s at hostile_nodes.py:"
    with pytest.raises(BadSubject, match=line):
        treelaws.check(nodes.LoopInConstructor, case_time=_CASE_TIME)


def test_a_type_that_raises_makes_no_subject() -> None:
    with pytest.raises(BadSubject, match="HostileType: creating an instance raises ZeroDivision"):
        treelaws.check(nodes.HostileType)


def test_endless_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "MEMORY", 2**28)
    (record,) = treelaws.check(
        nodes.EndlessList, laws=_READS, mixed=False, on_broken="return", case_time=30.0
    )
    line = f"{_READS} took more than 0.25 GiB of memory at hostile_nodes.py:"
    assert record.message.startswith(line)


def test_a_breach_that_was_found_before_a_case_without_end_is_reported() -> None:
    class Once(nodes.Node):
        """Breaks the law in its first round trips, and then never ends."""

        calls = itertools.count()

        @classmethod
        def tree_unflatten(cls, aux: object, children: object) -> Once:
            while next(cls.calls) > 2:
                pass
            return Once(None)

    treelaws_node = nodes.jax.tree_util.register_pytree_node_class(Once)
    with time_limit.case_seconds(_CASE_TIME):
        subject = subject_of(treelaws_node, instances=lambda: Once(1.0))
        Once.calls = itertools.count()
        breach = search(law_named(_ROUND_TRIP), subject, shrink=True)
    assert breach is not None
    assert not isinstance(breach, DidNotEnd)


def test_laws_without_time_are_not_run_and_say_so() -> None:
    records = treelaws.check(TheirStore, laws=_LAWS, mixed=False, max_time=1e-6)
    assert [one.verdict for one in records] == ["not run"] * len(records)
    assert {one.message for one in records} == {"max_time was spent"}


@pytest.mark.sweep
def test_a_law_that_hangs_ends_with_the_time() -> None:
    subject = subject_of(nodes.LoopInProperty)
    records = treelaws.check(subject, laws=(_READS, _COPIES), mixed=False, max_time=3.0)
    told = {one.law: (one.verdict, one.message) for one in records}
    assert told[_READS] == ("not run", "max_time was spent while it ran")


@pytest.mark.parametrize("option", ["max_time", "case_time"])
def test_a_wrong_number_of_seconds_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=f"{option}: 0 is not a number of seconds above 0"):
        treelaws.check(TheirStore, **{option: 0})  # pyright: ignore[reportArgumentType]


def _check_with_hash(monkeypatch: pytest.MonkeyPatch, method: Callable[[object], int]) -> str:
    """Return the verdict of a class, whose hash is taken only in a law."""
    subject = subject_of(nodes.ErrorInRepr)
    monkeypatch.setattr(nodes.ErrorInRepr, "__hash__", method)
    (record,) = treelaws.check(subject, laws=_LOOKS, mixed=False, on_broken="return")
    return record.verdict


@pytest.mark.parametrize("caught", [False, True])
def test_ctrl_c_in_user_code_stops_the_check(monkeypatch: pytest.MonkeyPatch, caught: bool) -> None:
    def interrupt(_: object) -> int:
        with contextlib.suppress(KeyboardInterrupt) if caught else contextlib.nullcontext():
            signal.raise_signal(signal.SIGINT)
        return 1

    with pytest.raises(KeyboardInterrupt):
        _check_with_hash(monkeypatch, interrupt)


def test_an_interrupt_that_a_class_raises_is_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    assert _check_with_hash(monkeypatch, interrupt) == "broken"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_limits_nest_and_give_the_timer_back() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Expired, match=r"within 0.1 s at "), limited(20.0), limited(0.1):
            time.sleep(10)
        with limited(20.0):
            time.sleep(0.5)
        assert rung == [signal.SIGALRM]
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.sweep
def test_a_run_of_pytest_goes_on_after_a_case_without_end() -> None:
    arguments = ("--subject", f"{nodes.__name__}:LoopInProperty", "--case-time", "4", "-q")
    laws = ("--laws", _READS, "--laws", _COPIES, "--laws-profile", "quick")
    run = run_pytest("--pyargs", "treelaws", *arguments, *laws)
    assert run.returncode == 1, run.stdout + run.stderr
    assert f"{_READS} did not end within 4 s at hostile_nodes.py:" in run.stdout
    assert "1 failed, 1 passed" in run.stdout


@pytest.mark.sweep
def test_max_time_stops_a_case_without_end() -> None:
    arguments = ("--subject", f"{nodes.__name__}:LoopInProperty", "--max-time", "5")
    run = run_pytest("--pyargs", "treelaws", *arguments, "--laws", _READS)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "--max-time 5 was spent" in run.stdout
