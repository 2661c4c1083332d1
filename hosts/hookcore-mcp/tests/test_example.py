from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
EXAMPLE = HERE.parents[1] / "examples" / "with_mcp.py"


def test_the_example_of_the_page_runs_and_is_the_one_in_examples() -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert EXAMPLE.read_text(encoding="utf-8").endswith(block)
    subprocess.run([sys.executable, str(EXAMPLE)], check=True)


def test_the_example_of_fastmcp_runs() -> None:
    pytest.importorskip("fastmcp", reason="fastmcp is not installed: see .ci/hosts/mcp.txt")
    subprocess.run([sys.executable, str(EXAMPLE.with_name("with_fastmcp.py"))], check=True)
