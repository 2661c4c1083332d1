"""Text of transcripts made safe to print on a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape what could move the cursor, colour the screen, end or reorder the line.

    Args:
        text: any text, lone surrogates included.

    Returns:
        One line that can be printed as it is.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def shorten(text: str, limit: int) -> str:
    """Cut a long text in the middle.

    Args:
        text: any text.
        limit: the most characters to keep.

    Returns:
        The text, or its beginning and end.
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} … {text[-half:]}"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
