"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookcore.testing.provider import FakeProvider

CONFIG = (
    "[plugins.redact]\nenabled = true\nrequired = true\n[plugins.tool-policy]\nenabled = true\n"
)
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
PROGRAM = """
import sys
from litellm import Router, completion
told = {{"api_base": sys.argv[1] + "/v1", "api_key": "none"}}
given = [{{"role": "user", "content": "{key}"}}]
print(completion("openai/m", given, **told).choices[0].message.content)
router = Router(model_list=[{{"model_name": "a", "litellm_params": {{"model": "openai/m", **told}}}}])
print(router.completion("a", given).choices[0].message.content)
"""


def test_an_unchanged_program_is_governed(tmp_path: Path, provider: FakeProvider) -> None:
    pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "app.py").write_text(PROGRAM.format(key=KEY), encoding="utf-8")
    folder = str(tmp_path)
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(
        [sys.executable, "-m", "hookctl", "run", "--require", "litellm", "app.py", provider.url],
        cwd=tmp_path,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "all is well\n" * 2), done.stderr
    assert "hookcore: litellm is in force" in done.stderr
    assert KEY not in provider.text


def test_importing_the_adapter_imports_no_litellm() -> None:
    program = "import hookcore_litellm, sys; print('litellm' in sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
