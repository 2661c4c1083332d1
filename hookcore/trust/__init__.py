"""Trust: which projects may configure hookcore, and which installed code it may load."""

from __future__ import annotations
