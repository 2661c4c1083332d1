from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from hookctl.failure import UsageError
from hookctl.pages import check_target, page, write_page
from hookctl.pages.shape import MOST_FINDINGS, Page

from .reading import data_of, parsed

SHOWN = {
    "</script><script>alert(1)</script>": "</script><script>alert(1)</script>",
    "<!-- <script>": "<!-- <script>",
    "]]>{{script}}": "]]>{{script}}",
    "&lt;img src=x onerror=alert(1)>": "&lt;img src=x onerror=alert(1)>",
    "line\u2028end\r\n": r"line\u2028end\r\n",
    "\u202egnp.exe": r"\u202egnp.exe",
    "\ud800 alone": r"\ud800 alone",
    "\0\x1b[31m": r"\x00\x1b[31m",
}
HOSTILE = tuple(SHOWN)


def page_with(*texts: str) -> dict[str, Any]:
    made = Page("replay", "Replay")
    for text in texts:
        run = made.run(text, text, [(1, "pre_tool_call", text, 0.5)])
        made.add(run, {"state": "stopped", "plugin": text, "point": "pre_tool_call", "tool": text,
                       "reason": text, "where": text, "moment": 0})  # fmt: skip
    made.about = [("Replayed", " ".join(texts))]
    made.notes = list(texts)
    return made.to_data()


def test_what_texts_hold_ends_no_element_and_begins_none() -> None:
    plain, hostile = parsed(page(page_with())), parsed(page(page_with(*HOSTILE)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert hostile.scripts[1:] == plain.scripts[1:]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_text_is_shown_as_it_is_but_for_what_would_be_unseen(text: str) -> None:
    data = json.loads(parsed(page(page_with(text))).scripts[0])
    assert data["findings"][0]["reason"] == data["runs"][0]["id"] == SHOWN[text]


def test_only_the_page_s_own_style_and_script_may_act() -> None:
    found = parsed(page(page_with(*HOSTILE)))
    (policy,) = [
        str(attributes["content"])
        for tag, attributes in found.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, text in (("style-src", found.styles[0]), ("script-src", found.scripts[1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_a_page_asks_for_nothing_outside_itself() -> None:
    found = parsed(page(page_with()))
    assert not {tag for tag, _ in found.tags} & {"link", "img", "iframe", "object", "base"}
    places = [value for _, attributes in found.tags for name, value in attributes.items()
              if name in ("src", "href")]  # fmt: skip
    assert places
    assert all(str(place).startswith("#") for place in places)


def test_no_script_makes_markup_of_text() -> None:
    script = parsed(page(page_with())).scripts[1]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_long_texts_are_cut() -> None:
    made = Page("replay", "Replay")
    run = made.run("r" * 10_000_000)
    diff = "@@ messages\n" + "- x\n+ y\n" * 1_000_000
    made.add(run, {"state": "changed", "reason": "r" * 10_000_000, "diff": diff, "point": "output"})
    assert len(page(made.to_data())) < 100_000


def test_of_too_many_findings_the_first_are_shown_and_all_are_counted() -> None:
    made = Page("replay", "Replay")
    run = made.run("one")
    for _ in range(MOST_FINDINGS + 3):
        made.add(run, {"state": "changed", "plugin": "p", "point": "output"})
    told = made.to_data()
    assert len(told["findings"]) == MOST_FINDINGS
    assert told["left_out"] == 3
    assert told["kinds"] == [[MOST_FINDINGS + 3, "changed", "p", "output", None, None, None]]


def test_a_page_is_written_over_an_older_one(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(check_target(str(file)), page_with("first"))
    write_page(check_target(str(file)), page_with("second"))
    assert data_of(file)["findings"][0]["reason"] == "second"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("runs.jsonl", b'{"messages": []}', "hookctl did not make it"),
        ("page.html", b"<!doctype html><title>mine</title>", "hookctl did not make it"),
        ("missing/page.html", None, "there is no folder"),
        ("", None, "is a folder"),
    ],
)
def test_nothing_else_is_written_over(
    tmp_path: Path, name: str, content: bytes | None, told: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=told):
        check_target(str(file))
    assert content is None or file.read_bytes() == content
