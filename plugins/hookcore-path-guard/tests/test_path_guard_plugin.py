from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, ToolCallContext
from hookcore_path_guard import PathGuard, PathGuardSettings

Place = Any


def aborted(plugin: PathGuard, tool: str, cwd: object, **arguments: Any) -> HookAborted:
    ctx = ToolCallContext(
        tool_name=tool, payload=arguments, point="pre_tool_call", attributes={"cwd": cwd}
    )
    with pytest.raises(HookAborted) as caught:
        plugin.pre_tool_call(ctx)
    return caught.value


def test_the_model_is_told_what_was_refused_and_a_way_that_works(place: Place) -> None:
    error = aborted(place.guard(), "Write", str(place.project), file_path="../notes.md")
    assert error.source == "path-guard"
    assert error.message == (
        "writing outside the project: ../notes.md. Write below the project folder."
    )


def test_the_operator_is_told_the_rule_and_the_argument(place: Place) -> None:
    error = aborted(place.guard(), "Write", str(place.project), file_path="../notes.md")
    assert error.reason == 'write: the place is below no write root (argument "file_path")'
    assert error.rule == "write"


def test_the_operator_is_told_the_segment_of_a_command(place: Place) -> None:
    error = aborted(place.guard(), "Bash", str(place.project), command="ls; cat ../secret/key.txt")
    assert error.reason == (
        "read: the place is below no read or write root (segment 2 of 2 of the command)"
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": "../s3cr3t-value"}),
        ("Write", {"file_path": "~s3cr3t-value/x"}),
        ("Glob", {"pattern": "*/../s3cr3t-value"}),
        ("s3cr3t-value", {"path": "/s3cr3t-value"}),
        ("Bash", {"command": "cat ../s3cr3t-value"}),
        ("Bash", {"command": "cat $s3cr3t_value"}),
        ("Bash", {"command": "s3cr3t-value <<EOF"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: ../s3cr3t-value\n*** End Patch"}),
    ],
)
def test_no_value_of_the_call_is_in_the_reason(
    place: Place, tool: str, arguments: dict[str, Any]
) -> None:
    denial = place.judge(tool, arguments)
    assert denial is not None
    assert "s3cr3t" not in denial.reason


def test_a_message_is_one_line_of_bounded_length(place: Place) -> None:
    for path in ("../a\u202eb\u200b", "../" + "x/" * 500, "../\ud800", "..\n/x"):
        denial = place.judge("Write", {"file_path": path})
        assert denial is not None
        assert denial.message.isprintable()
        assert len(denial.message) < 300


def test_a_message_holds_nothing_of_other_segments(place: Place) -> None:
    denial = place.run("TOKEN=abc123 ls; cat ../secret/key.txt")
    assert denial is not None
    assert "abc123" not in denial.message


@pytest.mark.parametrize("name", [None, "", "x" * 300, 7])
def test_a_call_without_a_plain_name_is_denied(place: Place, name: Any) -> None:
    assert place.guard().judge(name, {}) is not None


@pytest.mark.parametrize("cwd", ["relative", 7, "a\0b", b"/x", ""])
def test_a_folder_that_is_no_absolute_path_denies(place: Place, cwd: object) -> None:
    assert aborted(place.guard(), "Read", cwd, file_path="README.md").reason.startswith(
        "the working folder"
    )


def test_without_a_folder_of_the_call_the_process_s_counts(place: Place) -> None:
    guard = place.guard()
    assert guard.judge("Read", {"file_path": "README.md"}) is None
    assert guard.judge("Read", {"file_path": "README.md"}, str(place.root / "secret")) is not None


def test_the_folder_may_be_a_path_object(place: Place) -> None:
    assert place.guard().judge("Read", {"file_path": "README.md"}, Path(place.project)) is None


def test_a_call_belongs_to_the_nearest_project(place: Place) -> None:
    one, two = place.project, place.root / "proj-other"
    guard = PathGuard(PathGuardSettings(project=[str(one), str(two)]))
    assert guard.judge("Write", {"file_path": "x"}, str(one / "src")) is None
    assert guard.judge("Write", {"file_path": str(two / "x")}, str(one)) is not None
    assert guard.judge("Write", {"file_path": str(two / "x")}, str(two)) is None
    assert guard.judge("Write", {"file_path": "x"}, str(place.root)) is not None


def test_the_arguments_are_left_as_they_are(place: Place) -> None:
    arguments = {"paths": ["README.md", {"path": "src"}]}
    place.judge("read_multiple_files", arguments)
    assert arguments == {"paths": ["README.md", {"path": "src"}]}


def test_the_denial_survives_pickling(place: Place) -> None:
    error = aborted(place.guard(), "Write", str(place.project), file_path="../x")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.reason, copy.source, copy.message) == (error.reason, error.source, error.message)


def test_the_class_denies_on_failure_and_names_its_settings() -> None:
    assert PathGuard.on_error == "deny"
    assert PathGuard.Settings is PathGuardSettings


def test_the_tools_of_the_settings_can_be_read(place: Place) -> None:
    guard = place.guard(tools={"a": {}}, commands={"b": "c"})
    assert guard.tool_patterns == ["a", "b"]


def test_a_system_with_other_paths_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookcore_path_guard.policy.os.name", "nt")
    with pytest.raises(ValueError, match="POSIX paths only"):
        place.guard()
