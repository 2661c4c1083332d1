from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_path_guard import PathGuardSettings
from hookcore_path_guard.settings import DEFAULT_PROTECTED


def problem(**values: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        PathGuardSettings.model_validate(values)
    return str(caught.value)


def test_without_settings_the_project_is_read_and_written() -> None:
    settings = PathGuardSettings()
    assert (settings.read, settings.write) == (["."], ["."])
    assert tuple(settings.protected) == DEFAULT_PROTECTED
    assert settings.shell
    assert settings.unknown == "deny"


def test_every_setting_has_a_description() -> None:
    assert all(field.description for field in PathGuardSettings.model_fields.values())


def test_nothing_readable_is_refused() -> None:
    assert "read" in problem(read=[])


def test_nothing_writable_is_a_setting() -> None:
    assert PathGuardSettings(write=[]).write == []


@pytest.mark.parametrize("path", ["", " ", " a", "a ", "src/*", "{a,b}", "$HOME/x", "~root/x"])
def test_a_folder_that_is_no_plain_path_is_refused(path: str) -> None:
    assert "folder" in problem(read=[path])
    assert "folder" in problem(write=[path])


@pytest.mark.parametrize("path", [".", "~", "~/x", "/srv/x", "../lib", "a b"])
def test_a_folder_is_a_plain_path(path: str) -> None:
    assert PathGuardSettings(read=[path]).read == [path]


@pytest.mark.parametrize("name", ["", "/etc", "a//b", "..", "a/../b", ".", "*.pem", "[x]"])
def test_a_protected_name_that_is_none_is_refused(name: str) -> None:
    assert "write the name of a file or folder" in problem(protected=[name])


@pytest.mark.parametrize("name", [".git", ".github/workflows", "a b", ".env"])
def test_a_protected_name_is_one_or_more_components(name: str) -> None:
    assert PathGuardSettings(protected=[name]).protected == [name]


def test_an_unknown_key_is_refused() -> None:
    assert "wirte" in problem(wirte=["."])


def test_an_unknown_role_of_an_argument_is_refused() -> None:
    assert "tools.x.path" in problem(tools={"x": {"path": "reads"}})


def test_an_unknown_answer_to_what_is_unknown_is_refused() -> None:
    assert "unknown" in problem(unknown="ask")


def test_one_name_stands_for_a_list_of_one() -> None:
    settings = PathGuardSettings.model_validate({"commands": {"x": "line"}, "project": "/srv/x"})
    assert settings.commands == {"x": ["line"]}
    assert settings.project == ["/srv/x"]
