"""The installed files of a plugin's distribution, and their digests."""
# Paths stay strings where whole trees are walked.
# ruff: noqa: PTH112, PTH113, PTH118, PTH119, PTH123

from __future__ import annotations

import base64
import csv
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..discovery import editable_project
from .locating import locate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..discovery import PluginSource

__all__ = ["MISSING", "Installed", "installed_files", "listed_digest", "package_files"]

MISSING = "missing"
_CODE = (".py", ".pyi", ".pyc", ".so", ".pyd", ".dylib", ".dll")
# What installers write about themselves differs from machine to machine.
_VOLATILE = {"RECORD", "RECORD.jws", "RECORD.p7s", "INSTALLER", "REQUESTED", "direct_url.json"}
_CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class Installed:
    """The files of one distribution on the disk: each file and its digest."""

    files: Mapping[str, str]
    """Digests by path, relative to where the distribution was installed."""
    tampered: tuple[str, ...] = ()
    """Files that are not what the distribution's own RECORD says of them."""

    def __post_init__(self) -> None:
        # Names that are no text are written as a lock file can keep them.
        clean = {_clean(path): digest for path, digest in self.files.items()}
        object.__setattr__(self, "files", clean)

    @property
    def digest(self) -> str:
        """One digest of all files."""
        return listed_digest(self.files)


def _clean(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def listed_digest(files: Mapping[str, str]) -> str:
    """Return one digest of a list of files and their digests."""
    lines = "".join(f"{path}\0{digest}\n" for path, digest in sorted(files.items()))
    return "sha256:" + hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()


def installed_files(source: PluginSource) -> Installed:
    """Read and hash the files of the distribution that offers a plugin.

    Args:
        source: the plugin.

    Returns:
        The files that its RECORD lists and any further code in its packages; of an editable
        install or one without RECORD, the files of the plugin's top-level package. Compiled
        caches and what lies outside of the installation's folder are left out.
    """
    location = source.location
    if not os.path.isdir(location):
        return Installed({os.path.basename(location): _hash(location)})
    record = os.path.join(location, "RECORD")
    if editable_project(location) is None and os.path.isfile(record):
        return _recorded(location, record)
    files = dict(_of_module(source))
    about = os.path.join(location, "entry_points.txt")
    files[f"{os.path.basename(location)}/entry_points.txt"] = _hash(about)
    return Installed(files)


def package_files(root: str, package: str) -> dict[str, str]:
    """Read and hash the code of a package.

    Args:
        root: the folder that the package lies in.
        package: its name.

    Returns:
        Digests by path, relative to the folder.
    """
    found = _tree(root, package, code_only=True)
    return {path: _hash(os.path.join(root, path)) for path in found}


def recorded_paths(location: str) -> dict[str, str] | None:
    """Read a RECORD: the path of each file and what is said of its hash; None without one."""
    try:
        with open(os.path.join(location, "RECORD"), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, ValueError, csv.Error):
        return None
    return {row[0].replace("\\", "/"): row[1] if len(row) > 1 else "" for row in rows}


def _recorded(location: str, record: str) -> Installed:
    site, own = os.path.split(location)
    said = recorded_paths(location)
    if said is None:
        return Installed({f"{own}/{os.path.basename(record)}": MISSING})
    files: dict[str, str] = {}
    tampered = []
    for path, expected in said.items():
        if not _counts(path, own):
            continue
        files[path], plain = _both(os.path.join(site, path))
        if expected.startswith("sha256=") and plain != expected:
            tampered.append(path)
    for path in _further_code(site, said):
        files.setdefault(path, _hash(os.path.join(site, path)))
    return Installed(files, tuple(tampered))


def _counts(path: str, own: str) -> bool:
    parts = path.split("/")
    outside = path.startswith("/") or ".." in parts
    volatile = parts[0] == own and parts[-1] in _VOLATILE
    return not (outside or volatile or _CACHE in parts)


def _further_code(site: str, listed: Iterable[str]) -> Iterator[str]:
    """Find code in the packages that RECORD does not list: it could come before what it lists."""
    packages = {path.rpartition("/")[0] for path in listed if path.endswith("/__init__.py")}
    outermost = (p for p in packages if p.rpartition("/")[0] not in packages and _counts(p, ""))
    for package in sorted(outermost):
        yield from _tree(site, package, code_only=True)


def _of_module(source: PluginSource) -> Iterator[tuple[str, str]]:
    found = locate(source.value.partition(":")[0].strip())
    if found is None:
        return
    root = str(found.root)
    if not found.is_package:
        yield found.file.name, _hash(str(found.file))
        return
    for path in _tree(root, str(found.file.parent.relative_to(root).as_posix()), code_only=False):
        yield path, _hash(os.path.join(root, path))


def _tree(root: str, folder: str, *, code_only: bool) -> Iterator[str]:
    seen: set[str] = set()
    for place, folders, names in os.walk(os.path.join(root, folder), followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()  # a link back to where we have been
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name != _CACHE)
        for name in sorted(names):
            if code_only and not name.endswith(_CODE):
                continue
            path = os.path.relpath(os.path.join(place, name), root)
            yield Path(path).as_posix()


def _hash(path: str) -> str:
    return _both(path)[0]


def _both(path: str) -> tuple[str, str]:
    """Return a file's digest as we write it and as RECORD does."""
    hashed = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                hashed.update(block)
    except OSError:
        return MISSING, MISSING
    encoded = base64.urlsafe_b64encode(hashed.digest()).rstrip(b"=").decode()
    return f"sha256:{hashed.hexdigest()}", f"sha256={encoded}"
