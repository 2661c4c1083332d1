"""Values as TOML has them, for people to read and to copy."""

from __future__ import annotations

import json
from typing import Any

from hookcore.config.model import dotted

__all__ = ["toml"]


def toml(value: Any) -> str:
    """Write a value in one line of TOML; None, which TOML does not have, as ``not set``."""
    if value is None:
        return "not set"
    if isinstance(value, dict):
        inner = ", ".join(f"{dotted([key])} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
