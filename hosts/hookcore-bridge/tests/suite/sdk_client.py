"""A client of the Python SDK that tries all that a server can do; run with that SDK's Python.

Usage: sdk_client.py everything|modern COMMAND [ARGUMENT]... It prints what it saw, as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import mcp
from mcp import types

SAMPLED = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "sampled"}}


class Seen:
    """All that the client was asked and told."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.told: list[str] = []
        self.progress: list[float] = []

    async def sampling(self, *_: Any) -> Any:
        self.asked.append("sampling")
        return types.CreateMessageResult.model_validate(SAMPLED)

    async def elicitation(self, *_: Any) -> Any:
        self.asked.append("elicitation")
        return types.ElicitResult(action="accept", content={"name": "Ana"})

    async def roots(self, *_: Any) -> Any:
        self.asked.append("roots")
        return types.ListRootsResult(roots=[])

    async def logged(self, *_: Any) -> None:
        self.told.append("log")

    async def message(self, message: Any) -> None:
        self.told.append(type(message).__name__)

    async def step(self, progress: float, *_: Any) -> None:
        self.progress.append(progress)


async def everything(parameters: Any) -> dict[str, Any]:
    """Use every feature of the reference server."""
    seen = Seen()
    async with (
        mcp.stdio_client(parameters) as (reader, writer),
        mcp.ClientSession(
            reader,
            writer,
            sampling_callback=seen.sampling,
            elicitation_callback=seen.elicitation,
            list_roots_callback=seen.roots,
            logging_callback=seen.logged,
            message_handler=seen.message,
        ) as session,
    ):
        out: dict[str, Any] = {"server": (await session.initialize()).server_info.name}
        await asyncio.sleep(0.3)  # it asks for the roots, and then has another tool
        out["tools"] = sorted(tool.name for tool in (await session.list_tools()).tools)
        out["resources"] = len((await session.list_resources()).resources)
        out["templates"] = len((await session.list_resource_templates()).resource_templates)
        out["prompts"] = sorted(prompt.name for prompt in (await session.list_prompts()).prompts)

        async def call(name: str, arguments: Any, **options: Any) -> Any:
            result = await session.call_tool(name, arguments, **options)
            texts = [getattr(part, "text", part.type) for part in result.content]
            return bool(result.is_error), texts

        out["echo"] = await call("echo", {"message": "ä"})
        out["large"] = len((await call("echo", {"message": "x" * 1_000_000}))[1][0])
        out["unknown"] = (await call("nope", {}))[0]
        out["denied"] = await call("get-env", {})
        out["image"] = (await call("get-tiny-image", {}))[1][1]
        out["structured"] = (await call("get-structured-content", {"location": "New York"}))[1]
        work = {"duration": 1, "steps": 4}
        await call("trigger-long-running-operation", work, progress_callback=seen.step)
        out["sampled"] = (await call("trigger-sampling-request", {"prompt": "x"}))[0]
        out["elicited"] = (await call("trigger-elicitation-request", {}))[0]
        out["roots"] = (await call("get-roots-list", {}))[0]
        endless = {"duration": 30, "steps": 3}
        task = asyncio.ensure_future(call("trigger-long-running-operation", endless))
        await asyncio.sleep(0.2)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        out["after"] = await call("echo", {"message": "still there"})
    out |= {"asked": sorted(set(seen.asked)), "told": sorted(set(seen.told))}
    return {**out, "progress": seen.progress}


async def modern(parameters: Any) -> dict[str, Any]:
    """Use the newest revision, in which questions come within answers."""
    seen = Seen()
    client = mcp.Client(mcp.stdio_client(parameters), elicitation_callback=seen.elicitation)
    async with client as session:
        results = [
            await session.call_tool("add", {"a": 1, "b": 2}),
            await session.call_tool("greet", {}),
        ]
        told = [result.content[0].text for result in results]
        revision = getattr(session, "protocol_version", None)
    return {"told": told, "asked": seen.asked, "revision": revision}


def main() -> None:
    """Print what was seen."""
    kind, command, *arguments = sys.argv[1:]
    parameters = mcp.StdioServerParameters(
        command=command, args=arguments, env=dict(os.environ), cwd=Path.cwd()
    )
    run = everything if kind == "everything" else modern
    print(json.dumps(asyncio.run(asyncio.wait_for(run(parameters), 120))))  # noqa: T201


if __name__ == "__main__":
    main()
