"""``hookctl check``: mistakes in a plugin's code, found before an agent meets them."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

GOOD = """
import asyncio
from hookcore import HookAborted, Abort, hookimpl
from pydantic import BaseModel, Field

class Plugin:
    class Settings(BaseModel):
        words: list[str] = Field(default=["bad"], description="What is stopped.")

    on_error = "deny"

    def __init__(self, settings):
        self.words = settings.words

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        ctx.state["seen"] = True
        words = list(ctx.tool_input)
        words.append("x")
        if ctx.tool_input.get("a"):
            return Abort("no")
        return None

    @hookimpl
    async def post_tool_call(self, ctx):
        await asyncio.sleep(0)
        await ctx.arequest_human_input("x")
        await asyncio.to_thread(open, "x")

    def helper(self, ctx): ...
    def _pre_tool_cal(self, ctx): ...
"""


def project(shell: Any, code: str) -> Any:
    """Put a plugin's code into a project in the shell's folder."""
    (shell.folder / "pyproject.toml").write_text(
        '[project]\nname = "acme-odd"\nversion = "1.0"\n'
        '[project.entry-points."hookcore.plugins"]\nodd = "acme_odd_code:Plugin"\n'
    )
    package = shell.folder / "src" / "acme_odd_code"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(textwrap.dedent(code))
    return shell


def hooks(body: str, *, options: str = "", head: str = "") -> str:
    """A plugin with one hook."""
    return (
        f"from hookcore import hookimpl\n{head}\nclass Plugin:\n    on_error = 'deny'\n"
        f"    @hookimpl({options})\n" + textwrap.indent(textwrap.dedent(body), "    ")
    )


def codes(result: Any) -> list[tuple[str, str]]:
    return [(one["code"], one["message"]) for one in result.json["findings"]]


def test_a_good_plugin_has_nothing_but_a_missing_schema(shell: Any) -> None:
    result = project(shell, GOOD)("check", "--json")
    assert [code for code, _ in codes(result)] == ["schema"]
    (plugin,) = result.json["plugins"]
    assert plugin["points"] == ["post_tool_call", "pre_tool_call"]
    assert plugin["import_ms"] > 0
    assert "asyncio" in plugin["imports"]


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        (hooks("def pre_toolcall(self, ctx): ..."), "hook", 'did you mean "pre_tool_call"'),
        (
            hooks("def pre_tool_call(self, context): ..."),
            "hook",
            "'context' is not one of the point's",
        ),
        (hooks("def pre_tool_call(ctx): ..."), "hook", "it has no self"),
        (
            hooks("def output(self, ctx): ...", options="tools=['a']"),
            "hook",
            "tools= has no meaning",
        ),
        (
            hooks("def output(self, ctx): ...\ndef post_tool_call(self, ctx): ..."),
            "unmarked",
            "post_tool_call looks like",
        ),
        (
            hooks("def output(self, ctx): ...\ndef pre_toolcall(self, ctx): ..."),
            "unmarked",
            "a hook at pre_tool_call",
        ),
        ("class Plugin: ...", "no-hooks", "has no hooks"),
        ("import nothing_such", "import", "ModuleNotFoundError: No module named 'nothing_such'"),
        ("class Other: ...", "import", "acme_odd_code:Plugin cannot be imported"),
        ("import os; os._exit(7)", "import", "ends the process (exit code 7)"),
    ],
)
def test_what_keeps_a_hook_from_running_is_an_error(
    shell: Any, code: str, expected: str, words: str
) -> None:
    result = project(shell, code)("check", "--json")
    assert result.code == 3
    told = [message for code, message in codes(result) if code == expected]
    assert any(words in message for message in told), codes(result)


HEAD = """
import sqlite3
import subprocess
import time
from pathlib import Path
from time import sleep as nap
from urllib.request import urlopen

import httpx
"""
BLOCKING = [
    "time.sleep(1)",
    "nap(1)",
    "subprocess.run(['ls'])",
    "urlopen('http://x')",
    "open('x')",
    "Path('x').read_text()",
    "sqlite3.connect('x')",
    "ctx.request_human_input('x')",
    "httpx.get('http://x')",
]
EDITS = [
    "ctx.tool_input = {}",
    "ctx.payload['a'] = 1",
    "ctx.payload['a'] += 1",
    "del ctx.payload['a']",
    "ctx.tool_input.pop('a')",
    "ctx.texts().replace(str.upper)",
    "return {}",
]


def one_for_each(lines: list[str], *, options: str, define: str = "def", head: str = "") -> str:
    """A plugin with a hook for each line, since each check starts processes."""
    made = [
        f"    @hookimpl({options})\n    {define} hook_{number}(self, ctx):\n        {line}\n"
        for number, line in enumerate(lines)
    ]
    start = f"from hookcore import hookimpl\n{head}\nclass Plugin:\n    on_error = 'deny'\n"
    return start + "".join(made)


def told(result: Any, code: str) -> list[str]:
    return [message for one, message in codes(result) if one == code]


def test_what_blocks_in_an_async_hook_is_told_with_its_line(shell: Any) -> None:
    code = one_for_each(BLOCKING, options="specname='output'", define="async def", head=HEAD)
    blocking = told(project(shell, code)("check", "--json"), "blocking")
    lines = [line.strip() for line in code.split("\n")]
    assert len(blocking) == len(BLOCKING)
    for number, call in enumerate(BLOCKING):
        said = f"hook_{number} calls {call.rpartition('(')[0]}, and the event loop waits"
        place = f"(__init__.py:{lines.index(call) + 1})"
        assert [one for one in blocking if f"{said} {place}" in one], call
    assert not told(project(shell, code.replace("async def", "def"))("check", "--json"), "blocking")


def test_a_gate_that_edits_is_told(shell: Any) -> None:
    code = one_for_each(EDITS, options="specname='pre_tool_call', gate=True")
    edits = told(project(shell, code)("check", "--json"), "gate-edits")
    assert len(edits) == len(EDITS)
    for number, edit in enumerate(EDITS):
        assert [one for one in edits if f"hook_{number} " in one and f": {edit} (" in one], edit
    plain = code.replace(", gate=True", "")
    assert not told(project(shell, plain)("check", "--json"), "gate-edits")


def test_an_on_error_that_is_left_open_is_told(shell: Any) -> None:
    code = hooks("def pre_tool_call(self, ctx): ...").replace("on_error = 'deny'", "x = 1")
    assert "on-error" in dict(codes(project(shell, code)("check", "--json")))
    said = code.replace("@hookimpl()", "@hookimpl(on_error='allow')")
    assert "on-error" not in dict(codes(project(shell, said)("check", "--json")))


def test_settings_without_a_description_are_told(shell: Any) -> None:
    code = GOOD.replace(', description="What is stopped."', "")
    assert dict(codes(project(shell, code)("check", "--json")))["description"] == (
        "its setting words has no description"
    )


def test_a_schema_that_is_no_longer_true_is_told(shell: Any) -> None:
    project(shell, GOOD)
    (shell.folder / "src" / "acme_odd_code" / "settings.schema.json").write_text("{}")
    assert "is not what its code says" in dict(codes(shell("check", "--json")))["schema"]


def test_warnings_fail_on_request(shell: Any) -> None:
    project(shell, GOOD)
    assert shell("check").code == 0
    result = shell("check", "--fail-on", "warning")
    assert result.code == 1
    assert "0 errors, 1 warning." in result.out
    assert "mend it: hookctl schema odd --write" in result.out


def test_a_plugin_whose_settings_are_required_is_checked_all_the_same(shell: Any) -> None:
    code = GOOD.replace('default=["bad"], ', "").replace("def post_tool_call", "def post_toolcall")
    assert "hook" in dict(codes(project(shell, code)("check", "--json")))


def test_an_installed_plugin_is_checked_by_name(guarded: Any) -> None:
    result = guarded("check", "guard", "--json")
    assert result.code == 0
    assert [plugin["name"] for plugin in result.json["plugins"]] == ["guard"]
    assert "on-error" in dict(codes(result))


def test_what_a_plugin_prints_does_not_mix_with_the_answer(shell: Any) -> None:
    project(shell, "print('loud')\n" + GOOD)
    assert [code for code, _ in codes(shell("check", "--json"))] == ["schema"]


RULES = """
from hookcore import HookAborted, hookimpl

class Plugin:
    on_error = "deny"
    rule_names = ("no-rm",)

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        denial = HookAborted("no", rule="no-rm")
        if {asks}:
            raise denial
"""


@pytest.mark.parametrize(("asks", "found"), [("True", True), ("ctx.enforces(denial)", False)])
def test_rules_that_are_told_and_never_asked_of_are_named(
    shell: Any, asks: str, *, found: bool
) -> None:
    result = project(shell, RULES.format(asks=asks))("check", "--json")
    assert ("rules" in [code for code, _ in codes(result)]) == found
