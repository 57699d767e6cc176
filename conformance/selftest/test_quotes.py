"""Every quote belongs to a law, and stands word for word in the library that it is taken from."""

from __future__ import annotations

import fnmatch
import functools
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from treelaws import compat
from treelaws.core.law import Law
from treelaws.laws import all_laws, law_named
from treelaws.reproduce.issue import promise
from treelaws.reproduce.quotes import BadQuotes, Quote, closest, quote_for, quotes, read

QUOTES = quotes()
LAWS = tuple(all_laws().values())
_LONGEST = 400
# What differs between words in a source file and words on a page: marks of comments, of strings
# and their line breaks, of doctests and of code.
_MARKS = re.compile(r"""[#"'\\]|^\s*(?:>>>|\.\.\.)(?=\s|$)|```(?:python)?""", re.MULTILINE)


def _mistakes(laws: Iterable[Law], among: Iterable[Quote]) -> Iterator[str]:
    """Describe each quote that belongs to no law and each law that two quotes claim alike.

    Args:
        laws: every law.
        among: the quotes.
    """
    laws, among = list(laws), list(among)
    for quote in among:
        own = [law.id for law in laws if law.source == quote.source]
        if not own:
            yield f"{quote.location}: no law has the source {quote.source}"
        for pattern in quote.laws:
            if own and not fnmatch.filter(own, pattern):
                yield f"{quote.location}: no law of {quote.source} matches {pattern!r}"
    for law in laws:
        found = closest(law, among)
        if len(found) > 1:
            yield f"{law.id} is claimed alike by {' and '.join(quote.location for quote in found)}"


def test_every_quote_belongs_to_laws_and_no_law_to_two() -> None:
    assert list(_mistakes(LAWS, QUOTES)) == []


def test_no_quote_is_long() -> None:
    assert [quote.location for quote in QUOTES if len(quote.text) > _LONGEST] == []


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split())


@functools.cache
def _words_in(file: str) -> str:
    package, _, rest = file.partition("/")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return _plain((Path(spec.origin).parent / rest).read_text(encoding="utf-8"))


def _stands_in(words: str, text: str) -> bool:
    """Say whether the pieces of a quote stand in a text one after the other."""
    for piece in map(_plain, words.split("[...]")):
        _, found, text = text.partition(piece) if piece else ("", True, text)
        if not found:
            return False
    return True


@pytest.mark.parametrize("file", sorted({quote.file for quote in QUOTES if quote.file}))
def test_words_stand_in_the_library(file: str) -> None:
    taken = [quote for quote in QUOTES if quote.file == file]
    package, version = taken[0].package, taken[0].taken_from
    if compat.version(package) != version:
        pytest.skip(f"the words were read in {package} {version}, not {compat.version(package)}")
    text = _words_in(file)
    assert [quote.location for quote in taken if not _stands_in(quote.text, text)] == []


def test_another_word_is_noticed() -> None:
    text = _plain('# "Returns the\n# leaves" of a tree.')
    assert _stands_in("Returns the [...] of a tree", text)
    assert not _stands_in("Returns all the leaves", text)
    assert not _stands_in("of a tree [...] Returns the", text)


_SOURCE = "https://docs.kidger.site/equinox/api/manipulation/#equinox.combine"
_LAW = law_named("equinox.filter.combine_takes_the_first")


@pytest.mark.parametrize(
    ("laws", "rank"),
    [
        ((), 1),
        (("equinox.filter.*",), 16),
        (("*first", "equinox.*"), 9),
        ((_LAW.id,), float("inf")),
        (("equinox.jit.*",), 0),
    ],
)
def test_the_closest_quote_counts(laws: tuple[str, ...], rank: float) -> None:
    assert Quote(_SOURCE, "words", laws).rank(_LAW) == rank
    assert Quote("https://example.org", "words", laws).rank(_LAW) == 0


def test_two_quotes_that_claim_a_law_alike_are_a_mistake() -> None:
    first, second = Quote(_SOURCE, "one", location="here"), Quote(_SOURCE, "two", location="there")
    assert list(_mistakes([_LAW], [first, second])) == [
        f"{_LAW.id} is claimed alike by here and there"
    ]
    assert list(_mistakes([_LAW], [first, Quote(_SOURCE, "two", (_LAW.id,))])) == []


def test_a_quote_without_laws_is_a_mistake() -> None:
    stray = Quote("https://example.org", "words", location="here")
    assert list(_mistakes(LAWS, [stray])) == ["here: no law has the source https://example.org"]
    lost = Quote(_SOURCE, "words", ("equinox.jit.*",), location="here")
    assert list(_mistakes(LAWS, [lost])) == [f"here: no law of {_SOURCE} matches 'equinox.jit.*'"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[quote", "not valid TOML"),
        ("[quotes]", "has [quotes]; write [[quote]]"),
        ("quote = 1", "write each quote as [[quote]]"),
        ("quote = [1]", "quote 1 is not a table; write [[quote]] with source, text"),
        ("[[quote]]\nsource = 'x'", "quote 1 needs 'text'; required: source, text"),
        ("[[quote]]\nsource = 'x'\ntext = 1", "quote 1 text: write a string"),
        ("[[quote]]\nsource = 'x'\ntext = 'y'\nlaw = 'z'", "quote 1 has 'law'; allowed"),
        ("[[quote]]\nsource = 'x'\ntext = 'y'\nlaws = 'z'", "quote 1 laws: write a list"),
        ("[[quote]]\nsource = 'x'\ntext = 'y'\nlaws = [1]", "quote 1 laws: write a list"),
        ("[[quote]]\nsource = 'x'\ntext = 'y'\nfile = 'a/b.py'", "names no version of 'a'"),
    ],
)
def test_malformed_file_is_one_clear_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "quotes.toml"
    path.write_text(text)
    with pytest.raises(BadQuotes) as raised:
        read(path)
    line = str(raised.value)
    assert line.startswith(str(path))
    assert said in line
    assert "\n" not in line


def test_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(BadQuotes, match="cannot be read"):
        read(tmp_path / "none.toml")


def test_an_issue_shows_the_words_then_the_link_then_what_is_checked() -> None:
    shown = promise(_LAW)
    assert shown.startswith("> Each leaf will be the first non-`None` leaf found in the")
    assert shown.endswith(f"\n\n{_LAW.source}\n\nWhat is checked: {_LAW.statement}.")


def test_an_issue_without_words_has_the_statement_and_the_link() -> None:
    law = next(law for law in LAWS if not quote_for(law))
    assert promise(law) == f"{law.sentence}\n{law.source}"


def test_every_line_of_the_words_is_quoted() -> None:
    law = law_named("equinox.tree_tools.updates_are_added_leaf_by_leaf")
    words, _, _ = promise(law).partition(f"\n\n{law.source}")
    assert len(words.splitlines()) > 1
    assert all(line.startswith(">") for line in words.splitlines())
