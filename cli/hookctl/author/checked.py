"""The child process of ``hookctl check``: it imports one plugin and answers in one line of JSON."""

from __future__ import annotations

import inspect
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from hookcore import HookManager, RegistrationError
from hookcore.discovery import PluginSource
from hookcore.hooks.candidates import candidates_of, defaults_of
from hookcore.hooks.validation import check_candidate
from hookcore.loading.settings import prepare
from hookcore_specs import PROJECT_NAME, Kind

from ..doctor.finding import Diagnosis, error, warning
from ..schemas import SCHEMA_FILE, package_folder, plugin_schema, schema_text
from ..settings.described import settings_of
from .reading import blocking_calls, edits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookcore.hooks.points import PointSpec
    from hookcore.hooks.validation import Candidate

__all__ = ["main"]

_NEAR = 0.85
"""The likeness to a point's name, of 1, from which on another one is probably misspelt."""


def main() -> None:
    """Check the plugin whose source the command line holds as JSON."""
    # What the plugin prints must not end up beside the answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        source = PluginSource(**json.loads(sys.argv[1]))
        answers.write(json.dumps(_report(source)) + "\n")


def _report(source: PluginSource) -> dict[str, Any]:
    try:
        target = source.load()
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever it raises
        said = str(problem).strip().partition("\n")[0]
        text = f"{source.value} cannot be imported: {type(problem).__name__}: {said}"
        return {"points": [], "patterns": [], "findings": [_told(_import_error(source, text))]}
    check = _Check(source, target)
    findings = list(check.findings())
    return {
        "points": sorted(check.points),
        "patterns": sorted(check.patterns),
        "findings": [_told(finding) for finding in findings],
    }


def _told(finding: Diagnosis) -> dict[str, Any]:
    return asdict(finding)


def _import_error(source: PluginSource, text: str) -> Diagnosis:
    return error("import", source.name, text, f"correct it, or the entry point {source.name}")


class _Check:
    """Looks at one imported plugin."""

    def __init__(self, source: PluginSource, target: Any) -> None:
        self.source = source
        self.target = target
        self.plugin = self._made()
        self.points: set[str] = set()
        self.patterns: set[str] = set()
        self._manager = HookManager()
        self._name = source.name

    def _made(self) -> Any:
        """Make it with its default settings; where that cannot be done, its methods will do."""
        with suppress(Exception):
            return prepare(self.target, {})
        if inspect.isclass(self.target):
            with suppress(Exception):
                return object.__new__(self.target)
        return self.target

    def findings(self) -> Iterator[Diagnosis]:
        try:
            defaults = defaults_of(self.plugin, f"plugin {self._name}")
        except RegistrationError as problem:
            yield error("default", self._name, str(problem), "correct the attribute")
            return
        marks = pluggy.PluginManager(PROJECT_NAME)
        try:
            found = list(candidates_of(marks, self.plugin, f"plugin {self._name}"))
        except RegistrationError as problem:
            yield error("mark", self._name, str(problem), "mark a function")
            return
        for candidate in found:
            yield from self._of_hook(candidate, policy_wide=defaults.on_error)
        yield from self._unmarked({getattr(one.function, "__name__", "") for one in found})
        if not found:
            fix = "mark its functions with @hookimpl"
            yield error("no-hooks", self._name, "it has no hooks", fix)
        yield from self._of_settings()
        yield from self._of_rules()
        patterns = getattr(self.plugin, "tool_patterns", ())
        if isinstance(patterns, list | tuple | set | frozenset):
            self.patterns.update(one for one in patterns if isinstance(one, str))

    def _of_hook(self, candidate: Candidate, *, policy_wide: str | None) -> Iterator[Diagnosis]:
        try:
            spec = check_candidate(candidate, self._manager.parts.table)
        except RegistrationError as problem:
            yield error("hook", self._name, str(problem), f"correct it at {_place(candidate)}")
            return
        if spec is None:
            return
        self.points.add(spec.name)
        self.patterns.update(candidate.options.tools or ())
        yield from self._of_code(candidate)
        yield from self._left_open(candidate, spec, policy_wide)

    def _of_code(self, candidate: Candidate) -> Iterator[Diagnosis]:
        function = candidate.function
        for line, call, instead in blocking_calls(function):
            said = f"its async hook {_label(function)} calls {call}, and the event loop waits"
            yield warning("blocking", self._name, f"{said} ({_at(function, line)})", instead)
        for line, code in edits(function) if candidate.options.gate else ():
            said = f"its gate {_label(function)} changes something, which has no effect or fails"
            fix = "make it an ordinary hook, or only judge"
            yield warning("gate-edits", self._name, f"{said}: {code} ({_at(function, line)})", fix)

    def _left_open(
        self, candidate: Candidate, spec: PointSpec, policy_wide: str | None
    ) -> Iterator[Diagnosis]:
        decides = spec.kind is Kind.INTERCEPT and not candidate.options.gate
        if decides and candidate.options.on_error is None and policy_wide is None:
            said = f"{_label(candidate.function)} at {spec.name} lets pass when it fails"
            fix = 'say on_error = "deny" on the class where it protects something, else "allow"'
            yield warning("on-error", self._name, said, fix)

    def _unmarked(self, marked: set[str]) -> Iterator[Diagnosis]:
        known = list(self._manager.points)
        holder = self.target if inspect.ismodule(self.target) else type(self.plugin)
        for name in dir(holder):
            value = inspect.getattr_static(holder, name, None)
            function = getattr(value, "__func__", value)
            if name in marked or name.startswith("_") or not inspect.isfunction(function):
                continue
            meant = get_close_matches(name, known, n=1, cutoff=_NEAR)
            if meant and "ctx" in inspect.signature(function).parameters:
                said = f"{name} looks like a hook at {meant[0]} and is not marked: it never runs"
                yield error("unmarked", self._name, said, "mark it with @hookimpl")

    def _of_settings(self) -> Iterator[Diagnosis]:
        write = f"hookctl schema {self._name} --write"
        try:
            schema = plugin_schema(self.target)
            text = None if schema is None else schema_text(schema)
        except Exception as problem:  # noqa: BLE001 - a type of its own may have none
            said = f"its settings have no JSON Schema: {type(problem).__name__}"
            yield warning("schema", self._name, said, "give the type one, or use a plain one")
            return
        for setting in settings_of(schema or {}):
            if not setting.description:
                said = f"its setting {setting.key} has no description"
                fix = "write Field(description=...), for 'hookctl info' and editors"
                yield warning("description", self._name, said, fix)
        folder = package_folder(self.source)
        if folder is None or text is None:
            return
        file = folder / SCHEMA_FILE
        if not file.is_file():
            said = f"it ships no {SCHEMA_FILE}, so that hookctl knows nothing of its settings"
            yield warning("schema", self._name, said, write)
        elif file.read_text(encoding="utf-8") != text:
            yield warning("schema", self._name, f"{file} is not what its code says", write)

    def _of_rules(self) -> Iterator[Diagnosis]:
        folder = package_folder(self.source)
        if folder is None or not getattr(self.plugin, "rule_names", ()):
            return
        files = sorted(folder.rglob("*.py"))
        if not any(".enforces(" in file.read_text(encoding="utf-8") for file in files):
            said = "it tells rule_names and never asks ctx.enforces: no rule can be monitored"
            yield warning("rules", self._name, said, "ask it before a denial is raised")


def _label(function: Any) -> str:
    return str(getattr(function, "__qualname__", function))


def _place(candidate: Candidate) -> str:
    with suppress(Exception):
        code = inspect.unwrap(candidate.function).__code__
        return f"{Path(code.co_filename).name}:{code.co_firstlineno}"
    return "its mark"


def _at(function: Any, line: int) -> str:
    with suppress(Exception):
        return f"{Path(str(inspect.getsourcefile(inspect.unwrap(function)))).name}:{line}"
    return f"line {line}"
