"""The report of a timed run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from pytree_timing import report


def test_who_stops_the_drawing_keeps_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "_pictures", stopped)
    with pytest.raises(KeyboardInterrupt):
        report.write(tmp_path, [], {}, baseline="", facts={"jax": "1"}, text=[])
    assert json.loads((tmp_path / "timing.json").read_text())["facts"] == {"jax": "1"}
