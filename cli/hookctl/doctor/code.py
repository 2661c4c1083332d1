"""Checks of what is installed: missing, offered twice, other than locked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hookcore.discovery import editable_project
from hookcore.errors import HookcoreError
from hookcore.trust.installed import installed_files
from hookcore.trust.verify import differences, is_bundled, refusals, voucher

from ..distributions import distribution_of
from .finding import error, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookcore.config import Config
    from hookcore.discovery import Catalog, PluginSource
    from hookcore.trust.verify import Difference

    from .finding import Diagnosis

__all__ = ["check_code", "or_disable"]


def check_code(config: Config, catalog: Catalog) -> Iterator[Diagnosis]:
    """Check every plugin that is enabled or installed, without importing any.

    Args:
        config: the configuration.
        catalog: what is installed.
    """
    for problem in catalog.problems:
        fix = "pip install --force-reinstall what it names, or delete that folder"
        yield warning("metadata", "distribution", problem, fix)
    for name, source in catalog.items():
        on = name in config.plugins and config.plugins[name].enabled
        if source.conflict is not None:
            find = error if on else warning
            yield find("duplicate", name, source.conflict, _uninstall(source))
        elif on:
            yield from _unverified(config, source)
    for name, plugin in config.plugins.items():
        if plugin.enabled and name not in catalog:
            at = config.origin(("plugins", name, "enabled"))
            known = distribution_of(name, config.files)
            yield error(
                "missing",
                name,
                f"{at} enables it, and no installed distribution offers it",
                f"pip install {known or 'the distribution'}{or_disable(config, name)}",
            )


def or_disable(config: Config, name: str) -> str:
    """Offer to switch a plugin off, unless it is required and cannot be."""
    return "" if config.plugins[name].required else f", or hookctl disable {name}"


def _uninstall(source: PluginSource) -> str:
    return f"pip uninstall {source.distribution}"


def _unverified(config: Config, source: PluginSource) -> Iterator[Diagnosis]:
    try:
        found = differences(config, source, folder=_working_folder())
    except HookcoreError as problem:
        yield error("lock", source.name, str(problem), _lock(config, source))
        return
    refused = refusals(config, source, found)
    for difference in found:
        find = error if difference in refused else warning
        yield find(
            difference.kind,
            source.name,
            _told(config, difference),
            _fix(source, difference, _lock(config, source)),
        )
    if not any(difference.kind in {"changed", "editable"} for difference in found):
        yield from _tampered(source)


def _working_folder() -> str | None:
    """Return where a host may be started, which ``python -m`` makes it look first."""
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return None


def _told(config: Config, difference: Difference) -> str:
    if difference.kind in {"shadowed", "editable"}:
        return difference.text
    by = voucher(config, difference.plugin).file
    at = f" ({by})" if by is not None and str(by) not in difference.text else ""
    return f"{difference.text}{at}"


def _lock(config: Config, source: PluginSource) -> str:
    if is_bundled(config, source.name):
        return f"hookctl lock {source.name} where the bundle is built, and publish another one"
    return f"hookctl lock {source.name}"


def _fix(source: PluginSource, difference: Difference, lock: str) -> str:
    always = {
        "untrusted": "hookctl trust",
        "editable": f"install {source.distribution} without -e where its policy is to hold",
        "shadowed": "remove that file, or start in another folder",
    }
    if difference.kind in always:
        return always[difference.kind]
    if difference.kind in {"unlocked", "version"}:
        return lock
    project = editable_project(source.location)
    if project is not None:  # what an index offers under that name may be somebody else's
        return f"restore it in {project}, or {lock} if you meant it"
    if difference.kind == "added":  # a new installation would leave it there
        return f"delete what you do not know, or {lock} if you meant it"
    return f"pip install --force-reinstall {source.distribution}, or {lock} if you meant it"


def _tampered(source: PluginSource) -> Iterator[Diagnosis]:
    changed = installed_files(source).tampered
    if changed:
        yield warning(
            "edited",
            source.name,
            f"{', '.join(changed)} changed since {source.distribution} was installed",
            f"pip install --force-reinstall {source.distribution}",
        )
