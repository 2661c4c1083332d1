"""OpenAIModel against a local server: the official SDK parses what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl
from hookcore_agent import (
    Agent,
    AssistantMessage,
    EventType,
    MalformedArguments,
    ModelError,
    ModelRequest,
    ModelResponse,
    OpenAIModel,
    ServerTool,
    TextChunk,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

pytestmark = pytest.mark.asyncio

DATA = Path(__file__).parent / "data"
COUNTS = {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15}


class Service:
    """A server that answers each request with the next stream of a list."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                service.requests.append(json.loads(self.rfile.read(length)))
                service.requests[-1]["path"] = self.path
                answer = service.answers.pop(0)
                status, body, *missing = answer if isinstance(answer, tuple) else (200, answer)
                kind = "text/event-stream" if status == 200 else "application/json"
                if missing and isinstance(missing[0], str):
                    kind = missing.pop()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Connection", "close")
                if missing:
                    self.send_header("Content-Length", str(len(body) + missing[0]))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    pytest.importorskip("openai", reason="the extra hookcore-agent[openai] is not installed")
    made = Service()
    yield made
    made.close()


def recorded(name: str) -> bytes:
    return (DATA / f"{name}.sse").read_bytes()


def get_weather(city: str) -> str:
    """Tell the weather."""
    return f"rain in {city}"


def get_time(zone: str) -> str:
    """Tell the time."""
    return f"noon in {zone}"


TOOLS = (Tool(get_weather), Tool(get_time))


async def events_of(service: Service, name: str, **options: Any) -> list[Any]:
    service.answers.append(recorded(name))
    model = OpenAIModel("small", base_url=service.url, api_key="none", max_tokens=5, **options)
    request = ModelRequest((UserMessage("hi"),), TOOLS, model="small")
    try:
        return [event async for event in model.stream(request)]
    finally:
        await model.aclose()


@pytest.mark.parametrize("name", ["openai_text", "azure_text", "openrouter_comments"])
async def test_a_text_comes_in_chunks_and_as_a_whole_with_the_usage(
    service: Service, name: str
) -> None:
    *chunks, response = await events_of(service, name)
    text = "Hello there."
    assert all(isinstance(chunk, TextChunk) and chunk.text for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == text
    assert response == ModelResponse(text, [], COUNTS)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("openai_split_arguments", ["call_A", "call_B"]),
        ("openai_interleaved_calls", ["call_A", "call_B"]),
        ("gemini_same_index", ["function-call-1", "function-call-2"]),
    ],
)
async def test_the_pieces_of_calls_are_put_together(
    service: Service, name: str, ids: list[str]
) -> None:
    [response] = await events_of(service, name)
    assert response.tool_calls == [
        ToolCall("get_weather", {"city": "Paris"}, ids[0]),
        ToolCall("get_time", {"zone": "CET"}, ids[1]),
    ]


async def test_a_call_that_comes_in_one_piece_is_read_too(service: Service) -> None:
    [response] = await events_of(service, "ollama_whole_call")
    assert response.tool_calls == [ToolCall("get_weather", {"city": "Paris"}, "call_x1")]
    assert response.usage == COUNTS


async def test_a_refusal_is_the_answer(service: Service) -> None:
    *_, response = await events_of(service, "openai_refusal")
    assert response.content == "I can't help with that."


async def test_a_stream_that_is_cut_off_is_an_error(service: Service) -> None:
    with pytest.raises(ModelError, match="cut off"):
        await events_of(service, "openai_cut_off")


async def test_a_connection_that_breaks_is_an_error(service: Service) -> None:
    service.answers.append((200, recorded("openai_cut_off"), 100))
    model = OpenAIModel("small", base_url=service.url, api_key="none")
    # Older SDKs raise what their HTTP client raises.
    with pytest.raises(Exception, match=r"Connection error|peer closed connection"):
        assert [event async for event in model.stream(ModelRequest((UserMessage("hi"),)))]
    await model.aclose()


async def test_arguments_that_are_cut_off_are_malformed_and_not_empty(service: Service) -> None:
    [response] = await events_of(service, "openai_cut_off_in_arguments")
    assert response.tool_calls[0].arguments == MalformedArguments('{"city": "Pa')


async def test_an_answer_that_the_services_filter_stopped_is_an_error(service: Service) -> None:
    with pytest.raises(ModelError, match="content filter"):
        await events_of(service, "openai_content_filter")


async def test_an_error_in_the_stream_is_raised(service: Service) -> None:
    with pytest.raises(Exception, match="The server had an error"):
        await events_of(service, "openai_error_in_stream")


async def test_an_error_of_the_request_is_raised(service: Service) -> None:
    openai = pytest.importorskip("openai")
    body = {"error": {"message": "no such model", "type": "invalid_request_error"}}
    service.answers.append((404, json.dumps(body).encode()))
    model = OpenAIModel("gone", base_url=service.url, api_key="none")
    with pytest.raises(openai.NotFoundError, match="no such model"):
        assert [event async for event in model.stream(ModelRequest((UserMessage("x"),)))]
    await model.aclose()


async def test_the_request_has_the_services_shape(service: Service) -> None:
    service.answers.append(recorded("openai_text"))
    model = OpenAIModel("small", base_url=service.url, api_key="none", temperature=0)
    search = ServerTool("web_search", {"size": "low"})
    request = ModelRequest((UserMessage("hi"),), TOOLS[:1], (search,), model="small")
    assert [event async for event in model.stream(request)]
    await model.aclose()
    [sent] = service.requests
    assert (sent["path"], sent["stream"], sent["temperature"]) == ("/v1/chat/completions", True, 0)
    assert sent["stream_options"] == {"include_usage": True}
    assert sent["messages"] == [{"role": "user", "content": "hi"}]
    function = sent["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("get_weather", "Tell the weather.")
    assert function["parameters"]["required"] == ["city"]
    assert sent["tools"][1] == {"type": "web_search", "size": "low"}


async def test_an_agent_talks_to_the_service_through_its_policies(
    service: Service, manager: HookManager
) -> None:
    class Guard:
        @hookimpl(tools=["get_time"])
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted("no clocks", message="No clocks.")

    manager.register(Guard(), name="guard")
    service.answers += [recorded("openai_split_arguments"), recorded("openai_text")]
    model = OpenAIModel("small", base_url=service.url, api_key="none")
    agent = Agent("a", model, [get_weather, get_time], hooks=manager, instructions="Be brief.")
    events = [event async for event in agent.stream("weather and time?")]
    await model.aclose()
    assert events[-1].payload.output == "Hello there."
    assert events[-1].payload.usage["total_tokens"] == 30
    assert [event.payload for event in events if event.type == EventType.TEXT] == [
        "Hello",
        " there",
        ".",
    ]
    sent = service.requests[1]["messages"]
    assert [message["role"] for message in sent][:3] == ["system", "user", "assistant"]
    answers = {message["tool_call_id"]: message["content"] for message in sent[3:]}
    assert answers == {
        "call_A": "rain in Paris",
        "call_B": "denied by guard.pre_tool_call: No clocks.",
    }
    allowed = {"role", "content", "tool_calls", "tool_call_id"}
    assert all(set(message) <= allowed for message in sent)


async def test_a_reader_that_leaves_closes_the_connection(service: Service) -> None:
    service.answers.append(recorded("openai_text"))
    model = OpenAIModel("small", base_url=service.url, api_key="none")
    stream: Any = model.stream(ModelRequest((UserMessage("hi"),)))
    assert await anext(stream) == TextChunk("Hello")
    await stream.aclose()
    await model.aclose()


async def test_a_client_of_the_callers_own_stays_open(service: Service) -> None:
    openai = pytest.importorskip("openai")
    service.answers.append(recorded("openai_text"))
    async with openai.AsyncOpenAI(base_url=service.url, api_key="none") as client:
        model = OpenAIModel("small", client=client)
        assert [event async for event in model.stream(ModelRequest((UserMessage("hi"),)))]
        await model.aclose()
        assert not client.is_closed()


async def test_without_the_sdk_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    model = OpenAIModel("small")
    with pytest.raises(ModelError, match=r"hookcore-agent\[openai\]"):
        assert [event async for event in model.stream(ModelRequest((UserMessage("hi"),)))]


async def test_a_later_turn_may_hold_messages_of_every_kind() -> None:
    from hookcore_agent.openai_model import wire_message

    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": {"a": 1}, "tool_call_id": "c", "name": "f", "is_error": True},
        {"role": "user", "content": [{"type": "text", "text": "x"}], "extra": 1},
    ]
    assert [wire_message(message) for message in messages] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": '{"a": 1}', "tool_call_id": "c"},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
    ]


async def test_a_lone_surrogate_is_escaped_and_does_not_end_the_session() -> None:
    from hookcore_agent.messages import wire_call
    from hookcore_agent.openai_model import wire_message

    call = wire_call(ToolCall("get_\udcff", {"city": "a"}, "c"))
    sent = wire_message(AssistantMessage("", [call]))
    assert sent["tool_calls"][0]["function"]["name"] == r"get_\udcff"
    assert wire_message(ToolMessage("bad\udcffname", "c", "f"))["content"] == r"bad\udcffname"
    parts = [{"type": "text", "text": "a\ud800b"}]
    assert wire_message(UserMessage(parts))["content"] == [{"type": "text", "text": r"a\ud800b"}]


# Servers that answer with something else


CHUNK = b'{"choices": [{"index": 0, "delta": {"content": "Hel"}}]}'


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"data: {not json}\n\n", "piece of its answer that is no JSON: '{not json}'"),
        (
            b"data: " + CHUNK + b"\n\ndata: oops " + b"x" * 200 + b"\n\n",
            r"is no JSON: 'oops x{75}\.\.\.'",
        ),
        (b"data: \xff\n\n", "is no JSON"),
        (b'data: "hi"\n\n', "no chunk of a chat completion: 'hi'"),
        (b"data: [1]\n\n", "no chunk of a chat completion"),
        (b"data: null\n\n", "no chunk of a chat completion: 'None'"),
        (b'data: {"choices": {"a": 1}}\n\n', "no chunk of a chat completion"),
        (b'data: {"choices": [7]}\n\n', "no chunk of a chat completion"),
        (b'data: {"choices": [{"delta": {"content": 7}}]}\n\n', "no chunk of a chat completion"),
        (b'data: {"choices": [], "usage": "many"}\n\n', "no chunk of a chat completion"),
        (
            b'data: {"choices": [{"delta": {"tool_calls": [7]}}]}\n\n',
            "no chunk of a chat completion",
        ),
        (b"", "the stream has no chunk"),
        (b"data: [DONE]\n\n", "the stream has no chunk"),
        (
            (200, b'{"choices": [{"message": {"content": "Hello."}}]}', "application/json"),
            "with one JSON document and no stream: it takes no notice of stream=true",
        ),
        ((200, b"<html>Log in</html>", "text/html; charset=x"), "answered 200 with text/html"),
    ],
    ids=range(15),
)
async def test_the_error_says_what_the_server_did(
    service: Service, answer: Any, problem: str
) -> None:
    service.answers.append(answer)
    model = OpenAIModel("small", base_url=service.url, api_key="none")
    with pytest.raises(ModelError, match=problem) as caught:
        async for _ in model.stream(ModelRequest((UserMessage("hi"),))):
            pass
    await model.aclose()
    assert "server of small" in str(caught.value)


# What a request holds


async def test_messages_are_sent_as_they_are_beside_an_extra_body_of_the_callers(
    service: Service,
) -> None:
    await events_of(service, "openai_text", extra_body={"top_k": 4})
    [asked] = service.requests
    assert asked["messages"] == [{"role": "user", "content": "hi"}]
    assert asked["top_k"] == 4


async def test_the_sdk_is_not_given_the_messages_to_convert(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openai.resources.chat.completions import AsyncCompletions

    real, given = AsyncCompletions.create, []

    async def create(self: Any, **parameters: Any) -> Any:
        given.append(parameters["messages"])
        return await real(self, **parameters)

    monkeypatch.setattr(AsyncCompletions, "create", create)
    await events_of(service, "openai_text")
    assert given == [[]]


# Secrets


@pytest.mark.parametrize("setting", ["api_key", "base_url"])
@pytest.mark.parametrize("value", ["", "  "])
async def test_an_empty_setting_is_refused_when_the_model_is_made(setting: str, value: str) -> None:
    options: dict[str, Any] = {setting: value}
    with pytest.raises(ValueError, match=rf"OpenAIModel\({setting}=...\) is empty"):
        OpenAIModel("small", **options)


async def test_an_empty_key_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="the extra hookcore-agent[openai] is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(ModelError, match="OPENAI_API_KEY is set and empty"):
        async for _ in OpenAIModel("small").stream(ModelRequest(())):
            pass
