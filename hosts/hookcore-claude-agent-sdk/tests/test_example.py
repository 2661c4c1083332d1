from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
EXAMPLE = HERE.parents[1] / "examples" / "with_claude_agent_sdk.py"


def test_the_example_of_the_page_runs_and_is_the_one_in_examples(tmp_path: Path) -> None:
    pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert EXAMPLE.read_text(encoding="utf-8").endswith(block)
    home = {name: str(tmp_path) for name in ("HOME", "CLAUDE_CONFIG_DIR")}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    subprocess.run(
        [sys.executable, str(EXAMPLE)],
        check=True,
        cwd=tmp_path,
        env={**os.environ, **home, **quiet},
    )
