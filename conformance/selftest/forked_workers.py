"""Workers of pytest-xdist that are forked where the libraries are imported already.

A process that has no threads yet waits beside the run and forks a worker for each pair of pipes
that it gets. Without it, each worker would import the libraries anew, which takes seconds.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import warnings
from typing import Any

from execnet import gateway_io
from execnet.gateway_base import Popen2IO


def fork_workers() -> None:
    """Let pytest-xdist fork its workers in this process, which must not have started pytest yet."""
    ours, theirs = socket.socketpair()
    if not _fork():
        ours.close()
        _wait_for_pipes(theirs)
        return
    theirs.close()
    create = gateway_io.create_io

    def create_io(spec: Any, execmodel: Any) -> Any:
        return _Worker(ours, execmodel) if spec.popen else create(spec, execmodel)

    gateway_io.create_io = create_io


class _Worker(Popen2IO):
    """The end of a worker in the main process.

    Args:
        server: the socket of the process that forks.
        execmodel: how execnet starts threads.
    """

    def __init__(self, server: socket.socket, execmodel: Any) -> None:
        (read, theirs_write), (theirs_read, write) = os.pipe(), os.pipe()
        socket.send_fds(server, [b"fork"], [theirs_read, theirs_write])
        os.close(theirs_read)
        os.close(theirs_write)
        self._pid = int(server.recv(64))
        super().__init__(os.fdopen(write, "wb"), os.fdopen(read, "rb"), execmodel)

    def wait(self) -> None:
        """Wait for the end of the worker, which is not a child of this process."""
        while _lives(self._pid):
            time.sleep(0.01)

    def kill(self) -> None:
        """End the worker."""
        if _lives(self._pid):
            os.kill(self._pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_for_pipes(server: socket.socket) -> None:
    """Fork a worker for each request; the process that is forked runs what execnet sends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, pipes, _, _ = socket.recv_fds(server, 16, 2)
        if not asked:
            os._exit(0)
        worker = _fork()
        if not worker:
            break
        for pipe in pipes:
            os.close(pipe)
        server.send(str(worker).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    server.close()
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    sys.stdin = os.fdopen(0, "r", closefd=False)
    sys.argv = ["-c"]
    try:
        # The line in which execnet says what a worker runs.
        exec(eval(sys.stdin.readline()), {"__name__": "__main__"})
    finally:
        sys.stderr.flush()
        os._exit(0)


def _fork() -> int:
    with warnings.catch_warnings():
        # JAX warns of threads, of which it has none before its first computation.
        warnings.simplefilter("ignore")
        return os.fork()
