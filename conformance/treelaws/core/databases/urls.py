"""Example databases: Hypothesis saves inputs that broke laws at the URL of --database."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)
from hypothesis.errors import HypothesisSideeffectWarning

from treelaws.core.errors import BadInput
from treelaws.core.files import unwritable

from .fallback import FallbackDatabase
from .folder import FolderDatabase, default_database

if TYPE_CHECKING:
    from redis import Redis

_ALLOWED = "a folder, redis://HOST:PORT/NUMBER, github://OWNER/REPOSITORY or none"
_SECONDS = 5.0


class BadDatabase(BadInput):
    """A database cannot be used; the message names it, the reason and the fix."""


@functools.cache
def database(url: str) -> ExampleDatabase | None:
    """Return the database with this URL; a server is contacted at the first example.

    Args:
        url: `"none"`, a folder, `"dir:"` before a folder, `"redis://host:port/number"`, or
            `"github://owner/repository"`, which is read in addition to the folder of Hypothesis.

    Raises:
        BadDatabase: the URL has an unknown scheme, or a package it needs is not installed.
    """
    if url == "none":
        return None
    scheme, rest = _scheme(url)
    return _KINDS[scheme][0](url, rest)


def check(url: str, *, profile: str, seed: str | None, reach: bool = True) -> None:
    """Raise unless a run can use the database.

    Args:
        url: as for `database`.
        profile: the profile of the run.
        seed: value of `--hypothesis-seed`; `None` without it.
        reach: contact the server, or write to the folder.

    Raises:
        BadDatabase: it cannot be used, or Hypothesis would save no examples in such a run.
    """
    if database(url) is None:
        return
    for option, bars in (("--laws-profile ci", profile == "ci"), ("--hypothesis-seed", seed)):
        if bars:
            why = f"{option} repeats the same inputs in every run, so Hypothesis saves none"
            raise BadDatabase(f"{shown(url)}: {why}; leave one of the two options out")
    if reach:
        scheme, rest = _scheme(url)
        _KINDS[scheme][1](url, rest)


def shown(url: str) -> str:
    """Return the URL with its password masked, for messages."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    hidden = f"{user.partition(':')[0]}:***@{host}" if at else host
    return urlunsplit(parts._replace(netloc=hidden)) if at else url


def _scheme(url: str) -> tuple[str, str]:
    # One letter before a colon is a Windows drive.
    named = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(?://)?", url)
    scheme = named[1].lower() if named else "dir"
    if scheme not in _KINDS:
        raise BadDatabase(f"{shown(url)}: unknown scheme {scheme!r}; give {_ALLOWED}")
    return scheme, url[named.end() :] if named else url


def _folder(url: str, rest: str) -> ExampleDatabase:
    if not rest.strip():
        raise BadDatabase(f"{url!r} names no folder; give {_ALLOWED}")
    # Absolute, because workers may change their working directory.
    folder = Path(rest).expanduser().absolute()
    return FolderDatabase(DirectoryBasedExampleDatabase(folder))


def _try_folder(url: str, rest: str) -> None:
    if reason := unwritable(Path(rest).expanduser()):
        raise BadDatabase(f"{url}: cannot be written: {reason}; give a folder")


def _redis(url: str, rest: str) -> ExampleDatabase:
    client = _client(url)
    from hypothesis.extra.redis import RedisExampleDatabase
    from redis import RedisError

    return FallbackDatabase(RedisExampleDatabase(client), shown(url), (RedisError, OSError))


def _client(url: str) -> Redis:
    try:
        import redis
    except ImportError:
        cure = "needs the package redis: pip install 'treelaws[redis]'"
        raise BadDatabase(f"{shown(url)}: {cure}") from None
    # redis takes anything after the slash that is not a number for database 0.
    if not re.fullmatch(r"rediss?://[^/?#]+(/[0-9]*)?(\?[^#]*)?", url):
        raise BadDatabase(
            f"{shown(url)}: not the address of a server; give redis://HOST:PORT/NUMBER"
        )
    limits = {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}
    try:
        return redis.Redis.from_url(url, **limits)
    except ValueError as raised:
        raise BadDatabase(f"{shown(url)}: {raised}; give redis://HOST:PORT/NUMBER") from raised


def _try_redis(url: str, rest: str) -> None:
    from redis import RedisError

    try:
        _client(url).ping()
    except (RedisError, OSError, TypeError) as raised:
        told = " ".join(str(raised).split()).rstrip(".")
        cure = "start a Redis server there, or leave --database out"
        raise BadDatabase(f"{shown(url)}: no Redis server answers: {told}; {cure}") from raised


def _github(url: str, rest: str) -> ExampleDatabase:
    local = default_database()
    assert local is not None
    return MultiplexedDatabase(local, ReadOnlyDatabase(_artifact(url, rest)))


def _artifact(url: str, rest: str) -> ExampleDatabase:
    names = re.fullmatch(r"([\w.-]+)/([\w.-]+?)(?:\.git)?/?", rest)
    if names is None:
        raise BadDatabase(f"{shown(url)}: not a repository; give github://OWNER/REPOSITORY")
    with warnings.catch_warnings():
        # The constructor only asks for the path of the cache.
        warnings.simplefilter("ignore", HypothesisSideeffectWarning)
        return GitHubArtifactDatabase(names[1], names[2])


def _try_github(url: str, rest: str) -> None:
    """Download the artifact into the cache that workers read, unless it is there."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(_artifact(url, rest).fetch(b""))
    told = [one for one in caught if not issubclass(one.category, HypothesisSideeffectWarning)]
    if told:
        reason = " ".join(str(told[0].message).split()).rstrip(".")
        cure = "set GITHUB_TOKEN to a token that may read its artifacts, or leave --database out"
        raise BadDatabase(f"{shown(url)}: {reason}; {cure}")


_Kind = tuple[Callable[[str, str], ExampleDatabase], Callable[[str, str], Any]]
_KINDS: dict[str, _Kind] = {
    "dir": (_folder, _try_folder),
    "redis": (_redis, _try_redis),
    "rediss": (_redis, _try_redis),
    "github": (_github, _try_github),
}
