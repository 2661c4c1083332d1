"""Loading the enabled plugins into a manager: all of them, or an error that names each failure."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..config.expiry import told_expiry
from ..config.references import resolved_settings
from ..errors import ConfigError, HookcoreError, PluginDisabledError, PluginLoadError
from ..hooks.rules import UnknownRuleError
from ..later import logger
from ..naming.suggest import did_you_mean
from .settings import prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from ..config import Config, PluginConfig
    from ..discovery import Catalog, PluginSource
    from ..hooks.options import OperatorOptions

    Register = Callable[..., str]
__all__ = ["LoadProblem", "load_into", "load_one", "operator_options", "telling_imports"]


_telling: ContextVar[Callable[[PluginSource], object] | None] = ContextVar(
    "hookcore_telling", default=None
)


@contextmanager
def telling_imports(tell: Callable[[PluginSource], object]) -> Iterator[None]:
    """Tell of each plugin that is about to be imported in this block.

    Args:
        tell: called with the plugin.
    """
    token = _telling.set(tell)
    try:
        yield
    finally:
        _telling.reset(token)


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """The reason why one enabled plugin could not be loaded, and what mends it."""

    plugin: str
    distribution: str | None
    version: str | None
    cause: str
    remedy: str
    is_disabled: bool = False
    """True when the plugin itself asks to be left out."""

    def __str__(self) -> str:
        source = f" ({self.distribution} {self.version})" if self.distribution else ""
        stop = "" if self.cause.endswith("?") else "."
        return f"plugin {self.plugin}{source} cannot be loaded: {self.cause}{stop} {self.remedy}"


def load_into(
    register: Register, config: Config, catalog: Catalog, *, but: Container[str] = ()
) -> None:
    """Import, build and register every enabled plugin, in the order of their names.

    Args:
        register: registers one, as :meth:`HookManager.register_configured` does.
        config: which are enabled, and how.
        catalog: which are installed.
        but: the names of those that are left as they are.

    Raises:
        PluginLoadError: some cannot be loaded; ``problems`` holds a :class:`LoadProblem` for each.
            One that is not required is logged and left out instead, if it has
            ``on_error = "allow"`` or disables itself.
    """
    if not config.enabled:
        _refuse_to_run_unprotected(config)
        return
    for broken in catalog.problems:
        logger.warning("%s", broken)
    problems = []
    for name, options in sorted(config.plugins.items()):
        for expiry in () if name in but else told_expiry(config, name):
            logger.warning("%s", expiry)
        if not options.enabled or name in but:
            continue
        problem = load_one(register, config, catalog, name)
        if problem is None:
            continue
        if problem.is_disabled and options.on_error is None and not options.required:
            logger.error("left out: %s", problem)
        elif options.on_error == "allow" and not options.required:
            text = 'left out, because its configuration says on_error = "allow": %s'
            logger.warning(text, problem)
        else:
            problems.append(problem)
    if problems:
        raise PluginLoadError(_message(problems), tuple(problems))


def _refuse_to_run_unprotected(config: Config) -> None:
    off = config.origin("hooks.enabled")
    problems = [
        LoadProblem(
            name,
            None,
            None,
            f"all plugins are switched off by {off}, and this one is required by "
            f"{config.origin(('plugins', name, 'required'))}",
            "Take one of the two away.",
        )
        for name in config.required
    ]
    if problems:
        raise PluginLoadError(_message(problems), tuple(problems))


def _message(problems: Sequence[LoadProblem]) -> str:
    if len(problems) == 1:
        return str(problems[0])
    lines = "".join(f"\n- {problem}" for problem in problems)
    return f"{len(problems)} enabled plugins cannot be loaded:{lines}"


def load_one(register: Register, config: Config, catalog: Catalog, name: str) -> LoadProblem | None:
    """Import, build and register one enabled plugin.

    Args:
        register: registers it, as :meth:`HookManager.register_configured` does.
        config: how it is configured.
        catalog: which plugins are installed.
        name: the plugin.

    Returns:
        What went wrong; None when it is registered.
    """
    source = catalog.get(name)
    if source is None:
        return _missing(config, catalog, name)
    unverified = _unverified(config, source) if source.conflict is None else None
    if unverified is not None:
        return unverified
    try:
        from ..trust.verify import load_verified

        settings = resolved_settings(config, name)
        tell = _telling.get()
        if tell is not None:
            tell(source)
        plugin = prepare(load_verified(config, source), settings)
        _add(register, plugin, source, config.plugins[name])
    except ConfigError as error:
        where = config.origin(("plugins", name, *(error.key or "settings").split(".")))
        return _problem(config, source, f"{error} (see {where})", "Correct the settings.")
    except PluginDisabledError as error:
        where = config.origin(("plugins", name, "settings"))
        problem = _problem(config, source, f"{error} (see {where})", "Correct the settings.")
        return replace(problem, is_disabled=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises, it is not loaded
        cause, remedy = _describe(error, source), "Mend or reinstall it."
        if isinstance(error, UnknownRuleError):
            at = config.origin(("plugins", name, "rules", error.rule))
            cause, remedy = f"{cause} (see {at})", "Correct the rule's name."
        return _problem(config, source, cause, remedy)
    return None


def _add(register: Register, plugin: object, source: PluginSource, options: PluginConfig) -> None:
    register(
        plugin,
        name=source.name,
        distribution=source.distribution,
        version=source.version,
        operator=operator_options(options),
    )


def operator_options(options: PluginConfig) -> OperatorOptions:
    """Return what an operator's table says of a plugin's hooks."""
    from ..hooks.options import OperatorOptions, RuleOptions

    rules = {
        name: RuleOptions(about.mode, about.rollout, about.expires)
        for name, about in options.rules.items()
    }
    return OperatorOptions(
        mode=options.mode,
        on_error=options.on_error,
        priority=options.priority,
        timeout=options.timeout,
        points=options.points,
        tools=options.tools,
        agents=options.agents,
        required=options.required,
        rollout=options.rollout,
        rules=rules,
    )


def _missing(config: Config, catalog: Catalog, name: str) -> LoadProblem:
    said = config.origin(("plugins", name, "enabled"))
    cause = f"it is enabled by {said}, and no installed distribution offers it"
    cause += "".join(f"; {problem}" for problem in catalog.problems)
    cause += did_you_mean(name, catalog)
    remedy = "Install it with pip install"
    return LoadProblem(name, None, None, cause, f"{remedy}{_or_disable(config, name)}.")


def _unverified(config: Config, source: PluginSource) -> LoadProblem | None:
    """Compare what is installed with what is locked, before any of it is imported."""
    if config.verify == "off":
        return None
    from ..trust.verify import UNCOMPARED, accepting, differences, refusals

    remedy = "'hookctl doctor' explains it"
    try:
        found = differences(config, source)
    except HookcoreError as error:
        return _problem(config, source, str(error), "Mend that.")
    refused = refusals(config, source, found)
    if any(difference.kind != "shadowed" for difference in found):
        remedy += f", and {accepting(config, source.name)} accepts it"
    if refused:
        at = config.origin("hooks.verify")
        why = f'{at} sets hooks.verify = "enforce", and ' if config.verify == "enforce" else ""
        return _problem(config, source, why + "; ".join(map(str, refused)), remedy)
    for difference in found:
        if difference.kind not in UNCOMPARED:
            logger.warning(
                "plugin %s (%s %s) is not what is locked: %s: %s",
                source.name,
                source.distribution,
                source.version,
                difference,
                remedy,
            )
    return None


def _problem(config: Config, source: PluginSource, cause: str, remedy: str) -> LoadProblem:
    remedy = f"{remedy.rstrip('.')}{_or_disable(config, source.name)}."
    return LoadProblem(source.name, source.distribution, source.version, cause, remedy)


def _or_disable(config: Config, name: str) -> str:
    if config.plugins[name].required:
        return f" (it is required by {config.origin(('plugins', name, 'required'))})"
    return f", or run 'hookctl disable {name}'"


def _describe(error: BaseException, source: PluginSource) -> str:
    """Name an error by class, first line, and place in the plugin's own code."""
    if isinstance(error, HookcoreError):
        where = f"plugin {source.name} ({source.distribution} {source.version})"
        return str(error).removeprefix(f"{where} ").rstrip(".")
    import traceback

    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    at = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{text}{at}"
