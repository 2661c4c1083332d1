from __future__ import annotations

import pytest

from hookcore import sanitize_tool_name
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings


def denying(*patterns: str) -> ToolPolicy:
    return ToolPolicy(ToolPolicySettings(deny=list(patterns)))


def allowing(*patterns: str) -> ToolPolicy:
    return ToolPolicy(ToolPolicySettings(allow=list(patterns)))


SPELLINGS = [
    "delete_file",
    "Delete File",
    "deleteFile",
    "DeleteFile",
    "DELETE_FILE",
    "DeLeTe_FiLe",
    "DELETE_F\u0130LE",
    "delete_f\u0131le",
    "delete_\u3164file",
    "delete-file",
    "delete.file",
    "  delete_file\n",
    "delete_file\x00",
    "delete\u200b_file",
    "delete_\ufefffile",
    "\uff44\uff45\uff4c\uff45\uff54\uff45_file",
    "délète_file",
    "delete__file",
    "\U0001d41d\U0001d41e\U0001d425\U0001d41e\U0001d42d\U0001d41e_file",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_deny_name_catches_every_spelling(spelling: str) -> None:
    assert denying("delete_file").judge(spelling, {}) is not None


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_deny_glob_catches_every_spelling(spelling: str) -> None:
    assert denying("*_file").judge(spelling, {}) is not None


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("glob", ["Delete *", "deleteF*", "DELETE-*", "delete?ile", "[A-D]elete*"])
def test_a_deny_glob_may_be_spelled_as_it_likes(glob: str, spelling: str) -> None:
    assert denying(glob).judge(spelling, {}) is not None


@pytest.mark.parametrize("name", ["mcp-github-merge", "mcp_github_merge", "mcp__GitHub__merge"])
def test_a_deny_glob_for_a_server_catches_its_tools_as_hosts_rename_them(name: str) -> None:
    assert denying("mcp__github__*").judge(name, {}) is not None
    assert denying("mcp__github__*").judge("mcp_gitlab_merge", {}) is None


@pytest.mark.parametrize("spelling", SPELLINGS[1:])
def test_an_allow_name_admits_only_its_own_spelling(spelling: str) -> None:
    assert allowing("delete_file").judge(spelling, {}) is not None


@pytest.mark.parametrize("spelling", SPELLINGS[1:])
def test_an_allow_glob_admits_only_its_own_spelling(spelling: str) -> None:
    assert allowing("delete_fi*e").judge(spelling, {}) is not None


def test_an_allow_name_admits_the_name_as_written() -> None:
    assert allowing("Delete File").judge("Delete File", {}) is None


def test_a_deny_name_written_for_people_catches_the_sanitised_tool() -> None:
    assert denying("Delete File").judge("delete_file", {}) is not None


def test_a_deny_name_that_sanitises_to_nothing_catches_only_itself() -> None:
    policy = denying("删除")
    assert policy.judge("删除", {}) is not None
    assert policy.judge("查询", {}) is None


def test_a_glob_matches_the_whole_name() -> None:
    policy = denying("delete_?")
    assert policy.judge("delete_a", {}) is not None
    assert policy.judge("delete_ab", {}) is None
    assert policy.judge("undelete_a", {}) is None


def test_a_star_crosses_line_breaks() -> None:
    assert denying("a*z").judge("a\nz", {}) is not None


def test_a_bracket_stands_for_itself_inside_brackets() -> None:
    policy = denying("a[[]b", "c[]]d", "e[*]")
    assert policy.judge("a[b", {}) is not None
    assert policy.judge("c]d", {}) is not None
    assert policy.judge("e*", {}) is not None
    assert policy.judge("ef", {}) is None


def test_a_deny_glob_reaches_the_end_of_a_name_that_sanitising_cuts() -> None:
    spelled = "Very Long Tool Name " * 4 + "Delete"
    assert not sanitize_tool_name(spelled).endswith("delete")
    assert denying("*_delete").judge(spelled, {}) is not None


def test_a_deny_name_catches_the_cut_form_of_a_long_name() -> None:
    name = "very_long_tool_name_" * 4 + "delete"
    assert denying(name).judge(sanitize_tool_name(name), {}) is not None


@pytest.mark.parametrize("default", ["allow", "deny"])
def test_a_name_of_a_megabyte_is_denied_and_not_remembered(default: str) -> None:
    policy = ToolPolicy(ToolPolicySettings.model_validate({"default": default}))
    assert policy.judge("x" * 1_000_000, {}) is not None
    assert policy._plan.cache_info().currsize == 0


def test_the_longest_name_that_is_judged_has_256_characters() -> None:
    policy = allowing("x*")
    assert policy.judge("x" * 256, {}) is None
    assert policy.judge("x" * 257, {}) is not None


@pytest.mark.parametrize("name", [None, "", "bad\ud800name", 7])
def test_a_call_without_a_proper_name_is_denied(name: object) -> None:
    policy = ToolPolicy(ToolPolicySettings(default="allow", deny=["x"]))
    assert policy.judge(name, {}) is not None  # type: ignore[arg-type]


def test_what_is_remembered_about_names_is_bounded() -> None:
    policy = denying("delete_*")
    for number in range(5000):
        policy.judge(f"tool_{number}", {})
    assert policy._plan.cache_info().currsize == 4096


def test_a_deny_rule_catches_a_tool_by_another_name_that_its_host_knows() -> None:
    denial = denying("shell").judge("run_shell_command", {}, ("Bash", "shell"))
    assert denial is not None
    assert denial.message == "the tool run_shell_command is not allowed by policy"


def test_an_allow_rule_lets_a_tool_through_by_another_name_as_it_is_written() -> None:
    policy = allowing("Bash")
    assert policy.judge("run_shell_command", {}, ("Bash",)) is None
    assert policy.judge("run_shell_command", {}, ("bash",)) is not None
    assert policy.judge("run_shell_command", {}) is not None


def test_a_deny_rule_for_one_name_beats_an_allow_rule_for_another() -> None:
    policy = ToolPolicy(ToolPolicySettings(allow=["Bash"], deny=["exec_command"]))
    assert policy.judge("Bash", {}) is None
    assert policy.judge("Bash", {}, ("exec_command",)) is not None
