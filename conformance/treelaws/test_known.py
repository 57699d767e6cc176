"""Name of `treelaws.tests.test_findings` in release 0.1, kept for one release."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["test_departure_still_departs"]  # pyright: ignore[reportUnsupportedDunderAll]  # noqa: F822


def __getattr__(name: str) -> Any:
    from treelaws.tests import test_findings

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"{__name__} is now {test_findings.__name__}; import {name} from there",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(test_findings, name)
