"""The meaning of names in messages: whose text it is, of which kind, and what is no text at all.

Sources: the message formats of OpenAI (Chat Completions, Responses), Anthropic, Google GenAI,
Amazon Bedrock, MCP, LangChain, pydantic-ai and Microsoft Agent Framework, as their SDKs ship them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Final

__all__ = ["Place", "is_skipped", "place_in", "place_of"]

_ROLES: Final = {
    "ai": "assistant", "aimessagechunk": "assistant", "assistant": "assistant", "bot": "assistant",
    "developer": "system", "function": "tool", "functioncalloutput": "tool", "human": "user",
    "model": "assistant", "retryprompt": "tool", "system": "system", "systemprompt": "system",
    "text": None, "tool": "tool", "toolreturn": "tool", "user": "user", "userprompt": "user",
}  # fmt: skip
_SYSTEM: Final = frozenset(("instructions", "system", "systeminstruction", "systemprompt"))
_THINKING: Final = frozenset((
    "reasoning", "reasoningcontent", "reasoningtext", "redactedthinking", "thinking", "thought",
))  # fmt: skip
_ARGUMENTS: Final = frozenset(("args", "arguments"))
_RESULTS: Final = frozenset(("functionresponse", "toolresult"))
_HELD: Final = frozenset(("content", "contents", "output", "response", "result"))
_DISCRIMINATORS: Final = ("role", "type", "part_kind", "kind", "object", "block_type")
_ENVELOPE: Final = frozenset(("channel", "recipient", "sender"))
_CALLED: Final = frozenset(("args", "arguments", "input", "response"))
"""Keys that stand beside a tool's name where it is called, or answers."""
_CALL_IDS: Final = frozenset(("callid", "toolcallid", "tooluseid"))
_MARKS: Final = frozenset((
    "callid", "encryptedcontent", "finishreason", "logprobs", "mediatype", "messageid",
    "mimetype", "partkind", "responseid", "signature", "stopreason", "stopsequence",
    "systemfingerprint", "thoughtsignature", "toolcallid", "tooluseid", "usage", "usagemetadata",
))  # fmt: skip
"""Names under which ids, marks and figures stand wherever they stand in a message."""
_MARKS_OF_PARTS: Final = frozenset((
    "blocktype", "channel", "created", "createdat", "format", "id", "index", "kind", "model",
    "modelname", "modelversion", "name", "object", "outcome", "provider", "providername",
    "providerresponseid", "recipient", "role", "runid", "scope", "sender", "servicetier", "state",
    "status", "thread", "timestamp", "toolchoice", "toolname", "type",
))  # fmt: skip
"""The same in what is known to be a message or a part of one."""
_ENCODED: Final = frozenset(("blob", "data"))
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{128,}={0,2}")
"""Texts that are encoded and too long for a word or a key."""
_BLOCKS: Final = frozenset((
    "audio", "image", "imageurl", "inputimage", "inputtext", "outputtext", "resource",
    "resourcelink", "text",
))  # fmt: skip
"""The types of the parts that results are made of, where they are not data of the tool's own."""


_SHORT: Final = 64
"""The longest names that are remembered: they may come from a model."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place where a text stands.

    Args:
        role: whose it is, see :class:`TextPart`.
        kind: of which kind it is.
        tool: the tool's name.
        is_data: whether it is a tool's data, in which a name means what the tool says.
        is_json: whether a text there is JSON, which is read as what it stands for.
    """

    role: str | None = None
    kind: str = "text"
    tool: str | None = None
    is_data: bool = False
    is_json: bool = False


def plain(name: object) -> str:
    """Return a name without what spellings differ in: ``toolUseId`` is ``tool_use_id``."""
    text = str(name)
    return _remembered(text) if len(text) <= _SHORT else _plain(text)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_remembered = lru_cache(1024)(_plain)


def place_of(state: Mapping[Any, Any], place: Place, *, is_object: bool) -> tuple[Place, bool]:
    """Return where the texts of an object stand, and whether it is a message or a part of one.

    Args:
        state: what the object holds.
        place: where the object stands.
        is_object: whether it is an object, and no mapping.
    """
    words = [plain(word) for name in _DISCRIMINATORS if (word := _word(state.get(name)))]
    is_block = not _BLOCKS.isdisjoint(words)
    if place.is_data and not (is_object and (is_block or any(map(_is_result, words)))):
        # A tool gives mappings; an object that says it is part of a message is the runtime's.
        return place, is_block
    named = _name(state)
    is_call = named is not None and not _CALLED.isdisjoint(state)
    role, kind = place.role, place.kind
    for word in words:
        if word in _ROLES:
            # Of a tool that is called, "function" says no role.
            role = role if is_call or "function" in state else _ROLES[word] or role
        elif _is_result(word):
            role = "tool"
        if word in _THINKING:
            kind = "thinking"
    if state.get("thought") is True:
        kind = "thinking"
    is_part = bool(words) or is_call or any(plain(name) in _CALL_IDS for name in state)
    is_part = is_part or _ENVELOPE.issubset(state)
    tool = named if is_call or role == "tool" else None
    return Place(role, kind, tool or place.tool), is_part


def place_in(name: object, state: Mapping[Any, Any], place: Place) -> Place:
    """Return where what an object holds under a name stands.

    Args:
        name: the name.
        state: what the object holds.
        place: where the object's texts stand.
    """
    word = plain(name)
    if place.is_data:
        return place
    if word in _ARGUMENTS or (word == "input" and _name(state) is not None):
        return replace(place, role="assistant", kind="arguments", is_data=True, is_json=True)
    if word in _RESULTS:
        inner = state[name]
        tool = _name(inner) if isinstance(inner, Mapping) else getattr(inner, "name", None)
        return Place("tool", "text", tool or place.tool)
    if place.role == "tool" and word in _HELD:
        return replace(place, is_data=True)
    if word in _THINKING:
        return replace(place, kind="thinking")
    return replace(place, role="system") if word in _SYSTEM else place


def is_skipped(name: object, state: Mapping[Any, Any], place: Place, *, is_part: bool) -> bool:
    """Return whether an id, a mark or a figure stands under a name.

    Args:
        name: the name.
        state: what the object holds.
        place: where the object's texts stand.
        is_part: whether the object is known to be a message or a part of one.
    """
    word = plain(name)
    if place.is_data:
        # What a tool is called with it may read all of; of a result its parts' types are known.
        if not is_part or place.kind == "arguments":
            return False
        return word == "type" or (word in _ENCODED and _is_encoded(state[name]))
    if word in _ENCODED:
        return _is_encoded(state[name])
    return word in _MARKS or (is_part and word in _MARKS_OF_PARTS)


def _is_encoded(value: object) -> bool:
    return isinstance(value, str) and _BASE64.fullmatch(value) is not None


def _is_result(word: str) -> bool:
    return word.endswith(("output", "result"))


def _name(state: Mapping[Any, Any]) -> str | None:
    name = state.get("name", state.get("tool_name"))
    return name if isinstance(name, str) else None


def _word(value: object) -> str | None:
    value = value.value if isinstance(value, Enum) else value
    return value if isinstance(value, str) else None
