"""Secrets that are known by what stands around them: headers, connection strings, commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ._regex import compile_bytes
from ._spans import Span
from ._values import is_made_by_chance, is_secret_value

__all__ = ["ContextDetector", "context_detectors"]

_QUOTES: Final = rb"[\\\"'`]*"
_UNTIL_QUOTE: Final = rb"[^\s\"'`\\<>,;]"
_PASS: Final = rb"(?i:password|passwd|pwd|pass|passwort|kennwort|contrase(?:\xc3\xb1|n)a|senha)"
_OR_QUOTED: Final = (
    rb"(?:'([^'\r\n]{2,128})'|\\?\"([^\"\r\n\\]{2,128})\\?\"|([^\s\"'`;&|<>\\]{2,128}))"
)

CONTEXTS: Final[tuple[tuple[str, bytes], ...]] = (
    ("slack_webhook", rb"(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,})"),
    ("api_key", rb"(discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/[A-Za-z0-9_-]{40,})"),
    ("api_key", rb"([a-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/_-]{40,})"),
    ("api_key", rb"(hooks\.zapier\.com/hooks/(?:catch|standard)/[A-Za-z0-9/]{10,})"),
    ("api_key", rb"(hook\.[a-z0-9]+\.make\.com/[A-Za-z0-9]{24,})"),
    (
        "aws_secret_key",
        rb"(?i:secret[_ -]?(?:access[_ -]?)?key)[^A-Za-z0-9/+\n]{1,8}([A-Za-z0-9/+]{40})",
    ),
    ("azure_key", rb"(?i:accountkey|accesskey)=([A-Za-z0-9+/]{43,86}={1,2})"),
    ("azure_key", rb"[?&]sig=([A-Za-z0-9%+/]{40,}(?:%3[Dd]|=))"),
    ("bearer_token", rb"(?i:bearer)(?:[ \t]|%20|\+)+([A-Za-z0-9._~+/-]{16,}=*)"),
    (
        "bearer_token",
        (
            rb"(?i:authorization)"
            + _QUOTES
            + rb"[ \t]*[:=,][ \t]*"
            + _QUOTES
            + rb"(?i:basic|token|bearer)[ \t]+([A-Za-z0-9._~+/-]{8,}=*)"
        ),
    ),
    ("api_key", rb"(?i:api[_-]?key)[\\\"']*[ \t]*[:=][ \t]*[\\\"']*([A-Za-z0-9_.-]{20,})"),
    (
        "url_password",
        rb"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>\[\]]{0,64}:([^\s/\"'<>\\]{2,256})@",
    ),
    (
        "url_password",
        rb"[A-Za-z][A-Za-z0-9+.-]{1,20}://([A-Za-z0-9_-]{20,128})(?::x-oauth-basic)?@",
    ),
    (
        "auth_header",
        (
            rb"(?i:authorization)"
            + _QUOTES
            + rb"[ \t]*[:=,][ \t]*"
            + _QUOTES
            + rb"[A-Za-z][A-Za-z0-9_-]{1,30}[ \t]+(?:(?i:token|key|apikey)=)?"
            + _QUOTES
            + rb"("
            + _UNTIL_QUOTE
            + rb"{8,})"
        ),
    ),
    ("auth_header", rb"(?i:AWS4-HMAC-SHA256)[^\n]*?Signature=([0-9a-fA-F]{32,64})"),
    ("auth_header", rb"(?i:digest)[ ][^\n]*?\bresponse=\\*\"([0-9a-fA-F]{16,64})"),
    (
        "auth_header",
        (
            rb"(?i:\b(?:x-[a-z-]{0,24}(?:token|key|secret|auth|signature)|private-token|job-token"
            rb"|deploy-token|apikey|api-key|dd-(?:api|application)-key|ocp-apim-subscription-key"
            rb"|x-auth|x-amz-security-token))"
            + _QUOTES
            + rb"[ \t]*[:,][ \t]*"
            + _QUOTES
            + rb"("
            + _UNTIL_QUOTE
            + rb"{8,})"
        ),
    ),
    (
        "connection_string",
        (
            rb"(?i:jdbc:|driver[ ]?=|server[ ]?=|data source[ ]?=|host[ ]?=|hostname[ ]?=|dsn[ ]?="
            rb"|addr(?:ess)?[ ]?=|uid[ ]?=|user[ ]?id[ ]?=|dbname[ ]?=|initial catalog[ ]?="
            rb"|[a-z]+dsn:"
            rb"|provider[ ]?=|:6379,|:6380,|endpoint[ ]?=|protocol[ ]?=)"
            rb"[^\n\"'<>]*?[;?&, ][ ]?"
            + _PASS
            + rb"[ ]?=[ ]?(?:\{([^}\r\n]{2,128})\}|"
            + _OR_QUOTED
            + rb")"
        ),
    ),
    (
        "connection_string",
        rb"(?i:jdbc:oracle:[a-z0-9]{2,6}):[^/@\s\"']{1,64}/(\"?[^@\s\"']{3,128})@",
    ),
    ("connection_string", rb"\b[A-Za-z0-9_.-]{1,64}:([^\s\"':/]{3,128})@(?:tcp|unix|cloudsql)\("),
    (
        "connection_string",
        rb"(?i:sqlplus|expdp|impdp|rman target)[ ][^\n]{0,40}?\b\w{1,32}/([^@\s\"'/]{3,64})@",
    ),
    ("password", rb"\bsshpass[ \t]+-p[ ]?" + _OR_QUOTED),
    (
        "password",
        (
            rb"\b(?:mysql|mariadb|mysqldump|mysqladmin|mysqlimport|mongodump|7z[ar]?"
            rb"|rar)\b[^\n|;]*?[ ]-p" + _OR_QUOTED
        ),
    ),
    (
        "password",
        (
            rb"\b(?:docker|podman|helm|az|oc|ldap[a-z]+|mongo(?:sh)?|redis-cli|zip|unzip|smbclient"
            rb"|cf|skopeo|buildah|nerdctl|rabbitmqadmin|clickhouse-client|cqlsh|sqlcmd"
            rb"|mosquitto_[a-z]+)"
            rb"\b[^\n|;]*?[ ]-[pPwa][ ]" + _OR_QUOTED
        ),
    ),
    (
        "password",
        (
            rb"\b(?:curl|wget|http|https|ab|xh)\b[^\n|;]*?[ ](?:-u|-U|-a|--user|--proxy-user"
            rb"|--auth)[ =]?"
            rb"\\?[\"']?[^\s:\"'\\]{1,64}:(?:([^'\"\s\\]{2,128}))"
        ),
    ),
    ("password", rb"\b-pass(?:in|out)?[ ]pass:([^\s\"']{3,128})"),
    ("password", rb"\bhtpasswd[ ]-[a-zA-Z]*b[a-zA-Z]*[ ]\S+[ ]\S+[ ]" + _OR_QUOTED),
    (
        "password",
        (
            rb"(?i:identified[ ](?:with[ ]\S+[ ])?by)[ ](?:(?i:password)[ ])?\\?['\"]("
            rb"[^'\"\r\n\\]{3,128})"
        ),
    ),
    ("password", rb"(?i:\b(?:encrypted[ ])?password)[ ]\\?'([^'\r\n\\]{3,128})'"),
    (
        "password",
        rb"\becho[ ]\\?[\"']?[\w.-]+:([^\s\"'\\|]{4,128})\\?[\"']?[ ]*\|[ ]*(?:sudo[ ])?chpasswd",
    ),
    (
        "password",
        rb"\becho[ ]\\?[\"']?([^\s\"'\\|]{4,128})\\?[\"']?[ ]*\|[ ]*sudo[ ][^\n]*?-[a-zA-Z]*S",
    ),
)
"""Kind and shape of what only its surroundings give away; its groups are the secret itself."""

_LOOSE: Final = frozenset({"connection_string", "password", "url_password"})
_COUNT: Final = re.compile(rb"\{([0-9]+)(,[0-9]*)?\}")
_MOST_COUNTED: Final = 4


def hint_of(shape: bytes) -> bytes:
    """Return a shape that matches wherever another does, and that counts no further than four.

    An automaton that counts to 64 has many more states, and each costs time when it is first met.
    """

    def lower(match: re.Match[bytes]) -> bytes:
        least = int(match[1])
        if match[2] is None and least <= _MOST_COUNTED:
            return match[0]
        return {0: b"*", 1: b"+"}.get(least, b"{%d,}" % min(least, _MOST_COUNTED))

    return _COUNT.sub(lower, shape)


class ContextDetector:
    """Finds one kind of secret by what stands around it."""

    crowd = "contexts"

    def __init__(self, kind: str, shape: bytes) -> None:
        self._kind = kind
        self.hints: tuple[bytes, ...] = (hint_of(shape),)
        self._regex = compile_bytes(shape)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._regex.all(data):
            place = next((match.span(at) for at in self._groups if match.start(at) >= 0), None)
            if place is None:
                continue
            start, end = place
            if self._kind in _LOOSE:
                end = _without_tail(data, start, end)
            if _is_secret(self._kind, data, start, end):
                yield Span(start, end, self._kind)

    @property
    def _groups(self) -> range:
        return range(1, self._regex.groups + 1)


def _without_tail(data: bytes, start: int, end: int) -> int:
    while end > start and data[end - 1 : end] in (b",", b")", b"\\"):
        end -= 1
    return end


_BASE64: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=")
_AUTHORIZATION: Final = re.compile(rb"(?i:authorization)[^A-Za-z]")
_JOINED: Final = re.compile(rb"[;&?@/]")
_USER_ONLY: Final = re.compile(rb"://$")


def _is_secret(kind: str, data: bytes, start: int, end: int) -> bool:
    value = data[start:end].decode("utf-8", "replace")
    if kind == "aws_secret_key":
        return end >= len(data) or data[end] not in _BASE64
    judge = _JUDGES.get(kind)
    return judge is None or judge(value, data, start)


def _is_of_url(value: str, data: bytes, start: int) -> bool:
    if _USER_ONLY.search(data, max(0, start - 3), start):
        return is_made_by_chance(value)
    return is_secret_value(value, "password", quoted=True)


def _is_joined(value: str, data: bytes, start: int) -> bool:
    joined = _JOINED.search(data, max(0, start - 96), start) is not None
    return is_secret_value(value, "password", quoted=joined)


def _is_password(value: str, _: bytes, __: int) -> bool:
    return is_secret_value(value, "password", quoted=True)


def _is_in_header(value: str, _: bytes, __: int) -> bool:
    return any(map(str.isdigit, value)) and is_secret_value(value, "password", quoted=False)


def _is_token(value: str, data: bytes, start: int) -> bool:
    # A word, a path in a program or a name of a variable has no digits.
    marked = any(map(str.isdigit, value))
    if _AUTHORIZATION.search(data, max(0, start - 48), start):
        marked = marked or value.lower() != value
    return marked and is_secret_value(value, "password", quoted=True)


def _is_key(value: str, data: bytes, start: int) -> bool:
    return "/" in value or _is_token(value, data, start)


_JUDGES: Final[dict[str, Callable[[str, bytes, int], bool]]] = {
    "url_password": _is_of_url,
    "connection_string": _is_joined,
    "password": _is_password,
    "auth_header": _is_in_header,
    "bearer_token": _is_token,
    "api_key": _is_key,
}


def context_detectors(kinds: frozenset[str]) -> list[ContextDetector]:
    """Return the detectors of secrets that are known by their surroundings."""
    return [ContextDetector(kind, shape) for kind, shape in CONTEXTS if kind in kinds]
