"""Checking a plugin: its code in a process of its own, its patterns against the log."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..doctor.finding import Diagnosis, error, warning
from ..doctor.hooks import SLOW_SECONDS, unmatched
from .importing import ImportTime, import_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .subjects import Subject

__all__ = ["Checked", "check"]

_CHILD = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "from hookctl.author.checked import main; main()"
)
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings about one plugin."""

    name: str
    points: list[str]
    took: ImportTime | None
    findings: list[Diagnosis]


def check(subject: Subject) -> Checked:
    """Check one plugin.

    Args:
        subject: the plugin.
    """
    report = _report(subject)
    if isinstance(report, str):
        broken = error("import", subject.name, report, "correct its code")
        return Checked(subject.name, [], None, [broken])
    findings = [Diagnosis(**finding) for finding in report["findings"]]
    took = None
    if not any(finding.code == "import" for finding in findings):
        took = import_time(subject.source.value.partition(":")[0])
        findings += [*_slow(subject, took), *_unmatched(subject, report["patterns"])]
    findings.sort(key=lambda finding: (finding.severity, finding.code))
    return Checked(subject.name, report["points"], took, findings)


def _report(subject: Subject) -> dict[str, list[Any]] | str:
    """Ask the child process; return what keeps it from answering in words."""
    source = json.dumps(asdict(subject.source))
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-c", _CHILD, "\n".join(sys.path), source],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_SECONDS,
            check=False,
        )
        return dict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return f"importing {subject.source.value} takes longer than {_SECONDS} seconds"
    except ValueError:
        return f"importing {subject.source.value} ends the process (exit code {done.returncode})"


def _slow(subject: Subject, took: ImportTime | None) -> Iterator[Diagnosis]:
    if took is not None and took.milliseconds > SLOW_SECONDS * 1000:
        heavy = ", ".join(f"{name} {ms:.0f} ms" for name, ms in took.heaviest[:3])
        said = f"its import takes {took.milliseconds / 1000:.1f} s, which each start waits for"
        fix = "import where it is needed what is heavy"
        yield warning("slow-import", subject.name, f"{said}: {heavy}", fix)


def _unmatched(subject: Subject, patterns: list[str]) -> Iterator[Diagnosis]:
    from hookcore.log.reading import LogError, open_log

    try:
        with open_log() as log:
            tools = log.tools() if log is not None else []
    except LogError:
        return  # 'hookctl doctor' says what is wrong with it
    for pattern in patterns if tools else ():
        problem = unmatched(pattern, tools)
        if problem is not None:
            yield warning("pattern", subject.name, problem, "compare it with 'hookctl log'")
