"""Making the distribution of a new policy from the templates beside this module.

They differ in a handful of names only, so that replacing these is all there is to it: copier or
cookiecutter would bring a dozen distributions for it.
"""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from ..failure import UsageError

__all__ = ["KINDS", "make_project"]

KINDS = {
    "gate": "Stops tool calls by the tool's name.",
    "redactor": "Takes words out of what tools return.",
    "observer": "Logs the tool calls that have ended.",
    "wrap": "Tells of tool calls that take too long.",
}
_TEMPLATE = Path(__file__).parent / "template"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_TAKEN = frozenset(("hookcore", "hookcore-specs", "hookctl", "test", "tests"))
_ENDING = ".in"


def make_project(name: str, kind: str, inside: Path) -> Path:
    """Make a project.

    Args:
        name: the plugin's and the distribution's name, such as ``no-payments``.
        kind: one of :data:`KINDS`.
        inside: the folder that the project's own comes into.

    Returns:
        The project's folder, which is there whole or not at all.

    Raises:
        UsageError: the name will not do, or there is such a folder already.
        OSError: it cannot be written.
    """
    _check_name(name)
    target = inside / name
    if target.exists():
        raise UsageError(f"{target} is there already: take another name, or remove it")
    words = {
        "NAME": name,
        "PACKAGE": name.replace("-", "_"),
        "CLASS": "".join(part.capitalize() for part in name.split("-")),
        "SUMMARY": KINDS[kind],
        "VERSION": "0.1",
    }
    made = Path(tempfile.mkdtemp(dir=inside, prefix=f".{name}."))
    try:
        for source in (_TEMPLATE / "common", _TEMPLATE / kind):
            _copy(source, made, words)
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
        made.rename(target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return target


def _check_name(name: str) -> None:
    package = name.replace("-", "_")
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{name!r} will not do as a name: take lower-case words and digits with - between, "
            "such as no-payments"
        )
    if package in sys.stdlib_module_names or keyword.iskeyword(package) or name in _TAKEN:
        raise UsageError(f"{name} is the name of something of Python's or hookcore's: take another")


def _copy(source: Path, target: Path, words: dict[str, str]) -> None:
    for file in sorted(source.rglob(f"*{_ENDING}")):
        inner = (
            str(file.relative_to(source)).removesuffix(_ENDING).replace("PACKAGE", words["PACKAGE"])
        )
        place = target / (f".{inner}" if inner == "gitignore" else inner)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        place.write_text(text, encoding="utf-8")
