"""The reference server and the Python SDK, directly and through the proxy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def seen(suite: Any, kind: str, *command: str) -> Any:
    done = suite.run(suite.python, str(HERE / "sdk_client.py"), kind, *command)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_feature_of_the_reference_server_works_through_the_proxy(suite: Any) -> None:
    server = [suite.program("mcp-server-everything"), "stdio"]
    direct = seen(suite, "everything", *server)
    proxied = seen(suite, "everything", *suite.proxy, "--", *server)
    assert direct.pop("denied")[0] is False
    denied, (text,) = proxied.pop("denied")
    assert denied
    assert "the tool get-env is not allowed by policy" in text
    assert set(direct.pop("tools")) - set(proxied.pop("tools")) == {"get-env"}
    assert proxied == direct
    assert direct["asked"] == ["elicitation", "roots", "sampling"]


def test_the_newest_revision_works_through_the_proxy(suite: Any) -> None:
    server = [suite.python, str(HERE / "modern_server.py")]
    direct = seen(suite, "modern", *server)
    proxied = seen(suite, "modern", *suite.proxy, "--", *server)
    assert proxied == direct
    assert direct["told"] == ["3", "hello Ana"]
    assert direct["asked"] == ["elicitation"]
