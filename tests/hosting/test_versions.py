from __future__ import annotations

import importlib_metadata
import pytest

from hookcore.hosting import Host, RuntimeVersionError, require_runtime

HOST = Host(name="acme", runtime="acme-agents", tested=("2.1", "3"), points={})


def installed(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(importlib_metadata, "version", lambda _: version)


@pytest.mark.parametrize("version", ["2.1", "2.1.0rc1", "2.99.1"])
def test_a_tested_version_is_returned(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, version)
    assert require_runtime(HOST, accept_newer=False) == version


def test_a_newer_version_will_do_for_public_seams_only(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "3.0")
    assert require_runtime(HOST) == "3.0"
    with pytest.raises(RuntimeVersionError, match=r"acme-agents>=2\.1,<3, and 3\.0 is installed"):
        require_runtime(HOST, accept_newer=False)


def test_an_older_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "2.0.9")
    with pytest.raises(RuntimeVersionError, match="accept_untested=True"):
        require_runtime(HOST)


def test_the_risk_may_be_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "1")
    assert require_runtime(HOST, accept_untested=True) == "1"


def test_a_runtime_that_is_missing_is_named_with_what_to_install() -> None:
    with pytest.raises(RuntimeVersionError, match="'pip install acme-agents>=2"):
        require_runtime(HOST, accept_untested=True)


def test_a_runtime_without_a_range_is_any(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "0.1")
    assert require_runtime(Host(name="own", runtime="own", points={})) == "0.1"
