"""The kinds that can be redacted: the built-in kinds, in two groups."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

__all__ = ["EXTENSIBLE", "GROUPS", "PII", "SECRETS", "expand_kinds", "tag_of"]

SECRETS: Final = (
    "private_key",
    "jwt",
    "anthropic_key",
    "openai_key",
    "aws_access_key",
    "aws_secret_key",
    "azure_key",
    "google_key",
    "github_token",
    "gitlab_token",
    "slack_token",
    "slack_webhook",
    "stripe_key",
    "huggingface_token",
    "npm_token",
    "pypi_token",
    "sendgrid_key",
    "twilio_key",
    "telegram_token",
    "digitalocean_token",
    "api_key",
    "bearer_token",
    "url_password",
    "auth_header",
    "cookie",
    "connection_string",
    "config_secret",
    "password",
    "labelled_key",
)
"""Kinds that give access to something; no tool and no model needs to see them."""

PII: Final = (
    "email",
    "phone",
    "card",
    "iban",
    "ip",
    "us_ssn",
    "national_id",
    "passport",
    "birth_date",
    "mac",
    "street_address",
)
"""Kinds that tell who a person is, or where."""
EXTENSIBLE: Final = frozenset(
    {
        "auth_header",
        "birth_date",
        "config_secret",
        "connection_string",
        "cookie",
        "labelled_key",
        "mac",
        "national_id",
        "passport",
        "password",
        "street_address",
    }
)
"""Kinds whose name an operator's pattern may bear: it adds to what is found."""

GROUPS: Final = {"secrets": SECRETS, "pii": PII}


def tag_of(kind: str) -> str:
    """Return what a placeholder calls a kind: ``EMAIL`` for ``email``."""
    return kind.upper()


def expand_kinds(names: Iterable[str], custom: dict[str, str]) -> frozenset[str]:
    """Return the kinds that a list of kinds and groups stands for.

    Args:
        names: kinds, names of custom patterns, ``"secrets"`` and ``"pii"``.
        custom: the group of each custom pattern, by its name.

    Raises:
        ValueError: a name is unknown; the text offers the nearest right one.
    """
    kinds: set[str] = set()
    for name in names:
        if name in GROUPS:
            kinds.update(GROUPS[name])
            kinds.update(kind for kind, group in custom.items() if group == name)
        elif name in custom or name in SECRETS or name in PII:
            kinds.add(name)
        else:
            raise ValueError(_unknown(name, custom))
    return frozenset(kinds)


def _unknown(name: str, custom: Iterable[str]) -> str:
    known = [*GROUPS, *SECRETS, *PII, *custom]
    near = get_close_matches(name, known, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"the kinds are {', '.join(known)}"
    return f"there is no kind {name!r}: {hint}"
