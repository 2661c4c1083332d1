# ruff: noqa: INP001
"""Measure how fast texts are read, in MB of UTF-8 per second of this process.

python speed.py [--profile NAME]
"""

from __future__ import annotations

import argparse
import cProfile
import json
import random
import re
import sys
import time
from collections.abc import Callable
from typing import Any

from hookcore import HookManager
from hookcore_redact import Redact

SIZE = 1_000_000
TIMES = 3
SENTENCE = (
    "the quick brown fox jumps over lazy dog request completed failed user started upstream hello "
    "world we should look at this again tomorrow when all of them are back from their journey"
)
WORDS = list(re.findall(r"[a-z]+", SENTENCE))
CHANCE = random.Random(7)  # noqa: S311 - the same texts each time


def some_words(count: int) -> str:
    """Return words by chance."""
    return " ".join(CHANCE.choices(WORDS, k=count))


def many(make: Callable[[int], str]) -> str:
    """Return a megabyte of pieces."""
    pieces, size = list[str](), 0
    while size < SIZE:
        pieces.append(make(len(pieces)))
        size += len(pieces[-1])
    return "".join(pieces)[:SIZE]


def log_line(at: int) -> str:
    """Return a line of a log."""
    day, second = CHANCE.randrange(10, 29), CHANCE.randrange(10, 60)
    moment = f"2026-05-{day}T10:{second}:{second}.{at % 1000:03}Z"
    request = f"request_id={CHANCE.getrandbits(64):016x} duration_ms={CHANCE.randrange(5000)}"
    return f"{moment} INFO [worker-{at % 8}] {some_words(6)} {request} status=200\n"


def short_text(_: int) -> str:
    """Return a text of 170 characters, unlike all others."""
    number, day = CHANCE.getrandbits(32), CHANCE.randrange(10, 29)
    head = f"order {number} of 2026-05-{day}, x={CHANCE.random():.4f}: "
    return (head + some_words(40))[:170]


def texts() -> dict[str, Any]:
    """Return what is read, by its name."""
    chat = [
        {"role": "user", "content": some_words(70) + '.\n"Yes", she said.'} for _ in range(2300)
    ]
    return {
        "log lines": many(log_line),
        "chat as JSON text": json.dumps(chat),
        "chat as a payload": chat,
        "an e-mail in each 200 bytes": many(
            lambda at: f"{some_words(40)[:180]} user{at}@example.com\n"
        ),
        "dotted numbers": many(
            lambda _: f"{CHANCE.random():.4f} 1.{CHANCE.randrange(99)}.7 1.2.3.4.5 "
        ),
    }


def seconds(plugin: Redact, name: str) -> tuple[float, int]:
    """Return the least time of reading a text of a name, and its size; each is another one.

    A text that comes again is known, and a first one fills RE2's tables.
    """
    best, size = float("inf"), 0
    for _ in range(TIMES + 1):
        text = texts()[name]
        size = len(text if isinstance(text, str) else json.dumps(text))
        started = time.process_time()
        plugin.redact(text, "post_tool_call")
        best = min(best, time.process_time() - started)
    return best, size


def history(count: int) -> float:
    """Return how long a run takes in which a list of messages grows by one with each call."""
    manager, messages = HookManager(), list[Any]()
    manager.register(Redact, name="redact")
    started = time.process_time()
    with manager.run({}):
        for _ in range(count):
            messages.append({"role": "user", "content": some_words(60)})
            manager.call_model(messages, lambda _: "ok")
    return time.process_time() - started


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", metavar="NAME", help="show where the time of one text goes")
    arguments = parser.parse_args()
    plugin, all_texts = Redact(), texts()
    if arguments.profile:
        text = all_texts[arguments.profile]
        cProfile.runctx("plugin.redact(text)", {"plugin": plugin, "text": text}, {}, sort="tottime")
        return
    for name in all_texts:
        spent, size = seconds(plugin, name)
        sys.stdout.write(f"{name:30} {size / spent / 1e6:8.1f} MB/s\n")
    fresh, shorts = Redact(), [short_text(at) for at in range(3000)]
    started = time.process_time()
    for text in shorts:
        fresh.redact(text, "post_tool_call")
    spent = (time.process_time() - started) / len(shorts)
    sys.stdout.write(f"{'short texts, all unlike':30} {spent * 1e3:8.3f} ms each\n")
    history(100)
    once, twice = history(1000), history(2000)
    sys.stdout.write(f"{'2,000 messages, not 1,000':30} {twice / once:8.2f} times the time\n")


if __name__ == "__main__":
    main()
