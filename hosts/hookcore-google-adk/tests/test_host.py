from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_google_adk
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="google-adk")
    assert entry.load() is hookcore_google_adk.HOST


@pytest.mark.parametrize("version", ["2.9.0", "2.14.0", "3.0.0"])
def test_other_versions_are_refused_with_what_to_install(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(RuntimeVersionError, match=r"google-adk>=2\.10,<2\.14, and"):
        hookcore_google_adk.install()


def test_without_the_adk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install google-adk>=2\.10"):
        hookcore_google_adk.install()


def test_installing_imports_nothing_of_the_adk(script: Any) -> None:
    program = """
import sys
from hookcore import HookManager
from hookcore_google_adk import install
install(HookManager())
assert "google.adk" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
