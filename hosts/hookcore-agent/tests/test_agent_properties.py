"""Properties of every conversation and every way of cutting a stream into pieces."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore_agent import MalformedArguments
from hookcore_agent.messages import as_message, close_open_calls
from hookcore_agent.models import parsed_arguments
from hookcore_agent.openai_stream import StreamedAnswer

arguments = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """Cut a text anywhere."""
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def chunk(index: int, piece: str, call_id: str | None = None) -> Any:
    function = SimpleNamespace(name="tool" if call_id else None, arguments=piece)
    part = SimpleNamespace(index=index, id=call_id, function=function)
    delta = SimpleNamespace(content=None, refusal=None, tool_calls=[part])
    choice = SimpleNamespace(delta=delta, finish_reason=None)
    return SimpleNamespace(choices=[choice], usage=None)


END = SimpleNamespace(choices=[SimpleNamespace(delta=None, finish_reason="tool_calls")], usage=None)


@given(st.lists(arguments, min_size=1, max_size=3), st.data())
def test_calls_are_the_same_however_they_are_cut_and_mixed(
    wanted: list[dict[str, Any]], data: st.DataObject
) -> None:
    queues = [data.draw(cut(json.dumps(value))) for value in wanted]
    answer = StreamedAnswer("m")
    for index in range(len(queues)):
        answer.take(chunk(index, "", f"call_{index}"))
    while any(queues):
        index = data.draw(st.sampled_from([i for i, queue in enumerate(queues) if queue]))
        answer.take(chunk(index, queues[index].pop(0)))
    answer.take(END)
    calls = answer.response().tool_calls
    assert [call.arguments for call in calls] == wanted
    assert [call.id for call in calls] == [f"call_{index}" for index in range(len(wanted))]


@given(st.text(max_size=20))
def test_a_text_is_a_dict_only_if_it_is_a_json_object_or_blank(text: str) -> None:
    made = parsed_arguments(text)
    try:
        value = json.loads(text)
    except ValueError:
        value = {} if not text.strip() else None
    assert made == (value if isinstance(value, dict) else MalformedArguments(text))


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """Make conversations in which some calls have no answer."""
    messages: list[Any] = []
    for turn in range(draw(st.integers(0, 4))):
        messages.append({"role": "user", "content": "x"})
        ids = [f"{turn}-{n}" for n in range(draw(st.integers(0, 3)))]
        calls = [{"id": i, "type": "function", "function": {"name": "f"}} for i in ids]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        answered = [i for i in ids if draw(st.booleans())]
        messages += [{"role": "tool", "content": "ok", "tool_call_id": i} for i in answered]
    return [as_message(message) for message in messages]


@given(conversations())
def test_every_call_is_answered_right_behind_its_message_and_only_once(
    messages: list[Any],
) -> None:
    before = list(messages)
    added = close_open_calls(messages, "lost")
    assert [message for message in messages if message not in added] == before
    asked: list[str] = []
    for message in messages:
        if message.role == "tool":
            asked.remove(message.tool_call_id)
        else:
            assert asked == []
            asked = [call["id"] for call in message.get("tool_calls", ())]
    assert asked == []
    assert close_open_calls(messages, "lost") == []
