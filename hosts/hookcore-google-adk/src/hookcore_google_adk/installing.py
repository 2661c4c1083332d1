"""Governing the whole process: models, tools and runners, of whatever class they are.

Nothing of the ADK is imported here: each part is governed when it has been imported.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from types import ModuleType
from typing import Any

from hookcore import HookAborted, HookManager
from hookcore.hosting import Adapter, Replacements, denials_outside, when_imported

from .host import HOST
from .runs import judged_run
from .tools import WaitingForPerson, judged_tool

__all__ = ["install", "uninstall"]

Make = Callable[[Callable[..., Any]], Callable[..., Any]]


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all runners, models and tools of the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the ADK will do that was not tested: this replaces
            methods of its classes.

    Raises:
        RuntimeVersionError: the ADK is not installed, or in a version that was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    signals = [WaitingForPerson]
    return _adapter.install(manager, accept_untested=accept_untested, control_flow=signals)


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


def _govern(replaced: Replacements) -> None:
    for module, govern in zip(HOST.modules, (_models, _tools, _runners), strict=True):
        replaced.at_end(when_imported(module, govern))


_adapter = Adapter(HOST, _govern)


def _models(module: ModuleType) -> None:
    _govern_subclasses(module.BaseLlm, {"generate_content_async": _model, "connect": _live})


def _tools(module: ModuleType) -> None:
    _govern_subclasses(module.BaseTool, {"run_async": _tool})


def _runners(module: ModuleType) -> None:
    _put(module.Runner, "run_async", _run)


def _model(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def generate_content_async(self: Any, llm_request: Any, stream: bool = False) -> Any:  # noqa: FBT001, FBT002 - the ADK's signature
        from .models import judged_responses

        made = judged_responses(_adapter.manager, self, old, llm_request, stream=stream)
        async with aclosing(made) as responses:
            async for response in responses:
                yield response

    return generate_content_async


def _live(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    def connect(self: Any, llm_request: Any) -> Any:
        manager = _adapter.manager
        points = [point for point in HOST.points if manager.has_hooks(point)]
        if points:
            raise HookAborted(
                "a live session of the ADK is seen by no policy, and there are some at "
                f"{', '.join(points)}: use Runner.run_async, or take them out",
                source="hookcore-google-adk",
                message="Live sessions are switched off, since policies cannot follow them.",
            )
        return old(self, llm_request)

    return connect


def _tool(old: Callable[..., Any]) -> Callable[..., Any]:
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        return await judged_tool(_adapter.manager, self, old, args, tool_context)

    return run_async


def _run(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def run_async(self: Any, **options: Any) -> Any:
        async with aclosing(judged_run(_adapter.manager, self, old, options)) as events:
            async for event in events:
                yield event

    return run_async


_MARK = "_hookcore_governed"


def _govern_subclasses(base: Any, makes: dict[str, Make]) -> None:
    """Put governed methods into all classes that derive from one, now and later."""

    def govern(cls: Any) -> None:
        for name, make in makes.items():
            old = getattr(cls, name)
            if old is not getattr(base, name) and not getattr(old, _MARK, False):
                _put(cls, name, make)
        for derived in cls.__subclasses__():
            govern(derived)

    def init_subclass(cls: Any, /, **options: Any) -> None:
        super(base, cls).__init_subclass__(**options)
        with _adapter.lock:
            govern(cls)

    base.__init_subclass__ = classmethod(init_subclass)
    _adapter.replaced.at_end(lambda: delattr(base, "__init_subclass__"))
    for derived in base.__subclasses__():
        govern(derived)


def _put(owner: Any, name: str, make: Make) -> None:
    _adapter.replaced.put(owner, name, make)
    setattr(getattr(owner, name), _MARK, True)
