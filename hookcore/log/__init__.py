"""The log of decisions: what hooks said, in an SQLite file, without payloads."""

from __future__ import annotations
