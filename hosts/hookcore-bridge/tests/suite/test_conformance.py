"""The outside suite, directly and through the proxy."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from tests.waiting import until

SERVER = Path(__file__).with_name("conformance_server.mjs")
SCENARIO = re.compile(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", re.MULTILINE)


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with closing(socket.socket()) as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(suite: Any, port: int, *command: str, **variables: str) -> Iterator[None]:
    process = suite.start(*command, **variables)
    try:
        until(lambda: listens(port) or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        yield
    finally:
        process.terminate()
        process.communicate()


def results(suite: Any, port: int) -> dict[str, tuple[int, int]]:
    """Return what passed and failed, by scenario."""
    done = suite.run(
        suite.program("conformance"), "server", "--url", f"http://127.0.0.1:{port}/mcp"
    )
    found = SCENARIO.findall(done.stdout + done.stderr)
    assert found, done.stdout + done.stderr
    return {name: (int(passed), int(failed)) for name, passed, failed in found}


def test_the_conformance_suite_passes_through_the_proxy(suite: Any) -> None:
    behind, before = free_port(), free_port()
    url = f"http://127.0.0.1:{behind}/mcp"
    proxy = [*suite.proxy, "--url", url, "--listen", f"127.0.0.1:{before}"]
    with ExitStack() as stack:
        variables = {"PORT": str(behind), "NODE_MODULES": str(suite.modules)}
        stack.enter_context(running(suite, behind, "node", str(SERVER), **variables))
        stack.enter_context(running(suite, before, *proxy))
        direct, proxied = results(suite, behind), results(suite, before)
    # The server does not look at Host; the proxy does.
    assert direct.pop("dns-rebinding-protection") == (1, 1)
    assert proxied.pop("dns-rebinding-protection") == (2, 0)
    assert proxied == direct
    assert sum(passed for passed, _ in proxied.values()) == 38
    assert all(failed == 0 for _, failed in proxied.values())
