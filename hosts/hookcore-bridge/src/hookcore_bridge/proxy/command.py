"""``hookctl proxy``."""

from __future__ import annotations

import asyncio
import contextvars
import sys

import click

from hookctl.examples import examples
from hookctl.output import one_line


@click.command(
    "proxy",
    epilog=examples(
        "hookctl proxy",
        "hookctl proxy --listen 127.0.0.1:8940 --judged-only",
        "hookctl proxy --upstream https://models.example.com/api",
    ),
)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:8940",
    show_default=True,
    help="Where clients find the proxy; port 0 is any that is free.",
)
@click.option("--upstream", metavar="URL", help="The address of all models, such as a gateway's.")
@click.option(
    "--anthropic",
    metavar="URL",
    default="https://api.anthropic.com",
    show_default=True,
    help="The address for Anthropic's format.",
)
@click.option(
    "--openai",
    metavar="URL",
    default="https://api.openai.com",
    show_default=True,
    help="The address for OpenAI's formats.",
)
@click.option(
    "--google",
    metavar="URL",
    default="https://generativelanguage.googleapis.com",
    show_default=True,
    help="The address for Gemini's format.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name by which clients may call the proxy, beside this machine's own.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="A web page's origin that may use the proxy.",
)
@click.option(
    "--judged-only",
    is_flag=True,
    help="Refuse what may carry content and cannot be judged: files, batches, embeddings.",
)
def command(
    *,
    listen: str,
    upstream: str | None,
    anthropic: str,
    openai: str,
    google: str,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    judged_only: bool,
) -> None:
    """Stand between any client and its models, with the enabled policies.

    Give clients this address in the place of the model's: ANTHROPIC_BASE_URL, OPENAI_BASE_URL (with
    /v1), GOOGLE_GEMINI_BASE_URL. Keys pass through, and are neither kept nor logged.
    """
    from ..relay.guard import Guard
    from ..relay.serving import Address, needs_aiohttp, serve
    from ..relay.upstream import checked_url, open_client, warn_of_plain

    needs_aiohttp("proxy")
    from hookcore import HookManager

    from .host import HOST
    from .server import ModelProxy, Upstreams

    address, guard = Address(listen), Guard(hosts, origins)
    urls = [checked_url(upstream or url) for url in (anthropic, openai, google)]
    address.warn(_note)
    for url in dict.fromkeys(urls):
        warn_of_plain(url, _note)
    # `hookctl` keeps what is only tried out from the log of decisions; this here is real.
    manager = contextvars.Context().run(HookManager.load)
    HOST.declare(manager)

    async def run() -> None:
        async with open_client() as client:
            proxy = ModelProxy(
                manager, client, Upstreams(*urls), guard, _note, judged_only=judged_only
            )
            await serve(proxy.answer, address, lambda at: _note(f"listening at {at}"))

    asyncio.run(run())


def _note(text: str) -> None:
    sys.stderr.write(one_line(f"hookctl proxy: {text}") + "\n")
