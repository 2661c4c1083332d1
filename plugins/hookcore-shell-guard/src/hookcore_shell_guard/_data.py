"""Statements that drop or empty data."""

from __future__ import annotations

import re
from typing import Final

from ._code import inline_code
from ._names import names
from ._options import texts
from .commands import Segment

_SQL: Final = re.compile(
    r"(?is)\b(?:drop\s+(?:table|database|schema|index|view|user|role|keyspace|column|owned|extension|collection|function|sequence|type|materialized|tablespace)|truncate\s+(?:table\s+)?[\w\"`.\[]+"
    r"|alter\s+table\s+\S+\s+drop|flushall|flushdb|dropdatabase|drop\s*\(\s*\)|deletemany\s*\(\s*\{\s*\}|remove\s*\(\s*\{\s*\}|script\s+flush)"
)
_DELETE: Final = re.compile(r"(?is)\bdelete\s+from\b[^;]*")
DATABASES: Final = names("""
    psql mysql mariadb sqlite3 sqlite mycli pgcli litecli usql duckdb redis-cli valkey-cli mongo
    mongosh sqlcmd clickhouse-client cqlsh influx bq sqlplus snowsql cockroach tsql
    """)


def drops_data(segment: Segment) -> bool:
    """Return True when a database's client is given a statement that drops or empties data.

    Args:
        segment: the client's segment.
    """
    given = texts(segment.words)
    if segment.stdin is not None:
        given += texts([segment.stdin])
    for source in segment.inputs:
        if source.program in ("echo", "printf", "cat"):
            given += texts(source.words)
            given += texts([source.stdin]) if source.stdin is not None else []
    joined = " ".join(given)
    return any(_drops(text) for text in (*given, joined))


def _drops(text: str) -> bool:
    bare = re.sub(r"--\s[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    if _SQL.search(bare):
        return True
    return any(not re.search(r"(?i)\bwhere\b", found) for found in _DELETE.findall(bare))


def drops_in_code(segment: Segment) -> bool:
    """Return True when one-line code names a statement that drops or empties data.

    Args:
        segment: an interpreter's segment.
    """
    codes = texts(inline_code(segment) or [])
    return any(
        re.search(r"(?i)drop\s+(?:table|database|schema)\b|\btruncate\s+table\b", code)
        for code in codes
    )
