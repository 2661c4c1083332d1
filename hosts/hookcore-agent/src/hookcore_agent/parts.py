"""The parts of an agent that a request needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hookcore_specs import ModelChoice

from .compaction import Compaction
from .extending import BoundExtension
from .models import Model
from .session import RunConfig

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["AgentParts", "RequestScope"]


class RequestScope(Protocol):
    """Puts the hooks of an agent's extensions in force."""

    def entered(self, context: Any) -> AbstractContextManager[None]:
        """Put them in force for a request until the block ends."""
        ...


class AgentParts(Protocol):
    """An agent, as the modules that serve its requests see it."""

    name: str
    role: str | None
    model: Model
    models: tuple[Model, ...]
    instructions: str
    max_iterations: int
    parallel_tools: bool
    compaction: Compaction | None
    config: RunConfig | None

    @property
    def extensions(self) -> Sequence[BoundExtension]:
        """The extensions, in the order in which they run."""
        ...

    @property
    def extension_names(self) -> list[str]:
        """The names of the extensions, in the order in which they run."""
        ...

    @property
    def _registry(self) -> Mapping[str, Any]: ...

    @property
    def _scope(self) -> RequestScope: ...

    def _model_for(self, choice: ModelChoice) -> Model: ...
