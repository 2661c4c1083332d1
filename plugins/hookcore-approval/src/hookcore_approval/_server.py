"""The endpoint that takes signed decisions over HTTP."""

from __future__ import annotations

import json
import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from hookcore_stores import StoreAwayError

from ._people import may_decide
from ._shown import one_line

if TYPE_CHECKING:
    from ._signatures import Signatures
    from .requests import Requests, Verdict
    from .settings import ApprovalSettings

__all__ = ["DecisionServer"]

_log = logging.getLogger("hookcore_approval")
_MOST_BYTES: Final = 16 * 1024
_LONGEST_NAME: Final = 128
_VERDICTS: Final[dict[str, Verdict]] = {"approve": "approved", "deny": "denied"}


class _Answer(NamedTuple):
    status: int
    body: dict[str, Any]


class _Decision(NamedTuple):
    id: str
    digest: str
    verdict: Verdict
    by: str


class DecisionServer(ThreadingHTTPServer):
    """Takes decisions: ``POST /`` with ``{"id", "digest", "verdict", "by"}``, signed.

    Args:
        address: host and port; port 0 takes a free one.
        requests: the store.
        signatures: who may sign.
        settings: who may decide.
    """

    daemon_threads = True

    def __init__(
        self,
        address: tuple[str, int],
        requests: Requests,
        signatures: Signatures,
        settings: ApprovalSettings,
    ) -> None:
        self.requests = requests
        self.signatures = signatures
        self.settings = settings
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Log a connection that broke, without a traceback on the terminal."""
        _log.debug("a connection broke", exc_info=True)

    def decide(self, body: bytes, headers: dict[str, str]) -> _Answer:
        """Verify a message and decide what it says.

        Args:
            body: the message.
            headers: its headers, with names in lower case.
        """
        if not self.signatures.verify(body, headers):
            return _Answer(401, {"error": "the signature is wrong, missing, or too old"})
        found = _decision(body)
        if found is None:
            why = (
                'the body must be {"id", "digest", "verdict": "approve" or "deny", "by"}, as texts'
            )
            return _Answer(400, {"error": why})
        if not may_decide(self.settings, found.by):
            return _Answer(403, {"error": "this person is none of the approvers"})
        return self._decided(found)

    def _decided(self, found: _Decision) -> _Answer:
        try:
            done = self.requests.decide(found.id, found.digest, found.verdict, found.by)
        except StoreAwayError:
            return _Answer(503, {"error": "the store is away; send it again"})
        if done.state is None:
            return _Answer(404, {"error": done.why})
        if not done.counted:
            return _Answer(409, {"error": done.why, "state": done.state})
        _log.info("request %s: %s by %s", found.id, found.verdict, one_line(found.by))
        return _Answer(200, {"state": done.state})


def _decision(body: bytes) -> _Decision | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or set(found) != {"id", "digest", "verdict", "by"}:
        return None
    if not all(isinstance(value, str) and value.isprintable() for value in found.values()):
        return None
    if found["verdict"] not in _VERDICTS or not 0 < len(found["by"]) <= _LONGEST_NAME:
        return None
    return _Decision(found["id"], found["digest"], _VERDICTS[found["verdict"]], found["by"])


class _Handler(BaseHTTPRequestHandler):
    """Reads one message, in bounded size and time."""

    server: DecisionServer
    server_version = "hookcore-approval"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = 10.0

    def do_POST(self) -> None:
        """Take a decision."""
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or "transfer-encoding" in self.headers:
            self._answer(_Answer(411, {"error": "send the content-length"}))
        elif int(length[:9]) > _MOST_BYTES or len(length) > 9:  # noqa: PLR2004
            self._answer(_Answer(413, {"error": f"over {_MOST_BYTES} bytes"}))
        else:
            body = self.rfile.read(int(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._answer(self.server.decide(body, headers))

    def _answer(self, answer: _Answer) -> None:
        data = json.dumps(answer.body).encode()
        # What is left of a request that was not read would be taken for another one.
        self.close_connection = answer.status != 200  # noqa: PLR2004
        self.send_response(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: decisions are logged, and lines of others could be forged."""
