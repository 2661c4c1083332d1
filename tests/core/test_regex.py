"""The core needs no compiled dependency: who uses RE2 depends on it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hookcore import Regex, RegexSet


def test_importing_the_wrapper_does_not_import_re2() -> None:
    code = "import sys, hookcore; hookcore.Regex, hookcore.NamePatterns; sys.exit('re2' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_re2_is_not_installed_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    for make in (lambda: Regex("a"), lambda: RegexSet(["a"])):
        with pytest.raises(ImportError, match="pip install google-re2"):
            make()


def test_expressions_of_bytes_are_searched_in_bytes_that_are_no_text() -> None:
    together = RegexSet([b"\xff.b", b"[\x80-\xff]{3}", b"b$"])
    assert together.matching(b"a\xff\xc3b") == [0, 2]
    assert together.matching(b"") == []
