"""An empty manager, and plugins that note down which points fired."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager, InterceptionPoint, Kind, hookimpl

UNHEARD = {"hook_dispatched"}


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager, whose background loop ends with the test."""
    made = HookManager()
    yield made
    made.close()


def _recorder(name: str, kind: Kind, note: Callable[[str, Any], None]) -> Any:
    if kind is Kind.WRAP:
        if name == "wrap_model_call":

            async def wrap(ctx: Any, call_next: Any) -> Any:
                note(name, ctx)
                async for event in call_next():
                    yield event

            return wrap

        async def around(ctx: Any, call_next: Any) -> Any:
            note(name, ctx)
            return await call_next()

        return around

    def hook(ctx: Any) -> None:
        note(name, ctx)

    return hook


@pytest.fixture
def points(manager: HookManager) -> list[tuple[str, Any]]:
    """Return the list of (point, status) of all points that fire from now on."""
    seen: list[tuple[str, Any]] = []

    def note(name: str, ctx: Any) -> None:
        seen.append((name, getattr(ctx, "status", None)))

    hooks = {}
    for point in InterceptionPoint:
        name = str(point)
        if name in UNHEARD:
            continue
        options: dict[str, Any] = {"specname": name, "tryfirst": True}
        if name == "post_model_call":
            options["stream"] = "observe"
        hook = _recorder(name, manager.points[name].kind, note)
        hooks[name] = staticmethod(hookimpl(**options)(hook))
    manager.register(type("Recorder", (), hooks)(), name="recorder")
    return seen


@pytest.fixture
def policy(manager: HookManager) -> Callable[..., str]:
    """Return a way to register one function at one point: (point, function, **options)."""

    def register(
        point: str, function: Callable[..., Any], name: str = "policy", **options: Any
    ) -> str:
        marked = hookimpl(specname=point, **options)(function)
        return manager.register(type("Policy", (), {"hook": staticmethod(marked)})(), name=name)

    return register
