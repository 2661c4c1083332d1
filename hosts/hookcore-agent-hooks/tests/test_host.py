from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_agent_hooks
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="agent-hooks")
    assert entry.load() is hookcore_agent_hooks.HOST


def test_the_interceptor_needs_no_sdk() -> None:
    assert hookcore_agent_hooks.Hookcore.__module__ == "hookcore_agent_hooks.interceptor"


def test_without_the_sdk_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install agent-hooks-sdk>=0\.1\.0b3"):
        _ = hookcore_agent_hooks.Harness


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_agent_hooks.nothing
