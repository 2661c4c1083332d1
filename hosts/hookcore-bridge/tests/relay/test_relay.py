from __future__ import annotations

import builtins
from typing import Any

import pytest

from hookcore_bridge.relay.headers import for_client, for_server
from hookcore_bridge.relay.serving import Address, needs_aiohttp
from hookcore_bridge.relay.upstream import checked_url, warn_of_plain
from hookctl.failure import UsageError


def test_what_is_the_connections_own_is_not_passed_on() -> None:
    given = {
        "Host": "a",
        "Connection": "x-mine, close",
        "X-Mine": "1",
        "Authorization": "k",
        "TE": "x",
        "X-HTTP-Method-Override": "POST",
    }
    assert for_server(given) == [("Authorization", "k"), ("Accept-Encoding", "identity")]
    given = {"Transfer-Encoding": "chunked", "X-Id": "1", "Content-Encoding": "gzip"}
    assert for_client(given, ["content-encoding"]) == [("X-Id", "1")]


@pytest.mark.parametrize("text", ["", "8930", ":1", "a:", "a:b", "a:99999", "a:-1", "a:²"])
def test_what_is_no_address_is_told(text: str) -> None:
    with pytest.raises(UsageError, match=r"give HOST:PORT"):
        Address(text)


def test_an_address_that_others_can_reach_is_told() -> None:
    notes: list[str] = []
    Address("[::1]:80").warn(notes.append)
    assert (Address("[::1]:80").host, notes) == ("::1", [])
    Address("0.0.0.0:80").warn(notes.append)
    assert notes == ["other machines may reach 0.0.0.0: requests to it go unencrypted"]


def test_keys_that_leave_the_machine_unencrypted_are_told() -> None:
    notes: list[str] = []
    for url in ("https://a.example", "http://127.0.0.1:1", "http://[::1]", "http://a.example/x"):
        warn_of_plain(url, notes.append)
    assert notes == ["requests to a.example, and the keys in them, go unencrypted"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://a/b",
        "http://",
        "http://u:hunter2@a/",
        "http://a/?k=hunter2",
        "http://a/#x",
        "http://a:x",
    ],
)
def test_an_address_of_a_server_is_plain(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_url(url)
    assert "hunter2" not in str(caught.value)


def test_the_slash_at_the_end_does_not_count() -> None:
    assert checked_url("https://a.example/mcp/") == "https://a.example/mcp"


def test_without_aiohttp_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **options: Any) -> Any:
        if name == "aiohttp":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'hookcore-bridge\[mcp\]'"):
        needs_aiohttp("mcp")
