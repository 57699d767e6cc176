"""Profiles: the number of examples of each law, and whether runs repeat their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import hypothesis
from hypothesis import HealthCheck, Phase

from treelaws.core import settings
from treelaws.core.databases.folder import default_database
from treelaws.core.databases.urls import database

from . import costs

if TYPE_CHECKING:
    from treelaws.core.law import Law
    from treelaws.core.subject import Subject

# Off where the caller reports that a law has no input.
NO_HEALTH_CHECKS = (
    HealthCheck.filter_too_much,
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.differing_executors,
)


class Bounds(NamedTuple):
    """How many examples a law gets.

    Attributes:
        seconds: time of a law; it gets as many examples as take so long.
        fewest: least number of examples. Hypothesis begins with the simplest input, so one would
            be no search.
        most: largest number of examples.
    """

    seconds: float
    fewest: int
    most: int


_DEFAULT = Bounds(0.35, 3, 100)
BOUNDS: Mapping[str, Bounds] = {
    "quick": Bounds(0.06, 2, 12),
    "default": _DEFAULT,
    "ci": _DEFAULT,
    "thorough": Bounds(2.0, 10, 2000),
}


def examples_of(law: Law, subject: Subject | None = None, *, profile: str | None = None) -> int:
    """Return the number of examples of a law on one subject: fewer if they take long.

    Args:
        law: the law.
        subject: the subject; a user's class gets the whole time of the law. Default: one of the
            suite, which shares it with the others.
        profile: name of the profile; default the one of the command line.
    """
    bounds = BOUNDS[profile or settings.profile]
    alone = subject is not None and subject.users is not None
    share = costs.read().share(law.id, bounds.seconds, alone=alone)
    return max(bounds.fewest, round(law.weight * min(bounds.most, share)))


def settings_for(
    profile: str | None = None, examples: int | None = None, *, regions: bool = False
) -> hypothesis.settings:
    """Return the Hypothesis settings of a profile.

    Args:
        profile: one of `quick`, `default`, `ci` (the inputs are the same in every run), `thorough`;
            default the one of the command line.
        examples: number of examples; default the most that a law gets in the profile.
        regions: whether known departures leave inputs out, which may be most of them; default
            `False`.
    """
    profile = profile or settings.profile
    # An explicit parent: under CI=1 the active profile is Hypothesis' own "ci", and a profile
    # made without a parent would inherit its missing database. Deadlines would time compilations,
    # and explaining a failure costs four times as much as finding and shrinking it.
    options: dict[str, Any] = {
        "max_examples": BOUNDS[profile].most if examples is None else examples,
        "deadline": None,
        "report_multiple_bugs": False,
        "print_blob": False,
        # pytest creates an instance of the test class for each subject.
        "suppress_health_check": [HealthCheck.too_slow, HealthCheck.differing_executors],
        "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
        "verbosity": hypothesis.settings().verbosity,
    }
    if regions:
        options["suppress_health_check"].append(HealthCheck.filter_too_much)
    if profile == "ci":
        options |= {"derandomize": True, "database": None}
    else:
        options["database"] = (
            database(settings.database) if settings.database else default_database()
        )
    return hypothesis.settings(hypothesis.settings.get_profile("default"), **options)
