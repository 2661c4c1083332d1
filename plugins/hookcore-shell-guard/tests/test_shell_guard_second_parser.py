"""The programs of a command are those that another parser finds, where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore_shell_guard import segments

SHFMT = shutil.which("shfmt", path=str(Path(sys.executable).parent)) or shutil.which("shfmt")
pytestmark = pytest.mark.skipif(SHFMT is None, reason="shfmt is not installed")

WORDS = st.sampled_from(
    ["a", "-f", "--opt=v", "./p", '"a b"', '"x $v y"', "'$(z)'", "'a;b'", "$v", "${v:-w}", "*", "~/x",
     "a\\ b", "$'a\\n'", "\\;", '"#c"', "'\"'", "a#b"]
)  # fmt: skip
PROGRAMS = st.sampled_from(["p1", "p2", '"p3"', "p\\4", "'p'5", "p6"])
REDIRECTIONS = st.sampled_from(["", "", "", " >f", " 2>&1", " </dev/null", " &>>f", ' <<< "x"'])
JOINTS = st.sampled_from(["; ", " && ", " || ", " | ", "\n", " & ", " |& "])


def simple(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.tuples(
        st.sampled_from(["", "V=1 ", "V='a b' "]),
        PROGRAMS,
        st.lists(words, max_size=3),
        REDIRECTIONS,
    )
    return parts.map(lambda part: f"{part[0]}{' '.join([part[1], *part[2]])}{part[3]}")


def lists(commands: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.lists(st.tuples(JOINTS, commands), max_size=2)
    return st.tuples(commands, pairs).map(
        lambda part: part[0] + "".join(joint + command for joint, command in part[1])
    )


def nested(commands: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = lists(commands)
    forms = st.sampled_from(
        ["( {}\n)", "{{ {}\n}}", "if {0}\nthen {1}\nfi", "while {0}\ndo {1}\ndone",
         "for i in a b; do {}\ndone", "case a in b) {}\n;; *) {1}\n;; esac"]
    )  # fmt: skip
    compound = st.tuples(forms, several, several, REDIRECTIONS).map(
        lambda part: part[0].replace("{}", "{0}", 1).format(part[1], part[2]) + part[3]
    )
    inner = st.one_of(WORDS, several.map(lambda text: f"$( {text}\n)"),
                      several.map(lambda text: f'"$( {text}\n)"'),
                      several.map(lambda text: f"<( {text}\n)"))  # fmt: skip
    return st.one_of(compound, simple(inner))


COMMANDS = lists(st.recursive(simple(WORDS), nested, max_leaves=6))


def literal(word: dict[str, Any]) -> str | None:
    text = ""
    for part in word.get("Parts", []):
        inner = part.get("Parts", [])
        if part["Type"] == "Lit":
            text += re.sub(r"\\(.)", r"\1", part.get("Value", ""))
        elif part["Type"] == "SglQuoted" and not part.get("Dollar"):
            text += part.get("Value", "")
        elif part["Type"] == "DblQuoted" and all(piece["Type"] == "Lit" for piece in inner):
            text += "".join(piece.get("Value", "") for piece in inner)
        else:
            return None
    return text


def programs(node: Any) -> Counter[str | None]:
    found: Counter[str | None] = Counter()
    if isinstance(node, dict):
        if node.get("Type") == "CallExpr" and node.get("Args"):
            found[literal(node["Args"][0])] += 1
        for value in node.values():
            found += programs(value)
    elif isinstance(node, list):
        for value in node:
            found += programs(value)
    return found


@settings(deadline=None, derandomize=True)
@given(COMMANDS)
def test_the_programs_are_those_that_shfmt_finds(command: str) -> None:
    found = segments(command)
    # What is refused is denied; what is read must be read right.
    if any(segment.unreadable for segment in found):
        return
    parsed = subprocess.run(
        [str(SHFMT), "--to-json", "-ln", "bash"],
        input=command, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert parsed.returncode == 0, (command, parsed.stderr)
    mine = Counter(segment.program for segment in found if segment.program != ":")
    assert mine == programs(json.loads(parsed.stdout)), command


@settings(deadline=None, derandomize=True)
@given(COMMANDS)
def test_few_valid_commands_are_refused(command: str) -> None:
    found = segments(command)
    assert not any(segment.unreadable for segment in found) or "case" in command, command
