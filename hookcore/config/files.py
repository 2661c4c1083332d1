"""Finding and reading the files that configuration lives in."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..disk.homes import own_folder
from ..errors import ConfigError
from ..later import tomllib
from .model import ConfigFile

if TYPE_CHECKING:
    from .model import LayerName

__all__ = [
    "FILE_NAME",
    "PYPROJECT",
    "bundle_file",
    "config_files",
    "current_bundle",
    "fixed_files",
    "parse",
    "project_file",
    "read_table",
    "working_folder",
]

FILE_NAME = "hookcore.toml"
PYPROJECT = "pyproject.toml"

# Never from the environment: whoever starts the process could point it elsewhere.
SYSTEM_FILE = Path(
    r"C:\ProgramData\hookcore\hookcore.toml" if os.name == "nt" else "/etc/hookcore/hookcore.toml"
)

# Fixed as well: whoever runs agents must not be the one who says whose policies they run under.
BUNDLE_FOLDER = Path(
    r"C:\ProgramData\hookcore\bundle" if os.name == "nt" else "/var/lib/hookcore/bundle"
)
_CURRENT = "current"
_MAX_BYTES = 8 * 1024 * 1024


def user_file() -> Path | None:
    """Return the path of the user's own file, which need not exist; None without a home."""
    from platformdirs import user_config_dir

    folder = own_folder(user_config_dir)
    return None if folder is None else folder / FILE_NAME


def current_bundle() -> Path:
    """Return the path of the configuration of the bundle in force, by way of its link."""
    return BUNDLE_FOLDER / _CURRENT / FILE_NAME


def bundle_file() -> ConfigFile:
    """Name the configuration of the bundle in force, which need not exist.

    The link to the folder in force is followed here, once, so that the lock beside the file is the
    same revision's also when the link changes meanwhile.

    Raises:
        ConfigError: it cannot be read.
    """
    path = Path(os.path.realpath(BUNDLE_FOLDER / _CURRENT)) / FILE_NAME
    return ConfigFile("bundle", path, _is_there(path))


def working_folder(start: str | Path | None) -> Path:
    """Return the folder that the search for a project's file begins in.

    Args:
        start: a folder, or a file in it; None for the process's working folder.

    Returns:
        An absolute path.

    Raises:
        ConfigError: the working folder is gone.
    """
    try:
        # abspath, because resolve() would walk up from where a link leads
        folder = Path(os.path.abspath(start if start is not None else Path.cwd()))  # noqa: PTH100
    except OSError as error:
        raise ConfigError(
            "the working folder cannot be read, so the project's configuration cannot be found "
            f"({error.strerror}): change to a folder that exists, or pass start="
        ) from error
    return folder.parent if folder.is_file() else folder


def fixed_files() -> tuple[ConfigFile, ...]:
    """Name the system's file and the user's; a user without a home folder has none.

    Raises:
        ConfigError: a file cannot be read.
    """
    fixed: list[tuple[LayerName, Path]] = [("system", SYSTEM_FILE)]
    user = user_file()
    if user is not None:
        fixed.append(("user", user))
    return tuple(ConfigFile(layer, path, _is_there(path)) for layer, path in fixed)


def config_files(start: str | Path | None) -> tuple[ConfigFile, ...]:
    """Name the file of each layer, the weakest layer first.

    Args:
        start: where the search for the project's file begins; None for the working folder.

    Returns:
        The system's, the user's and the project's file; for a project without one, the file that
        would be made. A user without a home folder has none.

    Raises:
        ConfigError: a folder holds two configurations, or a file cannot be read.
    """
    folder = working_folder(start)
    fixed = fixed_files()
    project = project_file(folder)
    if project is not None and any(_same(project, file.path) for file in fixed):
        project = None  # working inside /etc/hookcore or the user's own configuration folder
    return (*fixed, ConfigFile("project", project or folder / FILE_NAME, project is not None))


def project_file(folder: Path) -> Path | None:
    """Find the nearest project configuration at or above a folder.

    Args:
        folder: an absolute path.

    Returns:
        A ``hookcore.toml``, or a ``pyproject.toml`` with a ``[tool.hookcore]`` table; None when
        there is neither.

    Raises:
        ConfigError: one folder holds both, or a file cannot be read.
    """
    for place in (folder, *folder.parents):
        own, pyproject = place / FILE_NAME, place / PYPROJECT
        has_own = _is_there(own, searching=True)
        has_pyproject = _is_there(pyproject, searching=True) and read_table(pyproject) is not None
        if has_own and has_pyproject:
            raise ConfigError(
                f"both {own} and the table [tool.hookcore] in {pyproject} configure this folder: "
                "move everything into one of them and delete the other",
                file=own,
            )
        if has_own or has_pyproject:
            return own if has_own else pyproject
    return None


def read_table(file: Path) -> dict[str, Any] | None:
    """Read hookcore's table from a file.

    Args:
        file: a ``hookcore.toml``, or a ``pyproject.toml``.

    Returns:
        The whole document, or what ``[tool.hookcore]`` holds; None when a ``pyproject.toml`` has
        no such table.

    Raises:
        ConfigError: the file cannot be read, or is not TOML.
    """
    data = _read_bytes(file)
    if file.name != PYPROJECT:
        return parse(file, data)
    if b"hookcore" not in data:
        return None  # somebody else's file: whether it is TOML is none of our business
    tool = parse(file, data).get("tool")
    table = tool.get("hookcore") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(
            f"{file}: tool.hookcore must be a table, not {table!r}", file=file, key="tool.hookcore"
        )
    return table


def parse(file: Path, data: bytes) -> dict[str, Any]:
    """Parse a TOML document.

    Args:
        file: where it came from, for messages.
        data: its bytes; a byte order mark is allowed.

    Returns:
        The document.

    Raises:
        ConfigError: the bytes are not UTF-8 or not TOML.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{file} is not UTF-8 text (byte {error.start}): save it as UTF-8", file=file
        ) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", file=file) from error


def _read_bytes(file: Path) -> bytes:
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for ever
            raise ConfigError(f"{file} is not a regular file: move it away", file=file)
        if status.st_size > _MAX_BYTES:
            raise ConfigError(
                f"{file} holds {status.st_size:,} bytes, and a configuration may hold at most "
                f"{_MAX_BYTES:,}: is it the right file?",
                file=file,
            )
        return file.read_bytes()
    except OSError as error:
        raise _unreadable(file, error) from error


def _is_there(file: Path, *, searching: bool = False) -> bool:
    """Tell whether a path names anything, a broken or endless link included.

    ``searching`` tells a walk up the folders, where one that may not be entered holds no project.
    """
    try:
        os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError as error:
        if searching:
            return False
        raise _unreadable(file, error) from error
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from error
    return True


def _unreadable(file: Path, error: Exception) -> ConfigError:
    why = getattr(error, "strerror", None) or str(error)
    return ConfigError(
        f"{file} cannot be read: {why}: mend its permissions, or move it away", file=file
    )


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
