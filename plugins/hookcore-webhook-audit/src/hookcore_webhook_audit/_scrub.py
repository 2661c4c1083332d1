"""Arguments without credentials, personal data and images."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from hookcore_redact import Redact, RedactSettings

from ._plain import compact

__all__ = ["Scrubber"]

_HIDDEN: Final = "[REDACTED]"
_WORDS: Final = re.compile(
    r"passw|passphrase|secret|credential|apikey|accesskey|privatekey|authorization|cookie"
    r"|token$|^(?:auth|pwd)$"
)
"""In a key's name, without case and separators."""
_DATA_URL: Final = re.compile(r"(data:[\w.+-]+/[\w.+-]+(?:;[\w.+=-]+)*;base64,)([A-Za-z0-9+/=_-]+)")
_LONGEST_JSON: Final = 256 * 1024


class Scrubber:
    """Takes out what must not leave: by kind (``hookcore-redact``), by key, and inline images.

    Args:
        kinds: the kinds of ``hookcore-redact`` that are replaced by placeholders.

    Raises:
        pydantic.ValidationError: there is no such kind.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._redact = Redact(RedactSettings(kinds=list(kinds), placeholders="fixed"))

    def scrub(self, value: Any) -> Any:
        """Return a plain value without them; structure and keys stay.

        Args:
            value: dicts, lists and atoms; nothing is edited in place.
        """
        return self._redact.redact(_without_credentials(value))


def _without_credentials(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _hidden(item) if _tells_of_a_credential(key) else _without_credentials(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without_credentials(item) for item in value]
    return _text(value) if isinstance(value, str) else value


def _tells_of_a_credential(key: str) -> bool:
    return _WORDS.search(re.sub(r"[^a-z0-9]", "", key.lower())) is not None


def _hidden(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _hidden(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    return value if value is None or isinstance(value, bool) else _HIDDEN


def _text(text: str) -> str:
    if text.lstrip()[:1] in ("{", "[") and len(text) <= _LONGEST_JSON:
        return _json_text(text)
    if "base64," in text:
        return _DATA_URL.sub(lambda found: f"{found[1]}[{len(found[2])} CHARACTERS]", text)
    return text


def _json_text(text: str) -> str:
    try:
        value = json.loads(text)
        changed = _without_credentials(value)
        return text if changed == value else compact(changed)
    except (ValueError, RecursionError):
        return text
