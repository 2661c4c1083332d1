"""The pages that are made from the code are what the code says now."""

from __future__ import annotations

import inspect
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore import InterceptionPoint

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def script(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    return runpy.run_path(str(DOCS / f"{request.param}.py"))


@pytest.mark.parametrize("script", ["api", "commands", "configuration"], indirect=True)
def test_a_page_is_what_its_source_says(script: dict[str, Any]) -> None:
    page = script["PAGE"]
    assert script["page"]() == page.read_text(encoding="utf-8"), f"run: python docs/{page.stem}.py"


@pytest.mark.parametrize("script", ["lifecycle"], indirect=True)
def test_the_picture_is_what_the_specifications_say(script: dict[str, Any]) -> None:
    drawn = script["PICTURE"].read_text(encoding="utf-8")
    assert script["picture"]() == drawn, "run: python docs/lifecycle.py"


@pytest.mark.parametrize("point", list(InterceptionPoint), ids=str)
def test_every_standard_point_is_in_the_picture_once(point: InterceptionPoint) -> None:
    drawn = (DOCS / "life-cycle.svg").read_text(encoding="utf-8")
    assert drawn.count(f">{point}</text>") == 1


@pytest.mark.parametrize("script", ["api"], indirect=True)
def test_everything_public_has_a_docstring(script: dict[str, Any]) -> None:
    missing = []
    for module in script["MODULES"]:
        for name, value in script["public"](module):
            if script["is_class"](value):
                inner = list(script["methods"](value))
                missing += [f"{module}.{name}.{one}" for one, what in inner if not told(what)]
            if inspect.isroutine(value) and not told(value):
                missing.append(f"{module}.{name}")
            if script["is_class"](value) and not told(value):
                missing.append(f"{module}.{name}")
    assert missing == []


@pytest.mark.parametrize("script", ["commands"], indirect=True)
def test_every_command_and_option_says_what_it_does(script: dict[str, Any]) -> None:
    missing = []
    for name, command, _ in script["commands"]():
        missing += [] if command.help else [name]
        options = [one for one in command.params if one.param_type_name == "option"]
        missing += [f"{name} {one.opts[0]}" for one in options if not one.help and not one.hidden]
    assert missing == []


@pytest.mark.parametrize("script", ["configuration"], indirect=True)
def test_every_key_and_every_setting_says_what_it_means(script: dict[str, Any]) -> None:
    tables = {name: table.model_json_schema() for name, table in script["TABLES"]}
    told = {name: script["settings_of"](schema) for name, schema in tables.items()}
    told |= {name: settings for name, _, settings in script["plugins"]()}
    assert [
        f"{name} {one.key}" for name, all_ in told.items() for one in all_ if not one.description
    ] == []


def told(value: Any) -> bool:
    return bool((getattr(value, "__doc__", None) or "").strip())
