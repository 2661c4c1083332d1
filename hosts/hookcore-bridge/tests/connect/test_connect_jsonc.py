"""JSON with comments is read with places, and edited so that nothing else changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_bridge.connect.jsonc import JsonError, comments, parse
from hookcore_bridge.connect.jsonedit import EditError, append, remove, replace

COMMENTED = """\
// kept by hand
{
    "model": "opus", // the large one
    /* hooks of the team */
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": []}, // theirs
        ],
    },
    "last": [1, 2.50, "a\\u00e9//b"] // no comma
}
"""


def spaces() -> st.SearchStrategy[str]:
    return st.sampled_from(["", " ", "\n", "\n  ", " // it's {[\n", '/* " , */', "\t", "\r\n    "])


@st.composite
def texts(draw: st.DrawFn, depth: int = 0) -> str:
    """Write a value with blanks, comments and trailing commas where they may stand."""
    kinds = ["word", "object", "array"] if depth < 3 else ["word"]
    kind = draw(st.sampled_from(kinds)) if depth else "object"
    if kind == "word":
        plain = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
        return json.dumps(draw(plain), ensure_ascii=draw(st.booleans()))
    keys = draw(st.lists(st.sampled_from(["a", "b", "hooks", "x y"]), unique=True, max_size=3))
    parts = []
    for key in keys:
        value = draw(texts(depth + 1))
        name = f"{json.dumps(key)}{draw(spaces())}:{draw(spaces())}" if kind == "object" else ""
        parts.append(f"{draw(spaces())}{name}{value}{draw(spaces())}")
    trailing: bool = draw(st.booleans())
    body = ",".join(parts) + ("," if parts and trailing else "") + draw(spaces())
    return "{" + body + "}" if kind == "object" else "[" + body + "]"


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(texts(), VALUES)
def test_what_is_added_can_be_read_and_taken_away_again(text: str, value: Any) -> None:
    before = parse(text).value
    added = replace(text, ["new"], value)
    assert parse(added).value == {**before, "new": value}
    assert comments(added) == comments(text)
    assert parse(remove(added, ["new"])).value == before


@given(texts())
def test_any_member_can_be_taken_away(text: str) -> None:
    before = parse(text).value
    for key in before:
        after = remove(text, [key])
        assert parse(after).value == {k: v for k, v in before.items() if k != key}
        assert len(comments(after)) <= len(comments(text))


@given(texts(), VALUES)
def test_an_item_goes_to_the_end_of_a_list_that_is_made_when_it_is_missing(
    text: str, value: Any
) -> None:
    before = parse(text).value
    if isinstance(before.get("hooks", {}), dict) and isinstance(
        before.get("hooks", {}).get("a", []), list
    ):
        after = append(text, ["hooks", "a"], value)
        assert parse(after).value["hooks"]["a"] == [*before.get("hooks", {}).get("a", []), value]


@given(st.text(alphabet='{}[]",:/*\\ \n1a', max_size=20))
def test_what_python_reads_is_read_alike_and_nothing_raises_another_error(text: str) -> None:
    try:
        ours = parse(text).value
    except JsonError:
        with pytest.raises(ValueError):  # noqa: PT011 - whatever Python says of it
            json.loads(text)
        return
    if not comments(text):
        try:
            assert json.loads(text) == ours
        except ValueError:
            assert "," in text


def test_a_list_with_a_comment_behind_its_last_comma_grows_below_it() -> None:
    after = append(COMMENTED, ["hooks", "PreToolUse"], {"hooks": [{"command": "x"}]})
    assert after == COMMENTED.replace(
        "// theirs\n",
        "// theirs\n"
        "            {\n"
        '                "hooks": [\n'
        "                    {\n"
        '                        "command": "x"\n'
        "                    }\n"
        "                ]\n"
        "            },\n",
    )
    assert remove(after, ["hooks", "PreToolUse", 1]) == COMMENTED


def test_a_member_behind_a_comment_without_comma_gets_its_comma_before_it() -> None:
    after = replace(COMMENTED, ["disableAllHooks"], value=False)
    assert after.endswith(
        '    "last": [1, 2.50, "a\\u00e9//b"], // no comma\n    "disableAllHooks": false\n}\n'
    )
    assert remove(after, ["disableAllHooks"]) == COMMENTED


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert replace('{"a":1}', ["b", "c"], [2]) == '{"a":1, "b": {"c": [2]}}'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("unit", ["  ", "    ", "\t"])
def test_line_ends_and_indentation_are_the_files_own(newline: str, unit: str) -> None:
    text = newline.join(["{", f'{unit}"a": {{', f'{unit}{unit}"b": 1', f"{unit}}}", "}", ""])
    expected = newline.join(
        ["{", f'{unit}"a": {{', f'{unit}{unit}"b": 1,', f'{unit}{unit}"c": true', f"{unit}}}"]
    )
    assert replace(text, ["a", "c"], value=True).startswith(expected)


@pytest.mark.parametrize("text", ["{}", "{}\n", "{ }", "{\n}\n"])
def test_an_empty_object_is_filled(text: str) -> None:
    assert parse(replace(text, ["a"], 1)).value == {"a": 1}
    assert '{\n  "a": 1\n}' in replace(text, ["a"], 1)


def test_a_value_is_replaced_in_its_place() -> None:
    after = replace(COMMENTED, ["model"], "haiku")
    assert after == COMMENTED.replace('"opus"', '"haiku"')


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a value is missing"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, "a comma or } is missing"),
        ('{"a": tru}', 1, "this is no value"),
        ("{'a': 1}", 1, "the name of a member is missing"),
        ('{"a": "\n"}', 1, "no end"),
        ('{\n"a" 1}', 2, "a colon is missing"),
        ("{}\n{}", 2, "after the end"),
        ("[" * 5000, 1, "nested more than 200 deep"),
        ('{"a": 01}', 1, "a comma or } is missing"),
        ("{,}", 1, "the name of a member is missing"),
        ("[,]", 1, "a value is missing"),
        ("{} /* open", 1, "after the end"),
    ],
)
def test_broken_text_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(JsonError, match=message) as caught:
        parse(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ('{"hooks": 1}', ["hooks", "a"], "hooks is no table of names .line 1."),
        ('{"hooks": {"a": 1}}', ["hooks", "a"], "hooks.a is no list"),
        ('{"hooks": [],\n"hooks": []}', ["hooks"], "hooks is there twice .line 2."),
        ("[]", ["a"], "the whole is no table of names"),
    ],
)
def test_a_form_that_cannot_be_edited_is_refused(text: str, path: list[str], message: str) -> None:
    with pytest.raises(EditError, match=message):
        append(text, path, 1)


@pytest.mark.parametrize("inner", ["1" * 5000, "1e999", "[" * 199 + "]" * 199])
def test_what_is_large_stays_as_it_is(inner: str) -> None:
    text = f'{{"a": {inner}}}'
    assert replace(text, ["b"], 1) == f'{{"a": {inner}, "b": 1}}'


def test_what_is_not_there_cannot_be_taken_away() -> None:
    with pytest.raises(EditError, match=r"there is no a\.0"):
        remove('{"a": []}', ["a", 0])
