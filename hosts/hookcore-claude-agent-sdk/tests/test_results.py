from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")

from hookcore_claude_agent_sdk.results import like

TEXTS = [{"type": "text", "text": "new"}]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("old", "new"),
        ([{"type": "text", "text": "old"}], TEXTS),
        ({"content": [{"type": "text", "text": "old"}], "isError": False}, TEXTS),
        ({"stdout": "old", "stderr": "old", "interrupted": False}, None),
        ({"type": "text", "file": {"content": "old", "numLines": 1}}, None),
    ],
)
def test_a_text_takes_the_shape_of_the_tools_result(old: Any, new: Any) -> None:
    made = like("new", old)
    assert "old" not in repr(made)
    assert "new" in repr(made)
    assert type(made) is type(old)
    assert new is None or new in (made, made.get("content") if isinstance(made, dict) else made)


def test_what_has_the_shape_is_given_as_it_is() -> None:
    assert like({"matches": 1}, {"matches": 2}) == {"matches": 1}


def test_a_text_for_a_shape_that_is_not_known_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"change its texts with ctx\.texts\(\)"):
        like("new", {"matches": 2})
