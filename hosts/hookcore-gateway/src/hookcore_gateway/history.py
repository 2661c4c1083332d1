"""The conversation after a reply: it says what the user was told, and nothing hangs open."""

from __future__ import annotations

from hookcore_agent import AssistantMessage
from hookcore_agent.messages import close_open_calls

from .visits import Visit

__all__ = ["settle"]

_OPEN = "not completed: the request ended before the tool answered"


def settle(visit: Visit, told: str) -> None:
    """Let what a message added to its session's conversation end with what the user was told.

    A message that was refused before it was stored has added nothing, and leaves nothing.

    Args:
        visit: the message's stay in its session.
        told: the words that left the gateway, or those that stand for them.
    """
    if visit.session is None:
        return
    messages = visit.session.messages
    before = {id(message) for message in visit.before}
    if all(id(message) in before for message in messages):
        return
    close_open_calls(messages, _OPEN)
    last = messages[-1]
    if last.role == "assistant":
        last.content = told
    else:
        messages.append(AssistantMessage(told))
