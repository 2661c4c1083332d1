"""The client that agents start for each event: it asks the daemon, and starts one if there is none.

It runs alone, as ``python -I -S thin.py [NAME=FOLDER...] CLIENT [EVENT]``, so that it starts in a
few milliseconds: it imports the standard library only, and little of that. Whatever goes wrong is a
denial.

The environment does not say where the user's configuration is, since a repository can set variables
for the clients that work in it. What differs from the usual stands before the client: HOME,
XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR.
"""

from __future__ import annotations

import os
import sys
import time

MYPY = False
if MYPY:  # typing takes longer to import than all the rest
    from _socket import socket
    from subprocess import Popen

__all__ = ["DEADLINE", "PLACES", "UnsafeError", "ask", "endpoint", "main", "run", "surroundings"]

DEADLINE = 8.0
"""The seconds in which it answers: less than clients wait, since most let pass what is late."""
IDLE = 1800
PLACES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
"""The variables that say where the user's files are."""
_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
_USUAL = {"XDG_CONFIG_HOME": "/.config", "XDG_STATE_HOME": "/.local/state"}
_RETRY = 0.01
_TYPE_AND_OTHERS, _CLOSED_FOLDER = 0o170077, 0o040000
_TRIES = 3
_OK = b"200"


class UnsafeError(OSError):
    """The folder of the socket is not this user's alone."""


def surroundings(given: dict[str, str]) -> dict[str, str]:
    """Return where the user's files are, as variables: the usual places, unless others are given.

    Args:
        given: other places, by the names in :data:`PLACES`.

    Raises:
        ValueError: there is no such place.
    """
    known = dict(given)
    if not known.keys() <= set(PLACES):
        raise ValueError(f"places of files are {', '.join(PLACES)}")
    if "HOME" not in known:
        import pwd

        try:
            known["HOME"] = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:  # a container's user without a name
            known["HOME"] = os.environ.get("HOME", "/")
    runtime = f"/run/user/{os.geteuid()}"
    if "XDG_RUNTIME_DIR" not in known and os.path.isdir(runtime):  # noqa: PTH112 - no pathlib here
        known["XDG_RUNTIME_DIR"] = runtime
    for name, below in _USUAL.items():
        if known.get(name) in {"", known["HOME"] + below}:
            del known[name]
    return known


def endpoint(known: dict[str, str]) -> str:
    """Return the path of the daemon's socket, without its ending; its folder is made.

    There is one for each user, installation, and place of the user's configuration.

    Args:
        known: where the user's files are, as :func:`surroundings` gives it.

    Raises:
        UnsafeError: others can write to the folder, or it is not the user's.
    """
    import zlib

    user = os.geteuid()
    runtime = known.get("XDG_RUNTIME_DIR", "")
    folder = f"/tmp/hookcore-{user}"  # noqa: S108 - made with 0700, and its owner is checked
    if os.path.isabs(runtime) and os.path.isdir(runtime):  # noqa: PTH112, PTH117 - the same
        folder = f"{runtime}/hookcore"
    try:
        os.mkdir(folder, 0o700)  # noqa: PTH102
    except FileExistsError:
        status = os.lstat(folder)
        if status.st_uid != user or status.st_mode & _TYPE_AND_OTHERS != _CLOSED_FOLDER:
            raise UnsafeError(
                f"{folder} is not a folder of yours alone: remove it, or 'chmod 700' it"
            ) from None
    parts = [known.get(name, "") for name in PLACES[:3]]
    parts.append(os.path.realpath(__file__))
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return f"{folder}/{zlib.crc32(text):08x}{zlib.adler32(text):08x}"


def ask(known: dict[str, str], path: str, body: bytes, end: float) -> bytes:
    """Return the daemon's answer; a daemon is started unless there is one.

    Args:
        known: where the user's files are, as :func:`surroundings` gives it.
        path: what is asked, as a path of HTTP.
        body: what the client told.
        end: when the answer has to be there, by ``time.monotonic``.

    Raises:
        OSError: there is no answer.
    """
    sent = f"POST {path} HTTP/1.1\r\nhost: hookcore\r\ncontent-length: {len(body)}\r\n"
    request = f"{sent}connection: close\r\n\r\n".encode("ascii") + body
    status, answer = b"", b""
    for _ in range(_TRIES):
        connection = _connect(known, end)
        try:
            connection.settimeout(_left(end))
            connection.sendall(request)
            status, answer = _answer(connection, end)
        except (BrokenPipeError, ConnectionResetError):
            continue  # it has ended, or starts anew: the next one is asked
        finally:
            connection.close()
        break
    if status != _OK:
        told = status.decode("ascii", "replace") or "nothing"
        raise OSError(f"the daemon answers {told}")
    if not (answer.startswith(b"{") and answer.endswith(b"}")):
        raise OSError("the daemon's answer is not whole")
    return answer


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the daemon did not answer in time")
    return left


def _wait(end: float) -> None:
    time.sleep(min(_RETRY, _left(end)))


def _connect(known: dict[str, str], end: float) -> socket:
    base = endpoint(known)
    from _socket import AF_UNIX, SOCK_STREAM, socket

    starting = None
    try:
        while True:
            connection = socket(AF_UNIX, SOCK_STREAM)
            connected = False
            try:
                connection.settimeout(_left(end))
                connection.connect(f"{base}.sock")
                connected = True
                return connection
            except BlockingIOError:  # so many ask at once that they have to queue
                pass
            except (FileNotFoundError, ConnectionRefusedError):
                starting = starting or _Starting(base, known)
                starting.go_on()
            finally:
                if not connected:
                    connection.close()
            _wait(end)
    finally:
        if starting is not None:
            starting.close()


class _Starting:
    """The start of a daemon, by the one of all clients that gets to do it."""

    def __init__(self, base: str, known: dict[str, str]) -> None:
        self._base, self._known = base, known
        self._lock = os.open(f"{base}.start", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._process: Popen[bytes] | None = None

    def go_on(self) -> None:
        """Start the daemon if nobody else does.

        Raises:
            OSError: it has ended at once.
        """
        import fcntl

        if self._process is None:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            self._process = _start(self._base, self._known)
        elif self._process.poll():  # one that ends with 0 has met another daemon
            code = self._process.returncode
            raise OSError(f"the daemon ended with {code}: {self._base}.log says why")

    def close(self) -> None:
        """Let others start one; the daemon lives on, and is nobody's child any more."""
        os.close(self._lock)
        if self._process is not None and self._process.returncode is None:
            self._process.returncode = 0


def _start(base: str, known: dict[str, str]) -> Popen[bytes]:
    import subprocess

    environ = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environ |= {"PATH": "/usr/local/bin:/usr/bin:/bin", **known}
    log = os.open(f"{base}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(  # noqa: S603 - this Python, with our own command
            [sys.executable, "-m", "hookctl", "serve", "--idle", str(IDLE)],
            cwd="/",
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)


def _answer(connection: socket, end: float) -> tuple[bytes, bytes]:
    got, head, length = b"", None, 0
    while head is None or len(got) < length:
        connection.settimeout(_left(end))
        piece = connection.recv(65536)
        if not piece and not got and head is None:
            raise ConnectionResetError("the daemon ended before its answer")
        if not piece:
            raise OSError("the daemon ended in the middle of its answer")
        got += piece
        if head is None and b"\r\n\r\n" in got:
            head, got = got.split(b"\r\n\r\n", 1)
            length = int(head.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    return head.split(b" ", 2)[1], got


def run(given: dict[str, str], client: str, event: str | None, told: bytes) -> tuple[str, str, int]:
    """Return what is to be printed for an event, on both streams, and the exit code.

    Args:
        given: where the user's files are, where that is not the usual.
        client: the client's name.
        event: the event that the hook is registered for; None where the client tells it.
        told: what the client told, JSON.
    """
    end = time.monotonic() + DEADLINE
    try:
        names = (client,) if event is None else (client, event)
        path = "/v1/hooks/" + "/".join(map(_checked, names))
        answer = ask(surroundings(given), path, told, end)
        return answer.decode("utf-8"), "", 0
    except Exception as error:  # noqa: BLE001 - any failure is a denial
        why = str(error) or type(error).__name__
        what = f"hookcore could not judge this, so it is denied: {why}"
        return _failing(client, event, told, what)


def _checked(name: str) -> str:
    if not name.replace(".", "").replace("-", "").isalnum():
        raise ValueError("no client and no event has such a name")
    return name


def _failing(client: str, event: str | None, told: bytes, reason: str) -> tuple[str, str, int]:
    """Return the client's own denial: an exit code of 2 is not one everywhere."""
    try:
        import json

        if __package__:
            from ..dialects import CLIENTS, failing
        else:
            sys.path.insert(0, os.path.realpath(__file__).rsplit("/", 3)[0])
            from hookcore_bridge.dialects import CLIENTS, failing

        dialect = CLIENTS[client]
        if event is None and dialect.keys.event is not None:
            event = str(json.loads(told)[dialect.keys.event])
        return failing(dialect, event, reason)
    except Exception:  # noqa: BLE001 - this denies nearly everywhere
        return "", reason, 2


def main(arguments: list[str]) -> int:
    """Answer one event, and return the exit code.

    Args:
        arguments: places of files, each as NAME=FOLDER; the client's name; and the event where the
            client does not tell it.
    """
    try:
        told = sys.stdin.buffer.read()
        given = dict(word.split("=", 1) for word in arguments if "=" in word)
        client, event = [*(word for word in arguments if "=" not in word), "", ""][:2]
        out, err, code = run(given, client, event or None, told)
    except BaseException as error:  # noqa: BLE001 - a signal too must not read as a pass
        out, err, code = "", f"hookcore could not judge this: {type(error).__name__}", 2
    try:
        if err:
            sys.stderr.write(err + "\n")
            sys.stderr.flush()
        if out:
            sys.stdout.buffer.write(out.encode("utf-8"))
            sys.stdout.buffer.flush()
    except OSError:
        return 2
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
