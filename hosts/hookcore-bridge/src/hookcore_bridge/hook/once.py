"""One event answered by this process, through the daemon or with policies of its own."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..dialects import CLIENTS, Printed, failing
from .thin import PLACES, main

__all__ = ["answer_once"]


def answer_once(client: str, event: str | None, *, in_process: bool) -> int:
    """Read an event from standard input, print the answer, and return the exit code.

    Args:
        client: the client's name.
        event: the event that the hook is registered for; None where the client tells it.
        in_process: whether to load the policies here instead of asking a daemon.
    """
    if not in_process:
        given = [f"{name}={os.environ[name]}" for name in PLACES if name in os.environ]
        return main([*given, client, *([] if event is None else [event])])
    with _nobody_prints() as real:
        told = sys.stdin.buffer.read()
        printed = _judged(client, event, told)
        if printed.stderr:
            os.write(2, f"{printed.stderr}\n".encode("utf-8", "replace"))
        _write_whole(real, printed.stdout.encode("ascii"))
    return printed.code


def _judged(client: str, event: str | None, told: bytes) -> Printed:
    from ..serve.answering import Answering, BadRequestError
    from ..serve.policies import Policies

    policies = Policies()
    try:
        answer = Answering(policies).answer(client, event, told)
        return Printed(json.dumps(answer, allow_nan=False), "", 0)
    except BadRequestError as error:
        dialect = CLIENTS.get(client)
        return (
            Printed("", str(error), 2) if dialect is None else failing(dialect, event, str(error))
        )
    finally:
        policies.close()


@contextmanager
def _nobody_prints() -> Iterator[int]:
    """Send all that is printed to standard error, and give the real standard output.

    A stray line before the answer would make clients take it for none.
    """
    sys.stdout.flush()
    real = os.dup(1)
    before = sys.stdout
    os.dup2(2, 1)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), errors="backslashreplace")
    try:
        yield real
    finally:
        sys.stdout.flush()
        sys.stdout = before
        os.dup2(real, 1)
        os.close(real)


def _write_whole(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
