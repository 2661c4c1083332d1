# ruff: noqa: INP001
"""Find texts that are slow to read: long runs of what patterns look for.

    python fuzz.py [SIZE]

Prints each text that takes more than twice as long per character when it is four times as long.
"""

from __future__ import annotations

import itertools
import random
import string
import sys
import time

from hookcore_redact import Redact

PIECES = [
    *string.punctuation, *" \n\t0a:Zé", "\\u0041", "\\\\", '\\"', "%41", "&#65;", "\uff21",
    "\u00a0", "[EMAIL_1]", "password", "password=", 'password="', "token: ", "secret ",
    "a@b.cd", "1.2.3.4", "1.2.3.", "4111 ", "4111", "DE89 ", "+49 ",
    "-----BEGIN PRIVATE KEY-----", "eyJ", "://", "a://b:c@", "cookie: a=", "authorization: ",
    "kind: Secret\n", "data:\n", '"kty"', "jdbc:", "server=", ";pwd=", "machine ", "login x ",
    "a,b\n", "password,", "|password|", "<td>", "</td>", "--password ", "curl -u ", "$2b$",
    "key-", "aaaaaaaaaaaaaaaaaaaaaaaa", "0123456789", "born on ", "phone ", "call me at ",
    "-p ", "'", '{"a":', "[[", "\x1b[31m", "AKIA", "sk-", "a.b.", "x=1&",
    "12 Main Street, Salem, OR ", "Via Roma ", "Am Markt Weg 1, 1", "12 rue de la ", "Street ",
    "street: ", "6d 69 ", "\\101", "=40a", "setPassword(",
]  # fmt: skip
LEAST = 0.05
TWICE = 2.2


def seconds(plugin: Redact, text: str) -> float:
    """Return how long reading a text takes, in seconds of this process."""
    started = time.process_time()
    plugin.redact(text, "post_tool_call")
    return time.process_time() - started


def main() -> int:
    """Print the texts that are slow to read; the exit code is 1 when there is one."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    chance = random.Random(1)  # noqa: S311 - the same texts each time
    pairs = list(itertools.product(PIECES, PIECES))
    chance.shuffle(pairs)
    triples = [tuple(chance.choices(PIECES, k=3)) for _ in range(150)]
    plugin, slow = Redact(), 0
    for pieces in [*((piece,) for piece in PIECES), *pairs[:250], *triples]:
        unit = "".join(pieces)
        count = max(1, size // len(unit.encode()))
        short = seconds(plugin, unit * count)
        long = seconds(plugin, unit * (4 * count))
        if long > LEAST and long > 4 * TWICE * short:
            slow += 1
            sys.stdout.write(
                f"{pieces!r}: {short * 1e3:.1f} ms, four times as long {long * 1e3:.1f} ms\n"
            )
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
