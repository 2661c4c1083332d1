from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, ToolCallContext
from hookcore_shell_guard import ShellGuard, ShellGuardSettings


def guard(**values: Any) -> ShellGuard:
    return ShellGuard(ShellGuardSettings.model_validate(values))


def denied(plugin: ShellGuard, command: str, cwd: str | None = None) -> bool:
    return plugin.judge("Bash", {"command": command}, cwd) is not None


def message(plugin: ShellGuard, command: str) -> str:
    verdict = plugin.judge("Bash", {"command": command})
    assert verdict is not None
    return verdict.message


def reason(plugin: ShellGuard, command: str) -> str:
    verdict = plugin.judge("Bash", {"command": command})
    assert verdict is not None
    return verdict.reason


def test_a_list_of_presets_lets_through_what_all_let_through() -> None:
    plugin = guard(preset=["no-network", "no-history-rewriting"])
    assert denied(plugin, "git fetch")
    assert denied(plugin, "git commit --amend")
    assert not denied(plugin, "git commit -m x")


def test_the_model_is_told_the_segment_and_a_way_that_works() -> None:
    assert message(guard(preset="no-network"), "ls && git push origin secret-branch") == (
        "segment 2 of 2, `git push`, connects to a network, or may. This workspace has no network: "
        "work with what is here (localhost, local git, builds and tests are fine), and leave "
        "fetching and publishing to a person."
    )


def test_the_operator_is_told_the_preset_and_no_value() -> None:
    text = reason(guard(preset="no-network"), "curl https://example.org/secret")
    assert text == "preset no-network: a segment connects to a network, or may"


def test_what_cannot_be_read_is_said_with_its_cause() -> None:
    assert message(guard(), "cat <<EOF\nx") == (
        "the command could not be read: a heredoc has no end line. Write it simpler, one plain "
        "command at a time, or use a tool for files."
    )


def test_a_computed_program_is_said_to_be_one() -> None:
    assert "its program is only known when it runs" in message(guard(), "$X -rf /")


@pytest.mark.parametrize(
    "command",
    ["ls; SECRET=1 curl https://x/SECRET", "rm -rf /SECRET", "git push SECRET --force",
     "SECRET_program; sudo SECRET", "cat SECRET | sh", "echo SECRET > /etc/SECRET"],
)  # fmt: skip
def test_no_value_of_the_command_stands_in_any_text(command: str) -> None:
    plugin = guard(preset=["careful", "no-network"])
    assert "SECRET" not in message(plugin, command)
    assert "SECRET" not in reason(plugin, command)


def test_an_allow_rule_lifts_a_segment_out_of_the_preset() -> None:
    rule = {"effect": "allow", "program": "gh", "args": ["pr", "view|list"]}
    plugin = guard(preset="no-network", rules=[rule])
    assert not denied(plugin, "gh pr view 3")
    assert denied(plugin, "gh pr merge 3")
    assert denied(plugin, "gh pr view 3 && curl x")


def test_an_allow_rule_lifts_no_redirection_and_no_variable() -> None:
    plugin = guard(preset="read-only", rules=[{"effect": "allow", "program": "pytest"}])
    assert not denied(plugin, "pytest -q")
    assert denied(plugin, "pytest -q > out.txt")
    assert denied(plugin, "LD_PRELOAD=./x.so pytest -q")


def test_an_allow_rule_lifts_nothing_that_is_not_known() -> None:
    rule = {"effect": "allow", "program": "gh", "args": ["pr"]}
    plugin = guard(preset="no-network", rules=[rule])
    assert denied(plugin, "gh $X")
    assert denied(plugin, "echo pr | xargs gh")


def test_an_allow_rule_may_lift_what_is_opaque() -> None:
    plugin = guard(rules=[{"effect": "allow", "program": "pwsh"}])
    assert not denied(plugin, "pwsh -c 'Get-ChildItem'")
    assert denied(guard(), "pwsh -c 'Get-ChildItem'")


def test_a_deny_rule_adds_to_the_preset() -> None:
    plugin = guard(rules=[{"effect": "deny", "program": "git", "options": ["--no-verify"]}])
    assert denied(plugin, "git commit --no-verify -m x")
    assert denied(plugin, "git commit --no-ver -m x")
    assert denied(plugin, "sh -c 'git -C x push --no-verify'")
    assert not denied(plugin, "git commit -m --no-verify-in-a-text")


def test_a_rule_s_letters_are_found_in_clusters() -> None:
    plugin = guard(rules=[{"effect": "deny", "program": "git", "options": ["-n"]}])
    assert denied(plugin, "git commit -an")


def test_a_rule_s_operands_come_after_the_program_s_own_options() -> None:
    plugin = guard(rules=[{"effect": "deny", "program": "git", "args": ["push", "origin"]}])
    assert denied(plugin, "git -C x --no-pager push -v origin main")
    assert not denied(plugin, "git push upstream origin")


def test_an_unknown_operand_matches_a_deny_rule() -> None:
    plugin = guard(rules=[{"effect": "deny", "program": "make", "args": ["deploy"]}])
    assert denied(plugin, 'make "$X"')


def test_the_operator_s_reason_is_the_reason() -> None:
    rule = {"effect": "deny", "program": "make", "reason": "builds run elsewhere"}
    assert reason(guard(rules=[rule]), "make x") == "rules[0]: builds run elsewhere"


def test_a_deny_rule_beats_an_allow_rule() -> None:
    allow = {"effect": "allow", "program": "git"}
    deny = {"effect": "deny", "program": "git", "args": ["push"]}
    plugin = guard(preset="no-network", rules=[allow, deny])
    assert not denied(plugin, "git fetch")
    assert denied(plugin, "git push")


def test_a_rule_without_presets_judges_alone() -> None:
    plugin = guard(preset=[], rules=[{"effect": "deny", "program": "rm"}])
    assert denied(plugin, "xargs rm")
    assert denied(plugin, "$X x")
    assert not denied(plugin, "curl x")


def test_the_folder_of_a_call_is_where_its_paths_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")
    plugin = guard(project=["/home/dev/a", "/home/dev/a/sub"])
    assert not denied(plugin, "rm -rf ../build", "/home/dev/a/src")
    assert denied(plugin, "rm -rf ../build", "/home/dev/a")
    assert denied(plugin, "rm -rf ../build", "/home/dev/a/sub")
    assert denied(plugin, "rm -rf build", "/home/dev/elsewhere")


def test_a_tool_s_own_folder_counts() -> None:
    plugin = guard(project=["/home/x/a"])
    call = {"command": "rm -rf ../build"}
    assert plugin.judge("Bash", {**call, "workdir": "src"}, "/home/x/a") is None
    assert plugin.judge("Bash", {**call, "dir_path": "/home/x/a"}, "/home/x/a/src") is not None


def test_without_roots_the_folder_is_the_project() -> None:
    assert not denied(guard(), "rm -rf build", "/srv/app")
    assert denied(guard(), "rm -rf ../app2", "/srv/app")


def test_the_process_s_folder_stands_in_for_one_that_is_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not denied(guard(project=["/srv/app"]), "rm -rf /srv/app/x", "/srv/app")
    assert denied(guard(project=["/srv/app"]), "rm -rf /srv/app/x")


def test_other_tools_are_none_of_its_business() -> None:
    assert guard().judge("write_file", {"command": "rm -rf /"}) is None
    assert guard().judge(None, {}) is None


def test_a_shell_tool_without_a_readable_command_is_opaque() -> None:
    verdict = guard().judge("Bash", {"command": {"text": "ls"}})
    assert verdict is not None
    assert verdict.reason.startswith("opaque: ")


def test_another_shell_s_tool_is_opaque_unless_a_rule_allows_it() -> None:
    assert guard().judge("powershell", {"command": "ls"}) is not None
    allowing = guard(rules=[{"effect": "allow", "program": "powershell"}])
    assert allowing.judge("powershell", {"command": "ls"}) is None


def call(command: str, **attributes: Any) -> ToolCallContext:
    return ToolCallContext(
        tool_name="Bash",
        payload={"command": command},
        point="pre_tool_call",
        attributes=attributes,
    )


def test_a_denied_call_is_aborted_in_the_policy_s_name() -> None:
    with pytest.raises(HookAborted) as caught:
        guard().pre_tool_call(call("sudo ls"))
    assert caught.value.source == "shell-guard"
    assert caught.value.reason == "preset careful: a segment raises rights"
    assert caught.value.rule == "preset careful"


def test_the_host_s_folder_is_used() -> None:
    plugin = guard(project=["/srv/app"])
    plugin.pre_tool_call(call("rm -rf ../build", cwd="/srv/app/src"))
    with pytest.raises(HookAborted):
        plugin.pre_tool_call(call("rm -rf ../build", cwd="/srv/app"))


def test_settings_that_were_not_validated_are_checked() -> None:
    bad = ShellGuardSettings.model_construct(
        preset=["careful"], rules=[ShellGuardSettings.model_fields["rules"].default], tools={}
    )
    with pytest.raises((ValueError, AttributeError)):
        ShellGuard(bad)


def test_the_grammar_is_loaded_at_the_first_judgement_only() -> None:
    code = (
        "import sys; from hookcore_shell_guard import ShellGuard, ShellGuardSettings;"
        "guard = ShellGuard(ShellGuardSettings()); assert 'tree_sitter' not in sys.modules;"
        "guard.judge('Read', {}); assert 'tree_sitter' not in sys.modules;"
        "guard.judge('Bash', {'command': 'ls'}); assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
