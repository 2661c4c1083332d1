from __future__ import annotations

import pytest

from hookcore_bridge.relay.guard import Guard, is_loopback

GUARD = Guard(["proxy.example"], ["https://tools.example"])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8930", "localhost", "LOCALHOST:1", "[::1]:8930", "[::1]", "proxy.example:80"],
)
def test_this_machines_names_and_those_that_are_allowed_are_taken(host: str) -> None:
    assert GUARD.problem({"Host": host}) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8930",
        "",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "localhost@evil.example",
        "[::1].evil.example",
        "[::2]:8930",
        "[",
    ],
)
def test_a_name_that_was_bound_anew_is_refused(host: str) -> None:
    assert GUARD.problem({"Host": host}) == "this Host is not allowed"


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "http://127.0.0.1", "https://tools.example", "http://[::1]"]
)
def test_pages_of_this_machine_and_those_that_are_allowed_are_taken(origin: str) -> None:
    assert GUARD.problem({"Host": "localhost", "Origin": origin}) is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "file://",
        "http://localhost.evil.example",
        "x://localhost",
    ],
)
def test_other_pages_are_refused(origin: str) -> None:
    assert GUARD.problem({"Host": "localhost", "Origin": origin}) == "this Origin is not allowed"


def test_addresses_of_this_machine_are_known() -> None:
    assert all(map(is_loopback, ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"]))
    assert not any(map(is_loopback, ["0.0.0.0", "10.0.0.1", "example.com", "::"]))
