"""Getting bytes: over https from whom one trusts, from files, and by others' fetchers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_bundle import BundleSettings, RefusedError, Request, fetching
from hookcore_bundle._pull import Pulled
from hookcore_bundle.fetching import beside, fetch

from .fleet import Fleet, Here, Server, StartServer


def test_https_gives_what_the_server_has(server: Server) -> None:
    server.files["/x"] = b"data"
    assert fetch(Request(f"{server.url}/x", 4, ca=server.ca)) == b"data"


def test_a_server_with_a_certificate_of_nobody_is_not_believed(server: Server) -> None:
    server.files["/x"] = b"data"
    with pytest.raises(RefusedError, match="server: SSLCertVerificationError"):
        fetch(Request(f"{server.url}/x", 10))


def test_a_certificate_is_for_one_name(server: Server) -> None:
    url = server.url.replace("127.0.0.1", "127.0.0.2")
    with pytest.raises(RefusedError, match="server: "):
        fetch(Request(f"{url}/x", 10, ca=server.ca))


def test_a_file_of_certificates_that_is_gone_is_told(server: Server, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="server: FileNotFoundError"):
        fetch(Request(f"{server.url}/x", 10, ca=tmp_path / "none.pem"))


@pytest.mark.parametrize("code", [403, 404, 500, 503])
def test_an_error_of_the_server_is_told(server: Server, code: int) -> None:
    server.status["/x"] = code
    with pytest.raises(RefusedError, match=f"server: HTTP {code}"):
        fetch(Request(f"{server.url}/x", 10, ca=server.ca))


def test_nobody_listens(server: Server) -> None:
    with pytest.raises(RefusedError, match="server: ConnectionRefusedError"):
        fetch(Request("https://127.0.0.1:9/x", 10, ca=server.ca))


def test_a_silent_server_is_left(server: Server) -> None:
    server.silent.add("/x")
    with pytest.raises(RefusedError, match="server: TimeoutError"):
        fetch(Request(f"{server.url}/x", 10, seconds=0.2, ca=server.ca))


def test_a_server_without_an_end_is_left_when_the_time_is_over(server: Server) -> None:
    server.endless.add("/x")
    with pytest.raises(RefusedError, match="it took longer than"):
        fetch(Request(f"{server.url}/x", 1 << 50, seconds=0.2, ca=server.ca))


def test_a_redirect_to_https_is_followed_without_the_token(
    server: Server, start_server: StartServer
) -> None:
    other = start_server()
    other.files["/y"] = b"data"
    server.redirects["/x"] = f"{other.url}/y"
    assert fetch(Request(f"{server.url}/x", 10, ca=server.ca, token="secret")) == b"data"
    assert server.asked == [("/x", "Bearer secret")]
    assert other.asked == [("/y", None)]


def test_a_redirect_to_http_or_a_file_is_not_followed(
    server: Server, start_server: StartServer, tmp_path: Path
) -> None:
    plain = start_server(tls=False)
    plain.files["/y"] = b"data"
    (tmp_path / "y").write_bytes(b"data")
    for where in (f"{plain.url}/y", f"file://{tmp_path}/y"):
        server.redirects["/x"] = where
        with pytest.raises(RefusedError, match="server: "):
            fetch(Request(f"{server.url}/x", 10, ca=server.ca))
    assert plain.asked == []


def test_a_redirect_in_a_circle_ends(server: Server) -> None:
    server.redirects["/x"] = f"{server.url}/x"
    with pytest.raises(RefusedError, match="server: HTTP 302"):
        fetch(Request(f"{server.url}/x", 10, ca=server.ca))


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a b.tar").write_bytes(b"data")
    assert fetch(Request(f"file://{tmp_path}/a%20b.tar", 10)) == b"data"


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda file: None, "No such file"),
        (os.mkfifo, "no regular file"),
        (lambda file: file.mkdir(), "irectory|no regular file"),
        (lambda file: file.write_bytes(bytes(11)), "size: more than 10 bytes"),
        (lambda file: file.symlink_to("/dev/zero"), "no regular file"),
    ],
)
def test_what_is_no_file_of_the_right_size_is_refused(
    tmp_path: Path, make: Callable[[Path], Any], why: str
) -> None:
    make(tmp_path / "x")
    with pytest.raises(RefusedError, match=why):
        fetch(Request(f"file://{tmp_path}/x", 10))


def test_a_file_of_another_machine_is_none() -> None:
    with pytest.raises(RefusedError, match="not of elsewhere"):
        fetch(Request("file://elsewhere/x", 10))


def test_the_timestamp_lies_beside_the_bundle_whatever_the_query_says() -> None:
    assert beside("https://a.example/p/prod.tar?v=1", ".timestamp") == (
        "https://a.example/p/prod.tar.timestamp?v=1"
    )


def test_a_machine_pulls_from_a_file(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.configure(url=f"file://{fleet.folder}/dist/prod.tar")
    assert here.pull() == Pulled(1, is_new=True)


def test_a_token_is_read_from_the_environment(
    fleet: Fleet, here: Here, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.publish()
    here.configure(token_env="HOOKCORE_BUNDLE_TOKEN")
    with pytest.raises(RefusedError, match="HOOKCORE_BUNDLE_TOKEN is not set"):
        here.pull()
    monkeypatch.setenv("HOOKCORE_BUNDLE_TOKEN", "secret")
    here.pull()
    assert {token for _, token in server.asked} == {"Bearer secret"}


class Entry:
    """An entry point, as if a distribution had brought it."""

    def __init__(self, fetcher: Any) -> None:
        self._fetcher = fetcher

    def load(self) -> Any:
        if isinstance(self._fetcher, Exception):
            raise self._fetcher
        return self._fetcher


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def make(*fetchers: Any) -> None:
        def found(*, group: str, name: str) -> list[Entry]:
            assert (group, name) == ("hookcore.bundle_fetchers", "s3")
            return [Entry(fetcher) for fetcher in fetchers]

        monkeypatch.setattr(fetching, "entry_points", found)

    return make


def test_a_fetcher_of_another_distribution_is_asked(
    fleet: Fleet, here: Here, server: Server, offer: Callable[..., None]
) -> None:
    fleet.publish()
    offer(lambda request: server.files[request.url.removeprefix("s3://bucket")])
    here.configure(url="s3://bucket/prod.tar")
    assert here.pull() == Pulled(1, is_new=True)


def away(request: Request) -> bytes:
    raise ConnectionError("the bucket is away")


@pytest.mark.parametrize(
    ("fetchers", "why"),
    [
        ([], "0 installed distributions read s3: URLs"),
        ([away, away], "2 installed distributions read s3: URLs"),
        ([ImportError("no boto")], "cannot be imported: ImportError: no boto"),
        ([away], "ConnectionError: the bucket is away"),
        ([lambda request: "text"], "gave str"),
        ([lambda request: bytes(11)], "size: more than 10 bytes"),
    ],
)
def test_a_fetcher_that_gives_nothing_right_is_told(
    offer: Callable[..., None], fetchers: list[Any], why: str
) -> None:
    offer(*fetchers)
    with pytest.raises(RefusedError, match=why):
        fetch(Request("s3://bucket/prod.tar", 10))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"url": "http://a.example/prod.tar"}, "use https:"),
        ({"url": "prod.tar"}, "it must be a URL"),
        ({"url": "https://a.example"}, "it must be a URL"),
        ({"url": "https://ann:secret@a.example/p.tar"}, "it must hold no password"),
        ({"name": "../x"}, "name"),
        ({"token_env": "PATH"}, "token_env"),
        ({"keep": 0}, "keep"),
        ({"when_stale": "previous"}, "when_stale"),
        ({"every": 3}, "every"),
    ],
)
def test_settings_that_mean_nothing_are_refused(values: dict[str, Any], why: str) -> None:
    right = {"url": "https://a.example/prod.tar", "name": "prod"}
    with pytest.raises(ValueError, match=why) as caught:
        BundleSettings(**{**right, **values})
    assert "secret" not in str(caught.value)
