"""Looking a host up, for no longer than there is time."""

from __future__ import annotations

import os
import threading

from ._addresses import Address, literal, resolved

__all__ = ["Lookup"]


class Lookup:
    """Looks one host up, again for each attempt.

    A resolver cannot be interrupted. One that does not answer is left to itself, in a thread of
    its own, and is what the next attempt waits for: there are never two of them.

    Args:
        host: the host.
        port: the port.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._running: _Running | None = None

    def addresses(self, seconds: float) -> list[Address]:
        """Return all addresses of the host, each once, in the resolver's order.

        Args:
            seconds: how long that may take.

        Raises:
            TimeoutError: it takes longer.
            OSError: there are none.
        """
        if literal(self._host) is not None:
            return resolved(self._host, self._port)
        running = self._running
        # One that was left has told of the past when it is over; a fork leaves none that runs.
        if running is None or running.over.is_set() or running.process != os.getpid():
            running = self._running = _Running(self._host, self._port)
            try:
                threading.Thread(target=running.run, name="webhook-audit-dns", daemon=True).start()
            except RuntimeError:  # the interpreter is ending, and starts no thread any more
                running.run()
        if not running.over.wait(seconds):
            raise TimeoutError("the look-up takes too long")
        self._running = None
        if running.error is not None:
            raise running.error
        return running.found


class _Running:
    """A look-up that runs, and then what it came to."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self.process = os.getpid()
        self.over = threading.Event()
        self.found: list[Address] = []
        self.error: OSError | None = None

    def run(self) -> None:
        try:
            self.found = resolved(*self._target)
        except OSError as error:
            self.error = error
        except (UnicodeError, ValueError) as error:  # a name that cannot be one
            self.error = OSError(type(error).__name__)
        finally:
            self.over.set()
