"""The pytest plugin that compares what policies say to recorded runs with a golden file.

It is active wherever hookcore is installed, so it imports nothing of hookctl until a test needs it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["hook_golden", "pytest_addoption"]

Golden = Callable[..., None]
_LEFT_OUT = ("where", "call_id", "stops", "rule")
"""Keys of a finding that say where a transcript or a rule lies, and not what a policy thinks."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes golden files anew."""
    parser.getgroup("hookcore").addoption(
        "--hookcore-update",
        action="store_true",
        help="Write the golden files of hook_golden anew, instead of comparing with them.",
    )


@pytest.fixture
def hook_golden(request: pytest.FixtureRequest, hook_manager: HookManager) -> Golden:
    """A function that replays transcripts through ``hook_manager`` and compares the verdicts.

    ``hook_golden(transcript, golden=None)`` takes paths, as seen from the test's file. Without
    ``golden`` it is the transcript's with ``.verdicts.jsonl`` behind its name. The test fails when
    the verdicts are others; ``pytest --hookcore-update`` writes them anew.
    """
    folder = request.path.parent
    update = bool(request.config.getoption("--hookcore-update"))

    def compare(transcript: str | Path, golden: str | Path | None = None) -> None:
        __tracebackhide__ = True
        source = folder / transcript
        file = folder / golden if golden is not None else Path(f"{source}.verdicts.jsonl")
        now = _verdicts(hook_manager, source)
        if update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(now, encoding="utf-8")
            return
        before = file.read_text(encoding="utf-8") if file.is_file() else None
        if now != before:
            pytest.fail(_told(file, before, now), pytrace=False)

    return compare


def _verdicts(manager: HookManager, source: Path) -> str:
    from .replay.findings import Ledger
    from .replay.partitions import whole
    from .replay.worker import replay_with

    with Ledger() as ledger:
        ledger.take(replay_with(manager, whole(str(source))))
        for refused in ledger.unreadable:
            pytest.fail(f"{refused['where']} cannot be read: {refused['reason']}", pytrace=False)
        counts = {"runs": ledger.runs, "events": ledger.events, "malformed": ledger.malformed}
        lines = [json.dumps(counts)]
        for finding in ledger.findings():
            kept = {key: value for key, value in finding.items() if key not in _LEFT_OUT}
            lines.append(json.dumps(kept, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _told(file: Path, before: str | None, now: str) -> str:
    how = "pytest --hookcore-update writes it anew"
    if before is None:
        return f"there is no golden file {file}: {how}"
    lines = difflib.unified_diff(
        before.splitlines(), now.splitlines(), str(file), "now", lineterm="", n=0
    )
    return "\n".join([f"the verdicts are others than in {file}; {how}:", *lines])
