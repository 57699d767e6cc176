"""Tests of the libraries that are run to see how their functions are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Suite(NamedTuple):
    """Tests of a library, in its repository.

    Args:
        repository: its address.
        tag: the name of the tag of a release, with `{}` for the version.
        paths: files and folders with tests, from the root of the repository.
        without: those of them that are about something else, or need what is not installed.
        among: whether the tests stand among the modules of the library, and are copied from there.
    """

    repository: str
    tag: str
    paths: Sequence[str]
    without: Sequence[str] = ()
    among: bool = False


# Tests about trees, transformations, modules, states and optimisers, and not about numbers.
SUITES = {
    "equinox": Suite(
        "https://github.com/patrick-kidger/equinox",
        "v{}",
        ("tests",),
        ("tests/test_onnx.py",),
    ),
    "flax": Suite(
        "https://github.com/google/flax",
        "v{}",
        (
            "tests/nnx",
            "tests/core/core_meta_test.py",
            "tests/core/core_frozen_dict_test.py",
            "tests/struct_test.py",
            "tests/serialization_test.py",
            "tests/traverse_util_test.py",
            "tests/pickle_test.py",
        ),
        ("tests/nnx/nn/attention_test.py", "tests/nnx/nn/conv_test.py"),
    ),
    "jax": Suite(
        "https://github.com/jax-ml/jax",
        "jax-v{}",
        tuple(
            f"tests/{name}_test.py"
            for name in (
                "tree_util",
                "api",
                "api_util",
                "custom_api",
                "custom_root",
                "custom_linear_solve",
                "lax_control_flow",
                "shard_map",
                "mutable_array",
                "python_callback",
                "checkify",
                "export",
            )
        ),
    ),
    "optax": Suite(
        "https://github.com/google-deepmind/optax",
        "v{}",
        ("optax",),
        ("optax/losses", "optax/projections", "optax/perturbations", "optax/second_order"),
        among=True,
    ),
}
