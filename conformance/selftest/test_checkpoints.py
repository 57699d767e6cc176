"""`carried --subject --file`: each format, what differs, and files that cannot be read."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from treelaws.__main__ import main

_MODELS = """\
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx


def make(depth=1):
    return eqx.nn.MLP(2, 3, 4, depth, key=jax.random.key(0))


def deeper():
    return make(2)


def layer():
    return nnx.Linear(2, 3, rngs=nnx.Rngs(0))


def tree():
    return {"w": jnp.ones((2, 3)), "b": jnp.bfloat16([1.5])}


def keyed():
    return {1: jnp.ones(2), "1": jnp.ones(2)}


def fails():
    raise RuntimeError("no weights")


number = 3
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of models in the current folder."""
    monkeypatch.chdir(tmp_path)
    name = f"models_of_{tmp_path.name.replace('-', '_')}"
    tmp_path.joinpath(f"{name}.py").write_text(_MODELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return __import__(name)


def _equinox(models: Any, path: Path) -> None:
    import equinox as eqx

    with path.open("wb") as file:
        eqx.tree_serialise_leaves(file, models.make())


def _with_hyperparameters(models: Any, path: Path) -> None:
    _equinox(models, path)
    path.write_bytes(b'{"depth": 1}\n' + path.read_bytes())


def _msgpack(models: Any, path: Path) -> None:
    from flax import serialization

    path.write_bytes(serialization.to_bytes(models.tree()))


def _archive(models: Any, path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, **{"['w']": np.ones((2, 3), np.float32), "['b']": jnp.bfloat16([1.5])})


def _pickled(models: Any, path: Path) -> None:
    path.write_bytes(pickle.dumps(models.tree()))


def _orbax(models: Any, path: Path) -> None:
    import orbax.checkpoint as ocp
    from flax import nnx

    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path.absolute(), nnx.state(models.layer()))


_FORMATS = [
    (_equinox, "make", "leaves of Equinox, 4 arrays"),
    (_with_hyperparameters, "make", "leaves of Equinox, 4 arrays"),
    (_msgpack, "tree", "msgpack of Flax, 2 arrays"),
    (_archive, "tree", "an archive of NumPy, 2 arrays"),
    (_pickled, "tree", "a pickle, 2 arrays"),
    (_orbax, "layer", "a checkpoint of Orbax, 2 arrays"),
]


@pytest.mark.parametrize(
    ("save", "name", "told"), _FORMATS, ids=[one[0].__name__ for one in _FORMATS]
)
def test_each_format_is_read(
    models: Any,
    capsys: pytest.CaptureFixture[str],
    save: Callable[[Any, Path], None],
    name: str,
    told: str,
) -> None:
    save(models, Path("saved"))
    code = main(["carried", "--subject", f"{models.__name__}:{name}", "--file", "saved"])
    out = capsys.readouterr().out
    assert code == 0, out
    assert f"saved: {told}; {models.__name__}:{name} has " in out
    assert out.endswith("every array fits\n")


def _check(models: Any, capsys: pytest.CaptureFixture[str], name: str) -> tuple[int, str]:
    code = main(["carried", "--subject", f"{models.__name__}:{name}", "--file", "saved"])
    found = capsys.readouterr()
    return code, found.out + found.err


def test_arrays_that_a_file_lacks_are_named(models: Any, capsys: Any) -> None:
    _equinox(models, Path("saved"))
    code, out = _check(models, capsys, "deeper")
    assert code == 1
    assert out.count("is in the model alone") == 2
    assert "does not load: " in out
    assert "2 of 6 arrays differ" in out


def test_a_file_of_another_model_is_told(models: Any, capsys: Any) -> None:
    _msgpack(models, Path("saved"))
    code, out = _check(models, capsys, "layer")
    assert code == 1
    assert "kernel  float32[2,3] is in the model alone" in out
    assert "w  float32[2,3] is in the file alone" in out
    assert "4 of 4 arrays differ" in out


def test_another_dtype_is_told(models: Any, capsys: Any) -> None:
    with Path("saved").open("wb") as file:
        np.savez(file, **{"['w']": np.ones((2, 3)), "['b']": jnp.bfloat16([1.5])})
    code, out = _check(models, capsys, "tree")
    assert code == 1
    assert "['w']  float32[2,3], but float64[2,3] in the file" in out


def _equinox_then_zip(models: Any, path: Path) -> None:
    _equinox(models, path)
    path.write_bytes(path.read_bytes() + b"PK\x03\x04")


_BAD = [
    (_equinox, -20, "make", "is cut off or damaged at its array"),
    (_msgpack, -3, "tree", "is in no format that is known"),
    (_pickled, -3, "tree", "cannot be unpickled here"),
    (_archive, -50, "tree", "is not an archive of NumPy"),
    (lambda _, path: path.write_text("hello"), None, "tree", "is in no format that is known"),
    (lambda _, path: path.mkdir(), None, "tree", "cannot be restored by Orbax"),
    (lambda _, path: None, None, "tree", "cannot be read: No such file"),
    (_equinox_then_zip, None, "make", "is cut off or damaged at its array 5"),
    (_msgpack, None, "keyed", "cannot be written as msgpack of Flax"),
    (_equinox, None, "fails", "raises RuntimeError: no weights"),
    (_equinox, None, "nothing", "cannot be imported"),
]


@pytest.mark.parametrize(("save", "cut", "name", "told"), _BAD, ids=[one[3] for one in _BAD])
def test_bad_input_is_one_line(
    models: Any, capsys: Any, save: Callable[..., Any], cut: int | None, name: str, told: str
) -> None:
    path = Path("saved")
    save(models, path)
    if cut is not None:
        path.write_bytes(path.read_bytes()[:cut])
    code, out = _check(models, capsys, name)
    assert code == 2, out
    assert told in out
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "give --package, or --subject and --file"),
        (["--subject", "a:b"], "give --subject and --file together"),
        (["--package", "jax", "--file", "x"], "give --subject and --file together"),
        (["--subject", "model", "--file", "saved"], "write package.module:name"),
        (["--package", "equinx"], "no subject needs it; choose from"),
        (["--package", "equinox", "--laws", "equinox.carrid.*"], "no law is called"),
        (["--package", "equinox", "--laws", "jax.map.*"], "no law about files fits"),
        (["--package", "equinox", "--from", "installed"], "nothing to read; give another --to"),
    ],
)
def test_options_that_do_not_fit_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("saved").write_bytes(b"\x93NUMPY")
    assert main(["carried", *words]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
