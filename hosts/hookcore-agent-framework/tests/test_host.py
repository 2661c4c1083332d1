from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_agent_framework
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="agent-framework")
    assert entry.load() is hookcore_agent_framework.HOST


@pytest.mark.parametrize("version", ["1.20.0", "0.9.1"])
def test_an_old_framework_is_refused_with_what_to_install(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(RuntimeVersionError, match=r"agent-framework-core>=1\.21,<1\.24, and"):
        _ = hookcore_agent_framework.middleware


def test_without_the_framework_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install agent-framework-core>=1\.21"):
        _ = hookcore_agent_framework.middleware


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_agent_framework.nothing
