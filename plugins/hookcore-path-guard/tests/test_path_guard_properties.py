"""Properties of every spelling of a path and of every harmless text."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hookcore_path_guard import PathGuard, PathGuardSettings
from hookcore_path_guard._refusals import Refusal
from hookcore_path_guard._walk import walk

FOLDERS = ["src", "docs", "src/deep"]
many = settings(
    max_examples=2 * settings().max_examples,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class Layout:
    """One tree for all examples: judgements change nothing in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "proj"
        for name in ("proj/src/deep", "proj/docs", "secret", "home/.ssh", "lib"):
            (root / name).mkdir(parents=True)
        for name in ("proj/src/app.py", "secret/key.txt", "home/.ssh/id_rsa", "lib/ro.txt"):
            (root / name).write_text("x\n", "utf-8")
        (self.project / "up").symlink_to("..")
        (self.project / "out").symlink_to(root / "secret")
        (self.project / "src/in").symlink_to("../docs")
        self.guard = PathGuard(
            PathGuardSettings(read=[str(root / "lib")], write=[str(self.project)])
        )

    def denied(self, tool: str, **arguments: Any) -> bool:
        return self.guard.judge(tool, arguments, str(self.project)) is not None


@pytest.fixture(scope="module")
def layout() -> Iterator[Layout]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder)) / "top"
        with patch.dict(os.environ, {"HOME": str(root / "home")}):
            yield Layout(root)


def noise() -> st.SearchStrategy[str]:
    """Separators between two components that do not change the place."""
    return st.sampled_from(["/", "//", "/./", "/.//./", "///"])


@st.composite
def spelled(draw: st.DrawFn, root: Path) -> str:
    """Return a path to something outside of the project, spelled in some way."""
    target = draw(st.sampled_from(["secret/key.txt", "home/.ssh/id_rsa", "secret/new", "lib/../x"]))
    way = draw(st.sampled_from(["relative", "absolute", "link", "folder link", "detour"]))
    if way == "absolute":
        path = str(root / target)
    elif way == "link":
        path = f"up/{target}"
    elif way == "folder link":
        path = "out/" + draw(st.sampled_from(["key.txt", "new", ".", ""]))
    elif way == "detour":
        folder = draw(st.sampled_from(FOLDERS))
        path = f"{folder}/{'../' * (folder.count('/') + 2)}{target}"
    else:
        path = f"../{target}"
    parts = path.split("/")
    return "".join(
        part + (draw(noise()) if place < len(parts) - 1 else "") for place, part in enumerate(parts)
    )


@many
@given(data=st.data())
def test_no_spelling_of_a_path_outside_is_let_through(layout: Layout, data: st.DataObject) -> None:
    path = data.draw(spelled(layout.root))
    assert layout.denied("Read", file_path=path)
    assert layout.denied("Write", file_path=path, content="")
    assert layout.denied("anything", path=path)


@many
@given(data=st.data())
def test_no_url_of_a_path_outside_is_let_through(layout: Layout, data: st.DataObject) -> None:
    path = data.draw(spelled(layout.root))
    absolute = path if path[0] == "/" else f"{layout.project}/{path}"
    every = data.draw(st.booleans())
    encoded = "".join(
        f"%{byte:02x}" if every and chr(byte) != "/" else quote(chr(byte))
        for byte in absolute.encode()
    )
    scheme = data.draw(st.sampled_from(["file://", "FILE://", "file://localhost", "file:"]))
    assume(not (scheme == "file:" and encoded.startswith("//")))
    assert layout.denied("Read", file_path=scheme + encoded)


@many
@given(data=st.data())
def test_no_home_spelling_is_let_through(layout: Layout, data: st.DataObject) -> None:
    head = data.draw(st.sampled_from(["~", "$HOME", "${HOME}", "%HOME%", " ~"]))
    rest = data.draw(st.sampled_from(["/.ssh/id_rsa", "/./.ssh//id_rsa", "/new", "/", ""]))
    assert layout.denied("Read", file_path=head + rest)
    assert layout.denied("Bash", command=f"cat {head.strip()}{rest}") or head == "%HOME%"


QUOTES = {
    "plain": lambda text: text,
    "single": lambda text: f"'{text}'",
    "double": lambda text: f'"{text}"',
    "escaped": lambda text: "".join(f"\\{char}" for char in text),
    "ansi": lambda text: "$'" + "".join(f"\\x{ord(char):02x}" for char in text) + "'",
    "pieces": lambda text: "".join(f"'{char}'" for char in text),
    "braces": lambda text: f"{{README.md,{text}}}",
    "variable": None,
    "loop": None,
    "folder": None,
}
COMMANDS = [
    "cat {}",
    "cat README.md {}",
    "ls; cat {} | head",
    "echo x > {}",
    "echo x >> {}",
    "wc -l < {}",
    "cp {} copy",
    "cp README.md {}",
    "mv {} x",
    "rm {}",
    "tee {} < README.md",
    "grep -rn key {}",
    "sed -n p {}",
    "awk 1 {}",
    "sort -o {} README.md",
    "python3 {}",
    "(cat {})",
    "if true; then cat {}; fi",
    "sudo cat {}",
    "sh -c 'cat {}'",
    "ln {} hard",
    "mytool {}",
    "find {} -name x",
    "tar cf a.tar {}",
]


@many
@given(data=st.data())
def test_no_spelling_in_a_command_is_let_through(layout: Layout, data: st.DataObject) -> None:
    path = data.draw(spelled(layout.root))
    command = data.draw(st.sampled_from(COMMANDS))
    how = data.draw(st.sampled_from(sorted(QUOTES)))
    if "'" in command:
        how = "plain"
    # A bare link is taken away or moved as such; what it leads to is not.
    assume(not (command.startswith(("rm", "mv {}")) and path in {"up", "out"}))
    # A program that is not known may take the name of a link as any text.
    assume(command != "mytool {}" or path[0] in "/." or "/../" in path)
    quoting = QUOTES[how]
    if quoting is not None:
        text = command.replace("{}", quoting(path), 1)
    elif how == "variable":
        text = f"v={path}; " + command.replace("{}", "$v", 1)
    elif how == "loop":
        text = f"for v in README.md {path}; do {command.replace('{}', '$v', 1)}; done"
    else:
        assume(path[0] != "/" and command != "mytool {}")
        text = command.replace("{}", f"$PWD/{path}", 1)
    assert layout.denied("Bash", command=text), text


PRINTABLE = st.text(
    st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="\x7f"), max_size=60
)
PROSE = st.one_of(
    PRINTABLE,
    st.sampled_from(
        [
            "../secret/key.txt",
            "cat /etc/passwd",
            "> ../x",
            "~/.ssh",
            "$(cat ../x)",
            "cd .. && rm -rf /",
        ]
    ),
)


@many
@given(text=PROSE)
def test_no_text_makes_a_harmless_call_a_denied_one(layout: Layout, text: str) -> None:
    assert not layout.denied("Edit", file_path="src/app.py", old_string=text, new_string=text)
    assert not layout.denied("Write", file_path="src/n.py", content=text)
    assert not layout.denied("Grep", pattern=text, path="src")
    assert not layout.denied("Task", prompt=text, description=text)


@many
@given(text=PROSE)
def test_no_quoted_text_makes_a_harmless_command_a_denied_one(layout: Layout, text: str) -> None:
    word = shlex.quote(text)
    for command in (f"echo {word}", f"grep -n -e {word} src/app.py", f"git commit -m {word}"):
        assert not layout.denied("Bash", command=command), command
    body = text.replace("\n", " ")
    assert not layout.denied("Bash", command=f"cat > src/n.txt <<'END'\n.{body}\nEND")
    assert not layout.denied("Bash", command=f"ls src # {body}")


@many
@given(
    parts=st.lists(
        st.sampled_from(
            ["src", "deep", "..", ".", "", "up", "proj", "in", "docs", "app.py", "out"]
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_walk_leads_where_the_kernel_leads(layout: Layout, parts: list[str]) -> None:
    path = "/".join(parts) or "."
    assume(path[0] != "/")
    descriptor = None
    try:
        folder = os.open(layout.project, os.O_RDONLY)
        try:
            descriptor = os.open(path, os.O_RDONLY, dir_fd=folder)
        except OSError:
            return
        finally:
            os.close(folder)
        place = walk(path, str(layout.project))
        assert os.path.samestat(os.fstat(descriptor), Path(place).lstat())
        assert place == os.path.realpath(layout.project / path)
    finally:
        if descriptor is not None:
            os.close(descriptor)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["path", "file_path", "command", "paths", "pattern", "glob", "x", "input"]
            )
            | st.text(max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TOOLS = st.sampled_from(
    [
        "Read",
        "Write",
        "Bash",
        "Glob",
        "Grep",
        "apply_patch",
        "move_file",
        "str_replace_editor",
        "odd",
    ]
)


@many
@given(tool=TOOLS | st.text(max_size=20), arguments=VALUES, cwd=st.none() | VALUES)
def test_every_call_gets_an_answer(layout: Layout, tool: str, arguments: Any, cwd: Any) -> None:
    denial = layout.guard.judge(tool, arguments, cwd)
    assert denial is None or (denial.reason and denial.message.isprintable())


SHELL_TOKENS = st.lists(
    st.sampled_from(
        [
            "cat",
            "ls",
            "cd",
            "..",
            ".",
            "/",
            "~",
            "$x",
            "${x}",
            "$(",
            ")",
            "`",
            "'",
            '"',
            ">",
            ">>",
            "<",
            "<<",
            "<<'E'",
            "E",
            "&&",
            "||",
            ";",
            "|",
            "&",
            "{",
            "}",
            "(",
            ")",
            "*",
            "?",
            "[",
            "]",
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "sed",
            "awk",
            "python3",
            "-c",
            "-e",
            "-o",
            "-i",
            "find",
            "-exec",
            "{}",
            "+",
            "git",
            "-C",
            "tar",
            "xf",
            "-C",
            "dd",
            "of=",
            "if=",
            "ln",
            "-s",
            "patch",
            "apply_patch",
            "xargs",
            "\\",
            "\n",
            "#",
            "=",
            "a=b",
            "src",
            "../x",
            "//",
        ]
    ),
    max_size=25,
)


@many
@given(tokens=SHELL_TOKENS)
def test_every_command_gets_an_answer(layout: Layout, tokens: list[str]) -> None:
    layout.guard.judge("Bash", {"command": " ".join(tokens)}, str(layout.project))


LONG = [
    "a/" * 1990,
    "/" * 3990,
    "./" * 1990,
    "../" * 1330,
    "src/../" * 560,
    "~" * 3990,
    "%2e" * 1000,
    "\\" * 3990,
    " " * 3990 + "x",
    "{a," * 1300,
    "{a,b}" * 780,
    "[" * 3990,
    "*" * 3990,
    "*/" * 1990,
    "**/" * 1300 + "x",
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:8])
def test_the_file_system_is_asked_at_most_once_for_each_component_and_link(
    layout: Layout, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    real = os.lstat

    def counted(path: str) -> os.stat_result:
        nonlocal asked
        asked += 1
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "lstat", counted)
        for tool, arguments in (("Read", {"file_path": text}), ("Glob", {"pattern": text})):
            asked = 0
            layout.guard.judge(tool, arguments, str(layout.project))
            # A text has up to four readings, and each begins at the top or in the folder.
            assert asked <= 4 * (len(text) + 100)


def test_links_in_links_do_not_multiply(layout: Layout) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(os.path.realpath(folder))
        (top / "l0").mkdir()
        for number in range(1, 12):
            (top / f"l{number}").symlink_to(
                "/".join([f"l{number - 1}/.."] * 6 + [f"l{number - 1}"])
            )
        with pytest.raises(Refusal) as caught:
            walk(str(top / "l11"))
        assert caught.value.rule == "links"
