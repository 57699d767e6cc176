"""The page of questions: what each bug of one library asks of every library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treelaws.core.addresses import family
from treelaws.core.departures.finding import Finding
from treelaws.findings.listing import chosen
from treelaws.laws import law_named
from treelaws.strength.questions.table import LIBRARIES, Answer, Question, questions

_HEAD = """\
# Questions to every library

`python -m treelaws findings` lists the known bugs. A bug seldom comes alone: what one library gets
wrong, another gets wrong in a function that does a like thing. Each question below comes from
findings, and is asked of every library: by the laws that are named, or there is a reason why it
does not arise.

A new question, or a law for an open one, goes into `questions.toml` in
`conformance/treelaws/strength/questions/`. Each finding names its question with `question = "..."`.

| question | findings | laws | open |
|---|---:|---:|---:|
{rows}
"""


def pages() -> dict[str, str]:
    """Return the text of the page by its path below the folder of the documentation."""
    found = chosen(every=True)
    pairs = [(one, [each for each in found if each.question == one.id]) for one in questions()]
    rows = "\n".join(_row(one, len(about)) for one, about in pairs)
    sections = (line for pair in pairs for line in _section(*pair))
    return {"questions.md": "\n".join([_HEAD.format(rows=rows), *sections])}


def _row(one: Question, findings: int) -> str:
    answers = one.answers.values()
    laws = sum(len(answer.laws) for answer in answers)
    opened = sum(bool(answer.gap) for answer in answers)
    return f"| [{one.title}](#{one.id}) | {findings} | {laws} | {opened} |"


def _section(one: Question, found: Sequence[Finding]) -> Iterator[str]:
    yield f'<a id="{one.id}"></a>\n\n## {one.title}\n'
    for library, name in LIBRARIES.items():
        yield f"- {name}: {_told(one.answers[library])}"
    if found:
        yield f"- Findings: {', '.join(f'[{each.id}](findings.md#{each.id})' for each in found)}"
    yield ""


def _told(answer: Answer) -> str:
    if answer.laws:
        return ", ".join(map(_link, answer.laws))
    return f"**open:** {answer.gap}" if answer.gap else answer.reason


def _link(law: str) -> str:
    return f"[`{law}`](laws/{family(law_named(law))}.md#{law})"
