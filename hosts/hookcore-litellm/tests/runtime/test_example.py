from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
EXAMPLE = HERE.parents[1] / "examples" / "with_litellm.py"
OFFLINE = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def test_the_examples_run() -> None:
    pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    subprocess.run([sys.executable, str(EXAMPLE)], check=True)
    subprocess.run([sys.executable, "-c", block], check=True, env=OFFLINE)
