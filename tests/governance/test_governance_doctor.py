"""``hookctl doctor``: each finding, the command that mends it, and the exit code."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookRecord
from hookcore.log.store import Store

ON = "[plugins.guard]\nenabled = true\n"


def doctor(machine: Any, *arguments: str) -> dict[str, dict[str, Any]]:
    """Return the findings by code."""
    result = machine.hookctl("doctor", "--json", *arguments)
    findings = result.json["findings"]
    errors = sum(finding["severity"] == "error" for finding in findings)
    assert (result.json["errors"], result.code) == (errors, 3 if errors else 0)
    assert all(finding["fix"] for finding in findings)
    return {finding["code"]: finding for finding in findings}


def log(
    machine: Any, *records: HookRecord, tool: str = "ls", hosts: dict[str, Any] | None = None
) -> None:
    machine.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = Store(machine.state / "decisions.sqlite3", max_megabytes=100, max_days=30)
    event = HookDispatchedEvent("pre_tool_call", "proceeded", 1, 1.0, tool=tool)
    event.records.extend(records)
    store.write([event], 0)
    for host, points in (hosts or {}).items():
        store.declare(host, points)
    store.close()


@pytest.fixture
def healthy(machine: Any) -> Any:
    machine.package = machine.install("guard")
    assert machine.hookctl("enable", "guard").code == 0
    return machine


def test_where_nothing_is_wrong_it_says_so(healthy: Any) -> None:
    result = healthy.hookctl("doctor")
    assert (result.code, result.out) == (0, "Nothing is wrong.\n")


def test_each_finding_comes_with_what_mends_it(healthy: Any) -> None:
    (healthy.package / "rules.txt").write_text("new\n")
    result = healthy.hookctl("doctor")
    assert result.code == 0
    assert "warning: guard: plugin_guard/rules.txt: changed since it was locked" in result.out
    assert (
        "    mend it: pip install --force-reinstall acme-guard, or hookctl lock guard" in result.out
    )
    assert result.out.endswith("0 errors, 1 warning.\n")
    assert healthy.hookctl("doctor", "--fail-on", "warning").code == 1


def test_code_that_was_added_is_not_told_to_go_with_a_new_installation(healthy: Any) -> None:
    (healthy.package / "extra.py").write_text("new = 1\n")
    out = healthy.hookctl("doctor").out
    assert "plugin_guard/extra.py: not in the lock file" in out
    assert "    mend it: delete what you do not know, or hookctl lock guard if you meant it" in out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[plugins\n", "is not valid TOML"),
        ("[plugins.guard]\nenable = true\n", 'did you mean "enabled"'),
        ("[hooks]\nverify = 'strict'\n", 'must be one of "off", "warn", "enforce"'),
    ],
)
def test_a_configuration_that_is_wrong(healthy: Any, text: str, words: str) -> None:
    healthy.project.write_text(text)
    found = doctor(healthy)["configuration"]
    assert found["severity"] == "error"
    assert words in found["message"]
    assert str(healthy.project) in found["fix"]


def test_a_plugin_that_is_missing(machine: Any) -> None:
    machine.project.write_text(ON)
    found = doctor(machine)["missing"]
    assert (found["severity"], found["subject"]) == ("error", "guard")
    assert "hookctl disable guard" in found["fix"]


def test_a_plugin_that_is_offered_twice(healthy: Any) -> None:
    healthy.install("guard", distribution="other")
    found = doctor(healthy)["duplicate"]
    assert found["severity"] == "error"
    assert found["fix"] == "pip uninstall acme-guard"


def test_a_plugin_that_is_offered_twice_and_off_is_a_warning(machine: Any) -> None:
    machine.install("guard")
    machine.install("guard", distribution="other")
    assert doctor(machine)["duplicate"]["severity"] == "warning"


def test_a_plugin_that_cannot_be_loaded(machine: Any) -> None:
    machine.install("guard", "raise RuntimeError('boom')")
    machine.hookctl("enable", "guard")
    found = doctor(machine)["broken"]
    assert "RuntimeError: boom" in found["message"]
    assert "broken" not in doctor(machine, "--no-load")


def test_settings_that_the_plugin_does_not_know(healthy: Any) -> None:
    healthy.project.write_text(ON + "settings.deny = ['x']\n")
    found = doctor(healthy)["broken"]
    assert "the plugin declares none" in found["message"]


def test_code_that_is_not_locked(healthy: Any) -> None:
    healthy.project.with_name("hookcore.lock").unlink()
    found = doctor(healthy)["unlocked"]
    assert (found["severity"], found["fix"]) == ("warning", "hookctl lock guard")
    healthy.project.write_text("[hooks]\nverify = 'enforce'\n" + ON)
    assert doctor(healthy)["unlocked"]["severity"] == "error"


def test_code_that_was_edited_and_then_locked(healthy: Any) -> None:
    (healthy.package / "rules.txt").write_text("new\n")
    healthy.hookctl("lock")
    assert (
        "rules.txt changed since acme-guard was installed" in doctor(healthy)["edited"]["message"]
    )


def test_changed_code_is_not_imported_by_the_doctor_under_enforce(healthy: Any) -> None:
    healthy.project.write_text("[hooks]\nverify = 'enforce'\n" + ON)
    witness = healthy.root / "imported"
    (healthy.package / "__init__.py").write_text(f"open({str(witness)!r}, 'w').close()")
    assert doctor(healthy)["changed"]["severity"] == "error"
    assert not witness.exists()


def test_a_lock_that_is_broken(healthy: Any) -> None:
    healthy.project.with_name("hookcore.lock").write_text("nonsense")
    assert "is not what hookctl writes" in doctor(healthy)["lock"]["message"]


def test_a_gate_that_lets_pass_when_it_fails(healthy: Any) -> None:
    healthy.project.write_text(ON + "on_error = 'allow'\n")
    found = doctor(healthy)["fail-open"]
    assert "its gate pre_tool_call at pre_tool_call lets pass" in found["message"]
    assert str(healthy.project) in found["fix"]


def test_a_pattern_that_matches_no_tool_that_was_seen(healthy: Any) -> None:
    healthy.project.write_text(ON + "tools = ['delete_*', 'lst']\n")
    assert "pattern" not in doctor(healthy)
    log(healthy, HookRecord("guard", "pre_tool_call", "allow", "applied", 1.0), tool="Delete File")
    found = doctor(healthy)["pattern"]
    assert "'lst' matches none of the 1 tools" in found["message"]


def test_a_pattern_in_the_settings_of_a_plugin_that_tells_them(machine: Any) -> None:
    code = """
from hookcore import hookimpl
class Plugin:
    tool_patterns = ["delet_*"]
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx): ...
"""
    machine.install("guard", code)
    machine.hookctl("enable", "guard")
    log(machine, HookRecord("guard", "pre_tool_call", "allow", "applied", 1.0), tool="delete_file")
    assert "'delet_*' matches none" in doctor(machine)["pattern"]["message"]


def test_a_policy_at_a_point_that_no_known_host_dispatches(healthy: Any) -> None:
    record = HookRecord("other", "output", "allow", "applied", 1.0)
    machine_log = {"a host": ["output"]}
    healthy.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = Store(healthy.state / "decisions.sqlite3", max_megabytes=1, max_days=1)
    store.write([HookDispatchedEvent("output", "proceeded", 1, 1.0, records=[record])], 0)
    for host, points in machine_log.items():
        store.declare(host, points)
    store.close()
    assert "dispatches pre_tool_call, where it hooks" in doctor(healthy)["undispatched"]["message"]


def test_hooks_that_were_never_called(healthy: Any) -> None:
    log(healthy, HookRecord("other", "pre_tool_call", "allow", "applied", 1.0))
    assert "pre_tool_call were never called" in doctor(healthy)["uncalled"]["message"]


def test_plugins_that_fail_or_are_slow(healthy: Any) -> None:
    log(healthy, HookRecord("guard", "pre_tool_call", "timeout", "ignored", 2000.0))
    found = doctor(healthy)
    assert "failed 1 of 1 times at pre_tool_call" in found["failing"]["message"]
    assert "takes over 2000 ms" in found["slow"]["message"]
    assert "hookctl log --plugin guard --summary" in found["failing"]["fix"]


@pytest.mark.skipif(os.name == "nt", reason="needs modes")
def test_files_that_others_may_write(healthy: Any) -> None:
    for path in (healthy.project, healthy.project.with_name("hookcore.lock"), healthy.user.parent):
        path.chmod(0o777)
    healthy.user.write_text("")
    result = healthy.hookctl("doctor", "--json").json
    subjects = {f["subject"] for f in result["findings"] if f["code"] == "writable"}
    assert subjects == {
        str(healthy.project),
        str(healthy.project.with_name("hookcore.lock")),
        str(healthy.user.parent),
    }
    assert f"chmod go-w {healthy.project}" in {finding["fix"] for finding in result["findings"]}


def test_files_of_another_user(healthy: Any) -> None:
    try:
        os.chown(healthy.project, 12345, 12345)
    except (AttributeError, PermissionError):
        pytest.skip("this user cannot give files away")
    assert doctor(healthy)["owner"]["subject"] == str(healthy.project)


def test_a_project_that_does_not_count(healthy: Any) -> None:
    healthy.user.write_text("[trust]\nproject = 'trusted'\n")
    healthy.project.write_text(ON + "priority = 3\n")
    found = doctor(healthy)["untrusted"]
    assert (found["severity"], found["fix"]) == ("warning", "hookctl trust")


def test_a_state_that_is_not_believed(healthy: Any) -> None:
    healthy.user.write_text("[trust]\nproject = 'trusted'\n")
    (healthy.state / "trust.json").chmod(0o666)
    found = doctor(healthy)["state"]
    assert "others may have written" in found["message"]


def test_a_master_switch_that_is_off(healthy: Any) -> None:
    healthy.user.write_text("[hooks]\nenabled = false\n")
    assert str(healthy.user) in doctor(healthy)["off"]["message"]


def test_a_log_that_cannot_be_read(healthy: Any) -> None:
    healthy.state.mkdir(parents=True, exist_ok=True)
    (healthy.state / "decisions.sqlite3").write_bytes(b"nonsense" * 100)
    found = doctor(healthy)["log"]
    assert found["severity"] == "warning"
    assert found["fix"].startswith("mv ")


def test_a_lock_entry_of_code_that_another_folder_shadows(healthy: Any) -> None:
    from hookcore.config import read_config
    from hookcore.discovery import discover
    from hookcore.trust.verify import differences

    evil = healthy.root / "evil"
    (evil / "plugin_guard").mkdir(parents=True)
    (evil / "plugin_guard" / "__init__.py").write_text("")
    config, source = read_config(healthy.project.parent), discover()["guard"]
    assert differences(config, source) == []
    import sys

    sys.path.insert(0, str(evil))
    try:
        assert [difference.kind for difference in differences(config, source)] == ["shadowed"]
    finally:
        sys.path.remove(str(evil))


def test_nobody_is_told_to_disable_what_is_required(machine: Any) -> None:
    machine.system.write_text("[plugins.guard]\nrequired = true\n")
    for result in (machine.hookctl("doctor"), machine.hookctl("list")):
        assert "no installed distribution offers it" in result.out + result.err
        assert "hookctl disable" not in result.out + result.err


def test_an_editable_install_is_not_told_to_come_from_an_index(healthy: Any) -> None:
    url = {"url": healthy.site.as_uri(), "dir_info": {"editable": True}}
    metadata = healthy.site / "acme_guard-1.0.dist-info"
    (metadata / "direct_url.json").write_text(json.dumps(url))
    healthy.project.write_text("[plugins.guard]\nenabled = true\nrequired = true\n")
    assert healthy.hookctl("lock", "guard").code == 0
    (healthy.package / "rules.txt").write_text("new\n")
    assert doctor(healthy)["changed"]["fix"].startswith(f"restore it in {healthy.site}, or ")


def test_an_editable_install_is_told_once_and_not_compared_under_warn(
    healthy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    url = {"url": healthy.site.as_uri(), "dir_info": {"editable": True}}
    metadata = healthy.site / "acme_guard-1.0.dist-info"
    (metadata / "direct_url.json").write_text(json.dumps(url))
    (healthy.package / "rules.txt").write_text("new\n")
    healthy.load()
    assert caplog.text == ""
    assert healthy.hookctl("lock", "--check").code == 0
    found = doctor(healthy)
    assert list(found) == ["editable"]
    assert "without -e" in found["editable"]["fix"]


def test_a_plugin_that_warns_when_it_is_loaded(machine: Any) -> None:
    machine.install(
        "guard",
        """
        import logging
        from hookcore import hookimpl
        class Plugin:
            def __init__(self):
                logging.getLogger("plugin_guard").warning("guard has no rules")
            @hookimpl
            def output(self, ctx): ...
        """,
    )
    machine.hookctl("enable", "guard")
    assert doctor(machine)["warned"]["message"] == "it warns: guard has no rules"


def test_a_plugin_that_is_slow_to_load(healthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "slow-import" not in doctor(healthy)
    monkeypatch.setattr("hookctl.doctor.hooks.SLOW_SECONDS", 0.0)
    assert "which each start waits for" in doctor(healthy)["slow-import"]["message"]


def test_no_plugin_at_all(machine: Any) -> None:
    machine.install("guard")
    assert "no plugin is enabled" in doctor(machine)["idle"]["message"]


def test_metadata_of_others_that_is_broken(healthy: Any) -> None:
    broken = healthy.site / "broken-3.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"[others]\n\xff = a:b\n")
    assert "broken 3.0" in doctor(healthy)["metadata"]["message"]
    done = healthy.process("doctor")
    assert done.code == 0
    assert "broken 3.0" in done.out


@pytest.mark.parametrize(
    "command", [("--help",), ("list",), ("info", "guard"), ("config", "show"), ("fire", "output")]
)
def test_metadata_of_others_that_is_broken_breaks_no_command(healthy: Any, command: Any) -> None:
    broken = healthy.site / "broken-3.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"[others]\n\xff = a:b\n")
    assert healthy.process(*command).code == 0
