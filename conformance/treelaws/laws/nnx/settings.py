"""Flax NNX: settings that hold within a block or a decorated function."""

from __future__ import annotations

import threading

from hypothesis_pytrees.nnx.settings import BLOCKS, nested_settings
from treelaws.core.law import Topic
from treelaws.equality import equal

law = Topic("nnx.settings", "Flax NNX: settings", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
_EAGER = f"{_API}/variables.html#flax.nnx.use_eager_sharding"


@law(
    "a setting has its value within a block, and the value of before after it, also if an error "
    "leaves it",
    source=_EAGER,
    needs={"use_eager_sharding"},
    case=nested_settings(forms=BLOCKS),
)
def settings_hold_within_their_block(lib, case):
    """Of graph mode and updates, FLIP 5310 says that they are context managers."""
    _hold(case)


@law(
    "a setting has its value within a function that it decorates, and the value of before after it",
    source="https://github.com/google/flax/blob/v0.12.8/tests/nnx/graph_utils_test.py",
    level="observed",
    needs={"use_eager_sharding"},
    case=nested_settings(),
    parents=[settings_hold_within_their_block],
)
def settings_hold_within_a_decorated_function(lib, case):
    _hold(case)


def _hold(case):
    before = case.current()
    seen = _nested(case.setting, case.current, case.levels)
    values = [value for _, value in case.levels]
    equal(seen, [*values, *reversed(values)])
    equal(case.current(), before)


@law(
    "a setting of one thread is not seen in another",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py",
    level="observed",
    needs={"use_eager_sharding"},
    case=nested_settings(),
    parents=[settings_hold_within_their_block],
)
def settings_are_those_of_a_thread(lib, case):
    before = _elsewhere(case.current)
    with case.setting(not before):
        equal(_elsewhere(case.current), before)


def _elsewhere(read):
    """Return what a function returns in another thread."""
    seen = []
    other = threading.Thread(target=lambda: seen.append(read()))
    other.start()
    other.join()
    return seen[0]


class _Left(Exception):
    """It leaves a block."""


def _nested(setting, current, levels):
    """Return what the setting is at the start and at the end of each level."""
    if not levels:
        return []
    (form, value), *rest = levels
    seen = []

    def body():
        seen.extend([current(), *_nested(setting, current, rest), current()])
        if "error" in form:
            raise _Left

    try:
        if "function" in form:
            setting(value)(body)()
        else:
            with setting(value):
                body()
    except _Left:
        pass
    return seen
