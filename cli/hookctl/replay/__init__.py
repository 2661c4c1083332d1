"""Replay recorded agent runs through the policies, without running anything."""
