"""The conftest of CrewAI's own hook tests, which its sdist does not have: with our drop-in inside.

``.ci/crewai`` copies it beside those tests; nothing of CrewAI's is kept in this project.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_crewai import install

HERE = Path(__file__).parent
EXPECTED = 221

_home = tempfile.mkdtemp()
os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_DISABLE_TRACKING="true",
    CREWAI_STORAGE_DIR=_home,
    CREWAI_TESTING="true",
    CREWAI_TRACING_ENABLED="false",
    HOME=_home,
    OPENAI_API_KEY="none",
    OTEL_SDK_DISABLED="true",
)
install(HookManager())


@pytest.fixture(scope="module")
def vcr_config() -> dict[str, Any]:
    return {"record_mode": "none", "match_on": ["method", "scheme", "host", "port", "path"]}


@pytest.fixture
def vcr_cassette_dir(request: pytest.FixtureRequest) -> str:
    tests = HERE / "tests"
    return str(tests / "cassettes" / request.path.relative_to(tests).parent)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.testscollected != EXPECTED:
        raise pytest.UsageError(f"{session.testscollected} tests, where {EXPECTED} are expected")
