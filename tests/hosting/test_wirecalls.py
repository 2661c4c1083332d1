from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ModelResponse, hookimpl
from hookcore.hosting.wirecalls import WireCall
from hookcore.wires import CHAT, RESPONSES

BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"n": 1}]}
ANSWER = {
    "id": "x",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}}],
}


class Looking:
    @hookimpl
    def post_model_call(self, ctx: Any) -> None: ...


def call(body: Any = BODY, *, looks: bool = True, wire: Any = CHAT, **more: Any) -> WireCall:
    manager = HookManager()
    if looks:
        manager.register(Looking())
    return WireCall(manager, wire, body, asked="/ask", source="acme", **more)


def test_hooks_see_the_messages_the_model_and_the_tools() -> None:
    made = call(provider="acme")
    assert made.ctx.messages == BODY["messages"]
    assert (made.ctx.model, made.ctx.tools, made.ctx.provider) == ("m", [{"n": 1}], "acme")
    assert made.ctx.attributes == {"wire": CHAT.name}


def test_what_cannot_be_judged_is_refused_with_the_reason() -> None:
    with pytest.raises(HookAborted, match=r"/ask cannot be judged: .*in the background") as caught:
        call({"input": "hi", "background": True}, wire=RESPONSES)
    assert "in the background" in caught.value.message


def test_a_request_that_nobody_changed_is_the_one_that_came() -> None:
    made = call()
    assert made.settled(made.ctx.messages) is BODY


def test_a_request_goes_on_as_hooks_left_it() -> None:
    made = call({**BODY, "tool_choice": "auto"})
    made.ctx.model, made.ctx.tools = "small", [{"n": 2}]
    changed = [{"role": "user", "content": "ho"}]
    settled = made.settled(changed)
    assert settled == {
        "model": "small",
        "messages": changed,
        "tools": [{"n": 2}],
        "tool_choice": "auto",
    }
    made.ctx.tools = []
    assert made.settled(changed) == {"model": "small", "messages": changed}


def test_an_answer_is_shown_as_a_neutral_one_and_comes_back_changed() -> None:
    made = call()
    shown = made.shown(ANSWER)
    assert isinstance(shown, ModelResponse)
    assert made.left(shown) is None
    changed = made.left(ModelResponse("no"))
    assert changed["choices"][0]["message"]["content"] == "no"
    assert changed["id"] == "x"
    assert made.left({"own": 1}) == {"own": 1}


def test_an_answer_that_nobody_looks_at_is_the_one_that_came() -> None:
    made = call(looks=False)
    assert made.shown(ANSWER) is ANSWER
    assert made.left(ANSWER) is None


def test_a_text_that_came_may_become_another() -> None:
    made = call()
    assert made.shown("oops") == "oops"
    assert made.left("oops") is None
    assert made.left("better") == "better"


def test_an_answer_in_the_models_place_has_the_format() -> None:
    made = call().left("from a wrap")
    assert made["choices"][0]["message"]["content"] == "from a wrap"


def test_the_answer_of_a_count_is_nobodys_business() -> None:
    made = call(counts=True)
    assert made.shown({"input_tokens": 7}) == ModelResponse()
    assert made.left(ModelResponse("changed")) is None
