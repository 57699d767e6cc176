"""A Redis server for a test: redis-server if it is on the path, else that of fakeredis."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from treelaws.core.databases import urls

_FAKE = """
import sys
from fakeredis import TcpFakeServer
TcpFakeServer(("127.0.0.1", int(sys.argv[1]))).serve_forever()
"""


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[tuple[str, int]]:
    """Start a Redis server, and yield its URL and the id of its process.

    Args:
        folder: where it may write files.
    """
    port = _free_port()
    if program := shutil.which("redis-server"):
        command = [program, "--port", str(port), "--save", "", "--dir", str(folder)]
        command += ["--bind", "127.0.0.1"]
    else:
        command = [sys.executable, "-c", _FAKE, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        url = f"redis://127.0.0.1:{port}/3"
        _wait_for(url)
        yield url, process.pid
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while not _answers(url):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        urls.check(url, profile="default", seed=None)
    except urls.BadDatabase:
        return False
    return True
