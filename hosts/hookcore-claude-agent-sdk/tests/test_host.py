from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import hookcore_claude_agent_sdk
from hookcore import HookManager, PluginLoadError
from hookcore.hosting import HOSTS_GROUP, RuntimeVersionError


def test_the_host_is_offered_by_its_entry_point() -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name="claude-agent-sdk")
    assert entry.load() is hookcore_claude_agent_sdk.HOST


@pytest.mark.parametrize("version", ["0.2.179", "0.2.190", "0.3.0"])
def test_other_versions_are_refused_with_what_to_install(
    version: str, install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(RuntimeVersionError, match=r"claude-agent-sdk>=0\.2\.180,<0\.2\.190, and"):
        install(HookManager())


def test_without_the_sdk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install claude-agent-sdk>=0\.2\.180"):
        _ = hookcore_claude_agent_sdk.install


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_claude_agent_sdk.nothing


def test_a_required_policy_at_the_models_requests_is_refused(install: Any, tmp_path: Path) -> None:
    text = "[plugins.redact]\nenabled = true\nrequired = true\n"
    (tmp_path / "hookcore.toml").write_text(text, encoding="utf-8")
    with pytest.raises(
        PluginLoadError, match=r"redact .* is required, and it hooks .*pre_model_call"
    ):
        install(HookManager.load(start=tmp_path))


def test_after_uninstall_the_sdks_own_is_back(install: Any) -> None:
    from claude_agent_sdk import ClaudeSDKClient
    from claude_agent_sdk._internal.client import InternalClient

    names = ("connect", "query", "receive_messages", "disconnect")

    def seams() -> list[Any]:
        own = [getattr(ClaudeSDKClient, name) for name in names]
        return [InternalClient.process_query, *own]

    before = seams()
    first, second = HookManager(), HookManager()
    assert install(first) is first
    assert install(second) is second
    assert all(now is not then for now, then in zip(seams(), before, strict=True))
    hookcore_claude_agent_sdk.uninstall()
    assert seams() == before
