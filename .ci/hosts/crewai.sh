#!/usr/bin/env bash
# CrewAI's own hook tests, from its sdist, with our drop-in inside. Usage: crewai.sh PYTHON
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$("$python" -c 'import importlib.metadata as m; print(m.version("crewai"))')
suite="$scratch/suite"
"$python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary crewai --dest "$scratch" "crewai==$version"
mkdir "$suite"
tar -xzf "$scratch/crewai-$version.tar.gz" -C "$suite" --strip-components 1 \
    "crewai-$version/tests"
cp hosts/hookcore-crewai/tests/runtime/their_conftest.py "$suite/conftest.py"
printf '\n== the hook tests of CrewAI %s, with the drop-in inside\n' "$version"
"$python" -m pytest -q -W ignore -p no:cacheprovider --timeout 120 \
    --rootdir "$suite" -c /dev/null "$suite/tests/hooks" \
    "$suite/tests/agents/test_native_tool_hook_contract.py" \
    "$suite/tests/agents/test_react_tool_hook_contract.py"
