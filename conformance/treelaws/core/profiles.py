"""Profiles: the number of examples of each law, and whether runs repeat their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from . import settings
from .databases.folder import default_database
from .databases.urls import database

# Off where the caller reports that a law has no input.
NO_HEALTH_CHECKS = (
    HealthCheck.filter_too_much,
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.differing_executors,
)
EXAMPLES: Mapping[str, int] = {"quick": 12, "default": 100, "ci": 100, "thorough": 2000}
# The weight of a law scales the number, never below this.
_FEWEST: Mapping[str, int] = {"quick": 2, "default": 5, "ci": 5, "thorough": 50}


def settings_for(
    profile: str | None = None, weight: float = 1.0, *, regions: bool = False
) -> hypothesis.settings:
    """Return the Hypothesis settings of a profile for a law of that weight.

    Args:
        profile: one of `quick`, `default`, `ci` (the inputs are the same in every run), `thorough`;
            default the one of the command line.
        weight: factor on the number of examples.
        regions: whether known departures leave inputs out, which may be most of them; default
            `False`.
    """
    profile = profile or settings.profile
    # An explicit parent: under CI=1 the active profile is Hypothesis' own "ci", and a profile
    # made without a parent would inherit its missing database. Deadlines would time compilations,
    # and explaining a failure costs four times as much as finding and shrinking it.
    options: dict[str, Any] = {
        "max_examples": max(_FEWEST[profile], round(weight * EXAMPLES[profile])),
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
