"""Hooks that stand around an operation, as layers of an onion."""
