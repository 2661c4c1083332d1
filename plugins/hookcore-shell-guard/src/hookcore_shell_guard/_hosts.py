"""Hosts in a program's words: is it this machine that they name?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ._options import Arguments
from .commands import Segment, Word

_AUTHORITY: Final = (
    r"(?:localhost|127(?:\.\d{1,3}){1,3}|0\.0\.0\.0|\[::1?\]|\[::ffff:127(?:\.\d{1,3}){3}\])"
)
_LOOPBACK: Final = re.compile(
    rf"(?i)(?:[a-z][a-z0-9+.-]*://)?{_AUTHORITY}(?::\d*)?(?:[/?#].*)?", re.DOTALL
)
_BARE: Final = re.compile(rf"(?i)(?:{_AUTHORITY}|::1)")
_USER: Final = re.compile(r"(?i)^([a-z][a-z0-9+.-]*://)[\w.:%~+!$&*,;=-]*@")
# The host is complete, and only its port or what follows is not known.
_LOOPBACK_HEAD: Final = re.compile(
    rf"(?i)(?:[a-z][a-z0-9+.-]*://)?{_AUTHORITY}(?::|[/?#].*)", re.DOTALL
)


class Client(NamedTuple):
    """A program that connects to the hosts that its operands name.

    Args:
        short: its one-letter options that take a value.
        long: its long options that take a value as a word of its own.
        elsewhere: options that lead the connection elsewhere, letters first.
        hosts: options whose value is a host, letters first.
        operands: how many operands name hosts; 0 for all.
        default: tells that without a host it talks to this machine.
    """

    short: str = ""
    long: str = ""
    elsewhere: tuple[str, ...] = ("",)
    hosts: tuple[str, ...] = ("",)
    operands: int = 0
    default: bool = False


_CURL: Final = Client(
    "AbcCdDeEFHKmoPQrtTuUwxXyYzh",
    "--request --data --data-raw --data-binary --data-ascii --data-urlencode --json --header "
    "--output --user --user-agent --cookie --cookie-jar --form --form-string --upload-file "
    "--write-out --max-time --connect-timeout --retry --retry-delay --retry-max-time --cacert "
    "--capath --cert --key --range --referer --url --unix-socket --abstract-unix-socket "
    "--output-dir --limit-rate --max-filesize --max-redirs --interface --ciphers --oauth2-bearer "
    "--time-cond --variable --stderr --trace --trace-ascii --dump-header --local-port "
    "--keepalive-time --speed-limit --speed-time --create-file-mode --tls-max --url-query "
    "--cert-type --key-type --pass --netrc-file --etag-save --etag-compare --hsts --alt-svc",
    (
        "xK",
        "--proxy",
        "--preproxy",
        "--socks4",
        "--socks4a",
        "--socks5",
        "--socks5-hostname",
        "--config",
        "--connect-to",
        "--resolve",
        "--doh-url",
        "--dns-servers",
        "--proxy1.0",
    ),
    ("", "--url"),
)
_WGET: Final = Client(
    "aoOeQtTwPUlARDIXiB",
    "--output-document --output-file --append-output --tries --timeout --header --post-data "
    "--post-file --method --body-data --body-file --user-agent --directory-prefix --user "
    "--password --quota --wait --level --accept --reject --referer --load-cookies --save-cookies "
    "--ca-certificate --certificate --private-key --retry-on-http-error --waitretry --limit-rate",
    ("ieB", "--input-file", "--execute", "--base", "--config", "--use-askpass"),
)

CLIENTS: Final[dict[str, Client]] = {
    "curl": _CURL,
    "wget": _WGET,
    "wget2": _WGET,
    **dict.fromkeys(
        ("http", "https", "xh", "xhs"),
        Client("psohaA", "--session --auth --body", ("", "--proxy"), operands=-1),
    ),
    **dict.fromkeys(
        ("ping", "ping6", "traceroute", "tracepath", "mtr", "fping"), Client("cistWwIQMmlpSTf")
    ),
    **dict.fromkeys(
        ("telnet", "ftp", "lftp", "tftp", "rsh", "rlogin"), Client("elnpu", operands=1)
    ),
    **dict.fromkeys(
        ("nc", "ncat", "netcat"),
        Client("wipsqGgIMmOPTVXxceWZ", "", ("xXgG", "--proxy"), operands=1),
    ),
    "ssh": Client("BbcDEeFIiJLlmOopQRSWw", "", ("JWLRDFow",), operands=1),
    "sftp": Client("BbcDFiJloPRSsX", "", ("JFo",), operands=1),
    **dict.fromkeys(
        ("ab", "wrk", "hey", "siege", "oha", "bombardier", "vegeta"),
        Client("nctTpHdsCAPXmMhgreqzDu"),
    ),
    "iperf3": Client("pcBtnblPiVw", "", ("",), ("c", "--client"), operands=-2, default=True),
    "openssl": Client(),
    "psql": Client("cdfvohpUFLPRT", "", ("",), ("h", "--host"), operands=-2, default=True),
    **dict.fromkeys(
        (
            "pg_dump",
            "pg_dumpall",
            "pg_restore",
            "createdb",
            "dropdb",
            "pg_isready",
            "pgbench",
            "createuser",
            "vacuumdb",
        ),
        Client("cdfohpUFntTLNZjs", "", ("",), ("h", "--host"), operands=-2, default=True),
    ),
    **dict.fromkeys(
        ("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mycli", "mysqlimport"),
        Client(
            "hPuDeS",
            "--host --port --user --execute --socket --database",
            ("",),
            ("h", "--host"),
            operands=-2,
            default=True,
        ),
    ),
    **dict.fromkeys(
        ("redis-cli", "valkey-cli", "redis-benchmark"),
        Client(
            "hpasunrid",
            "--user --pass --eval --pattern",
            ("",),
            ("hu", "--uri"),
            operands=-2,
            default=True,
        ),
    ),
    **dict.fromkeys(
        ("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"),
        Client(
            "hpudc",
            "--host --port --eval --username --password --db --uri --collection",
            ("",),
            ("h", "--host", "--uri"),
            operands=-2,
            default=True,
        ),
    ),
    **dict.fromkeys(
        (
            "clickhouse-client",
            "influx",
            "cqlsh",
            "usql",
            "sqlcmd",
            "etcdctl",
            "consul",
            "nats",
            "rabbitmqadmin",
            "mosquitto_pub",
            "mosquitto_sub",
        ),
        Client(
            "hHpuqSUPdt",
            "--host --port --user --query --server --endpoints --topic",
            ("",),
            ("hHS", "--host", "--server", "--endpoints"),
            operands=-2,
            default=True,
        ),
    ),
}
"""``operands``: -1 for an HTTP client with a method first, -2 for none but URLs."""


def is_loopback(word: Word) -> bool:
    """Return True when a word names this machine and nothing else.

    Args:
        word: a host, a host and port, or a URL.
    """
    if word.values:
        return all(_names_loopback(text) for text in word.values)
    return (
        bool(_LOOPBACK_HEAD.fullmatch(word.head)) and "@" not in word.raw and "\\" not in word.raw
    )


def _names_loopback(text: str) -> bool:
    if "\\" in text or any(char in text for char in "\n\t{}"):
        return False
    # Of several "@" the last one ends the user's name; with two, clients disagree.
    bare = _USER.sub(r"\1", text, count=1)
    return "@" not in re.split(r"[/?#]", bare.split("://", 1)[-1])[0] and bool(
        _LOOPBACK.fullmatch(bare) or _BARE.fullmatch(bare)
    )


def connects_away(segment: Segment, client: Client) -> bool:
    """Return True when a client may connect to another machine than this one.

    Args:
        segment: the client's segment.
        client: how the client reads its words.
    """
    found = Arguments(segment.words, client.short, client.long.split())
    program = segment.program or ""
    if found.has(*client.elsewhere) or segment.more:
        return True
    if program in ("nc", "ncat", "netcat") and found.has("lU", "--listen", "--unixsock"):
        return False
    hosts = [*found.values(*client.hosts), *_host_operands(program, found, client)]
    if not hosts:
        return not client.default
    if program in ("curl", "wget", "wget2") and proxied(segment):
        return True
    if client.operands == -1:
        # ":8000" is short for a port of this machine.
        hosts = [word for word in hosts if not re.match(r":\d*(?:/|$)", word.text or "")]
    if client.operands < -1:
        # A folder is the place of a local socket.
        hosts = [word for word in hosts if not (word.text or "").startswith("/")]
    return not all(is_loopback(word) for word in hosts)


def proxied(segment: Segment) -> bool:
    """Return True when the variables before a command send it through a proxy."""
    return any(
        name.lower() in ("http_proxy", "https_proxy", "all_proxy") and value.text != ""
        for name, value in segment.environment.items()
    )


def _host_operands(program: str, found: Arguments, client: Client) -> Sequence[Word]:
    operands = found.operands
    if program == "openssl":
        return []
    if client.operands == -1:
        # METHOD URL ITEM...
        skip = bool(operands) and (operands[0].text or "").isupper()
        return operands[skip : skip + 1]
    if client.operands < 0:
        return [word for word in operands if _is_url(word)]
    if program == "ssh" and operands:
        first = operands[0]
        host = tuple(text.rsplit("@", 1)[-1] for text in first.values)
        return [first._replace(values=host, raw="")]
    return operands[: client.operands] if client.operands else operands


def _is_url(word: Word) -> bool:
    """Tell that an operand of a database's client names a host, or may."""
    if not word.values and not word.head:
        return word.raw[:1] in ('"', "$")
    texts: Iterable[str] = word.values or (word.head,)
    return any("://" in text or re.match(r"(?:.*\s)?host(?:addr)?=", text) for text in texts)
