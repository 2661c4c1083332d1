"""Print what is found of the labelled lines, and what is found where nothing is.

    python score.py [--misses] [FILE]

A line is found when nothing of its value is left: neither the whole, nor a run of two fifths of it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from hookcore_redact import Redact

__all__ = ["Score", "read_lines", "score"]

LINES = Path(__file__).with_name("lines.jsonl")
SHORTEST_RUN = 5
TWO_FIFTHS = 0.4


class Score(NamedTuple):
    """Counts of lines by kind."""

    lines: Counter[tuple[str, str]]
    """All lines, by group and kind."""
    found: Counter[tuple[str, str]]
    """Those of which nothing is left; of harmless ones, those that were changed."""
    wrong: list[dict[str, Any]]
    """The lines that were missed or changed for nothing, each with what became of it."""

    def share(self, group: str) -> float:
        """Return the share of a group's lines that was found, or changed for nothing."""
        lines = sum(count for (of, _), count in self.lines.items() if of == group)
        return sum(count for (of, _), count in self.found.items() if of == group) / max(lines, 1)


def read_lines(path: Path = LINES) -> list[dict[str, Any]]:
    """Return the labelled lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def score(lines: Iterable[dict[str, Any]], plugin: Redact) -> Score:
    """Redact each line as a tool's result, and count.

    Args:
        lines: the labelled lines.
        plugin: the policy.
    """
    result = Score(Counter(), Counter(), [])
    for line in lines:
        after = plugin.redact(line["text"], "post_tool_call")
        key = line["group"], line["kind"]
        result.lines[key] += 1
        harmless = line["group"] == "harmless"
        hit = after != line["text"] if harmless else not is_left(line, after)
        result.found[key] += hit
        if hit == harmless:
            result.wrong.append({**line, "after": after})
    return result


def is_left(line: dict[str, Any], after: str) -> bool:
    """Tell whether something of a line's value is left."""
    around = line["text"]
    for value in line["secret"]:
        around = around.replace(value, "\0")
    for value in line["secret"]:
        length = min(len(value), max(SHORTEST_RUN, math.ceil(TWO_FIFTHS * len(value))))
        for at in range(len(value) - length + 1):
            part = value[at : at + length]
            if part in after and part not in around:
                return True
    return False


def main() -> int:
    """Print the tables; the exit code is 1 when the quality is below what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="show each line that went wrong")
    parser.add_argument("file", nargs="?", type=Path, default=LINES)
    arguments = parser.parse_args()
    result = score(read_lines(arguments.file), Redact())
    for (group, kind), count in sorted(result.lines.items()):
        sys.stdout.write(f"{group:9} {kind:16} {result.found[group, kind]:4}/{count}\n")
    for line in result.wrong if arguments.misses else ():
        shown = {key: line[key] for key in ("id", "kind", "text", "after")}
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
    wanted = [result.share(group) for group in ("secret", "pii")]
    encoded, alarms = result.share("encoded"), result.share("harmless")
    sys.stdout.write(
        f"secrets {wanted[0]:.3f}  personal {wanted[1]:.3f}  encoded {encoded:.3f}  "
        f"false alarms {alarms:.4f}\n"
    )
    return int(min(wanted) < 0.97 or encoded < 0.5 or alarms > 1 / 200)


if __name__ == "__main__":
    sys.exit(main())
