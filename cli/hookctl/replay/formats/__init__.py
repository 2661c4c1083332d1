"""The transcript formats, and the choice among them by what an input contains."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ..jsontext import describe
from ..stream import BadLine, Item, UnreadableInputError
from . import (
    anthropic,
    claude_code,
    exchanges,
    langsmith,
    mini_swe_agent,
    openai,
    openai_agents,
    otlp,
    recorded,
    responses,
    swe_agent,
)
from .further import further_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from ..model import RecordedRun
    from .further import TranscriptFormat
    from .source import TranscriptSource

_DOCUMENTS: tuple[ModuleType, ...] = (swe_agent, mini_swe_agent, responses, anthropic, openai)
_WHOLE: tuple[ModuleType, ...] = (recorded, claude_code, otlp, langsmith, openai_agents)
"""Formats whose values belong together: records of sessions, spans of traces, dispatches."""
_ALL: tuple[ModuleType, ...] = (
    openai,
    responses,
    anthropic,
    claude_code,
    langsmith,
    openai_agents,
    otlp,
    swe_agent,
    mini_swe_agent,
    recorded,
)
_PEEKED = 100
"""Values looked at before an input is called unknown."""

NAMES: tuple[str, ...] = tuple(module.NAME for module in _ALL)


def stands_alone(value: object, forced: str | None = None) -> bool:
    """Tell whether every line of an input that begins with this value is read by itself.

    Args:
        value: the first line's.
        forced: as for `read_runs`.

    Returns:
        True where a line holds a run, and not a part of one.
    """
    if forced is None:
        return _reader(value) is not None and _whole(value) is None
    return _whole(value, forced) is None and any(
        forced == module.NAME and module.recognises(value) for module in _DOCUMENTS
    )


def read_runs(
    items: Iterable[Item | BadLine],
    source: TranscriptSource,
    forced: str | None = None,
    *,
    known: bool = False,
) -> Iterator[RecordedRun]:
    """Turn the values of one input into runs.

    Args:
        items: what `read_items` gives.
        source: the input that they come from.
        forced: the name of a format, to read the input as that format whatever it looks like.
        known: whether the input was found to have a run in each line, as `stands_alone` tells.

    Yields:
        The runs in order.

    Raises:
        UnreadableInputError: no known format was recognised.
    """
    good = _reporting(items, source)
    if known:
        yield from _documents(good, source, forced)
        return
    first = list(_until_known(good, forced))
    if not first:
        return
    rest = chain(first, good)
    whole = _whole(first[-1].value, forced)
    if whole is not None:
        yield from whole.read(rest, source)
        return
    if forced is None and not _is_document(first[-1].value):
        raise UnreadableInputError(_unknown(first[0]))
    yield from _documents(rest, source, forced)


def _reporting(items: Iterable[Item | BadLine], source: TranscriptSource) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Item):
            yield item
        else:
            source.malformed(f"{source.name}:{item.line}", item.reason)


def _until_known(items: Iterator[Item], forced: str | None) -> Iterator[Item]:
    """Take items up to the first that some format recognises."""
    for count, item in enumerate(items, start=1):
        yield item
        known = forced is not None or _whole(item.value) is not None or _is_document(item.value)
        if known or count == _PEEKED:
            return


def _whole(value: object, forced: str | None = None) -> ModuleType | TranscriptFormat | None:
    """Find the format of an input that is read as a whole, if it is one."""
    dialect = exchanges.dialect_of(value)
    if forced in NAMES:
        if dialect is not None and forced == dialect.NAME:
            return exchanges
        return next((module for module in _WHOLE if forced == module.NAME), None)
    if forced is not None:
        return further_formats()[forced]
    if dialect is not None:
        return exchanges
    known = next((module for module in _WHOLE if module.recognises(value)), None)
    if known is not None or _is_document(value):
        return known
    return next((one for one in further_formats().values() if one.recognises(value)), None)


def _is_document(value: object) -> bool:
    return _reader(value) is not None or value == [] or _is_list_of_runs(value)


def _is_list_of_runs(value: object) -> bool:
    return isinstance(value, list) and any(_reader(element) is not None for element in value)


def _reader(value: object) -> ModuleType | None:
    return next((module for module in _DOCUMENTS if module.recognises(value)), None)


def _documents(
    items: Iterable[Item], source: TranscriptSource, forced: str | None
) -> Iterator[RecordedRun]:
    chosen = next((module for module in _DOCUMENTS if forced == module.NAME), None)
    known: Callable[[object], bool] = (
        chosen.recognises if chosen else lambda value: _reader(value) is not None
    )
    for item in chain.from_iterable(_elements(item, known) for item in items):
        module = chosen or _reader(item.value)
        if module is None or not known(item.value):
            source.malformed(source.where(item), f"not a run: {describe(item.value)}")
        else:
            yield module.read(item, source)


def _elements(item: Item, known: Callable[[object], bool]) -> Iterator[Item]:
    """Take a list of runs apart; anything else stays whole."""
    value = item.value
    if isinstance(value, list) and not known(value) and any(map(known, value)):
        yield from (Item(element, item.line, index) for index, element in enumerate(value))
    elif value != []:
        yield item


def _unknown(item: Item) -> str:
    known = "; ".join(one.TITLE for one in (*_ALL, *further_formats().values()))
    return f"its format is not known: it holds {describe(item.value)}. Known are: {known}"
