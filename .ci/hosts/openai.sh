#!/usr/bin/env bash
# The client's adapter below those of frameworks: one request is dispatched once.
# Usage: openai.sh PYTHON
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

"$python" -m pip install --quiet --disable-pip-version-check \
    --editable ./hosts/hookcore-openai-agents --editable ./hosts/hookcore-pydantic-ai \
    --editable ./hosts/hookcore-langchain
printf '\n== hosts/hookcore-openai below the adapters of frameworks\n'
"$python" -m pytest -q hosts/hookcore-openai/tests/runtime/test_together.py
