from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookContext, HookManager, hookimpl
from hookctl.replay.engine import Engine
from hookctl.replay.findings import Ledger
from hookctl.replay.formats import read_runs
from hookctl.replay.formats.source import Names, TranscriptSource
from hookctl.replay.report import text_lines, write_json
from hookctl.replay.stream import UnreadableInputError, read_items

JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters(exclude_categories=()), max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
IDS = st.one_of(st.sampled_from(["a", "b", ""]), JSON)
FUNCTION = st.fixed_dictionaries({}, optional={"name": IDS, "arguments": JSON})
CALL = st.one_of(
    JSON, st.fixed_dictionaries({}, optional={"id": IDS, "function": FUNCTION, "custom": FUNCTION})
)
PART = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "tool_use", "tool_result", "image"])},
        optional={"id": IDS, "tool_use_id": IDS, "name": IDS, "input": JSON, "content": JSON},
    ),
)
MESSAGE = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"role": st.one_of(JSON, st.sampled_from(["system", "user", "assistant", "tool", "exit"]))},
        optional={
            "content": st.one_of(JSON, st.lists(PART, max_size=3)),
            "tool_calls": st.one_of(JSON, st.lists(CALL, max_size=3)),
            "function_call": JSON,
            "tool_call_id": IDS,
            "tool_call_ids": JSON,
            "action": JSON,
            "is_demo": JSON,
        },
    ),
)
MESSAGES = st.one_of(JSON, st.lists(MESSAGE, max_size=6))
RECORD = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system"]), "uuid": IDS},
    optional={
        "message": MESSAGE,
        "sessionId": IDS,
        "parentUuid": IDS,
        "isSidechain": st.booleans(),
        "agentId": IDS,
        "subtype": JSON,
    },
)
STEP = st.fixed_dictionaries({"action": JSON}, optional={"observation": JSON, "response": JSON})
VALUE = st.one_of(
    JSON,
    MESSAGES,
    RECORD,
    st.lists(MESSAGES, max_size=2),
    st.fixed_dictionaries(
        {"messages": MESSAGES}, optional={"id": IDS, "info": JSON, "tools": JSON}
    ),
    st.fixed_dictionaries(
        {"trajectory": st.one_of(JSON, st.lists(STEP, max_size=3))},
        optional={"history": MESSAGES, "info": JSON},
    ),
)


class Scribbles:
    """Edits whatever it is given."""

    @hookimpl
    def input(self, ctx: HookContext) -> None:
        ctx.payload["more"] = 1

    @hookimpl
    def pre_model_call(self, ctx: HookContext) -> list[Any]:
        return [*ctx.payload[1:], {"role": "system", "content": "\x1b more"}]

    @hookimpl
    def post_model_call(self, ctx: HookContext) -> str:
        return str(ctx.payload)

    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.payload.clear()

    @hookimpl
    def post_tool_call(self, ctx: HookContext) -> list[Any]:
        return [ctx.payload]


@settings(max_examples=2 * settings().max_examples)
@given(st.lists(VALUE, min_size=1, max_size=4))
def test_no_transcript_whatever_is_in_it_breaks_the_replay(values: list[Any]) -> None:
    manager = HookManager()
    manager.register(Scribbles(), name="p")
    data = "\n".join(map(json.dumps, values)).encode()
    out = io.StringIO()
    with Ledger() as ledger:
        engine = Engine(manager, ledger)
        source = TranscriptSource("x", ledger.complain, Names())
        with engine.listening():
            try:
                for run in read_runs(read_items(io.BytesIO(data)), source):
                    engine.replay(run)
            except UnreadableInputError as error:
                assert "not known" in str(error)  # noqa: PT017 - one of the two right answers
        write_json(ledger, out)
        assert all(line.isprintable() for line in text_lines(ledger, lambda text, **_: text))
        findings = json.loads(out.getvalue())["findings"]
    manager.close()
    keys = [(one["run"], one["step"], one["point"], one["plugin"]) for one in findings]
    assert len(keys) == len(set(keys))
