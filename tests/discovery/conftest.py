"""A folder to fabricate installed distributions in."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest


class Install(Protocol):
    """Fabricates the metadata of a distribution and returns its folder."""

    def __call__(
        self,
        name: str,
        entries: str | None,
        *,
        version: str = "1.0",
        site: Path | None = None,
        suffix: str = "dist-info",
    ) -> Path: ...


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def install(site: Path) -> Install:
    default = site

    def fabricate(
        name: str,
        entries: str | None,
        *,
        version: str = "1.0",
        site: Path | None = None,
        suffix: str = "dist-info",
    ) -> Path:
        folder = (site or default) / f"{name.replace('-', '_')}-{version}.{suffix}"
        folder.mkdir(parents=True)
        metadata = "METADATA" if suffix == "dist-info" else "PKG-INFO"
        header = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not this one\n"
        (folder / metadata).write_text(header, encoding="utf-8")
        if entries is not None:
            text = f"[hookcore.plugins]\n{entries}\n"
            (folder / "entry_points.txt").write_text(text, encoding="utf-8")
        return folder

    return fabricate
