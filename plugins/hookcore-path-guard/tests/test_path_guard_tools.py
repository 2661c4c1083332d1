from __future__ import annotations

from typing import Any

import pytest

Place = Any

OUT = "../secret/key.txt"
READ_ONLY = "../lib/ro.txt"

READS: list[tuple[str, str]] = [
    ("Read", "file_path"),
    ("read_file", "path"),
    ("readFile", "filePath"),
    ("mcp__fs__read_text_file", "path"),
    ("mcp-fs-read_file", "path"),
    ("fs.read_file", "path"),
    ("view", "path"),
    ("view_image", "path"),
    ("list_directory", "dir_path"),
    ("LS", "path"),
    ("Grep", "path"),
    ("Glob", "path"),
    ("Artifact", "file_path"),
    ("open", "path"),
]
WRITES: list[tuple[str, str]] = [
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("write_file", "file_path"),
    ("replace", "file_path"),
    ("create", "path"),
    ("mcp__fs__edit_file", "path"),
    ("delete_file", "target_file"),
    ("save_chart", "output_path"),
    ("read_and_update", "path"),
    ("do_something", "path"),
]


@pytest.mark.parametrize(("tool", "argument"), READS)
def test_a_reading_tool_reads(place: Place, tool: str, argument: str) -> None:
    assert place.judge(tool, {argument: READ_ONLY}) is None
    assert place.judge(tool, {argument: OUT}) is not None


@pytest.mark.parametrize(("tool", "argument"), WRITES)
def test_any_other_tool_writes(place: Place, tool: str, argument: str) -> None:
    assert place.judge(tool, {argument: "src/app.py"}) is None
    assert place.judge(tool, {argument: READ_ONLY}) is not None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_multiple_files", {"paths": ["README.md", OUT]}),
        ("batch", {"edits": [{"file_path": "README.md"}, {"file_path": OUT}]}),
        ("batch", {"edits": {"a": {"b": [{"path": OUT}]}}}),
        ("move_file", {"source": READ_ONLY, "destination": "x"}),
        ("move_file", {"source": "README.md", "destination": OUT}),
        ("copy_file", {"source": OUT, "destination": "x"}),
        ("create_symlink", {"target": "../secret", "path": "l"}),
        ("Grep", {"pattern": "x", "glob": "../**"}),
        ("read_many_files", {"include": ["../secret/*"]}),
        ("fetch_data", {"source": "../secret/key.txt"}),
        ("upload", {"file": "~/.ssh/id_rsa"}),
        ("open_url", {"url": "file:///etc/passwd"}),
        ("Read", {}),
        ("Read", {"file_path": None}),
        ("Read", {"file_path": 3}),
        ("Read", '{"file_path": "/etc/passwd"}'),
        ("Read", "{"),
        ("view", {"toolArgs": '{"path": "/etc/passwd"}'}),
        ("bash", {"toolArgs": '{"command": "cat /etc/passwd"}'}),
    ],
)
def test_a_path_anywhere_in_the_arguments_is_judged(
    place: Place, tool: str, arguments: dict[str, Any]
) -> None:
    assert place.judge(tool, arguments) is not None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Grep", {"pattern": "/etc/passwd", "path": "src", "glob": "*.{ts,tsx}"}),
        ("Grep", {"pattern": "x", "path": None, "glob": "!**/node_modules/**"}),
        ("Edit", {"file_path": "README.md", "old_string": "/etc", "new_string": "../x"}),
        ("edit", {"search": "a", "replace": "/etc/passwd"}),
        ("copy_file", {"source": READ_ONLY, "destination": "x"}),
        ("Task", {"prompt": "read /etc/passwd", "description": "../x"}),
        ("book_flight", {"destination": "SFO", "source": "see /etc/x for more", "input": "a: b"}),
        ("get_page", {"url": "https://x/../y", "document": "x" * 300}),
        ("create_symlink", {"target": "src", "path": "l"}),
        ("think", {"thought": "~/x"}),
        ("nothing", {}),
        ("odd", None),
        ("odd", ["../x"]),
        ("Read", '{"file_path": "README.md"}'),
        ("view", {"toolArgs": '{"path": "README.md"}'}),
        ("bash", {"toolArgs": '{"command": "cat README.md"}'}),
    ],
)
def test_text_is_no_path(place: Place, tool: str, arguments: Any) -> None:
    assert place.judge(tool, arguments) is None


def test_an_editor_that_views_reads(place: Place) -> None:
    for tool in ("str_replace_editor", "str_replace_based_edit_tool"):
        assert place.judge(tool, {"command": "view", "path": READ_ONLY}) is None
        assert place.judge(tool, {"command": "create", "path": READ_ONLY}) is not None


def test_a_tool_of_the_operator_s_own_is_judged_by_its_table_alone(place: Place) -> None:
    tools = {"Fetch Thing": {"place": "read", "into": "write"}, "http_get": {}}
    assert place.judge("fetch_thing", {"place": READ_ONLY, "path": OUT}, tools=tools) is None
    assert place.judge("fetch_thing", {"into": READ_ONLY}, tools=tools) is not None
    assert place.judge("http_get", {"path": "/users"}, tools=tools) is None
    assert place.judge("mcp__web__http_get", {"path": "/users"}, tools=tools) is None


def test_a_command_tool_of_the_operator_s_own_is_read(place: Place) -> None:
    assert place.judge("my_runner", {"line": f"cat {OUT}"}) is None
    commands = {"My Runner": "line"}
    assert place.judge("my_runner", {"line": f"cat {OUT}"}, commands=commands) is not None


def test_a_bridge_s_alias_says_what_a_tool_is(place: Place) -> None:
    guard = place.guard()
    cwd = str(place.project)
    assert guard.judge("zap", {"path": READ_ONLY}, cwd) is not None
    assert guard.judge("zap", {"path": READ_ONLY}, cwd, aliases="Read") is None
    assert guard.judge("zap", {"command": f"cat {OUT}"}, cwd, aliases=["Bash"]) is not None


def test_the_operator_s_table_beats_an_alias(place: Place) -> None:
    guard = place.guard(tools={"zap": {"path": "write"}})
    assert guard.judge("zap", {"path": READ_ONLY}, str(place.project), aliases="Read") is not None


def test_a_wrong_alias_denies(place: Place) -> None:
    assert place.guard().judge("zap", {}, str(place.project), aliases=7) is not None


def test_arguments_without_an_end_are_refused(place: Place) -> None:
    nested: dict[str, Any] = {"path": "README.md"}
    for _ in range(100):
        nested = {"a": nested}
    denial = place.judge("zap", nested)
    assert denial is not None
    assert denial.reason.startswith("the arguments cannot be read")
