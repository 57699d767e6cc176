"""The pytest plugin: options, header, checks of the options, short failure reports.

Every pytest run loads it if the package is installed, so importing it imports neither jax nor
hypothesis; the hooks import what they need once there is a law to run.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from treelaws.compat import compiled_programs, devices
from treelaws.core import problems, settings
from treelaws.core.mismatch import brief
from treelaws.pytest_plugin import (
    fuzzing,
    known_update,
    last_inputs,
    options,
    selection,
)
from treelaws.pytest_plugin.counting import calls, inputs
from treelaws.pytest_plugin.items import departure_of, is_law, key_of
from treelaws.pytest_plugin.known_files import KnownFiles
from treelaws.pytest_plugin.libraries import check_libraries
from treelaws.pytest_plugin.listing import Listing, list_here
from treelaws.pytest_plugin.receiver import SENDER, Receiver, send_problems
from treelaws.pytest_plugin.shared_draws import SharedDraws

if TYPE_CHECKING:
    from treelaws.core.obstacles import Obstacle
    from treelaws.reporting.rows import Row

_HEADED = pytest.StashKey[bool]()
_BREACHES = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Choose the classes of inputs before a conftest imports them."""
    _choose_classes(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    if config.getoption("list_laws"):
        list_here(config)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "law(id): the test of this law")
    problems.collected = True
    if _laws_are_meant(config):
        devices.ask()
        if _runs_tests(config):
            stack = contextlib.ExitStack()
            stack.enter_context(compiled_programs.kept_on_disk())
            config.add_cleanup(stack.close)
    option = config.getoption
    options.take(config)
    for name in ("library", "allow_missing"):
        check_libraries(f"--{name.replace('_', '-')}", option(name) or [])
    _share(config)
    config.pluginmanager.register(KnownFiles(known_update.files(config)), "treelaws.known")
    if fuzzing.is_on():
        marker = fuzzing.Marker(lambda item: found.reason if (found := _obstacle(item)) else "")
        config.pluginmanager.register(marker, "treelaws.fuzzing")
    if (told := option("max_time")) is not None:
        from treelaws.pytest_plugin.time.hooks import MaxTime

        config.pluginmanager.register(MaxTime(config, told), "treelaws.budget")
    elif not fuzzing.is_on():
        sharing = SharedDraws(config.getoption("hypothesis_seed", None))
        config.pluginmanager.register(sharing, "treelaws.shared_draws")
    if (path := option("calls")) is not None:
        config.pluginmanager.register(calls.counter(path), "treelaws.calls")
    if (path := option("inputs")) is not None:
        config.pluginmanager.register(inputs.counter(path), "treelaws.inputs")
    if option("list_laws"):
        config.pluginmanager.register(Listing(), "treelaws.listing")
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(last_inputs.Keeper(), "treelaws.last_inputs")
    else:
        last = last_inputs.LastInputs()
        config.pluginmanager.register(last, "treelaws.last_inputs")
        receiver = Receiver(config, *_folders(config), last)
        config.pluginmanager.register(receiver, "treelaws.reports")
        if (path := known_update.target(config)) is not None:
            config.pluginmanager.register(known_update.Updater(path), "treelaws.known_update")


def _choose_classes(config: pytest.Config) -> None:
    """Let inputs have the classes of the seed, also in the processes that this one starts."""
    seed = getattr(config.known_args_namespace, "hypothesis_seed", None)
    settings.seed = "" if seed is None else str(seed)
    if seed is not None:
        change = pytest.MonkeyPatch()
        change.setenv(settings.CLASSES_VARIABLE, settings.seed)
        config.add_cleanup(change.undo)


def _share(config: pytest.Config) -> None:
    """Set up what a run shares with other runs: its shard, and the example database."""
    shard, url = config.getoption("shard"), config.getoption("database")
    settings.shard, settings.database = shard or "", url or ""
    if shard is not None:
        from treelaws.pytest_plugin import sharding

        try:
            splitter = sharding.Splitter(settings.parse_shard(shard))
        except settings.BadShard as raised:
            raise pytest.UsageError(f"--shard: {raised}") from raised
        config.pluginmanager.register(splitter, "treelaws.shard")
    if url is not None:
        from treelaws.core.databases import urls

        try:
            seed = config.getoption("hypothesis_seed", None)
            reach = not hasattr(config, "workerinput")
            urls.check(url, profile=settings.profile, seed=seed, reach=reach)
        except urls.BadDatabase as raised:
            raise pytest.UsageError(f"--database: {raised}") from raised


def _folders(config: pytest.Config) -> tuple[Path | None, Path | None]:
    """Return the folder of the reports, and the link to the latest one."""
    if chosen := config.getoption("report"):
        from treelaws.pytest_plugin.report_folder import taken

        return taken(config, Path(chosen)), None
    clone = Path(__file__).resolve().parents[2]
    runs = clone / "reports" / "runs"
    if config.rootpath != clone or not runs.parent.is_dir():
        return None, None
    return runs / time.strftime("%Y-%m-%dT%H-%M-%S"), runs / "latest"


# Hypothesis finishes its setup in this hook too; pytest-xdist starts workers after it.
@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    selection.refuse(session.config, everything=_laws_are_meant(session.config))
    selection.take(session.config)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Ignore warnings in the test of a law, also if the run turns them into errors.

    A library may deprecate a function that a law calls; laws about warnings record them.
    """
    if is_law(item):
        for category in ("DeprecationWarning", "FutureWarning", "UserWarning"):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{category}"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, dropped = selection.split(config, items)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a law that cannot run on its subject, and say why."""
    if obstacle := _obstacle(item):
        from treelaws.pytest_plugin.outcomes import OBSTACLE

        item.stash[OBSTACLE] = obstacle
        pytest.skip(obstacle.reason)


def _obstacle(item: pytest.Item) -> Obstacle | None:
    if not is_law(item):
        return None
    from treelaws.api.children import has_hazard
    from treelaws.core.obstacles import obstacle, without_input, without_place
    from treelaws.laws import law_named
    from treelaws.subjects.registry import subject

    id, name, _ = key_of(item)
    law, found, departure = law_named(id), subject(name), departure_of(item)
    if (why := obstacle(law, found, departure)) or departure or has_hazard(found):
        return why
    return without_input(law, found) or without_place(law, found)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return versions, backend, profile and edition if the run targets the laws themselves."""
    return _header(config) if _laws_are_meant(config) else []


def _runs_tests(config: pytest.Config) -> bool:
    """Return whether tests run in this process; with workers of pytest-xdist they run in those."""
    return hasattr(config, "workerinput") or config.getoption("dist", "no") == "no"


def _laws_are_meant(config: pytest.Config) -> bool:
    package = Path(__file__).resolve().parent
    for arg in config.args:
        path = Path(arg.split("::")[0]).resolve()
        if arg.split(".")[0] == package.name or package in (path, *path.parents):
            return True
        if path in package.parents and path != Path(path.anchor):
            return True
    return False


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Return the same header after collection if a user's test files hold laws."""
    laws = any(map(is_law, items))
    return _header(config) if laws and not config.stash.get(_HEADED, False) else []


def _header(config: pytest.Config) -> list[str]:
    from treelaws.compat.environment import environment

    config.stash[_HEADED] = True
    return [
        f"treelaws: {environment()}",
        f"treelaws: profile {settings.profile}, edition {settings.edition}",
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a law on a class that may end this process in a child process."""
    if not is_law(pyfuncitem):
        return None
    from treelaws.pytest_plugin import confined

    return confined.runs(pyfuncitem) or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    with brief() if is_law(item) else contextlib.nullcontext():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Replace the report of the test of a law: broken, blocked or advisory, without traceback."""
    if not is_law(item):
        report = yield
        send_problems(report)
        return report
    with brief():
        report = yield
    breaches = item.config.stash.setdefault(_BREACHES, 0)
    row = _row(item, call, report, run_script=breaches < settings.most_scripts)
    item.config.stash[_BREACHES] = breaches + (row is not None and row.verdict == "broken")
    item.config.stash[SENDER].send(report)
    send_problems(report)
    return report


def _row(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, *, run_script: bool
) -> Row | None:
    """Return the row of a phase; an error of the suite in its report is the row of that law."""
    from treelaws.pytest_plugin.outcomes import error_row, row_of

    try:
        return row_of(item, call, report, about=key_of(item), run_script=run_script)
    except Exception as raised:
        # The report of a breach runs the user's code again, which may raise anything.
        return error_row(item, report, key_of(item), raised)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which laws will run, to send the plan with the first report."""
    laws = [item for item in session.items if is_law(item)]
    if laws:
        # Laws about what stays alive collect garbage; the tests themselves are none.
        gc.collect()
        gc.freeze()
        from treelaws.pytest_plugin.outcomes import Sender

        session.config.stash[SENDER] = Sender([(item.nodeid, *key_of(item)) for item in laws])
