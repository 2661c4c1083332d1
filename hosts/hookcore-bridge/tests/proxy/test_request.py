from __future__ import annotations

import json
from typing import Any

import pytest

from hookcore.wires import CHAT, MalformedError, Operation, Wire
from hookcore_bridge.proxy.request import ModelRequest


def asked(wire: Wire, body: Any, **options: Any) -> ModelRequest:
    return ModelRequest(Operation(wire, **options), json.dumps(body).encode(), {})


def sent(wire: Wire, body: Any, change: Any) -> Any:
    """Return the body that is sent when policies change the messages."""
    request = asked(wire, body)
    return json.loads(request.body(change(request.ctx.messages)))


@pytest.mark.parametrize("body", [[], None])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(MalformedError):
        asked(CHAT, body)


@pytest.mark.parametrize("data", [b"", b"{", b'{"messages": [], "messages": []}', b"\xff"])
def test_a_body_that_two_programs_read_in_two_ways_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedError):
        ModelRequest(Operation(CHAT), data, {})


def test_an_unchanged_body_is_sent_as_it_came() -> None:
    data = b'{"messages" : [ {"role":"user"} ], "temperature": 1.0}'
    request = ModelRequest(Operation(CHAT), data, {})
    assert request.body(request.ctx.messages) is data


def test_true_and_1_are_two_values() -> None:
    assert sent(CHAT, {"messages": [{"x": True}]}, lambda _: [{"x": 1}]) == {"messages": [{"x": 1}]}
    request = asked(CHAT, {"messages": [{"x": True}]})
    assert b'"x":1}' in request.body([{"x": 1}])


def test_what_is_no_json_cannot_be_sent() -> None:
    with pytest.raises(MalformedError):
        asked(CHAT, {"messages": []}).body([object()])
