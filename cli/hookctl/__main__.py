"""Lets ``python -m hookctl`` stand for ``hookctl``."""

from __future__ import annotations

from .main import main

if __name__ == "__main__":
    main()
