"""Tests on the real CrewAI, offline; without CrewAI nothing here is collected."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

collect_ignore_glob = [] if find_spec("crewai") else ["test_*.py"]

HERE = Path(__file__).parent

if find_spec("crewai"):
    # Before it is imported, and only for a process in which it is.
    os.environ.update(
        CREWAI_DISABLE_TELEMETRY="true",
        CREWAI_DISABLE_TRACKING="true",
        CREWAI_TESTING="true",
        CREWAI_TRACING_ENABLED="false",
        OTEL_SDK_DISABLED="true",
        OPENAI_API_KEY="none",
    )
    with warnings.catch_warnings():
        # CrewAI warns of itself while it is imported.
        warnings.simplefilter("ignore")
        for name in ("crewai", "crewai.project", "crewai.flow.flow", "crewai.rag.embeddings"):
            importlib.import_module(name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            # CrewAI warns of itself, on every Python in another way.
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session", autouse=True)
def _storage(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("crewai")
    os.environ.update(CREWAI_STORAGE_DIR=str(folder), HOME=str(folder))


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no instance get what CrewAI remembers for an earlier one at the same address."""
    from crewai.agents.cache.cache_handler import CacheHandler
    from crewai.project import utils

    monkeypatch.setattr(utils, "cache", CacheHandler())


@pytest.fixture(autouse=True)
def manager() -> Iterator[Any]:
    """A manager of this test alone, which governs CrewAI."""
    from hookcore import HookManager
    from hookcore_crewai import install, uninstall

    fresh = HookManager()
    install(fresh)
    yield fresh
    from crewai.events.event_bus import crewai_event_bus
    from crewai.hooks import clear_all_hooks

    crewai_event_bus.flush()
    clear_all_hooks()
    uninstall()
    fresh.close()


@pytest.fixture
def office() -> Any:
    """Makes crews, agents and models that need no network."""
    from .office import Office

    return Office()
