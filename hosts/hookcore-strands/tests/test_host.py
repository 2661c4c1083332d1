from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_strands
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="strands")
    assert entry.load() is hookcore_strands.HOST


def test_without_strands_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install strands-agents>=1\.58"):
        _ = hookcore_strands.install


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_strands.nothing
