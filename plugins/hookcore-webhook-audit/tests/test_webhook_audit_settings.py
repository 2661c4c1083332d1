"""Settings that an operator may write, those that are refused, and the effect of a refusal."""

from __future__ import annotations

import base64
import logging
from pathlib import Path
from typing import Any

import pytest

from hookcore import (
    ConfigError,
    HookManager,
    PluginDisabledError,
    PluginLoadError,
    RegistrationError,
)
from hookcore_webhook_audit import WebhookAudit, WebhookAuditSettings

URL = "https://a.example/T0PS3CR3T"
SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"url": None}, "settings.url"),
    ({"max_args_bytes": -1}, "settings.max_args_bytes"),
    ({"max_args_bytes": 2 * 1024 * 1024}, "settings.max_args_bytes"),
    ({"redact_kinds": ["secrets"]}, "redact_kinds has a meaning only with include_args"),
    ({"include_args": True, "redact_kinds": ["secret"]}, 'redact_kinds: .*did you mean "secrets"'),
    ({"include_args": True, "redact_kinds": []}, "redact_kinds: nothing is redacted anywhere"),
    ({"signing_secrets": ["S3CR3T"]}, 'signing_secrets.0: it must be "whsec_"'),
    ({"signing_secrets": [SECRET, "whsec_S3CR3T"]}, "signing_secrets.1: it must be"),
    ({"signing_secrets": ["whsec_" + base64.b64encode(b"x" * 23).decode()]}, "24 to 64 bytes"),
    ({"timeout_seconds": 0}, "settings.timeout_seconds"),
    ({"retry_seconds": 10, "max_retry_seconds": 5}, "max_retry_seconds is less than"),
    ({"spool_dir": "spool"}, "settings.spool_dir: the path depends on the working folder"),
    ({"ca_file": "/does/not/exist.pem"}, "ca_file: no certificates can be read from it"),
    ({"url": "http://a.example", "allow_http": True, "ca_file": "/x"}, "only for an https URL"),
    ({"allow_networks": ["10.0.0.1/8"]}, "settings.allow_networks"),
    ({"include_args": True, "max_args_bytes": 0, "spool_mebibytes": 1}, "set it to 2 or more"),
    ({"tool_patterns": [""]}, "tool_patterns: the pattern '' matches no tool: it is empty"),
    ({"tool_patterns": ["a", "[a"]}, r"tool_patterns: the pattern '\[a' matches no tool: "),
    ({"tool_pattern": ["x"]}, "did you mean"),
]


BAD_URLS: list[tuple[str, str]] = [
    ("", "it is empty"),
    ("http://a.example/S3CR3T", "its scheme is http: use https, or set allow_http"),
    ("https://10.0.0.1/S3CR3T", "10.0.0.1 is no public address: set allow_networks"),
]


@pytest.mark.parametrize(("settings", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_wrong_settings_are_refused_without_telling_a_secret(
    settings: dict[str, Any], why: str
) -> None:
    given = {"url": URL} | settings
    given = {key: value for key, value in given.items() if value is not None}
    with pytest.raises(RegistrationError, match=why) as caught:
        HookManager().register(WebhookAudit, settings=given)
    assert "S3CR3T" not in str(caught.value)


@pytest.mark.parametrize(("url", "why"), BAD_URLS, ids=[why for _, why in BAD_URLS])
def test_a_bad_url_disables_the_plugin_without_telling_a_secret(url: str, why: str) -> None:
    with pytest.raises(PluginDisabledError, match=f"settings.url: .*{why}") as caught:
        HookManager().register(WebhookAudit, settings={"url": url})
    assert "S3CR3T" not in str(caught.value)


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("nothing")
    with pytest.raises(ValueError, match="no certificates can be read from it"):
        WebhookAuditSettings.model_validate({"url": URL, "ca_file": file})


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "http://a.example/", "allow_http": True},
        {"url": "https://10.1.2.3/", "allow_networks": ["10.0.0.0/8"]},
        {"url": "https://localhost/", "allow_networks": ["127.0.0.0/8"]},
        {"url": URL, "max_args_bytes": 0, "include_args": True, "redact_kinds": ["secrets"]},
        {"url": URL, "include_args": False, "max_args_bytes": 4096, "tool_patterns": []},
    ],
)
def test_settings_that_can_act_are_taken(settings: dict[str, Any]) -> None:
    assert WebhookAuditSettings.model_validate(settings).model_fields_set == set(settings)


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    settings = {"url": "http://a.example/S3CR3T"}
    return {
        "plugins": {
            "redact": {"enabled": True},
            "webhook-audit": {"enabled": True, "settings": settings},
        }
    }


def test_a_bad_url_leaves_out_this_plugin_and_nothing_else(
    config: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager = HookManager.load(tmp_path, config)
    assert [plugin.name for plugin in manager.plugins()] == ["redact"]
    (line,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert "webhook-audit (hookcore-webhook-audit 0.1.0)" in line.getMessage()
    assert "its scheme is http: use https" in line.getMessage()
    assert "S3CR3T" not in caplog.text


def test_a_bad_url_of_an_audit_that_may_fail_is_left_out(
    config: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    section = {"enabled": True, "on_error": "allow", "settings": {"url": "http://a.example/S3CR3T"}}
    manager = HookManager.load(tmp_path, {"plugins": {"webhook-audit": section}})
    assert manager.plugins() == ()
    assert 'left out, because its configuration says on_error = "allow"' in caplog.text
    assert "S3CR3T" not in caplog.text


@pytest.mark.parametrize("keys", [{"on_error": "deny"}, {"required": True}])
def test_a_bad_url_stops_the_manager_where_the_audit_is_needed(
    config: dict[str, Any], tmp_path: Path, keys: dict[str, Any]
) -> None:
    config["plugins"]["webhook-audit"] |= keys
    with pytest.raises(PluginLoadError, match="url: its scheme is http: use https") as caught:
        HookManager.load(tmp_path, config)
    assert "S3CR3T" not in str(caught.value)


def test_two_webhooks_share_no_spool_and_its_name_tells_no_secret(tmp_path: Path) -> None:
    files = set()
    for path in ("a", "b"):
        settings = {"url": f"https://a.example/{path}", "spool_dir": tmp_path}
        plugin = WebhookAudit(WebhookAuditSettings.model_validate(settings))
        files.add(plugin._sender._spool.file)
    assert {file.parent for file in files} == {tmp_path}
    assert len(files) == 2


def test_the_spool_lies_in_the_user_s_state_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    plugin = WebhookAudit(WebhookAuditSettings.model_validate({"url": URL}))
    folder = plugin._sender._spool.file.parent
    assert folder.name == "webhook-audit"
    assert tmp_path in folder.parents
    assert not folder.exists()


def test_a_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookcore_webhook_audit.plugin.state_folder", lambda: None)
    with pytest.raises(ConfigError, match="set HOME, or spool_dir"):
        WebhookAudit(WebhookAuditSettings.model_validate({"url": URL}))


def test_the_plugin_works_at_two_points() -> None:
    manager = HookManager()
    manager.register(WebhookAudit, name="webhook-audit", settings={"url": URL})
    assert manager.plugins()[0].points == ("gateway_stop", "tool_finished")
