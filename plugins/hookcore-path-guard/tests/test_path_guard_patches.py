from __future__ import annotations

from typing import Any

import pytest

from hookcore_path_guard._patches import patched_files

Place = Any


def named(text: str, strip: int | None = None) -> list[tuple[str, str]]:
    return [(kind, path) for kind, path in patched_files(text, strip)]


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def test_every_file_of_an_envelope_is_named() -> None:
    text = envelope(
        "*** Add File: a",
        "+x",
        "*** Update File: b",
        "*** Move to: c",
        "@@",
        "-x",
        "*** Delete File: d",
    )
    assert named(text) == [("write", "a"), ("write", "b"), ("write", "c"), ("remove", "d")]


@pytest.mark.parametrize("line", ["+*** Add File: /x", "-*** Add File: /x", " *** Add File: /x"])
def test_content_is_not_taken_for_a_header(line: str) -> None:
    assert named(envelope("*** Update File: a", "@@", line)) == [("write", "a")]


@pytest.mark.parametrize("line", ["  *** Add File: x", "\t*** Add File: x", "*** Add File:x"])
def test_a_header_with_spaces_around_is_a_header(line: str) -> None:
    assert named(envelope("*** Delete File: a", line))[-1] == ("write", "x")


def test_a_tab_is_no_content_of_an_update() -> None:
    assert named(envelope("*** Update File: a", "@@", "\t*** Add File: x"))[-1] == ("write", "x")


def test_a_unified_diff_is_read_with_and_without_its_prefixes() -> None:
    text = "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"
    assert {path for _, path in named(text)} == {"a/x", "x", "b/y", "y"}


def test_a_given_number_of_components_is_taken_off() -> None:
    assert named("--- p/q/x\n+++ p/q/x\n", 2) == [("write", "x"), ("write", "x")]


def test_lines_of_a_hunk_are_content() -> None:
    text = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- /etc/x\n+++ /etc/x\n context\n--- b\n"
    assert [path for _, path in named(text)] == ["a", "a", "b"]


def test_nothing_is_named_by_the_null_device() -> None:
    assert named("--- /dev/null\n+++ b/x\n", 1) == [("write", "x")]


def test_renames_quotes_and_context_diffs_are_read() -> None:
    assert named("rename from a b\nrename to ../c\n") == [("write", "a b"), ("write", "../c")]
    assert named('--- "a b"\n') == [("write", "a b")]
    assert named(
        "*** old.c\t2024\n--- new.c\t2024\n***************\n*** 1,2 ****\n--- 1,2 ----\n"
    ) == [
        ("write", "old.c"),
        ("write", "new.c"),
    ]
    assert named("Index: a/x\n", 0) == [("write", "a/x")]


def test_a_link_in_a_patch_leads_where_its_content_says() -> None:
    text = "diff --git a/d/l b/d/l\nnew file mode 120000\n--- /dev/null\n+++ b/d/l\n@@ -0,0 +1 @@\n+../../x\n"
    assert ("target", "d/../../x") in named(text, 1)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (envelope("*** Add File: src/n.py", "+x"), True),
        (envelope("*** Add File: ../n.py", "+x"), False),
        ("--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-a\n+b\n", True),
        ("--- a/../x\n+++ b/../x\n", False),
    ],
)
def test_a_patch_is_judged_in_a_tool_and_in_a_command(
    place: Place, text: str, *, allowed: bool
) -> None:
    assert (place.judge("apply_patch", {"input": text}) is None) is allowed
    program = "apply_patch" if text.startswith("***") else "git apply"
    assert (place.run(f"{program} <<'EOF'\n{text}\nEOF") is None) is allowed


def test_a_patch_that_makes_a_link_out_is_refused(place: Place) -> None:
    text = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../secret\n"
    denial = place.judge("apply_patch", {"patch": text})
    assert denial is not None
    assert denial.reason.startswith("write: the target of a new link")
