"""``constraints.txt``: versions that must be installed if anything of a distribution is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from packaging.requirements import InvalidRequirement, Requirement

from ._refused import RefusedError

__all__ = ["check_constraints"]


def check_constraints(data: bytes) -> None:
    """Compare what is installed with the constraints of a bundle; nothing is ever installed.

    Args:
        data: lines such as ``hookcore-limits==1.2``, as pip's constraints files have them.

    Raises:
        RefusedError: a line is none, or another version is installed.
    """
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise RefusedError("constraints", "constraints.txt is not UTF-8 text") from None
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            _check(text, number)


def _check(text: str, number: int) -> None:
    try:
        wanted = Requirement(text)
    except InvalidRequirement:
        raise RefusedError(
            "constraints", f"line {number} of constraints.txt is none such as hookcore-limits==1.2"
        ) from None
    if wanted.url is not None:
        raise RefusedError("constraints", f"line {number} of constraints.txt names a URL")
    if wanted.marker is not None and not wanted.marker.evaluate():
        return
    try:
        installed = version(wanted.name)
    except PackageNotFoundError:
        return
    if not wanted.specifier.contains(installed, prereleases=True):
        raise RefusedError(
            "constraints",
            f"{wanted.name} {installed} is installed, and constraints.txt says "
            f"{wanted.specifier}: install that one",
        )
