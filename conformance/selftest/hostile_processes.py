"""Node classes that end the process, never return from C, or change what all code shares."""

from __future__ import annotations

import ctypes
import os
import random
import sys
import threading
import time
import warnings
from typing import Any

import jax
import numpy as np

from .hostile_nodes import Node

_register = jax.tree_util.register_pytree_node_class


def _wait() -> None:
    """Lock a mutex twice, which never returns; an endless loop in C would take a processor."""
    mutex = ctypes.create_string_buffer(256)
    while True:
        ctypes.CDLL(None).pthread_mutex_lock(mutex)


@_register
class EndsInFlatten(Node):
    def tree_flatten(self) -> Any:
        os._exit(3)


@_register
class EndsInUnflatten(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        os._exit(0)


@_register
class CrashesInFlatten(Node):
    def tree_flatten(self) -> Any:
        return (ctypes.string_at(0),), None


@_register
class WaitsInFlatten(Node):
    """Never returns to Python, so that no signal handler runs."""

    def tree_flatten(self) -> Any:
        return (_wait(),), None


@_register
class WaitsInUnflatten(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return _wait()


@_register
class StartsThreads(Node):
    def tree_flatten(self) -> Any:
        threading.Thread(target=time.sleep, args=(1e6,)).start()
        return (self.x,), None


@_register
class ChangesTheFolder(Node):
    def tree_flatten(self) -> Any:
        os.chdir("/")
        return (self.x,), None


@_register
class ChangesJax(Node):
    def tree_flatten(self) -> Any:
        jax.config.update("jax_enable_x64", True)
        return (self.x,), None


@_register
class ChangesPython(Node):
    def tree_flatten(self) -> Any:
        sys.setrecursionlimit(5000)
        return (self.x,), None


@_register
class ChangesTheEnvironment(Node):
    def tree_flatten(self) -> Any:
        os.environ["JAX_PLATFORMS"] = "tpu"
        return (self.x,), None


@_register
class ChangesEverything(Node):
    def tree_flatten(self) -> Any:
        os.chdir("/")
        os.environ["JAX_PLATFORMS"] = "tpu"
        jax.config.update("jax_enable_x64", True)
        sys.setrecursionlimit(5000)
        threading.Thread(target=time.sleep, args=(1e6,)).start()
        return (self.x,), None


@_register
class TurnsWarningsIntoErrors(Node):
    def tree_flatten(self) -> Any:
        warnings.simplefilter("error")
        return (self.x,), None


@_register
class SeedsRandomNumbers(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        random.seed(0)
        np.random.seed(0)
        return super().tree_unflatten(aux, children)
