"""Streamed responses: hooks around them, windows over their text, tool calls held until whole."""
