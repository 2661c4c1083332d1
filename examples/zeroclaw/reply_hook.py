"""A handler that tags greetings, puts a prefix before replies, and logs how long answers are.

Run it with ``python examples/zeroclaw/reply_hook.py``; it needs hookcore and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from hookcore_gateway.zeroclaw import (
    ChannelMessage,
    ChatResponse,
    HookHandler,
    HookResult,
    HookRunner,
)

__all__ = ["ReplyHook"]

_log = logging.getLogger("reply-hook")
_GREETINGS = frozenset({"hello", "hi", "hey", "good"})


class ReplyHook(HookHandler):
    """Greetings come in with a tag, replies go out with a prefix.

    Args:
        prefix: what replies begin with.
        tag: what the content of a greeting begins with.
    """

    def __init__(self, prefix: str = "[bot] ", tag: str = "[greeting] ") -> None:
        self.prefix = prefix
        self.tag = tag

    def name(self) -> str:
        """Return the name in logs and events."""
        return "reply-hook"

    def priority(self) -> int:
        """Run after other handlers, so that nothing stands before the prefix."""
        return -10

    async def on_message_received(self, message: ChannelMessage) -> HookResult[ChannelMessage]:
        """Tag a greeting."""
        words = message.content.casefold().split(maxsplit=1)
        if words and words[0].strip(",.!") in _GREETINGS:
            message.content = self.tag + message.content
        return HookResult.Continue(message)

    async def on_llm_output(self, response: Any) -> None:
        """Log the length of the answer, and nothing of its text."""
        _log.info("the answer has %d characters", len(response.text or ""))

    async def on_message_sending(
        self, channel: str, recipient: str, content: str
    ) -> HookResult[tuple[str, str, str]]:
        """Put the prefix before a reply, once."""
        if not content.startswith(self.prefix):
            content = self.prefix + content
        return HookResult.Continue((channel, recipient, content))


async def main() -> None:
    """Show what becomes of a message, an answer and a reply."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    runner = HookRunner()
    runner.register(ReplyHook())
    message = ChannelMessage(
        id="1", sender="ana", reply_target="ana", content="Hello!", channel="terminal"
    )
    received = await runner.run_on_message_received(message)
    print("the agent reads:", received.value.content if received.value else "nothing")
    await runner.fire_llm_output(ChatResponse(text="Good morning."))
    sent = await runner.run_on_message_sending("terminal", "ana", "Good morning.")
    print("ana reads:", sent.value[2] if sent.value else "nothing")


if __name__ == "__main__":
    asyncio.run(main())
