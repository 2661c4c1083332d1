from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
EXAMPLES = HERE.parents[1] / "examples"


@pytest.mark.parametrize("library", ["openai", "anthropic"])
def test_the_examples_run(library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: see .ci/hosts/openai.txt")
    subprocess.run([sys.executable, str(EXAMPLES / f"with_{library}.py")], check=True)


def test_the_example_of_the_page_runs() -> None:
    pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    subprocess.run([sys.executable, "-c", block], check=True)
