from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_pydantic_ai
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="pydantic-ai")
    assert entry.load() is hookcore_pydantic_ai.HOST


@pytest.mark.parametrize("version", ["2.61.0", "1.107.10"])
def test_an_old_pydantic_ai_is_refused_with_what_to_install(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(RuntimeVersionError, match=r"pydantic-ai-slim>=2\.62,<2\.69, and"):
        _ = hookcore_pydantic_ai.Hookcore


def test_without_pydantic_ai_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install pydantic-ai-slim>=2\.62"):
        _ = hookcore_pydantic_ai.Hookcore


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_pydantic_ai.nothing
