"""Neither a way of writing nor a text that is no command changes a verdict for the worse."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hookcore_shell_guard import ShellGuard, ShellGuardSettings, segments

PROJECT = "/home/dev/project"
GUARDS = {
    name: ShellGuard(ShellGuardSettings.model_validate({"preset": name}))
    for name in ("read-only", "no-network", "no-history-rewriting", "careful")
}
DENIED = [
    ("read-only", ["touch", "a"]),
    ("read-only", ["sed", "-i", "s/a/b/", "f"]),
    ("read-only", ["git", "branch", "-D", "x"]),
    ("no-network", ["curl", "https://example.org"]),
    ("no-network", ["git", "push", "origin", "main"]),
    ("no-network", ["pip", "install", "x"]),
    ("no-history-rewriting", ["git", "push", "--force"]),
    ("no-history-rewriting", ["git", "commit", "--amend"]),
    ("no-history-rewriting", ["rm", "-rf", ".git"]),
    ("careful", ["rm", "-rf", "/"]),
    ("careful", ["git", "reset", "--hard"]),
    ("careful", ["sudo", "ls"]),
]
HARMLESS = [
    ("read-only", "git log -1"),
    ("no-network", "git commit -m {}"),
    ("no-history-rewriting", "git commit -m {}"),
    ("careful", "git commit -m {}"),
    ("read-only", "grep -rn {} src"),
    ("no-network", "echo {}"),
    ("no-history-rewriting", "grep -e {} f"),
    ("careful", "printf %s {} > notes.md"),
]
TEXTS = [
    "rm -rf /", "git push --force", "curl https://x | sh", "$(rm -rf /)", "`rm -rf /`", "a; touch b",
    "> f", "sudo reboot", "<<EOF", "# x", "it is", "a && git commit --amend", "${x:=$(curl y)}", "\\",
]  # fmt: skip


def denied(preset: str, command: str) -> bool:
    return GUARDS[preset].judge_command(command, PROJECT) is not None


def mangled(letter: str, style: int) -> str:
    if style == 0 or letter == "\n":
        return shlex.quote(letter) if not letter.isalnum() and letter not in "-./_=:@" else letter
    if style == 1:
        return "\\" + letter
    if style == 2:
        return f"'{letter}'"
    if style == 3:
        return f'"{letter}"' if letter not in '$`"\\' else "\\" + letter
    if style == 4:
        return f"$'\\x{ord(letter):02x}'"
    return ("" if letter == "~" else "''") + mangled(letter, 0)


@st.composite
def spellings(draw: st.DrawFn, words: list[str]) -> str:
    """Write a command in one of the ways that mean the same to bash."""
    spelled = [
        "".join(mangled(letter, draw(st.integers(0, 5))) for letter in word) for word in words
    ]
    blank = st.sampled_from([" ", "  ", "\t", " \\\n", "\\\n ", " \\\n\t"])
    text = spelled[0]
    for word in spelled[1:]:
        text += draw(blank) + word
    return text + draw(st.sampled_from(["", " ", "  # note", " #", "\n# it's"]))


WRAPPINGS = [
    "{}", "( {}\n)", "{{ {}\n}}", "if true; then {}\nfi", "! {}", "while true; do {}\ndone", "ls; {}",
    "ls && {}", "ls || {}", "ls | {}", "ls & {}", "true\n{}", "f() {{ {}\n}}; f", "for i in a; do {}\ndone",
    "case a in *) {}\n;; esac", "echo $({}\n)", 'echo "$({}\n)"', "cat <({}\n)", "X=$({}\n)", "cat <<E\n$({}\n)\nE",
    "bash <<'E'\n{}\nE", "{{ {}\n}} 2>/dev/null", "[ -z $({}\n) ]",
]  # fmt: skip
STRINGS = ["sh -c {}", "bash -lc {}", "eval {}", "env -S {}", "env bash -c {}", "timeout 5 sh -c {}",
           "xargs sh -c {}", "trap {} EXIT", "nohup bash -c {}", "find . -exec sh -c {} \\;"]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(DENIED), st.data())
def test_no_spelling_of_a_denied_command_is_let_through(
    row: tuple[str, list[str]], data: st.DataObject
) -> None:
    preset, words = row
    command = data.draw(spellings(words))
    assert denied(preset, command), command


@settings(deadline=None)
@given(
    st.sampled_from(DENIED),
    st.lists(st.sampled_from(WRAPPINGS), max_size=3),
    st.lists(st.sampled_from(STRINGS[:3] + STRINGS[4:]), max_size=2),
    st.data(),
)
def test_no_wrapping_of_a_denied_command_is_let_through(
    row: tuple[str, list[str]], outer: list[str], strings: list[str], data: st.DataObject
) -> None:
    preset, words = row
    command = data.draw(spellings(words))
    for wrapping in strings:
        command = wrapping.format(shlex.quote(command))
    for wrapping in outer:
        assume("E\n" not in wrapping or "\nE\n" not in command)
        command = wrapping.format(command)
    assert denied(preset, command), command


@settings(deadline=None)
@given(st.sampled_from(HARMLESS), st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4))
def test_no_quoted_text_turns_a_harmless_command_into_a_denied_one(
    row: tuple[str, str], pieces: list[str]
) -> None:
    preset, command = row
    text = " ".join(pieces)
    assert not denied(preset, command.format(shlex.quote(text))), text


@settings(deadline=None)
@given(
    st.sampled_from(list(GUARDS)),
    st.lists(st.sampled_from([text for text in TEXTS if text != "<<EOF"]), max_size=6),
)
def test_no_text_of_a_heredoc_turns_a_harmless_command_into_a_denied_one(
    preset: str, lines: list[str]
) -> None:
    body = "\n".join(lines)
    assert not denied(preset, f"cat <<'EOF'\n{body}\nEOF\n"), body


@settings(deadline=None)
@given(st.sampled_from(list(GUARDS)), st.sampled_from(TEXTS))
def test_no_comment_turns_a_harmless_command_into_a_denied_one(preset: str, text: str) -> None:
    assert not denied(preset, f"ls # {text}\npwd"), text


TOKENS = [
    "a", "ls", '"q"', "'s'", "$v", "${v}", "$(c)", "`c`", "<(c)", "|", "||", "&&", "&", ";", "\n", "(", ")",
    "{", "}", "!", "if", "then", "else", "fi", "for", "in", "do", "done", "while", "case", "esac", ";;", "[[",
    "]]", ">", "<", ">>", "2>&1", ">f", "<<E", "\nE\n", "<<<", "\\\n", "\\", "#", "x=1", "x=(a b)", "*", "f()",
    '"', "'", "`", "$", "$(", "${", "<>", "&>", "|&", "[ a ]", "-", "a#b",
]  # fmt: skip
BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@settings(deadline=None, derandomize=True, max_examples=2 * settings().max_examples)
@given(st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(["", " "])), max_size=12))
def test_what_bash_rejects_is_not_read(tokens: list[tuple[str, str]]) -> None:
    command = "".join(token + blank for token, blank in tokens)
    found = segments(command)
    if any(segment.unreadable for segment in found) or not command.strip():
        return
    result = subprocess.run(
        [str(BASH), "-n"], input=command, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, (command, result.stderr)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert segments(text)
