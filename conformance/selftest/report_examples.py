"""Reports for tests: a large one, and one whose subject names itself as an attacker would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treelaws import reporting
from treelaws.reporting.report import Report
from treelaws.reporting.rows import Row, worst

SCHEMA = Path(reporting.__file__ or "").with_name("report.schema.json")
RUN: dict[str, Any] = {
    "environment": {
        "python": "3.12.4",
        "libraries": {"jax": "0.9.1", "equinox": "0.13.4"},
        "backend": "cpu",
        "x64": False,
        "platform": "Linux-6.1",
    },
    "suite": {
        "version": "0.1.0",
        "fingerprint": "0123456789ab",
        "edition": "2026.1",
        "profile": "default",
        "seed": None,
    },
    "started": "2026-02-03T04:05:06+00:00",
    "seconds": 75.0,
}
SCRIPT = "\n".join(f"line_{number} = 'of a standalone script <&>'" for number in range(60)) + "\n"
DIFFERENCE = "structure\n  got     PyTreeDef([*, *])\n  wanted  PyTreeDef([*])"
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "<!--<script>",
    "{{ 7 * 7 }} {% for %}",
    "nul \0 bell \a surrogate \ud800 separator \u2028 end",
    "turned \u202egnirts\u202c mark \u200f",
    "x" * 100_000,
    "&lt;b&gt; &amp;",
    "`${alert(1)}`",
)


def told(statement: str = "a tree is a tree", **changed: str) -> dict[str, str]:
    """Return what a report tells about a law."""
    return {
        "statement": statement,
        "source": "https://example.org/promise#here",
        "level": "must",
        "topic": "Nodes: flattening",
        "family": "node",
        "since": "2026.1",
        "fingerprint": "ba9876543210",
        **changed,
    }


def witness(law: str, subject: str, expression: str = "Box(1)") -> dict[str, Any]:
    """Return the content of a witness."""
    return {
        "format": 1,
        "law": law,
        "subject": subject,
        "definitions": ["class Box(eqx.Module):\n    x: typing.Any"],
        "statements": ["box = Box(1)"],
        "expression": expression,
        "features": [],
        "versions": {},
        "difference": DIFFERENCE,
        "key": "same",
    }


def broken(law: str, subject: str, **changed: Any) -> Row:
    """Return the row of a broken law with all that belongs to one."""
    fields: dict[str, Any] = {
        "seconds": 0.25,
        "difference": DIFFERENCE,
        "key": "same",
        "witness": witness(law, subject),
        "script": f"# {law} {subject}\n{SCRIPT}",
        "answer": "shows it",
    }
    return Row(law, subject, "broken", **{**fields, **changed})


def report(rows: list[Row], laws: dict[str, dict[str, str]], **changed: Any) -> Report:
    """Return a report of rows."""
    return Report(laws=laws, rows=tuple(worst(rows)), **{**RUN, **changed})


def small(**changed: Any) -> Report:
    """Return a report of two families with every verdict."""
    laws = {
        "node.flatten.first": told("unflatten undoes flatten"),
        "node.flatten.second": told("flatten is pure", level="should"),
        "node.keys.third": told("keys are unique", topic="Nodes: keys"),
        "jax.map.fourth": told("map keeps the structure", family="jax", topic="Maps"),
        "jax.map.fifth": told("map of the identity", family="jax", topic="Maps", level="observed"),
    }
    rows = [
        Row("node.flatten.first", "list", "held", examples=100, seconds=0.5),
        Row("node.flatten.first", "dict", "known", "dict_departs", seconds=0.1),
        Row("node.flatten.first", "dict", "held", examples=100, seconds=0.5),
        broken("node.flatten.first", "Box"),
        Row("node.flatten.second", "list", "skipped", reason="list is not asked for this"),
        Row("node.flatten.second", "dict", "stale-known", "dict_mended", reason="is stale"),
        Row("node.flatten.second", "Box", "blocked", reason="node.flatten.first is broken"),
        Row("node.keys.third", "list", "error", reason="ValueError: no cases"),
        Row("node.keys.third", "dict", "held", examples=100, seconds=0.5),
        broken("jax.map.fourth", "jax"),
        broken("jax.map.fifth", "jax", advisory=True, key="other"),
    ]
    if not changed.get("complete", True):
        rows.append(Row("node.keys.third", "Box", "not run"))
    return report(rows, laws, **changed)


def with_findings(text: str = "Box", **changed: Any) -> Report:
    """Return a report of two findings, a cosmetic one and a wrong result, in which nothing fails.

    Args:
        text: a part of what the findings say.
    """
    laws = {"node.flatten.first": told("unflatten undoes flatten")}
    rows = [
        Row("node.flatten.first", "dict", "known", "dict_departs", finding="dict_is_printed"),
        Row("node.flatten.first", "Box", "known", "a", finding="box_is_lost", script=SCRIPT),
        Row("node.flatten.first", "Box", "known", "b", finding="box_is_lost"),
        Row("node.flatten.first", "list", "held", examples=100),
    ]
    both = {
        "library": "equinox",
        "consequence": f"A parameter of `{text}` is not trained.",
        "reason": f"It skips {text}.",
        "versions": "equinox >=0.13",
    }
    links = ["https://example.org/1 (open, looked up on 2026-01-31)", "javascript:alert(1)"]
    findings = {
        "dict_is_printed": {**both, "title": "A dict is printed", "severity": "cosmetic"},
        "box_is_lost": {
            **both,
            "title": f"`tree_map` loses {text}",
            "severity": "wrong-result",
            "first_bad": "equinox 0.13.0",
            "links": links,
        },
    }
    return report(rows, laws, findings=findings, **changed)


def large(laws: int = 250, subjects: int = 30, breaches: int = 40) -> Report:
    """Return a report of one family in which each law was tried on each subject."""
    ids = [f"node.topic{number // 25:02}.law_number_{number:03}_holds" for number in range(laws)]
    names = [f"subject_{number:02}" for number in range(subjects)]
    rows = []
    for number, law in enumerate(ids):
        for place, subject in enumerate(names):
            index = number * subjects + place
            if index % 187 == 0 and index // 187 < breaches:
                rows.append(broken(law, subject, key=f"key{index % 7}"))
            elif index % 11 == 0:
                reason = f"{subject} does not claim flatten_one_level"
                rows.append(Row(law, subject, "skipped", reason=reason))
            else:
                rows.append(Row(law, subject, "held", examples=100, seconds=index % 90 / 100))
    told_of = {law: told(f"statement {number} holds for trees") for number, law in enumerate(ids)}
    return report(rows, told_of)


def hostile() -> Report:
    """Return a report in which everything that a subject or a law says is hostile."""
    laws, rows = {}, []
    for number, text in enumerate(HOSTILE):
        id = f"node.hostile.law{number}{text}"
        laws[id] = told(text, source=f"javascript:alert({number})//{text}", topic=text)
        for other, subject in enumerate(HOSTILE):
            fields = {"difference": text, "answer": text, "script": f"{text}\n{subject}"}
            if other <= number:
                shown = witness(id, subject, expression=repr(text))
                rows.append(broken(id, subject, witness=shown, **fields))
            else:
                rows.append(Row(id, subject, "skipped", departure=text, reason=text))
    environment = {**RUN["environment"], "platform": "</title><script>alert(2)</script>\u202e"}
    return report(rows, laws, environment=environment)
