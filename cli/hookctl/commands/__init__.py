"""One module for each command, imported only when the command is run."""

from __future__ import annotations
