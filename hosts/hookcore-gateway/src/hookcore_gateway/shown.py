"""Text from outside, on its way into the log: one line, whatever is in it."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Final

__all__ = ["log_failure", "shown"]

_MOST: Final = 200
_MOST_OF_TRACE: Final = 20_000


def shown(text: object) -> str:
    """Return a text in printable ASCII and of bounded length, for log lines and error texts.

    A line break in it would begin a line of its own in the log, and half of a surrogate pair would
    lose the whole line on a strict stream.

    Args:
        text: anything; None is shown as ``-``.
    """
    whole = "-" if text is None else str(text)
    return _escaped(whole if len(whole) <= _MOST else f"{whole[:_MOST]}...")


def log_failure(logger: logging.Logger, error: BaseException, text: str, *args: object) -> None:
    """Log an error with its traceback, no line of which can pass for a line of the log.

    Args:
        logger: where to.
        error: the error; handlers that read ``exc_info`` get it as it is.
        text: the format of the log line.
        args: what goes into it, shown already.
    """
    if not logger.isEnabledFor(logging.ERROR):
        return
    caller = sys._getframe(1)  # what findCaller() makes of a stack differs between Pythons
    code, info = caller.f_code, (type(error), error, error.__traceback__)
    record = logger.makeRecord(
        *(logger.name, logging.ERROR, code.co_filename, caller.f_lineno, text, args, info),
        func=code.co_name,
    )
    record.exc_text = _trace(error)
    logger.handle(record)


def _trace(error: BaseException) -> str:
    whole = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    lines = whole[-_MOST_OF_TRACE:].split("\n")
    # A backslash stays one: file names are full of them, and what was shown before has some.
    return "\n".join("  " + _escaped(line).replace(r"\\", "\\") for line in lines)


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")
