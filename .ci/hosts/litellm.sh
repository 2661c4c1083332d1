#!/usr/bin/env bash
# LiteLLM's adapter above that of the openai client: one request is dispatched once.
# Usage: litellm.sh PYTHON
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

"$python" -m pip install --quiet --disable-pip-version-check --editable ./hosts/hookcore-openai
printf '\n== hosts/hookcore-litellm above the adapter of the openai client\n'
"$python" -m pytest -q hosts/hookcore-litellm/tests/runtime/test_together.py
