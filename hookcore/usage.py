"""Token counts of a response, in whichever words its provider has for them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

__all__ = ["Tokens", "tokens_of"]

_INPUT: Final = ("input_tokens", "prompt_tokens", "prompt_token_count", "request_tokens")
_OUTPUT: Final = ("output_tokens", "completion_tokens", "candidates_token_count", "response_tokens")
_TOTAL: Final = ("total_tokens", "total_token_count")
_READ: Final = ("cache_read_input_tokens",)
_WRITTEN: Final = ("cache_creation_input_tokens",)
_CACHED: Final = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("input_token_details", "cache_read"),
    ("cache_read_tokens", None),
    ("cached_content_token_count", None),
)
_MOST: Final = 10**9
"""More than any call uses, and few enough for every store to add them up."""


class Tokens(NamedTuple):
    """The tokens that a call has used.

    Args:
        input: tokens of input, those from a cache among them.
        cached: tokens of input that came from the provider's cache.
        output: tokens of output.
        total: all of them; more than the sum where the provider counts what it does not name.
        is_whole: whether both input and output are known.
    """

    input: int
    cached: int
    output: int
    total: int
    is_whole: bool


def tokens_of(usage: Any) -> Tokens | None:
    """Read the token counts of a response.

    Args:
        usage: a mapping or an object as OpenAI's, Anthropic's and Google's clients and those built
            on them give it; nested counts of the cache are read too.

    Returns:
        The counts; None where there are none, or nothing but zeros, which runtimes give for
        "not known".
    """
    if usage is None:
        return None
    given, output, total = _first(usage, _INPUT), _first(usage, _OUTPUT), _first(usage, _TOTAL)
    if output is not None:
        output += _first(usage, ("thoughts_token_count",)) or 0
    read, written = _first(usage, _READ), _first(usage, _WRITTEN)
    # Anthropic counts what its cache took part in apart from the input, the others within it.
    if given is not None:
        given += (read or 0) + (written or 0)
    cached = read or 0
    for name, inner in _CACHED:
        holder = _get(usage, name)
        cached = max(cached, _number(_get(holder, inner) if inner else holder) or 0)
    used = max((given or 0) + (output or 0), total or 0)
    if used == 0:
        return None
    is_whole = None not in (given, output) or total is not None
    if total is not None and given is None:
        given = max(0, total - (output or 0))
    given = given or 0
    return Tokens(given, min(cached, given), max(output or 0, used - given), used, is_whole)


def _first(usage: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        number = _number(_get(usage, name))
        if number is not None:
            return number
    return None


def _get(holder: Any, name: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(name)
    return getattr(holder, name, None)


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(min(value, _MOST)) if value >= 0 else None
