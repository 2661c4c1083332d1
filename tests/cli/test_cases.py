"""``hookctl test``: the cases that a plugin ships; and ``enable``, which tells what fails."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from hookctl.author.subjects import subjects

CODE = """
from hookcore import HookAborted, hookimpl
from pydantic import BaseModel

class Plugin:
    class Settings(BaseModel):
        word: str = "bad"

    def __init__(self, settings):
        self.word = settings.word

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if self.word in str(ctx.tool_input):
            raise HookAborted(f"{self.word} is a bad word")

    @hookimpl
    def post_tool_call(self, ctx):
        if ctx.tool_result == "break":
            raise ValueError("broken inside")
        return "clean" if ctx.tool_result == "dirty" else None

    @hookimpl
    async def wrap_tool_call(self, ctx, call_next):
        result = await call_next()
        return "wrapped" if result == "wrap" else result
"""
CASES = """
[settings]
word = "ugly"

[[case]]
name = "a bad word is stopped"
point = "pre_tool_call"
tool = "say"
payload = { text = "ugly" }
expect = "deny"
reason = "a bad word"

[[case]]
name = "its own settings count"
point = "pre_tool_call"
tool = "say"
payload = { text = "ugly" }
settings = { word = "other" }
expect = "allow"

[[case]]
point = "post_tool_call"
tool = "say"
payload = "dirty"
expect = "modify"
result = "clean"

[[case]]
point = "wrap_tool_call"
tool = "say"
payload = {}
returns = "wrap"
expect = "modify"
result = "wrapped"

[[case]]
point = "post_tool_call"
tool = "say"
payload = "break"
expect = "error"
"""


@pytest.fixture
def project(shell: Any) -> Any:
    """The shell in the project of a plugin that is not installed."""
    # Each test has a module of its own, since this process keeps what it has imported.
    module = f"kind_of_{shell.folder.parent.name}"
    (shell.folder / "pyproject.toml").write_text(
        '[project]\nname = "acme-kind"\nversion = "1.0"\n'
        f'[project.entry-points."hookcore.plugins"]\nkind = "{module}:Plugin"\n'
    )
    package = shell.folder / "src" / module
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(CODE)
    (shell.folder / "tests").mkdir()
    (shell.folder / "tests" / "cases.toml").write_text(CASES)
    return shell


@pytest.fixture
def installed(shell: Any) -> Any:
    """The shell with an installed plugin whose package ships cases."""
    shell.install("kind", CODE)
    package = shell.site / "code_of_acme_kind"
    package.mkdir()
    (shell.site / "code_of_acme_kind.py").rename(package / "__init__.py")
    (package / "cases.toml").write_text(CASES)
    return shell


def cases(shell: Any, text: str) -> None:
    (shell.folder / "tests" / "cases.toml").write_text(text)


def case(**keys: str) -> str:
    given = {
        "point": '"pre_tool_call"',
        "tool": '"say"',
        "payload": "{}",
        "expect": '"allow"',
        **keys,
    }
    return "[[case]]\n" + "".join(f"{key} = {value}\n" for key, value in given.items())


def test_the_cases_of_the_project_here_are_run(project: Any) -> None:
    result = project("test")
    assert (result.code, result.out) == (0, "5 cases passed\n")


def test_a_project_is_named_by_its_folder(project: Any) -> None:
    folder = project.folder
    project.folder = project.home
    assert project("test", folder).code == 0


def test_what_lies_beside_the_source_does_not_stand_before_pythons_own(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert [subject.name for subject in subjects(str(project.folder))] == ["kind"]
    assert sys.path[0] == str(project.folder / "src")
    assert str(project.folder) not in sys.path


def test_an_installed_plugin_is_named(installed: Any) -> None:
    assert installed("test", "kind").out == "5 cases passed\n"
    assert installed("test", "acme-kind").out == "5 cases passed\n"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"expect": '"deny"'}, "expected deny, got allow"),
        ({"payload": '{ a = "bad" }'}, "expected allow, got deny: bad is a bad word"),
        (
            {"payload": '{ a = "bad" }', "expect": '"deny"', "reason": '"other"'},
            "has no 'other' in it",
        ),
        (
            {"point": '"post_tool_call"', "payload": '"x"', "result": '"y"'},
            'the payload afterwards is "x", not "y"',
        ),
        ({"point": '"pre_toolcall"'}, 'did you mean "pre_tool_call"'),
        ({"payload": "3"}, "payload at pre_tool_call must be a dict, not int"),
        ({"settings": "{ wrod = 1 }"}, 'did you mean "word"'),
        (
            {"point": '"post_tool_call"', "payload": '"break"'},
            "expected allow, got error: ValueError at kind_of_",
        ),
    ],
)
def test_a_case_that_fails_says_what_is_otherwise(
    project: Any, keys: dict[str, str], words: str
) -> None:
    cases(project, case(**keys) + case(name='"fine"'))
    result = project("test")
    assert result.code == 1
    assert words in result.out
    assert "2 cases, 1 failed" in result.out
    told = project("test", "--json").json
    assert (told["cases"], told["failed"]) == (2, 1)
    assert [one["problem"] is None for one in told["results"]] == [False, True]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[case]]\npoint = 'x'\n", "case 1 has no expect"),
        (case(expect='"denied"'), "not 'denied'; did you mean \"deny\"?"),
        (case(paylod="{}"), 'paylod is no key of a case; did you mean "payload"?'),
        (case(tool="3"), "tool must be text, not 3"),
        ("[[cases]]\n", 'cases is no key of a file of cases; did you mean "case"?'),
        ("[case]\n", "write [[case]] for each case"),
        ("[[case\n", "is not valid TOML"),
    ],
)
def test_cases_that_cannot_be_read_are_exit_code_3(project: Any, text: str, words: str) -> None:
    cases(project, text)
    result = project("test")
    assert result.code == 3
    assert words in result.err


def test_a_traceback_is_shown_on_request(project: Any) -> None:
    assert "broken inside" in project("test", "--traceback").err
    assert "broken inside" not in project("test").err


def test_without_cases_it_says_how_to_write_them(project: Any) -> None:
    (project.folder / "tests" / "cases.toml").unlink()
    result = project("test")
    assert result.code == 2
    assert "write [[case]] in tests/cases.toml" in result.err


def test_a_plugin_that_cannot_be_imported_is_exit_code_3(project: Any) -> None:
    (code,) = (project.folder / "src").glob("*/__init__.py")
    code.write_text("import nothing_such")
    result = project("test")
    assert result.code == 3
    assert f"{code.parent.name}:Plugin" in result.err
    assert "ModuleNotFoundError" in result.err


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere/at/all", "there is no folder"),
        ("knid", "no plugin or distribution knid"),
        (".", "offers no plugin"),
    ],
)
def test_what_is_no_plugin_is_told(shell: Any, target: str, words: str) -> None:
    (shell.folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    result = shell("test", target)
    assert result.code == 2
    assert words in result.err


def test_enable_says_nothing_when_all_cases_hold(installed: Any) -> None:
    result = installed("enable", "kind")
    assert result.code == 0
    assert "cases" not in result.err


def test_enable_tells_a_case_that_fails(installed: Any) -> None:
    file = installed.site / "code_of_acme_kind" / "cases.toml"
    file.write_text(case(name='"canary"', expect='"deny"'))
    result = installed("enable", "kind")
    assert result.code == 0
    assert "kind is enabled, and 1 of its own 1 cases fail (canary: expected deny" in result.err
    assert "cases" not in installed("enable", "kind", "--no-test").err


def test_enable_tells_cases_that_cannot_be_run(installed: Any) -> None:
    (installed.site / "code_of_acme_kind" / "__init__.py").write_text("import os; os._exit(3)")
    result = installed("enable", "kind")
    assert result.code == 0
    assert "its own cases cannot be run" in result.err


def test_code_that_nobody_vouched_for_is_not_imported_under_enforce(installed: Any) -> None:
    installed.config.write_text('[hooks]\nverify = "enforce"\n')
    for command in ("test", "check"):
        result = installed(command, "kind")
        assert result.code == 3
        assert "is not imported under hooks.verify" in result.err


def test_a_case_may_happen_several_times_in_one_run(project: Any) -> None:
    (project.folder / "tests" / "cases.toml").write_text(
        '[[case]]\npoint = "pre_tool_call"\ntool = "say"\npayload = {}\nrepeat = 3\n'
        'expect = "allow"\n'
    )
    assert project("test").code == 0


@pytest.mark.parametrize("repeat", ["0", "true", "1001", '"2"'])
def test_a_wrong_number_of_times_is_refused(project: Any, repeat: str) -> None:
    (project.folder / "tests" / "cases.toml").write_text(
        f'[[case]]\npoint = "pre_tool_call"\nexpect = "allow"\nrepeat = {repeat}\n'
    )
    result = project("test")
    assert result.code == 3
    assert "repeat must be" in result.err
