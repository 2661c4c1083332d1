"""The plugin: an observer at ``tool_finished``."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final, Literal

from hookcore import (
    ConfigError,
    GatewayContext,
    NamePatterns,
    PluginDisabledError,
    ToolCallContext,
    hookimpl,
    state_folder,
)

from ._backoff import Backoff
from ._client import Client, tls_context
from ._delivery import Delivery
from ._destination import DestinationError
from ._event import Events
from ._scrub import Scrubber
from ._sender import FLUSH_SECONDS, Sender
from ._spool import Spool
from ._stats import Stats
from .settings import MAX_ARGS_BYTES, WebhookAuditSettings

__all__ = ["WebhookAudit"]

_NAMES_KEPT: Final = 4096
_LONGEST_KEPT: Final = 1024
_log = logging.getLogger("hookcore_webhook_audit")


class WebhookAudit:
    """Reports tool calls that are over to a webhook: done, failed, denied or cancelled.

    Args:
        settings: which calls are reported, and where to.

    Raises:
        PluginDisabledError: the URL is none that messages may be sent to.
        PlaceError: the spool's file or folder is, or may be, somebody else's.
        OSError: the file of certificates cannot be read any more.
    """

    Settings: ClassVar[type[WebhookAuditSettings]] = WebhookAuditSettings
    # The call is over when it is told of: there is nothing left that a failure could stop.
    on_error: ClassVar[Literal["allow"]] = "allow"
    # It stands behind those who would still rewrite something.
    priority: ClassVar[int] = 200

    def __init__(self, settings: WebhookAuditSettings) -> None:
        try:
            destination = settings.destination()
        except DestinationError as error:
            raise PluginDisabledError(f"settings.url: {error}") from None
        self._destination = str(destination)
        self._patterns = NamePatterns(settings.tool_patterns)
        # Names come from a model, so what is remembered about them is bounded.
        self._remembered = lru_cache(_NAMES_KEPT)(self._patterns.matches)
        scrubber = Scrubber(settings.redact_kinds) if settings.include_args else None
        self._events = Events(scrubber, settings.max_args_bytes or MAX_ARGS_BYTES)
        client = Client(
            destination,
            tuple(settings.allow_networks),
            tls_context(settings.ca_file),
            settings.timeout_seconds,
        )
        secrets = tuple(secret.get_secret_value() for secret in settings.signing_secrets)
        spool = Spool(_spool_file(settings), settings.spool_mebibytes * 1024 * 1024)
        spool.check()
        self._sender = Sender(
            Delivery(client, secrets),
            spool,
            Backoff(settings.retry_seconds, settings.max_retry_seconds),
        )
        if not settings.tool_patterns:
            _log.warning("webhook-audit has no tool_patterns: it reports no tool call")
        if not secrets:
            _log.warning("webhook-audit has no signing_secrets: its messages are not signed")

    @hookimpl
    def tool_finished(self, ctx: ToolCallContext) -> None:
        """Queue a message about the call; in a dry run, do nothing.

        Args:
            ctx: the call.
        """
        if not ctx.dry_run and self._is_audited(str(ctx.tool_name or "")):
            self._sender.put(self._events.draft(ctx))

    def _is_audited(self, name: str) -> bool:
        short = len(name) <= _LONGEST_KEPT
        return self._remembered(name) if short else self._patterns.matches(name)

    @hookimpl
    async def gateway_stop(self, ctx: GatewayContext) -> None:
        """Let what is queued leave before the gateway is gone.

        Args:
            ctx: the gateway.
        """
        if not ctx.dry_run:
            await asyncio.to_thread(self.flush)

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until every message has left, and keep on disk what does not in time.

        Args:
            seconds: how long to wait at the most.

        Returns:
            Whether no message waits in memory any more.
        """
        return self._sender.flush(seconds)

    def close(self) -> None:
        """Flush, and end the thread that sends; the next call starts another."""
        self._sender.close()

    def stats(self) -> Stats:
        """Return what became of the messages so far.

        Raises:
            OSError: the spool cannot be read.
            sqlite3.Error: the same.
        """
        return self._sender.stats()

    def __repr__(self) -> str:
        return f"<WebhookAudit {self._destination}>"


def _spool_file(settings: WebhookAuditSettings) -> Path:
    folder = settings.spool_dir
    if folder is None:
        own = state_folder()
        if own is None:
            raise ConfigError("there is no home folder for the spool: set HOME, or spool_dir")
        folder = own / "webhook-audit"
    # Messages wait for one webhook; another one must not get them.
    digest = hashlib.sha256(settings.url.get_secret_value().encode()).hexdigest()
    return folder / f"{digest[:16]}.sqlite"
