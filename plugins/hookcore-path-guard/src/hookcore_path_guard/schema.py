"""The settings' JSON Schema: ``python -m hookcore_path_guard.schema`` prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

from .settings import PathGuardSettings

__all__ = ["settings_schema"]


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the table ``[plugins.path-guard.settings]``."""
    schema = PathGuardSettings.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def main() -> None:
    """Print the schema, as the package ships it in ``settings.schema.json``."""
    sys.stdout.write(json.dumps(settings_schema(), indent=2) + "\n")


if __name__ == "__main__":
    main()
