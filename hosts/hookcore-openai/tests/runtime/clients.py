"""The three interfaces of the two libraries, each asked in every way that it has."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TOOL = {"type": "object", "properties": {"x": {"type": "string"}}}


@dataclass(frozen=True)
class Form:
    """One interface.

    Args:
        library: the client library.
        resource: returns the resource of a client.
        request: returns the arguments of ``create`` for a text and a system prompt.
        text: returns the text of a whole answer.
        piece: returns the new text of an event of a stream.
        helped: returns the whole text that the ``stream()`` helper has put together.
        tools: tools as the interface has them.
    """

    library: str
    resource: Callable[[Any], Any]
    request: Callable[..., dict[str, Any]]
    text: Callable[[Any], Any]
    piece: Callable[[Any], str]
    helped: Callable[[Any], Any]
    tools: Any

    def client(self, url: str, **options: Any) -> Any:
        """Return a sync client of a provider's."""
        return self._made("", url, options)

    def async_client(self, url: str, **options: Any) -> Any:
        """Return an async client of a provider's."""
        return self._made("Async", url, options)

    def _made(self, prefix: str, url: str, options: Any) -> Any:
        library = importlib.import_module(self.library)
        end = "/v1" if self.library == "openai" else ""
        # The certificates of all the world take a while to read.
        http = getattr(library, f"Default{prefix}HttpxClient")
        if "http_client" not in options:
            options["http_client"] = http(verify=False)
        options = {"max_retries": 0, "api_key": "none", **options}
        name = {"openai": "OpenAI", "anthropic": "Anthropic"}[self.library]
        return getattr(library, prefix + name)(base_url=url + end, **options)


def _chat(text: Any, system: str | None = None) -> dict[str, Any]:
    front = [] if system is None else [{"role": "system", "content": system}]
    return {"model": "m", "messages": [*front, {"role": "user", "content": text}]}


def _responses(text: Any, system: str | None = None) -> dict[str, Any]:
    return {"model": "m", "input": text, **({} if system is None else {"instructions": system})}


def _messages(text: Any, system: str | None = None) -> dict[str, Any]:
    front = {} if system is None else {"system": system}
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}], **front}


def _delta(event: Any) -> str:
    return (event.choices[0].delta.content or "") if event.choices else ""


FORMS = {
    "chat": Form(
        "openai",
        lambda client: client.chat.completions,
        _chat,
        lambda answer: answer.choices[0].message.content,
        _delta,
        lambda stream: stream.get_final_completion(),
        [{"type": "function", "function": {"name": "danger", "parameters": TOOL}}],
    ),
    "responses": Form(
        "openai",
        lambda client: client.responses,
        _responses,
        lambda answer: answer.output_text,
        lambda event: event.delta if event.type == "response.output_text.delta" else "",
        lambda stream: stream.get_final_response(),
        [{"type": "function", "name": "danger", "parameters": TOOL}],
    ),
    "messages": Form(
        "anthropic",
        lambda client: client.messages,
        _messages,
        lambda answer: "".join(block.text for block in answer.content if block.type == "text"),
        lambda event: (
            event.delta.text
            if event.type == "content_block_delta" and event.delta.type == "text_delta"
            else ""
        ),
        lambda stream: stream.get_final_message(),
        [{"name": "danger", "input_schema": TOOL}],
    ),
}
