"""The cost of an adapter to somebody else's runtime: a turn with a tool, with and without hookcore.

Run it with a Python that has the runtime, the adapter and hookcore-redact:
``python bench/adapters.py google-adk``. A run is one message of a user's, which the model answers
by 30 calls of a tool, one after the other, and then by a text; a turn is a thirtieth of it. Each
ratio is that of the least times of all rounds, in which the variants take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
import warnings
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

# This file's own folder must not be where a runtime is found.
_HERE = Path(__file__).resolve().parent
sys.path[:] = [str(_HERE.parent), *(path for path in sys.path if Path(path).resolve() != _HERE)]

from bench.turns.agents import (  # noqa: E402
    agent_framework,
    google_adk,
    langchain,
    openai_agents,
    pydantic_ai,
    strands,
)
from bench.turns.claude import claude_agent_sdk  # noqa: E402
from bench.turns.clients import litellm_sdk, openai_client  # noqa: E402
from bench.turns.common import TURNS  # noqa: E402
from hookcore import HookManager, hookimpl  # noqa: E402

LONGEST = 60.0
"""The seconds after which a run has failed."""
EXPECTED = {"idle": 1.05, "one gate": 1.05, "redact": 1.15}
"""The most that each may take of the turn without hookcore."""


class Gate:
    """Judges each call and lets it pass."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Say nothing."""


class ModelGate:
    """Judges each request of a client that runs no tools, and lets it pass."""

    @hookimpl(gate=True)
    def pre_model_call(self, ctx: Any) -> None:
        """Say nothing."""


def managers(judging: object) -> dict[str, HookManager | None]:
    """Return the variants: none is without hookcore."""
    from hookcore_redact import Redact

    gate, redact = HookManager(), HookManager()
    gate.register(judging)
    redact.register(Redact(), name="redact")
    return {"bare": None, "idle": HookManager(), "one gate": gate, "redact": redact}


RUNTIMES = {
    "agent-framework": (agent_framework, time.process_time, Gate),
    "google-adk": (google_adk, time.process_time, Gate),
    "langchain": (langchain, time.process_time, Gate),
    "openai-agents": (openai_agents, time.process_time, Gate),
    "pydantic-ai": (pydantic_ai, time.process_time, Gate),
    "strands": (strands, time.process_time, Gate),
    # The client is a process of its own, so that the time is the clock's.
    "claude-agent-sdk": (claude_agent_sdk, time.perf_counter, Gate),
    "openai": (openai_client, time.process_time, ModelGate),
    "litellm": (litellm_sdk, time.process_time, ModelGate),
}
"""For each runtime what makes a run, the clock, in one sort of which others' work does not count,
and the gate."""


async def measure(name: str, rounds: int) -> dict[str, float]:
    """Return the least milliseconds of a turn, for each variant."""
    from importlib import import_module

    make, clock, gate = RUNTIMES[name]
    adapter: Any = import_module(f"hookcore_{name.replace('-', '_')}")
    best: dict[str, float] = {}
    for _ in range(rounds):
        for variant, manager in managers(gate()).items():
            if manager is not None:
                adapter.install(manager)
            async with AsyncExitStack() as stack:
                run = await make(stack)
                begun = clock()
                await asyncio.wait_for(run(), LONGEST)
                taken = (clock() - begun) * 1e3 / TURNS
                best[variant] = min(best.get(variant, taken), taken)
            if manager is not None:
                adapter.uninstall()
    return best


def main() -> int:
    """Print the costs; return 1 when one is above what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runtime", choices=RUNTIMES)
    parser.add_argument("--rounds", type=int, default=12)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    best = asyncio.run(measure(asked.runtime, asked.rounds))
    missed = 0
    for variant, taken in best.items():
        ratio, most = taken / best["bare"], EXPECTED.get(variant)
        note = "" if most is None else f"at most {most:.2f}"
        missed += most is not None and ratio > most
        print(f"{variant:10} {taken:9.2f} ms {ratio:7.3f}  {note}")
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
