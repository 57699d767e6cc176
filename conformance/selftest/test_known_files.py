"""Files of known departures: what they extend, what is refused, where an entry stands."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import jax
import pytest

from treelaws.compat import toml
from treelaws.compat.environment import changed_options
from treelaws.compat.jax import double_precision
from treelaws.core.departures import known
from treelaws.core.departures.lines import lines_of
from treelaws.findings.candidates import Candidate
from treelaws.findings.writing import append
from treelaws.laws import all_laws

from .known_text import known_text

_LAW = "jax.map.unflatten_undoes_flatten"


def _entry(name: str, law: str = _LAW) -> str:
    return known_text(law).replace("[example]", f"[{name}]")


def _written(folder: Path, **files: str) -> Path:
    """Write files by their names, the first of which is given back."""
    for name, text in files.items():
        path = folder / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder / f"{next(iter(files))}.toml"


def test_a_file_extends_others_and_each_counts_once(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "base.toml").write_text(_entry("base"))
    path = _written(
        tmp_path,
        own='extends = ["left.toml", "right.toml"]\n' + _entry("own"),
        left='extends = "shared/base.toml"\n' + _entry("left"),
        right='extends = ["shared/../shared/base.toml"]\n' + _entry("base") + _entry("right"),
    )
    found = known.read(path)
    assert [one.name for one in found] == ["base", "left", "right", "own"]
    assert found[0].file == str(tmp_path / "shared" / "base.toml")


@pytest.mark.parametrize(
    ("files", "file", "said"),
    [
        (
            {"a": "extends = 'b.toml'", "b": "extends = ['a.toml']"},
            "b",
            "extends 'a.toml', which leads back to it: {0}/a.toml -> {0}/b.toml -> {0}/a.toml; del",
        ),
        (
            {"a": "extends = 'b.toml'"},
            "a",
            "extends 'b.toml': {0}/b.toml cannot be read: No such file or directory; write a path",
        ),
        ({"a": "extends = 'b.toml'", "b": "[b"}, "b", "not valid TOML: "),
        ({"a": "extends = 3"}, "a", 'must be a path or a list of paths, such as extends = ["base'),
        ({"a": "[extends]\nlaw = 'x'"}, "a", "must be a path or a list of paths"),
        ({"a": _entry("x") + "extends = 'b.toml'"}, "a", "write it above the first table"),
        (
            {"a": "extends = 'b.toml'\n" + _entry("x"), "b": _entry("x", "jax.map.other")},
            "a",
            "[x] is also in {0}/b.toml, with other content; rename or delete one of them",
        ),
        (
            {"a": "extends = 'b.toml'", "b": _entry("x").replace('"example"', '" "')},
            "b",
            "[x] reason is blank: say why the library is wrong",
        ),
        (
            {"a": (_entry("x") + _entry("y")).replace('reason = "example"', "")},
            "a",
            "[x] reason is blank: say why the library is wrong; so is that of [y]",
        ),
        (
            {"a": _entry("x").replace('"unreported"', "3")},
            "a",
            "[x] issue: 3 is not a string; write",
        ),
        ({"a": _entry("x").replace('">=0.4"', "1")}, "a", "[x] versions: jax = 1 is not a string"),
        ({"a": _entry("x") + "region = [1]"}, "a", "[x] region: write conjunctions of features"),
        ({"a": _entry("x") + "also = [1]"}, "a", "[x] also: write names of exceptions and of diff"),
        ({"a": _entry("x") + "config = 'x64'"}, "a", "[x] config: 'x64' is not a table; write for"),
        (
            {"a": _entry("x") + "config = { jax_x64 = true }"},
            "a",
            "[x] config: unknown option 'jax_x64'; write jax_enable_x64, jax_numpy_dtype_promotion",
        ),
        (
            {"a": _entry("x") + "config = { jax_enable_x64 = 1 }"},
            "a",
            "[x] config: jax_enable_x64 is 1; write false or true",
        ),
    ],
)
def test_a_bad_file_gives_one_line_that_names_it(
    tmp_path: Path, files: dict[str, str], file: str, said: str
) -> None:
    with pytest.raises(known.BadKnown) as raised:
        known.read(_written(tmp_path, **files))
    message = str(raised.value)
    assert message.startswith(f"{tmp_path}/{file}.toml: ")
    assert said.format(tmp_path) in message
    assert "\n" not in message


def test_two_options_may_share_a_base_and_not_a_name(tmp_path: Path) -> None:
    first = _written(tmp_path, a="extends = 'base.toml'\n" + _entry("a"), base=_entry("base"))
    second = _written(tmp_path, b="extends = 'base.toml'\n" + _entry("b"))
    other = _written(tmp_path, c=_entry("a", "jax.map.other"))
    before = known.departures()
    with known.also([first, second]) as added:
        assert sorted(one.name for one in added) == ["a", "b", "base"]
        assert len(known.departures()) == len(before) + 3
        with pytest.raises(known.BadKnown, match=r"c.toml: \[a\] is also in .*a.toml"):
            known.add(other)
    assert known.departures() == before


def test_an_entry_applies_only_with_its_options(tmp_path: Path) -> None:
    options = "config = { jax_enable_x64 = true, jax_numpy_rank_promotion = 'raise' }"
    (found,) = known.read(_written(tmp_path, a=_entry("x") + options))
    with jax.numpy_rank_promotion("raise"):
        applied = [found.applies]
        with double_precision():
            applied.append(found.applies)
            assert changed_options() == dict(found.config)
    assert applied == [False, True]
    assert (found.applies, changed_options()) == (False, {})


def test_an_unknown_law_comes_with_those_that_are_close(tmp_path: Path) -> None:
    path = _written(tmp_path, a=_entry("x", "jax.map.unflatten_undoes_flaten"))
    with known.also([path]):
        (message,) = known.unknown_laws(all_laws())
    told = f"{path}: [x] names the unknown law 'jax.map.unflatten_undoes_flaten'"
    assert message.startswith(f"{told} (did you mean jax.map.unflatten_undoes_flatten")


_TEXT = dedent("""\
    # About the whole file.

    extends = []
    # About the first.
    [first] # [no]
    witness = '''
    [second]
    # no comment'''
    region = [
      "[third]", ["x"],
    ]

    # About the second.
    # More of it.
    [ "sec.ond" ]
    law = "[quoted]\\\\"
    [ "sec.ond".versions ]
    jax = \"\"\"
    [fourth] \\"\"\"\"\"
    [last]
    law = 'x'

    """)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("first", (4, 11)),
        ("sec.ond", (13, 19)),
        ("last", (20, 21)),
        ("second", None),
        ("third", None),
        ("fourth", None),
        ("extends", None),
    ],
)
def test_the_lines_of_an_entry(name: str, lines: tuple[int, int] | None) -> None:
    assert {*toml.loads(_TEXT)} == {"extends", "first", "sec.ond", "last"}
    assert lines_of(_TEXT, (name,)) == lines


_ASKS = "Say in `reason` why the library is wrong, and in `issue` where that is reported."


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_entries_are_added_behind_what_is_there(tmp_path: Path, end: str) -> None:
    path = tmp_path / "known.toml"
    text = "# Mine, as it is.\n[a_law_a_b]\nlaw = 'x' # stays".replace("\n", end)
    path.write_bytes(text.encode())
    witness = "tree = ['''a\\n''', \"\"\"b\\\"\"\"]\n# \x7f, ü, \t.\nother = 1"
    pins = {"jax": "==1", "odd.name": "==2"}
    candidate = Candidate("a.law", "a:b", pins, witness, 'Odd"Error', ("history:copy",))
    options = {"jax_enable_x64": True}
    plain = Candidate("a.law", "a:b", pins, "tree = '\\n'", config=options)
    assert append(path, [candidate, plain], ["a_law_a_b_2"]) == ["a_law_a_b_3", "a_law_a_b_4"]
    written = path.read_bytes().decode()
    assert written.startswith(text + end + end + "# ")
    assert written.count("\n") == written.count(end)
    assert "tree = '\\n'" in written
    first, second = list(toml.loads(written).values())[1:]
    assert first["witness"].strip() == witness
    assert second["witness"].strip() == plain.witness
    assert (first["versions"], first["raises"]) == (pins, 'Odd"Error')
    assert ("config" in first, second["config"]) == (False, options)
    assert {len(line) <= 100 for line in written.splitlines()} == {True}
    # The comments touch the header, so that deleting the lines of an entry deletes them too.
    first_line, _ = lines_of(written, ["a_law_a_b_3"]) or (0, 0)
    assert written.splitlines()[first_line - 2 : first_line] == ["", f"# {_ASKS}"]
    path.write_text(written.replace(text + end, ""))
    with pytest.raises(known.BadKnown, match=r"\[a_law_a_b_3\] reason is blank"):
        known.read(path)
