from __future__ import annotations

from collections.abc import Callable

import pytest

from hookcore_path_guard import Denial
from hookcore_path_guard._scripts import awk_files, code_files, sed_files

Judged = Callable[[str], Denial | None]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("s/a/b/", []),
        ("s#/usr/bin#/opt/bin#g", []),
        (r"s/\/etc\/x/y/", []),
        ("/etc/p", []),
        ("10,20p", []),
        ("s/foo r /etc/x/", []),
        ("y/abc/w x/", []),
        ("a\\\nw /etc/x", [("/etc/x", True)]),
        ("w out", [("out", True)]),
        ("/x/w out", [("out", True)]),
        ("1,3r in", [("in", False)]),
        ("$!{ r in\n}", [("in", False)]),
        ("s/a/b/w out", [("out", True)]),
        ("s/a/b/gw out\np", [("out", True)]),
        ("s/[/]/x/w out", [("out", True)]),
        ("s/a/b/; w out", [("out", True)]),
        (r"\#a#w out", [("out", True)]),
        ("p;W out", [("out", True)]),
        ("s", []),
        ("s/a", []),
        ("s/[/", []),
    ],
)
def test_the_files_of_a_sed_script_are_found(script: str, expected: list[tuple[str, bool]]) -> None:
    assert [(file.path, file.write) for file in sed_files(script)] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("{print $1}", []),
        ("/^\\/etc/ {print}", []),
        ("$1 > 5 {print}", []),
        ("$1 ~ /a>b/ {print}", []),
        ('{print > "out"}', [("out", True)]),
        ('{print >> "../out"}', [("../out", True)]),
        ('BEGIN{while((getline l < "in")>0) print l}', [("in", False)]),
        ("{print > $1}", [(None, True)]),
        ('{print "a" > f}', [(None, True)]),
        ("{print ($1 > 5)}", []),
    ],
)
def test_the_files_of_an_awk_program_are_found(
    code: str, expected: list[tuple[str | None, bool]]
) -> None:
    assert [(file.path, file.write) for file in awk_files(code)] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('a/b'.split('/'))", [("a/b", False)]),
        ("print('a b', '?')", []),
        ("x = '/no-such-folder-here/api'", []),
        ("open('../x')", [("../x", False)]),
        ("open('../x', 'w')", [("../x", True)]),
        ('open("/tmp/x")', [("/tmp/x", False)]),
        ("open('~/x')", [("~/x", False)]),
        ("open('a/../../x')", [("a/../../x", False)]),
        ("'https://x/a/../b'", []),
        ("print('see a/../b here')", []),
    ],
)
def test_literals_that_name_a_place_outside_are_found(
    code: str, expected: list[tuple[str, bool]]
) -> None:
    assert [(file.path, file.write) for file in code_files(code)] == expected


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'open(\"../secret/key.txt\")'",
        "python3 - <<'E'\nopen('../secret/key.txt')\nE",
        "python3 <<E\nopen('../secret/key.txt')\nE",
        "sed -n -e 'r ../secret/key.txt' README.md",
        'awk \'BEGIN{print "x" > "../w"}\'',
    ],
)
def test_a_script_in_a_command_is_looked_at(run: Judged, command: str) -> None:
    assert run(command) is not None


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'print(1)'",
        "python3 src/app.py <<'E'\n../secret/key.txt\nE",
        "cat <<'E'\nopen('../secret/key.txt')\nE",
        "awk '{print > \"out.txt\"}' README.md",
        "sed 'w out.txt' README.md",
    ],
)
def test_a_harmless_script_is_let_through(run: Judged, command: str) -> None:
    assert run(command) is None
