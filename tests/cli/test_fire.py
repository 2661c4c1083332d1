"""``hookctl fire`` and ``hookctl points``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore import InterceptionPoint


@pytest.fixture
def on(guarded: Any) -> Any:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    return guarded


def fire(shell: Any, payload: Any, *arguments: str) -> Any:
    options = ["--tool", "delete_file", "--payload", json.dumps(payload), "--json"]
    return shell("fire", "pre_tool_call", *options, *arguments)


def test_a_payload_that_is_denied_is_told_with_the_verdict(on: Any) -> None:
    result = fire(on, {"path": "bad"})
    told = result.json
    assert result.code == 0
    assert list(told) == [
        "point",
        "outcome",
        "payload",
        "abort_reason",
        "abort_source",
        "records",
    ]
    assert (told["outcome"], told["abort_reason"]) == ("aborted", "a bad word")
    assert told["abort_source"].startswith("guard")
    (record,) = told["records"]
    assert (record["plugin"], record["verdict"], record["effect"]) == ("guard", "deny", "applied")


def test_a_payload_that_passes_comes_back(on: Any) -> None:
    told = fire(on, {"path": "fine"}).json
    assert (told["outcome"], told["payload"]) == ("proceeded", {"path": "fine"})
    assert [record["verdict"] for record in told["records"]] == ["allow"]


def test_what_plugins_print_does_not_mix_with_the_answer(on: Any) -> None:
    result = fire(on, {})
    assert "a plugin prints" in result.err
    assert "a plugin prints" not in result.out


def test_a_change_is_told_with_the_payload_after_it(on: Any) -> None:
    told = on("fire", "output", "--payload", "3", "--agent", "Helper", "--json").json
    assert told["outcome"] == "modified"
    assert told["payload"] == {"seen": 3, "dry_run": True, "agent": "Helper"}


def test_a_point_that_nobody_hooks_lets_everything_proceed(on: Any) -> None:
    told = on("fire", "pre_run", "--payload", '"hi"', "--json").json
    assert (told["outcome"], told["payload"], told["records"]) == ("proceeded", "hi", [])


@pytest.mark.parametrize(
    ("payload", "point", "gate", "code"),
    [
        ({"path": "bad"}, "pre_tool_call", "abort", 1),
        ({"path": "bad"}, "pre_tool_call", "modified", 0),
        ({"path": "fine"}, "pre_tool_call", "abort", 0),
        (3, "output", "modified", 1),
        (3, "output", "error", 0),
        ("raise", "output", "error", 1),
    ],
)
def test_a_gate_decides_the_exit_code(
    on: Any, payload: Any, point: str, gate: str, code: int
) -> None:
    tool = ["--tool", "delete_x"] if point == "pre_tool_call" else []
    result = on("fire", point, *tool, "--payload", json.dumps(payload), "--fail-on", gate)
    assert result.code == code


def test_an_exception_that_reaches_the_host_is_exit_code_3(on: Any) -> None:
    result = on("fire", "output", "--payload", '"raise"', HOOKCORE_PLUGINS__GUARD__ON_ERROR="raise")
    assert result.code == 3
    assert "ValueError" in result.err


@pytest.mark.parametrize("stdin", ['{"path": "bad"}', '\ufeff{"path": "bad"}'])
def test_the_payload_comes_from_standard_input_or_a_file(on: Any, stdin: str) -> None:
    (on.folder / "payload.json").write_text(stdin, encoding="utf-8")
    arguments = ("fire", "pre_tool_call", "--tool", "delete_x", "--json", "--payload")
    assert on(*arguments, "-", stdin=stdin).json["outcome"] == "aborted"
    assert on(*arguments, "@payload.json").json["outcome"] == "aborted"


def test_a_message_is_built_from_its_fields(on: Any) -> None:
    message = {"channel": "c", "sender": "s", "recipient": "r", "content": "hi"}
    told = on("fire", "message_received", "--payload", json.dumps(message), "--json").json
    assert told["payload"].items() >= message.items()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["outptu"], 'did you mean "output"'),
        (["output", "--payload", "{"], "not JSON"),
        (["output", "--payload", "@gone.json"], "gone.json cannot be read"),
        (["output", "--payload", "1", "--tool", "x"], "--tool has no meaning at output"),
        (["pre_tool_call", "--tool", "x"], "must be a dict, not missing"),
        (["pre_tool_call", "--tool", "x", "--payload", "[]"], "must be a dict, not list"),
        (["wrap_tool_call", "--payload", "{}"], "is a wrap point"),
        (["message_received", "--payload", "{}"], "fields of a ChannelMessage"),
        (["message_received", "--payload", "3"], "fields of a ChannelMessage"),
        (["output", "--fail-on", "never"], "abort"),
        ([], "Missing argument"),
    ],
)
def test_a_wrong_call_is_exit_code_2(on: Any, arguments: list[str], words: str) -> None:
    result = on("fire", *arguments)
    assert result.code == 2
    assert words in result.err


def test_a_broken_plugin_is_exit_code_3_with_the_remedy(bombs: Any) -> None:
    bombs.config.write_text("[plugins.raises]\nenabled = true\n")
    result = bombs("fire", "output", "--payload", "1")
    assert result.code == 3
    assert "plugin raises (acme-raises 1.0) cannot be loaded: RuntimeError: boom" in result.err
    assert "hookctl disable raises" in result.err


def test_an_error_shows_no_control_characters_of_others(shell: Any) -> None:
    shell.install("raises", r"raise RuntimeError('red \x1b[31m')")
    shell.config.write_text("[plugins.raises]\nenabled = true\n")
    result = fire(shell, {})
    assert result.code == 3
    assert r"RuntimeError: red \x1b[31m (" in result.err


def test_the_answer_reads_well(on: Any) -> None:
    arguments = ("--tool", "delete_x", "--payload", '{"path": "bad\\u001b[0m"}')
    out = on("fire", "pre_tool_call", *arguments).out
    assert out.startswith("pre_tool_call: aborted by guard")
    assert "a bad word" in out
    assert "\x1b" not in out


def test_the_catalogue_names_every_point_with_kind_payload_and_doc(shell: Any) -> None:
    points = {point["point"]: point for point in shell("points", "--json").json}
    told = points["pre_tool_call"]
    assert (told["kind"], told["payload"], told["context"]) == (
        "intercept",
        "dict",
        "ToolCallContext",
    )
    assert all(point["doc"] for point in points.values())
    assert set(points) == {str(point) for point in InterceptionPoint}


def test_the_catalogue_imports_no_plugin(bombs: Any) -> None:
    bombs.config.write_text("[plugins.kills]\nenabled = true\n")
    assert bombs("points").code == 0


def test_a_points_chain_is_shown_in_order(on: Any) -> None:
    on.install(
        "early",
        """
        from hookcore import hookimpl
        class Plugin:
            @hookimpl(priority=1)
            def output(self, ctx): ...
        """,
    )
    on("enable", "early")
    chain = on("points", "output", "--json").json["chain"]
    assert [(hook["plugin"], hook["priority"]) for hook in chain] == [("early", 1), ("guard", 5)]
    lines = on("points", "output").out.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["early", "guard"]


def test_a_point_without_hooks_says_so(on: Any) -> None:
    assert "No enabled plugin hooks it." in on("points", "pre_run").out


def test_fire_tells_no_hooks_from_hooks_for_other_tools(on: Any) -> None:
    on.config.write_text('[plugins.guard]\nenabled = true\ntools = ["delete_*"]\n')
    other = on("fire", "pre_tool_call", "--tool", "read_file", "--payload", "{}")
    assert "What hooks it is for other tools or agents." in other.out
    assert "No enabled plugin hooks it." in on("fire", "pre_run", "--payload", '"hi"').out


def test_an_unknown_point_is_exit_code_2_with_a_suggestion(shell: Any) -> None:
    result = shell("points", "pre_tol_call")
    assert result.code == 2
    assert 'did you mean "pre_tool_call"' in result.err
