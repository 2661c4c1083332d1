"""A server on an address of this machine, until the process is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from typing import Any, Final

from hookctl.failure import UsageError

from .guard import is_loopback

__all__ = ["Address", "needs_aiohttp", "serve"]

_MOST_BYTES: Final = 64 * 1024 * 1024


class Address:
    """The address to listen at.

    Args:
        text: ``HOST:PORT``.

    Raises:
        UsageError: it is none.
    """

    def __init__(self, text: str) -> None:
        host, colon, port = text.rpartition(":")
        if not (colon and host and port.isascii() and port.isdigit() and int(port) < 65_536):  # noqa: PLR2004
            raise UsageError(f"{text!r} is no address: give HOST:PORT, such as 127.0.0.1:8930")
        self.host, self.port = host.strip("[]"), int(port)

    def warn(self, note: Callable[[str], None]) -> None:
        """Tell the operator when other machines can reach the address."""
        if not is_loopback(self.host):
            note(f"other machines may reach {self.host}: requests to it go unencrypted")


def needs_aiohttp(extra: str) -> None:
    """Say what is missing when aiohttp is not installed.

    Args:
        extra: the extra of hookcore-bridge that brings it.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        raise UsageError(
            f"this needs aiohttp, which is not installed: pip install 'hookcore-bridge[{extra}]'"
        ) from None


async def serve(handler: Any, address: Address, ready: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM comes.

    Args:
        handler: answers each request.
        address: where; port 0 is any that is free.
        ready: is told the address, as ``http://HOST:PORT``, when it is in use.

    Raises:
        UsageError: the address cannot be used.
    """
    from aiohttp import web

    app = web.Application(client_max_size=_MOST_BYTES)
    app.router.add_route("*", "/{path:.*}", handler)
    # A client that goes away ends its request, and bodies stay as they came.
    ways: dict[str, Any] = {"handler_cancellation": True, "auto_decompress": False}
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0, **ways)
    await runner.setup()
    try:
        site = web.TCPSite(runner, address.host, address.port)
        try:
            await site.start()
        except OSError as error:
            problem = error.strerror or type(error).__name__
            where = f"{address.host}:{address.port}"
            raise UsageError(f"cannot listen at {where}: {problem}") from error
        host = f"[{address.host}]" if ":" in address.host else address.host
        ready(f"http://{host}:{runner.addresses[0][1]}")
        await _told_to_end()
    finally:
        await runner.cleanup()


async def _told_to_end() -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, told.set)
    await told.wait()
