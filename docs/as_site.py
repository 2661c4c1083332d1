"""Make a site of the same files that are read as plain Markdown; mkdocs.yml names this module.

Pages outside of docs/, such as each distribution's README, become pages of the site, and links to
them lead there. A link to code, which the site does not hold, stays as its text.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"
ABOUT = {
    "SECURITY.md": "Security",
    "CHANGELOG.md": "Changelog",
    "CONTRIBUTING.md": "Contributing",
    "examples/transcripts/README.md": "Recorded runs",
}
_LINK = re.compile(
    r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)"
)
_FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)


def outside() -> dict[str, str]:
    """Return the pages outside of docs/, by their path in the repository, with their titles."""
    pages = dict(ABOUT)
    for kind in ("plugins", "hosts"):
        for path in sorted(ROOT.glob(f"{kind}/*/README.md")):
            pages[path.relative_to(ROOT).as_posix()] = path.parent.name
    return pages


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages outside of docs/ into the navigation."""
    pages, nav = outside(), config.nav or []
    for title, kind in (("Policies", "plugins/"), ("Hosts", "hosts/")):
        entries = [{name: path} for path, name in pages.items() if path.startswith(kind)]
        nav.append({title: entries})
    nav.append({"About": [{title: path} for path, title in ABOUT.items()]})
    config.nav = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/."""
    for path in outside():
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Have links lead to the pages of the site."""
    uri = page.file.src_uri
    place = uri if uri in outside() else f"{DOCS}/{uri}"
    parts = _FENCE.split(markdown)
    return "".join(
        part
        if part.startswith("```")
        else _LINK.sub(lambda link: _led(link, place, uri, files), part)
        for part in parts
    )


def _led(link: re.Match[str], place: str, uri: str, files: Files) -> str:
    """Return a link as the site has it; the text alone where the site has no such page."""
    mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
    if (ROOT / path / "README.md").is_file():
        path = posixpath.join(path, "README.md")
    known = path.removeprefix(f"{DOCS}/") if path.startswith(f"{DOCS}/") else path
    if known == "README.md":
        known = "index.md"
    if files.get_file_from_path(known) is None:
        is_code = (ROOT / path).exists() and not path.startswith(f"{DOCS}/")
        return text if is_code else link[0]
    return f"{mark}[{text}]({posixpath.relpath(known, posixpath.dirname(uri) or '.')}{anchor})"
