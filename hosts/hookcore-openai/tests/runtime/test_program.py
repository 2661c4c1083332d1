"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hookcore.testing.provider import FakeProvider

CONFIG = "[plugins.redact]\nenabled = true\n[plugins.tool-policy]\nenabled = true\n"
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
PROGRAMS = {
    "openai": """
import sys, openai
client = openai.OpenAI(api_key="none", base_url=sys.argv[1] + "/v1")
for item in client.responses.create(model="m", input="{key}", stream=True):
    pass
print(client.chat.completions.create(model="m", messages=[{{"role": "user", "content": "{key}"}}])
    .choices[0].message.content)
""",
    "anthropic": """
import sys
from anthropic import Anthropic
client = Anthropic(api_key="none", base_url=sys.argv[1])
given = [{{"role": "user", "content": "{key}"}}]
with client.messages.stream(model="m", max_tokens=9, messages=given) as stream:
    print("".join(stream.text_stream))
""",
}


@pytest.mark.parametrize(
    ("library", "required"), [("openai", ""), ("anthropic", "required = true\n")]
)
def test_an_unchanged_program_is_governed(
    library: str, required: str, tmp_path: Path, provider: FakeProvider
) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: see .ci/hosts/openai.txt")
    (tmp_path / "hookcore.toml").write_text(CONFIG + required, encoding="utf-8")
    (tmp_path / "app.py").write_text(PROGRAMS[library].format(key=KEY), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "hookctl", "run", "--require", library, "app.py", provider.url],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "all is well\n"), done.stderr
    assert f"hookcore: {library} is in force" in done.stderr
    assert KEY not in provider.text


def test_importing_the_adapter_imports_no_library() -> None:
    program = "import hookcore_openai, sys; print({'openai', 'anthropic'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "set()\n"
