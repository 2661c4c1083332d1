"""A server on the standard streams that does what a test asks of it; started by file name."""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Answer each line, until there are no more."""
    for line in sys.stdin:
        message = json.loads(line)
        params = message.get("params", {})
        if message.get("method") == "exit":
            sys.exit(params["code"])
        if message.get("method") == "raw":
            sys.stdout.write(params["text"] + "\n")
        elif "id" in message and "method" in message:
            answer = {"got": message["method"], "line": line.rstrip("\n")}
            if message["method"] == "tools/call":
                given = params.get("arguments", {})
                answer = {"content": [{"type": "text", "text": given.get("text", "")}]}
            made = {"jsonrpc": "2.0", "id": message["id"], "result": answer}
            sys.stdout.write(json.dumps(made, ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
