"""Telling which plugin is being imported when that takes long."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from .output import note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookcore.discovery import PluginSource

__all__ = ["slow_imports_told"]

_SECONDS = 2.0


@contextlib.contextmanager
def slow_imports_told(
    say: Callable[[str], object] = note, *, seconds: float = _SECONDS
) -> Iterator[None]:
    """Name the plugin whose import keeps a command waiting.

    Args:
        say: takes the sentence, on another thread.
        seconds: how long an import may take in silence.
    """
    import threading

    from hookcore.loading.load import telling_imports

    waiting: list[threading.Timer] = []

    def tell(source: PluginSource) -> None:
        for timer in waiting:
            timer.cancel()
        text = f"still importing {source.name} ({source.distribution} {source.version}) ..."
        waiting[:] = [threading.Timer(seconds, say, [text])]
        waiting[0].daemon = True
        waiting[0].start()

    try:
        with telling_imports(tell):
            yield
    finally:
        for timer in waiting:
            timer.cancel()
