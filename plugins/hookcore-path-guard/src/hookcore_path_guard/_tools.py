"""The arguments of a tool that are paths, and what the tool does with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from hookcore import sanitize_tool_name

from ._names import names

__all__ = ["Role", "ToolPlan", "plain_argument", "plan_for"]

Role = Literal[
    "read", "write", "remove", "edit", "base", "folder", "pattern", "filter", "target", "patch"
]
"""The part that an argument plays.

``read``, ``write`` and ``remove`` are paths; ``edit`` is written unless the call's ``command`` is
"view"; ``base`` is a folder that is read and that patterns begin in; ``folder`` is where a command
runs; a ``filter`` is a pattern that only narrows a search; ``target`` is what a new link leads to;
``patch`` is the text of a patch.
"""

# Names of arguments that are paths whatever the tool, and names that often are.
_PATHS: Final = names(
    "path paths file_path file_paths filepath filepaths filename filenames file_name "
    "notebook_path target_file target_path absolute_path relative_path "
    "relative_workspace_path dir dirs dir_path dirpath directory directory_path folder "
    "folder_path source_path destination_path dest_path input_path output_path old_path "
    "new_path local_path script_path src_path root_path image_path save_path from_path "
    "to_path"
)
_MAYBE: Final = names(
    "file files source sources src destination dest dst target output output_file input "
    "input_file out from to uri url root location document attachment"
)
_READERS: Final = names(
    "read view open cat list ls get search find grep glob tree stat show load head tail diff "
    "check inspect describe analyze analyse count enter lookup query fetch info exists scan "
    "index lint validate preview summarize summarise"
)
_WRITERS: Final = names(
    "write edit create delete remove move rename copy save append insert replace update patch "
    "apply make mkdir put set touch truncate unlink rm mv cp link symlink modify change "
    "format fix convert extract unzip upload download store export generate install"
)
_REMOVERS: Final = frozenset({"delete", "remove", "unlink", "rm", "rmdir"})
_MOVERS: Final = frozenset({"move", "rename", "mv"})
_LINKERS: Final = frozenset({"symlink", "link"})
_FROM: Final = names("source source_path src src_path from from_path old_path path")

_SPECIAL: Final[Mapping[str, Mapping[str, Role]]] = {
    "glob": {"pattern": "pattern", "path": "base", "dir_path": "base"},
    "grep": {"path": "base", "glob": "filter"},
    "grep_search": {"dir_path": "base", "include": "filter", "include_pattern": "filter"},
    "search_file_content": {"path": "base", "dir_path": "base", "include": "filter"},
    "read_many_files": {"include": "pattern", "paths": "pattern", "exclude": "filter"},
    "list_files": {"path": "base"},
    "list_directory": {"path": "base", "dir_path": "base"},
    "ls": {"path": "base"},
    "apply_patch": {"input": "patch", "patch": "patch", "patch_text": "patch", "command": "patch"},
    "patch": {"input": "patch", "patch": "patch", "patch_text": "patch", "diff": "patch"},
    "apply_diff": {"path": "write", "diff": "patch"},
    "str_replace_editor": {"path": "edit"},
    "str_replace_based_edit_tool": {"path": "edit"},
    "text_editor": {"path": "edit"},
    "file_editor": {"path": "edit"},
    "artifact": {"file_path": "read"},
    "workflow": {"script_path": "read"},
}
"""Arguments that their name alone does not explain.

Sources: the tools' argument types of Claude Code 2.1, Codex, Gemini CLI 0.61, the MCP filesystem
server, and Anthropic's text editor tools.
"""

_NEEDS_A_PATH: Final = names(
    "read write multi_edit notebook_edit read_file write_file read_text_file read_media_file "
    "read_multiple_files edit_file create_directory directory_tree move_file delete_file"
)
_EDITORS_WITH_VIEW: Final = frozenset(
    ["str_replace_editor", "str_replace_based_edit_tool", "text_editor", "file_editor"]
)
_FOLDERS: Final = names(
    "workdir work_dir working_dir working_directory dir_path cwd dir directory folder"
)
_NO_PATHS: Final[Mapping[str, Role]] = {}


class ToolPlan:
    """The facts about one tool.

    Args:
        name: the tool's plain name.
        given: the operator's own table for the tool; it replaces all that is built in.
        runs_commands: whether it runs shell commands, so that its one path is their folder.
    """

    __slots__ = (
        "_default",
        "_given",
        "_special",
        "_words",
        "has_view",
        "needs_path",
        "runs_commands",
        "searches",
    )

    def __init__(
        self, name: str, given: Mapping[str, Role] | None, *, runs_commands: bool = False
    ) -> None:
        self._given = given
        self.runs_commands = runs_commands
        self._special = _SPECIAL.get(name, _NO_PATHS)
        self._words = frozenset(name.split("_"))
        writes = not self._words.isdisjoint(_WRITERS) or self._words.isdisjoint(_READERS)
        self._default: Role = "write" if writes else "read"
        if not self._words.isdisjoint(_REMOVERS):
            self._default = "remove"
        self.needs_path = given is None and name in _NEEDS_A_PATH
        self.has_view = name in _EDITORS_WITH_VIEW
        self.searches = given is None and "base" in self._special.values()

    def role(self, argument: str) -> tuple[Role, bool] | None:
        """Return the part that an argument plays.

        Args:
            argument: its plain name.

        Returns:
            The role, and whether the argument is a path for certain; None when it is none.
        """
        if self._given is not None:
            role = self._given.get(argument)
            return (role, True) if role else None
        if self.runs_commands:
            return ("folder", True) if argument in _FOLDERS else None
        if role := self._special.get(argument):
            return role, True
        if argument in _PATHS:
            return self._of_a_path(argument), True
        if argument in _MAYBE:
            is_file_tool = not self._words.isdisjoint({"file", "files", "directory", "folder"})
            return self._of_a_path(argument), is_file_tool and argument not in {"uri", "url"}
        return None

    def _of_a_path(self, argument: str) -> Role:
        if not self._words.isdisjoint(_LINKERS) and argument not in {"path", "link_path"}:
            return "target" if argument in _FROM or argument == "target" else "write"
        if argument in _FROM and argument != "path":
            if not self._words.isdisjoint(_MOVERS):
                return "remove"
            if "copy" in self._words or "cp" in self._words:
                return "read"
        return self._default


@lru_cache(4096)
def plain_argument(name: str) -> str:
    """Return an argument's name as tables have it: ``filePath`` is file_path."""
    return sanitize_tool_name(name)


def plan_for(
    name: str, given: Mapping[str, Mapping[str, Role]], *, runs_commands: bool = False
) -> ToolPlan:
    """Return the plan for a tool.

    Args:
        name: the tool's name as the model wrote it.
        given: the operator's tables, by plain name.
        runs_commands: whether the tool runs shell commands.
    """
    whole = sanitize_tool_name(name)
    # An MCP server's name stands before the tool's: mcp__files__read_file, files.read_file.
    last = name.replace("/", "__").replace(".", "__").replace(":", "__").rsplit("__", 1)[-1]
    short = sanitize_tool_name(last) or whole
    for form in (whole, short):
        if form in given:
            return ToolPlan(form, given[form], runs_commands=runs_commands)
    return ToolPlan(short, None, runs_commands=runs_commands)
