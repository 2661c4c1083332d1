"""State on a Redis server that the processes of many machines share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from .away import Breaker, StoreSettingsError

__all__ = ["RedisStore", "Script"]

Script = Callable[[Sequence[str], Sequence[object]], Any]
"""A script on the server: call it with its keys and its arguments."""
_CODE: Final = re.compile(r"[A-Z]{3,}\b")
_MOST_CONNECTIONS: Final = 100_000
"""As many as there are threads: a call that found no free one would seem to have no store."""
_WAIT_SHARE: Final = 0.4
"""The share of the time-out that replicas may take: the server looks at its clock each 100 ms."""


class RedisStore:
    """Runs scripts on one Redis server, each in one round trip.

    redis-py by itself tries again for seconds when a server is away; this does not. Connections are
    made when they are needed, so that a program starts while its Redis does not. The look-up of the
    server's name is the system's, and takes as long as that lets it.

    Args:
        url: a ``redis://``, ``rediss://`` or ``unix://`` URL; it may hold a password, and is never
            shown. Time-outs that it sets do not count.
        prefix: the beginning of every key.
        name: the store's name in errors.
        timeout_s: seconds that an answer may take.
        retry_after_s: seconds for which the server is left alone after a failure.
        replicas: how many replicas must have a change before it counts; with fewer the store is
            away, although the change may have been made.

    Raises:
        StoreSettingsError: redis-py is not installed, or the URL is none.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str,
        name: str = "redis",
        timeout_s: float = 0.25,
        retry_after_s: float = 1.0,
        replicas: int = 0,
    ) -> None:
        self._breaker = Breaker(name, retry_after_s)
        self._prefix = f"{{{prefix}}}:"
        self._replicas = replicas
        self._wait_ms = max(1, int(timeout_s * 1000 * _WAIT_SHARE))
        self._client = _client(url, timeout_s)
        import redis

        self._errors = (redis.RedisError, OSError)
        self._unknown: type[Exception] = redis.exceptions.NoScriptError

    @classmethod
    def from_env(cls, variable: str, **options: Any) -> RedisStore:
        """Return a store whose URL stands in an environment variable.

        Args:
            variable: the variable's name.
            options: those of the class.

        Raises:
            StoreSettingsError: it is not set, or as for the class.
        """
        url = os.environ.get(variable)
        if not url:
            raise StoreSettingsError(
                f"the environment variable {variable} is not set: put the server's URL there, e.g. "
                "redis://redis.internal:6379/0"
            )
        try:
            return cls(url, **options)
        except StoreSettingsError as error:
            raise StoreSettingsError(f"{variable}: {error}") from None

    @property
    def is_away(self) -> bool:
        """True when the server failed last, and has not answered since."""
        return self._breaker.is_open

    def key(self, *parts: str) -> str:
        """Return the key for some parts; all keys of a store lie on one node of a cluster."""
        return self._prefix + ":".join(parts)

    def script(self, text: str, *, writes: bool = True) -> Script:
        """Return a function that runs a Lua script as one step that nothing overlaps.

        Args:
            text: the script; it is sent once, and again when the server has forgotten it.
            writes: whether it changes something that replicas must have.

        Returns:
            The function, which takes the keys and the arguments. It raises
            :class:`StoreAwayError`: there was no answer in time, or an error for an answer.
        """
        digest = self._client.register_script(text).sha

        def run(keys: Sequence[str], arguments: Sequence[object]) -> Any:
            given = (len(keys), *keys, *arguments)
            self._breaker.check()
            try:
                try:
                    return self._answer("EVALSHA", digest, *given, writes=writes)
                except self._unknown:
                    return self._answer("EVAL", text, *given, writes=writes)
            except self._errors as error:
                raise self._breaker.failed(_told(error)) from None

        return run

    def read(self, *command: object) -> Any:
        """Send one command that changes nothing, and return the answer, texts as bytes.

        Args:
            command: its words.

        Raises:
            StoreAwayError: as for scripts.
        """
        self._breaker.check()
        try:
            answer = self._client.execute_command(*command)
        except self._errors as error:
            raise self._breaker.failed(_told(error)) from None
        self._breaker.answered()
        return answer

    def close(self) -> None:
        """Close all connections; the next script makes new ones."""
        self._client.connection_pool.disconnect()

    def _answer(self, *command: object, writes: bool) -> Any:
        if not (writes and self._replicas):
            answer = self._client.execute_command(*command)
            self._breaker.answered()
            return answer
        # One connection for both: the server waits for what came over the same one.
        pipeline = self._client.pipeline(transaction=False)
        pipeline.execute_command(*command)
        pipeline.execute_command("WAIT", self._replicas, self._wait_ms)
        answer, replicas = pipeline.execute(raise_on_error=False)
        for each in (answer, replicas):
            if isinstance(each, Exception):
                raise each
        if replicas < self._replicas:
            raise self._breaker.failed(f"{replicas} of {self._replicas} replicas have the change")
        self._breaker.answered()
        return answer


def _client(url: str, timeout_s: float) -> Any:
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.connection import parse_url
        from redis.retry import Retry
    except ImportError:
        raise StoreSettingsError(
            "redis-py is not installed: pip install 'hookcore-stores[redis]'"
        ) from None
    try:
        options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
        options.update(
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),
            retry_on_timeout=False,
            retry_on_error=[],
            health_check_interval=0,
            max_connections=_MOST_CONNECTIONS,
            decode_responses=False,
            protocol=2,
        )
        pool = redis.ConnectionPool(**options)
        pool.make_connection()  # connects to nothing yet, but knows its options
    except (ValueError, TypeError, redis.RedisError):
        # Their texts may quote the URL.
        raise StoreSettingsError(
            "this is no URL of a Redis server: write redis://HOST:PORT/DB, rediss://... or "
            "unix://PATH"
        ) from None
    return redis.Redis(connection_pool=pool)


def _told(error: Exception) -> str:
    """Return the kind of a fault: the class, and the server's own code where there is one."""
    code = _CODE.match(str(error))
    return f"{type(error).__name__} {code[0]}" if code else type(error).__name__
