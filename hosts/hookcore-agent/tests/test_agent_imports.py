"""The cost of importing the agent: nothing of a third party."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["hookcore_agent", "hookcore_agent.lifecycle"])
def test_importing_it_imports_neither_pydantic_nor_a_models_sdk(module: str) -> None:
    code = (
        f"import {module}, sys\n"
        "found = {'pydantic', 'openai', 'click', 'importlib_metadata'} & set(sys.modules)\n"
        "print(sorted(found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
