"""Findings in the forms that other tools read: annotations, SARIF and JUnit."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, TextIO
from urllib.parse import quote
from xml.etree import ElementTree as ET

from .compare import TITLES
from .safetext import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .compare import Comparison
    from .findings import Ledger

__all__ = ["Note", "notes_of", "write_github", "write_junit", "write_sarif"]

_WORDS = {"modify": "changed", "deny": "stopped", "error": "failed", "timeout": "timed out"}
_WOULD = {**_WORDS, "modify": "would be changed", "deny": "would be stopped"}
"""The words for what is only monitored."""
_PLACE = re.compile(
    r"(?P<file>.*):(?P<line>\d+)(?: .*)?"
    r"|(?P<whole>.*?)(?: (?:\S*\[\d+\]|system|instructions|input|(?:run|span) \S+))?",
    re.DOTALL,
)
"""A place: the file, which may have spaces in its name, the line if there is one, what in it."""
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Note:
    """One finding or difference, as somebody reads it beside the line that it is about."""

    level: Literal["error", "warning", "note"]
    rule: str
    run: str
    text: str
    file: str
    line: int | None


def notes_of(ledger: Ledger, comparison: Comparison | None = None) -> Iterator[Note]:
    """Turn findings, or the differences of a comparison, into notes.

    Args:
        ledger: what was found.
        comparison: what is told instead.

    Yields:
        The notes in order.
    """
    if comparison is None:
        for finding in ledger.findings():
            yield _note(finding, "")
        return
    for difference in comparison.differences:
        yield _note(difference.finding, f"{TITLES[difference.kind]}: ")


def _note(finding: dict[str, Any], prefix: str) -> Note:
    verdict = finding["verdict"]
    plugin = finding["plugin"] or "arguments"
    tool = "" if finding["tool"] is None else f" {finding['tool']}"
    reason = "" if finding["reason"] is None else f": {finding['reason']}"
    observed = finding["effect"] == "observed"
    did = _WOULD.get(verdict, verdict) if observed else _WORDS.get(verdict, verdict)
    text = f"{prefix}{did} by {plugin} at step {finding['step']} {finding['point']}{tool}{reason}"
    place = _PLACE.fullmatch(finding["where"])
    return Note(
        level="error"
        if finding["stops"] and not observed
        else "note"
        if verdict == "modify"
        else "warning",
        rule=f"{plugin}/{finding.get('rule') or verdict}",
        run=finding["run"],
        text=printable(text),
        file=finding["where"] if place is None else place["file"] or place["whole"],
        line=int(place["line"]) if place is not None and place["line"] else None,
    )


def write_github(notes: Iterable[Note], out: TextIO) -> None:
    """Write annotations, as GitHub's workflows read them from a step's output.

    The form: https://docs.github.com/actions/reference/workflow-commands-for-github-actions

    Args:
        notes: what to tell.
        out: where to write.
    """
    for note in notes:
        level = "notice" if note.level == "note" else note.level
        at = f"file={_property(note.file)}" + (f",line={note.line}" if note.line else "")
        out.write(f"::{level} {at},title={_property(note.rule)}::{_message(note.text)}\n")


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def _uri(file: str) -> str:
    """Return a file's name as a URI has it; a URL stays as it is."""
    name = file.replace("\\", "/")
    return name if "://" in name else quote(name, safe="/:@!$&'()*+,;=~")


def write_sarif(notes: Iterable[Note], out: TextIO) -> None:
    """Write a log of the Static Analysis Results Interchange Format, version 2.1.0.

    Args:
        notes: what to tell.
        out: where to write.
    """
    rules: dict[str, None] = {}
    results = []
    for note in notes:
        rules.setdefault(note.rule)
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(note.file)}}
        if note.line:
            place["region"] = {"startLine": note.line}
        results.append(
            {
                "ruleId": note.rule,
                "level": note.level,
                "message": {"text": note.text},
                "locations": [
                    {
                        "physicalLocation": place,
                        "logicalLocations": [{"name": note.run, "kind": "run"}],
                    }
                ],
            }
        )
    driver = {
        "name": "hookctl replay",
        "semanticVersion": version("hookcore"),
        "rules": [{"id": rule} for rule in rules],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    out.write(json.dumps(log, indent=2) + "\n")


def write_junit(notes: Iterable[Note], out: TextIO) -> None:
    """Write JUnit's XML: a test case for each run that something was found in.

    Args:
        notes: what to tell; what stops an operation is a failure.
        out: where to write.
    """
    runs: dict[str, list[Note]] = {}
    for note in notes:
        runs.setdefault(note.run, []).append(note)
    failed = [run for run, found in runs.items() if any(note.level == "error" for note in found)]
    suite = ET.Element(
        "testsuite", name="hookctl replay", tests=str(len(runs)), failures=str(len(failed))
    )
    for run, found in runs.items():
        case = ET.SubElement(suite, "testcase", classname="replay", name=_xml(run))
        lines = [f"{note.file}:{note.line or 0}: {note.text}" for note in found]
        if run in failed:
            first = next(note for note in found if note.level == "error")
            told = ET.SubElement(case, "failure", message=_xml(first.text))
        else:
            told = ET.SubElement(case, "system-out")
        told.text = _xml("\n".join(lines))
    ET.indent(suite)
    out.write('<?xml version="1.0" encoding="utf-8"?>\n')
    out.write(ET.tostring(suite, encoding="unicode") + "\n")


def _xml(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
