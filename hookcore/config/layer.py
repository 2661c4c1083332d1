"""One layer of configuration, as it was written."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .files import PYPROJECT
from .model import KeyPath, LayerName, Origin, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Layer"]


class Layer:
    """A raw table with the place that it was read from: a file, or an environment variable each."""

    __slots__ = ("file", "name", "table", "variables")

    def __init__(
        self,
        name: LayerName,
        table: dict[str, Any],
        file: Path | None = None,
        variables: Mapping[KeyPath, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.table = table
        self.file = file
        self.variables = variables

    def origin(self, path: Sequence[str]) -> Origin:
        """Tell where the value at a key path was written.

        Args:
            path: the keys, outermost first.

        Returns:
            The layer with its file, or the environment variable that set the key.
        """
        keys = tuple(path)
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.variables:
                return Origin(self.name, variable=self.variables[keys[:length]])
        inside = (name for key, name in self.variables.items() if key[: len(keys)] == keys)
        return Origin(self.name, self.file, next(inside, None))

    def key(self, path: Sequence[str]) -> str:
        """Write a key path as somebody finds it in the layer's file.

        Args:
            path: the keys, outermost first.

        Returns:
            The dotted path, which in a ``pyproject.toml`` begins with ``tool.hookcore``.
        """
        in_pyproject = self.file is not None and self.file.name == PYPROJECT
        return dotted(("tool", "hookcore", *path) if in_pyproject else path)
