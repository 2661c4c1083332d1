"""Asking the store, and what happens while it has no answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from hookcore import HookAborted
from hookcore_stores import RedisStore, StoreAwayError, state_file

from ._counts import Hit, Rate, Reserved, Share, Store
from ._memory import MemoryStore
from ._redis import ServerStore
from ._sqlite import FileStore
from ._stats import Counter
from .settings import LimitsSettings

__all__ = ["Asking"]

_DAY_S: Final = 86_400.0
_T = TypeVar("_T")
_log = logging.getLogger("hookcore_limits")


class Asking:
    """Asks the store that is set up, or does in its place what ``when_away`` says.

    Args:
        settings: the policy's settings.
        counter: counts the questions without an answer.

    Raises:
        StoreSettingsError: the store cannot be used as it is set up.
    """

    def __init__(self, settings: LimitsSettings, counter: Counter) -> None:
        self._when_away = settings.when_away
        self._counter = counter
        self._store = _store_of(settings)
        self._local: Store | None = None
        if settings.when_away == "local":
            self._local = _Part(MemoryStore(**_options(settings)), settings.local_share)
        self._is_away = False

    def ask(self, question: Callable[[Store], _T]) -> tuple[_T, Store] | None:
        """Return the answer to a question, and who gave it; None when it goes on without one.

        Args:
            question: asks a store.

        Raises:
            HookAborted: the store is away, and that denies.
        """
        try:
            answer = question(self._store)
        except StoreAwayError as error:
            self._tell(error)
            if self._when_away == "deny":
                raise HookAborted(
                    f'limits: the store is away ({error}) and when_away is "deny"',
                    source="limits",
                    message="This cannot be checked at the moment; try again later.",
                    rule="store",
                ) from None
            self._counter.add("unchecked")
            return None if self._local is None else (question(self._local), self._local)
        if self._is_away:
            self._is_away = False
            _log.warning("limits: the store answers again")
        return answer, self._store

    def tell(self, store: Store | None, news: Callable[[Store], bool]) -> None:
        """Tell a store what a call has used; while it is away, what was held is charged.

        Args:
            store: who held something for the call; None when nobody did.
            news: tells a store; false when nothing is held for the call any more.
        """
        try:
            if not news(self._store if store is None else store):
                self._counter.add("late")
        except StoreAwayError as error:
            self._tell(error)

    def close(self) -> None:
        """Let go of the store's connections."""
        self._store.close()

    def _tell(self, error: StoreAwayError) -> None:
        self._counter.add("away")
        if not self._is_away:
            self._is_away = True
            _log.warning(
                'limits: the store is away (%s); when_away is "%s"', error, self._when_away
            )


class _Part(Store):
    """A store that stands in for a shared one, with this process's part of each limit."""

    def __init__(self, store: Store, share: int) -> None:
        self._store = store
        self._share = share

    def count(self, rates: Sequence[Rate]) -> Hit | None:
        """Count at parts of the rates, of one call at least."""
        share = self._share
        return self._store.count(
            [each._replace(limit=max(1, each.limit // share)) for each in rates]
        )

    def reserve(self, ident: str, shares: Sequence[Share]) -> Reserved:
        """Hold of parts of the budgets."""
        return self._store.reserve(
            ident, [each._replace(cap=each.cap // self._share) for each in shares]
        )

    def settle(self, ident: str, amounts: Sequence[int]) -> bool:
        """Spend in the place of a reservation."""
        return self._store.settle(ident, amounts)

    def charge(self, shares: Sequence[Share]) -> bool:
        """Spend what nothing was held of."""
        return self._store.charge(shares)

    def close(self) -> None:
        """Let go of connections."""
        self._store.close()


def _store_of(settings: LimitsSettings) -> Store:
    options = _options(settings)
    if settings.store == "memory":
        return MemoryStore(**options)
    if settings.store == "sqlite":
        file = state_file(settings.path)
        return FileStore(file, retry_after_s=settings.retry_after_s, **options)
    server = RedisStore.from_env(
        settings.url_env,
        prefix=settings.prefix,
        timeout_s=settings.timeout_ms / 1000,
        retry_after_s=settings.retry_after_s,
        replicas=settings.replicas,
    )
    return ServerStore(server, **options)


def _options(settings: LimitsSettings) -> dict[str, Any]:
    return {
        "ttl_s": settings.ttl_s,
        "keep_s": settings.keep_days * _DAY_S,
        "charges": settings.on_crash == "charge",
    }
