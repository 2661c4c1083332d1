"""The guard's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from ._tools import Role

__all__ = ["DEFAULT_PROTECTED", "PathGuardSettings"]

DEFAULT_PROTECTED = (".git", ".claude", ".codex", ".gemini", ".cursor", ".vscode")
"""Folders that configure what runs on a developer's machine."""

_WILD = frozenset("*?[]{}")


def _folder(path: str) -> str:
    """Turn away what is no folder's path."""
    if not path.strip() or path != path.strip():
        raise PydanticCustomError(
            "path_guard_folder", "the folder is empty or has spaces around it: write its path"
        )
    if _WILD & set(path) or path.startswith("$") or (path[0] == "~" and path[1:2] not in {"", "/"}):
        raise PydanticCustomError(
            "path_guard_folder",
            "patterns, variables and ~name are not read here: write the folder's path, "
            "relative to the project, from / or from ~/",
        )
    return path


def _name(name: str) -> str:
    """Turn away what is no name below a root."""
    parts = name.strip("/").split("/")
    if name.startswith("/") or _WILD & set(name) or not {"", ".", ".."}.isdisjoint(parts):
        raise PydanticCustomError(
            "path_guard_protected",
            "write the name of a file or folder, or names with / between them: no pattern, "
            'no ".." and no absolute path',
        )
    return name


def _listed(value: Any) -> Any:
    """Take one text for a list of one."""
    return [value] if isinstance(value, str) else value


def _arguments(value: Any) -> Any:
    """Take one argument's name for a list of one, in each entry of ``commands``."""
    return (
        {key: _listed(entry) for key, entry in value.items()} if isinstance(value, dict) else value
    )


Folder = Annotated[str, AfterValidator(_folder)]
Name = Annotated[str, AfterValidator(_name)]


class PathGuardSettings(BaseModel):
    """The places where tools may read and write.

    Raises:
        pydantic.ValidationError: a value is wrong.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin path-guard",
        json_schema_extra={"description": "Where tools may read and write."},
    )

    read: list[Folder] = Field(
        default=["."],
        min_length=1,
        description=(
            "Folders that may be read: relative to the project, absolute, or from ~/. What may be "
            "written may be read, too."
        ),
    )
    write: list[Folder] = Field(
        default=["."],
        description="Folders that may be changed. An empty list lets nothing be changed.",
    )
    protected: list[Name] = Field(
        default=list(DEFAULT_PROTECTED),
        description=(
            "Names of files and folders that may not be changed anywhere below the write folders, "
            "in any spelling that some file system takes. a/b protects a b in an a only."
        ),
    )
    unknown: Literal["deny", "allow"] = Field(
        default="deny",
        description=(
            "What happens to a shell command whose paths are only known when it runs, and to one "
            "that cannot be read."
        ),
    )
    shell: bool = Field(
        default=True,
        description=(
            "Judge the redirections, folders and file operands of shell commands. Without it such "
            "a tool is let through unseen."
        ),
    )
    tools: dict[str, dict[str, Role]] = Field(
        default={},
        description=(
            "Tools of your own: for each name, which argument is a path and what is done with it. "
            "A tool's table replaces what is built in; an empty one says that it has no paths."
        ),
    )
    commands: Annotated[dict[str, list[str]], BeforeValidator(_arguments)] = Field(
        default={},
        description=(
            "Tools of your own that run shell commands: for each name, the argument, or the "
            "arguments, that hold the command."
        ),
    )
    project: Annotated[list[Folder], BeforeValidator(_listed)] = Field(
        default=[],
        description=(
            "The folder that relative ones begin in, or several: a call belongs to the nearest one "
            "above the folder that it runs in. Left out, it is the folder of the project's "
            "hookcore.toml or pyproject.toml, else the working folder."
        ),
    )
