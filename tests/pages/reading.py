"""A page, read as a browser reads it, but without one."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            (self.scripts if self._inside == "script" else self.styles).append(data)


def parsed(html: str) -> _Parser:
    parser = _Parser()
    parser.feed(html)
    return parser


def data_of(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(parsed(file.read_text("ascii")).scripts[0])
    return data
