"""Settings of the command line, in a module that the plugin can set without importing jax."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from .errors import BadInput

PROFILES = ("quick", "default", "ci", "thorough")
LEVELS = ("must", "should", "observed")
EDITIONS = ("2026.1",)
# Files of `treelaws.subjects.builtin`; importing one imports no library except jax.
LIBRARIES = ("jax", "equinox", "flax", "chex", "nnx", "optax", "mixed")

# The plugin sets these before any law is imported.
profile = "default"
edition = EDITIONS[-1]
# The shard that runs, such as "1/4"; empty for all laws.
shard = ""
# The value of `--hypothesis-seed`; empty without it.
seed = ""
# The environment variable that says which classes inputs have, `SEED_VARIABLE` of the strategies:
# importing that one would import the strategies, which read it.
CLASSES_VARIABLE = "HYPOTHESIS_PYTREES_CLASSES"
# URL of the example database of Hypothesis; empty for its own default.
database = ""
# Time limit of one case of a law, in seconds. All cases of the slowest law take 2 seconds together.
case_seconds = 60.0
# In how many ways a law is found to break, each in a search of its own.
most_breaches = 1
# With `--all-breaches`.
ALL_BREACHES = 5
# Whether laws run on what known departures cover, too, since they may break there in another way.
within_known = False
# After this many broken laws, the scripts of further ones are written but not run.
most_scripts = 20
# Address of the documentation, such as "https://example.org/treelaws"; empty: it has none yet.
SITE = ""


@contextlib.contextmanager
def outside_known() -> Iterator[None]:
    """Within it, laws do not run on what known departures cover."""
    global within_known
    before, within_known = within_known, False
    try:
        yield
    finally:
        within_known = before


class Shard(NamedTuple):
    """One of several runs that share the laws.

    Args:
        number: number of the shard, from 1.
        of: number of shards.
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class BadShard(BadInput):
    """A shard does not exist; the text names it and the allowed ones."""


def parse_shard(text: str) -> Shard:
    """Read a shard such as `"1/4"`.

    Raises:
        BadShard: the text is not a shard.
    """
    numbers = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", text)
    if numbers is not None:
        shard = Shard(int(numbers[1]), int(numbers[2]))
        if shard.number <= shard.of:
            return shard
    raise BadShard(f"{text!r} is not a shard; write I/N with I from 1 to N, such as 1/4")
