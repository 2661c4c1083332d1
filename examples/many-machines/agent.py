"""An agent of a fleet: it writes mails and sends them, as often as the fleet's limits let it.

    python agent.py NAME MAILS

It runs under the hookcore.toml beside it, and prints what became of its calls as a line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hookcore import Denied, HookManager, ModelResponse


def write(messages: list[dict[str, str]]) -> ModelResponse:
    """Stand for a model: an answer, and what it used."""
    text = f"Dear customer: {messages[-1]['content']}"
    return ModelResponse(text, usage={"input_tokens": 300, "output_tokens": 100})


def send_mail(arguments: dict[str, str]) -> str:
    """Stand for a tool that sends mails."""
    return f"sent: {arguments['text']}"


def work(manager: HookManager, name: str, mails: int) -> dict[str, int]:
    """Write and send mails; return how many were written, sent and denied."""
    written = sent = 0
    with manager.run(agent=name, attributes={"tenant": "shop"}):
        for number in range(mails):
            task = [{"role": "user", "content": f"order {number} of {name} is on its way"}]
            answer = manager.call_model(task, write, on_denied="return")
            if isinstance(answer, Denied):
                continue
            written += 1
            mail = {"text": answer.content}
            result = manager.call_tool("send_mail", mail, send_mail, on_denied="return")
            sent += not isinstance(result, Denied)
    return {"written": written, "sent": sent, "denied": 2 * mails - written - sent}


if __name__ == "__main__":
    manager = HookManager.load(start=Path(__file__).parent)
    print(json.dumps({"agent": sys.argv[1], **work(manager, sys.argv[1], int(sys.argv[2]))}))
