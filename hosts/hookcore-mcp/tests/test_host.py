from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_mcp
from hookcore import HookManager, hookimpl
from hookcore.hosting import HOSTS_GROUP, Host, RuntimeVersionError, heeds


@pytest.mark.parametrize("host", [hookcore_mcp.HOST, hookcore_mcp.FASTMCP])
def test_each_host_is_offered_by_its_entry_point(host: Host) -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name=host.name)
    assert entry.load() is host


def test_a_policy_of_runs_is_kept_beside_a_host_that_has_runs() -> None:
    class Runs:
        @hookimpl
        def pre_run(self, ctx: Any) -> None: ...

    manager = HookManager()
    Host(name="agents", runtime="x", points=heeds(["pre_run"])).declare(manager)
    for host in (hookcore_mcp.HOST, hookcore_mcp.FASTMCP):
        host.declare(manager)
    manager.register(Runs())
    assert manager.declaration is not None
    assert "pre_run" in manager.declaration.points


@pytest.mark.parametrize("name", ["fastmcp_middleware", "install_fastmcp"])
def test_an_old_fastmcp_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: "3.4.11")
    with pytest.raises(RuntimeVersionError, match=r"fastmcp>=4\.0,<4\.3, and"):
        getattr(hookcore_mcp, name)()


@pytest.mark.parametrize("version", ["1.30.0", "0.9"])
def test_an_old_mcp_is_refused_with_what_to_install(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(RuntimeVersionError, match=r"mcp>=2\.0,<2\.4, and"):
        _ = hookcore_mcp.middleware


def test_without_mcp_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(RuntimeVersionError, match=r"'pip install mcp>=2\.0"):
        _ = hookcore_mcp.middleware


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hookcore_mcp.nothing
