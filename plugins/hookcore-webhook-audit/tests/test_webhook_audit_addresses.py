"""The places where nothing is sent: addresses, names and URLs that lead inside."""

from __future__ import annotations

import ipaddress
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_webhook_audit._addresses import forbidden
from hookcore_webhook_audit._client import Client, tls_context
from hookcore_webhook_audit._destination import Destination, DestinationError, parse_url
from hookcore_webhook_audit._lookup import Lookup

INSIDE = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"],
    "link-local": ["169.254.0.1", "fe80::1", "febf::1", "fec0::1"],
    "shared": ["100.64.0.1", "100.127.255.255"],
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "metadata": ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"],
    "mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:0"],
    "compatible": ["::127.0.0.1", "::8.8.8.8"],
    "nat64": ["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1"],
    "6to4": ["2002:7f00:1::", "2002:a9fe:a9fe::"],
    "teredo": ["2001::1", "2001:0:7f00:1::"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "translated": ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
    "reserved": ["240.0.0.1", "255.255.255.255", "192.0.0.8", "198.18.0.1", "192.0.2.1",
                 "2001:db8::1", "192.88.99.1", "100::1", "100:0:0:1::1", "3fff::1", "3fff:fff::1", "5f00::1"],
}  # fmt: skip
OUTSIDE = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111",
           "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"]  # fmt: skip


@pytest.mark.parametrize("address", [each for group in INSIDE.values() for each in group])
def test_an_address_inside_is_forbidden(address: str) -> None:
    assert forbidden(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_public_address_is_not(address: str) -> None:
    assert not forbidden(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4))
def test_an_address_is_judged_alike_in_each_of_its_ipv6_forms(
    address: ipaddress.IPv4Address,
) -> None:
    number = int(address)
    forms = (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80)
    judged = {forbidden(ipaddress.IPv6Address(form)) for form in forms}
    assert judged == {forbidden(address)}


def test_an_allowed_network_admits_its_addresses_and_no_others() -> None:
    allowed = [ipaddress.ip_network("10.20.0.0/16")]
    assert not forbidden(ipaddress.ip_address("10.20.3.4"), allowed)
    assert not forbidden(ipaddress.ip_address("::ffff:10.20.3.4"), allowed)
    assert forbidden(ipaddress.ip_address("10.21.3.4"), allowed)


NEVER = {
    "link-local": ["169.254.0.23", "169.254.42.42", "169.254.169.254", "169.254.170.2", "fe80::1",
                   "fe80::a9fe:a9fe", "febf::1"],
    "metadata": ["100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254",
                 "fd00:ec2:1::23", "fd20:ce::254"],
    "mapped": ["::ffff:169.254.169.254", "::ffff:100.100.100.200"],
    "compatible": ["::169.254.169.254", "::192.0.0.192"],
    "translated": ["::ffff:0:169.254.169.254", "::ffff:0:168.63.129.16"],
    "nat64": ["64:ff9b::a9fe:a9fe", "64:ff9b::192.0.0.192"],
    "local nat64": ["64:ff9b:1::a9fe:a9fe", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9:fe:a9fe::",
                    "64:ff9b:1:0:a9:fea9:fe00:0"],
    "6to4": ["2002:a9fe:a9fe::", "2002:a9fe:a9fe::1"],
    "teredo": ["2001:0:a9fe:a9fe::", "2001:0:808:808::5601:5601"],
}  # fmt: skip
EVERYTHING = [ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0")]


@pytest.mark.parametrize("address", [each for group in NEVER.values() for each in group])
def test_no_allowed_network_admits_what_is_link_local_or_a_metadata_service(address: str) -> None:
    given_address = ipaddress.ip_address(address)
    assert forbidden(given_address, EVERYTHING)
    assert forbidden(given_address, [ipaddress.ip_network(given_address)])


@given(st.ip_addresses(network="169.254.0.0/16"))
def test_no_form_of_a_link_local_address_is_admitted(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    forms = (
        number,
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x64FF9B << 96 | number,
        0x64FF9B0001 << 80 | number,
        0x2002 << 112 | number << 80,
        0x20010000 << 96 | number << 64,
        0x20010000 << 96 | 0x08080808 << 64 | (number ^ 0xFFFFFFFF),
    )
    assert all(forbidden(ipaddress.IPv6Address(form), EVERYTHING) for form in forms)


def test_allowed_networks_admit_all_else() -> None:
    for address in ("127.0.0.1", "10.1.2.3", "::1", "fd12::1", "::ffff:0:10.0.0.1", "3fff::1"):
        assert not forbidden(ipaddress.ip_address(address), EVERYTHING)


@given(st.ip_addresses())
def test_what_python_does_not_call_global_is_forbidden(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    mapped = getattr(address, "ipv4_mapped", None)
    # Those that stand for an IPv4 address are judged by that, and Pythons differ about them.
    stands_for_another = any(
        address in ipaddress.ip_network(network) for network in ("64:ff9b::/96", "2002::/16")
    )
    if not (mapped or address).is_global and not stands_for_another:
        assert forbidden(address)


REFUSED = [
    ("", "it is empty"),
    ("https://a.example/ b", "holds a space"),
    ("https://a.example/\r\nx: y", "holds a space"),
    ("https://ä.example/", "not ASCII"),
    ("http://a.example/", "its scheme is http"),
    ("ftp://a.example/", "its scheme is ftp"),
    ("file:///etc/passwd", "its scheme is file"),
    ("a.example/x", "its scheme is missing"),
    ("https://", "names no host"),
    ("https:///x", "names no host"),
    ("https://[::1/", "no valid URL"),
    ("https://a.example:99999/", "no valid URL"),
    ("https://a.example:0/", "port 0"),
    ("https://a.example/#x", "fragment"),
    ("https://user:pass@a.example/", "user name or a password"),
    ("https://a.example@127.0.0.1/", "user name or a password"),
    ("https://127.0.0.1/", "no public address"),
    ("https://127.1/", "no public address"),
    ("https://2130706433/", "no public address"),
    ("https://0x7f.0.0.1/", "no public address"),
    ("https://0177.0.0.1/", "no public address"),
    ("https://0/", "no public address"),
    ("https://[::1]/", "no public address"),
    ("https://[::ffff:10.0.0.1]/", "no public address"),
    ("https://[fe80::1%25eth0]/", "no public address"),
    ("https://10.1.2.3:8443/", "no public address"),
    ("https://169.254.169.254/latest/", "no public address"),
    ("https://localhost/", "is inside"),
    ("https://LOCALHOST./", "is inside"),
    ("https://a.localhost/", "is inside"),
    ("https://metadata.google.internal/", "metadata service"),
    ("https://[fe80::1]/", "is link-local"),
]


@pytest.mark.parametrize(("url", "why"), REFUSED, ids=[url for url, _ in REFUSED])
def test_a_url_that_leads_inside_or_nowhere_is_refused(url: str, why: str) -> None:
    with pytest.raises(DestinationError, match=why):
        parse_url(url, allow_http=False, allowed=())


@pytest.mark.parametrize(
    "host", ["metadata", "metadata.google.internal.", "169.254.0.23", "[fe80::1]"]
)
def test_a_metadata_service_is_refused_whatever_is_allowed(host: str) -> None:
    with pytest.raises(DestinationError, match="metadata service"):
        parse_url(f"https://{host}/", allow_http=False, allowed=EVERYTHING)


def test_a_refusal_does_not_tell_path_or_query() -> None:
    with pytest.raises(DestinationError) as caught:
        parse_url("https://10.0.0.1/T0PS3CR3T?k=S3CR3T", allow_http=False, allowed=())
    assert "S3CR3T" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("https://a.example", "a.example", "/"),
        ("https://A.Example:443/x?y=1", "a.example", "/x?y=1"),
        ("https://a.example:8443?y", "a.example:8443", "/?y"),
        ("https://[2606:4700::1111]/x", "[2606:4700::1111]", "/x"),
        ("http://a.example/", "a.example", "/"),
    ],
)
def test_a_good_url_is_taken_apart(url: str, authority: str, target: str) -> None:
    destination = parse_url(url, allow_http=True, allowed=())
    assert (destination.authority, destination.target) == (authority, target)


class Network:
    """A resolver, and the addresses that were connected to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.connected: list[str] = []
        monkeypatch.setattr(socket, "getaddrinfo", self.resolve)
        monkeypatch.setattr(socket, "create_connection", self.connect)

    def resolve(self, *_: Any, **__: Any) -> list[Any]:
        answer = self.answers.pop(0)
        return [(0, 0, 0, "", (address, 443)) for address in answer]

    def connect(self, target: tuple[str, int], timeout: float) -> Any:
        self.connected.append(target[0])
        raise ConnectionRefusedError


def client() -> Client:
    return Client(Destination("https", "a.example", 443, "/"), (), tls_context(None), 5)


def test_one_address_inside_among_public_ones_is_enough_to_send_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Network(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(DestinationError, match=r"a\.example resolves to 10\.0\.0\.1"):
        client().post(b"", {})
    assert network.connected == []


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Network(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    with pytest.raises(ConnectionRefusedError):
        client().post(b"", {})
    assert network.connected == ["8.8.8.8"]


def test_all_addresses_are_tried_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(monkeypatch, ["2606:4700::1111", "8.8.8.8", "8.8.8.8"])
    with pytest.raises(ConnectionRefusedError):
        client().post(b"", {})
    assert network.connected == ["2606:4700::1111", "8.8.8.8"]


def test_an_address_is_checked_at_each_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    Network(monkeypatch, ["8.8.8.8"], ["169.254.169.254"])
    one = client()
    with pytest.raises(ConnectionRefusedError):
        one.post(b"", {})
    with pytest.raises(DestinationError):
        one.post(b"", {})


def test_a_host_without_an_address_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Network(monkeypatch, [])
    with pytest.raises(DestinationError, match="has no address"):
        client().post(b"", {})


class Resolver:
    """A resolver that answers nothing until ``answers`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = threading.Event()
        self.asked = 0
        monkeypatch.setattr(socket, "getaddrinfo", self.resolve)

    def resolve(self, *_: Any, **__: Any) -> list[Any]:
        self.asked += 1
        self.answers.wait(30)
        return [(0, 0, 0, "", (f"8.8.8.{self.asked}", 443))]


def test_a_look_up_gets_no_more_time_than_an_attempt_and_is_not_made_twice_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolver, lookup = Resolver(monkeypatch), Lookup("a.example", 443)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            lookup.addresses(0.01)
    assert resolver.asked == 1
    resolver.answers.set()
    assert [str(each) for each in lookup.addresses(10)] in (["8.8.8.1"], ["8.8.8.2"])
    # What it says is used once: the next attempt asks anew.
    asked = resolver.asked
    lookup.addresses(10)
    assert resolver.asked == asked + 1


def test_a_client_gives_a_look_up_that_hangs_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = Resolver(monkeypatch)
    one = Client(Destination("https", "a.example", 443, "/"), (), tls_context(None), 0.05)
    with pytest.raises(TimeoutError):
        one.post(b"", {})
    resolver.answers.set()


def test_a_look_up_works_where_no_thread_can_be_started_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    Network(monkeypatch, ["8.8.8.8"])
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert [str(each) for each in Lookup("a.example", 443).addresses(10)] == ["8.8.8.8"]


def test_a_fork_waits_for_no_look_up_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver, lookup = Resolver(monkeypatch), Lookup("a.example", 443)
    with pytest.raises(TimeoutError):
        lookup.addresses(0.01)
    process = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: process + 1)
    Network(monkeypatch, ["1.1.1.1"])
    assert [str(each) for each in lookup.addresses(10)] == ["1.1.1.1"]
    resolver.answers.set()


def test_a_look_up_that_fails_says_so_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise socket.gaierror("S3CR3T")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    lookup = Lookup("a.example", 443)
    for _ in range(2):
        with pytest.raises(socket.gaierror):
            lookup.addresses(10)


def test_certificates_and_names_are_verified(tmp_path: Path) -> None:
    context = tls_context(None)
    assert context.check_hostname
    assert context.verify_mode.name == "CERT_REQUIRED"
    with pytest.raises(OSError, match="No such file"):
        tls_context(tmp_path / "none.pem")
