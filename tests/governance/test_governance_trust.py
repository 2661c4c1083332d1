"""Projects that count only when the user has trusted them, and repositories that want more."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore.config import files
from hookcore.disk.state import StateError
from hookcore.errors import ConfigError
from hookcore.trust import projects

TRUSTED = "[trust]\nproject = 'trusted'\n"
NEVER = "[trust]\nproject = 'never'\n"
ON = "[plugins.guard]\nenabled = true\n"


@pytest.fixture
def careful(machine: Any) -> Any:
    """A machine whose user wants to have looked at a project's configuration."""
    machine.install("guard")
    machine.user.write_text(TRUSTED)
    return machine


def plugins(machine: Any) -> list[str]:
    return [info.name for info in machine.load().plugins()]


def test_a_project_counts_when_nobody_says_a_word_about_trust(machine: Any) -> None:
    machine.install("guard")
    machine.project.write_text(ON)
    assert plugins(machine) == ["guard"]


def test_an_untrusted_project_does_not_count_and_that_is_told(
    careful: Any, caplog: pytest.LogCaptureFixture
) -> None:
    careful.project.write_text(ON)
    assert plugins(careful) == []
    assert "does not count: nobody has trusted it" in caplog.text
    assert "hookctl trust" in caplog.text


def test_a_trusted_project_counts(careful: Any) -> None:
    careful.project.write_text(ON)
    result = careful.hookctl("trust")
    assert result.code == 0
    assert "plugins.guard.enabled = True" in result.out
    assert plugins(careful) == ["guard"]


def test_a_project_that_does_not_count_is_told_by_list(careful: Any) -> None:
    careful.project.write_text(ON)
    result = careful.hookctl("list")
    assert result.code == 0
    assert f"{careful.project} does not count: nobody has trusted it" in result.err
    assert "disabled" in result.out


def test_trust_where_no_project_counts_is_told_to_be_in_vain(machine: Any) -> None:
    machine.user.write_text(NEVER)
    machine.project.write_text(ON)
    assert "does not count all the same" in machine.hookctl("trust").err


def test_there_must_be_a_project_to_trust(careful: Any) -> None:
    assert careful.hookctl("trust").code == 2


def test_trust_is_told_as_json(careful: Any) -> None:
    careful.project.write_text(ON)
    told = careful.hookctl("trust", "--json").json
    assert (told["file"], told["trusted"], told["lock"]) == (str(careful.project), True, None)
    assert careful.hookctl("trust", "--revoke", "--json").json["changed"] is True


def test_trust_ends_with_the_next_change(careful: Any, caplog: pytest.LogCaptureFixture) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    careful.project.write_text(ON + "[plugins.evil]\nenabled = true\n")
    assert plugins(careful) == []
    assert "has changed since it was trusted" in caplog.text


def test_comments_and_layout_may_change(careful: Any) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    careful.project.write_text("# a comment\n\n" + ON.replace(" = ", "="))
    assert plugins(careful) == ["guard"]


def test_other_tables_of_a_pyproject_may_change(careful: Any) -> None:
    pyproject = careful.project.with_name("pyproject.toml")
    table = "[tool.hookcore.plugins.guard]\nenabled = true\n"
    pyproject.write_text(table)
    careful.hookctl("trust")
    pyproject.write_text("[project]\nname = 'x'\n" + table)
    assert plugins(careful) == ["guard"]


def test_trust_is_taken_back(careful: Any) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    assert "no longer trusted" in careful.hookctl("trust", "--revoke").out
    assert plugins(careful) == []
    assert "not trusted" in careful.hookctl("trust", "--revoke").out


def test_enable_trusts_what_it_writes(careful: Any) -> None:
    assert careful.hookctl("enable", "guard").code == 0
    assert plugins(careful) == ["guard"]
    assert careful.hookctl("disable", "guard").code == 0
    assert plugins(careful) == []
    assert careful.hookctl("enable", "guard", "--monitor").code == 0
    assert plugins(careful) == ["guard"]


def test_enable_does_not_launder_what_a_repository_brought_along(careful: Any) -> None:
    careful.project.write_text("[plugins.evil]\nenabled = true\n")
    before = careful.project.read_bytes()
    result = careful.hookctl("enable", "guard")
    assert result.code == 2
    assert "hookctl trust" in result.err
    assert careful.project.read_bytes() == before
    assert not (careful.state / "trust.json").exists()


def test_enable_without_the_rule_trusts_no_file_of_somebody_else(machine: Any) -> None:
    machine.install("guard")
    machine.project.write_text("[plugins.evil]\nenabled = false\n")
    assert machine.hookctl("enable", "guard").code == 0
    machine.user.write_text(TRUSTED)
    assert plugins(machine) == []


def test_a_project_never_counts_where_that_is_said(machine: Any) -> None:
    machine.install("guard")
    machine.system.write_text(NEVER)
    machine.project.write_text(ON)
    machine.hookctl("trust")
    assert plugins(machine) == []
    result = machine.hookctl("enable", "guard")
    assert result.code == 2
    assert "--user" in result.err


def test_where_projects_never_count_they_are_not_even_read(machine: Any) -> None:
    machine.user.write_text(NEVER)
    machine.project.write_text("[plugins\n")
    machine.project.with_name("pyproject.toml").write_text("[tool.hookcore\n")
    assert plugins(machine) == []


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners of files")
def test_a_file_of_another_user_does_not_count_even_when_it_was_trusted(
    careful: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert plugins(careful) == []
    assert careful.hookctl("trust").code == 3


def test_the_state_is_the_users_own(careful: Any) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    state = careful.state / "trust.json"
    assert state.stat().st_mode & 0o777 == 0o600
    assert state.parent.stat().st_mode & 0o777 == 0o700


def test_a_state_that_others_may_write_is_not_believed(careful: Any) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    (careful.state / "trust.json").chmod(0o666)
    with pytest.raises(StateError, match="others may have written"):
        careful.load()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "projects": 3}'])
def test_a_state_that_makes_no_sense_is_not_believed(careful: Any, text: str) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    (careful.state / "trust.json").write_text(text)
    with pytest.raises(StateError, match="delete it"):
        careful.load()
    result = careful.hookctl("list")
    assert result.code == 3
    assert str(careful.state / "trust.json") in result.err


# What a hostile repository may try, on a machine whose user asks for trust.

REQUIRED_BY_USER = TRUSTED + "[hooks]\nverify = 'warn'\n[plugins.guard]\nrequired = true\n"


@pytest.mark.parametrize(
    "text",
    [
        "[hooks]\nenabled = false\n",
        "[hooks]\nverify = 'off'\n",
        "[trust]\nproject = 'always'\n",
        "[log]\nenabled = false\n",
        "[log]\nmax_days = 1\nmax_megabytes = 1\n",
        "[plugins.guard]\nenabled = false\n",
        "[plugins.guard]\nmode = 'monitor'\n",
        "[plugins.evil]\nenabled = true\n",
        "[plugins.evil]\nrequired = true\n",
        "[telemetry]\ntrack_mutations = true\n",
        "nonsense = 1\n",
    ],
)
def test_an_untrusted_repository_changes_nothing(machine: Any, text: str) -> None:
    machine.install("guard")
    machine.install("evil", "raise SystemExit('it was imported')")
    machine.user.write_text(REQUIRED_BY_USER)
    before = machine.config()
    machine.project.write_text(text)
    after = machine.config()
    assert (after.enabled, after.verify, after.plugins) == (
        before.enabled,
        before.verify,
        before.plugins,
    )
    assert plugins(machine) == ["guard"]


def test_a_repository_cannot_bring_its_own_state(careful: Any) -> None:
    careful.project.write_text(ON)
    entry = {"config": projects.table_digest({"plugins": {"guard": {"enabled": True}}})}
    brought = {"version": 1, "projects": {str(careful.project): {**entry, "lock": None}}}
    for place in (".local/state/hookcore", "state/hookcore", ".hookcore"):
        folder = careful.project.parent / place
        folder.mkdir(parents=True)
        (folder / "trust.json").write_text(json.dumps(brought))
    assert plugins(careful) == []


def test_trust_in_one_project_is_no_trust_in_its_copy(careful: Any, tmp_path: Path) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "hookcore.toml").write_text(ON)
    from hookcore import HookManager

    assert HookManager.load(copy).plugins() == ()


def test_a_link_to_a_trusted_file_is_that_file(careful: Any, tmp_path: Path) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    other = tmp_path / "other"
    other.mkdir()
    (other / "hookcore.toml").symlink_to(careful.project)
    assert careful.config().plugins["guard"].enabled
    from hookcore import HookManager

    assert [info.name for info in HookManager.load(other).plugins()] == ["guard"]


def test_a_repository_inside_the_users_configuration_folder_is_no_project(careful: Any) -> None:
    inner = careful.user.parent
    assert files.project_file(inner) == careful.user
    from hookcore.config import read_config

    assert read_config(inner).files[-1].exists is False


def test_both_kinds_of_project_file_stay_an_error(careful: Any) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    careful.project.with_name("pyproject.toml").write_text("[tool.hookcore]\n")
    with pytest.raises(ConfigError, match="both"):
        careful.load()


def test_without_a_home_nothing_is_trusted(careful: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    careful.project.write_text(ON)
    careful.hookctl("trust")
    monkeypatch.setattr(projects, "state_folder", lambda: None)
    assert plugins(careful) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=settings().max_examples // 2)
@given(st.dictionaries(st.text(), VALUES), st.dictionaries(st.text(), VALUES))
def test_two_tables_have_one_digest_only_when_they_say_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def typed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: typed(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [typed(inner) for inner in value]
        return (type(value).__name__, repr(value))

    same = typed(one) == typed(other)
    assert (projects.table_digest(one) == projects.table_digest(other)) == same
    shuffled = dict(reversed(list(one.items())))
    assert projects.table_digest(shuffled) == projects.table_digest(one)


def test_what_is_trusted_is_shown_in_lines_that_no_key_can_forge(careful: Any) -> None:
    careful.project.write_text('[plugins."a\\n  plugins.guard.mode"]\nenabled = false\n')
    assert len(careful.hookctl("trust").out.splitlines()) == 2
    told = careful.hookctl("doctor").out.splitlines()
    assert len(told) == 3
    assert "no plugin is enabled" in told[0]
