"""Patterns of secrets that are known by how they begin.

All are RE2 expressions over bytes (Latin-1 mode), so that no input is slow or unreadable.
"""

from __future__ import annotations

from typing import Final

from ._providers import PROVIDERS

__all__ = ["BEGINNING", "TOKENS"]


BEGINNING: Final = (
    rb"(?:^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}"
    rb"|\x1b\[[0-9;]*m)"
)
"""The characters before a token. Written-out escapes and terminal colours end in letters and
digits, and still separate."""

_END: Final = rb"(?:\b|_)"

TOKENS: Final[tuple[tuple[str, bytes], ...]] = (
    ("jwt", rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    ("jwt", rb"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){4}"),  # encrypted: five parts
    ("anthropic_key", rb"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("api_key", rb"sk-or-(?:v1-)?[A-Za-z0-9]{32,}"),  # OpenRouter
    ("openai_key", rb"sk-(?:proj|svcacct|admin|None|live)-[A-Za-z0-9_-]{16,}"),
    ("openai_key", rb"sk-[A-Za-z0-9]{20}[A-Za-z0-9_-]*"),
    ("openai_key", rb"sess-[A-Za-z0-9]{40}"),
    ("aws_access_key", rb"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _END),
    ("azure_key", rb"[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("google_key", rb"AIza[A-Za-z0-9_-]{35}"),
    ("google_key", rb"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("google_key", rb"ya29\.[A-Za-z0-9_-]{20,}"),
    ("github_token", rb"gh[opsur]_[A-Za-z0-9]{36}[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{8,})*"),
    ("github_token", rb"github_pat_[A-Za-z0-9_]{22,}"),
    (
        "gitlab_token",
        (
            rb"(?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)|GR1348941)"
            rb"-?[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*"
        ),
    ),
    ("slack_token", rb"xox[abcdeoprs](?:\.xox[abcdeoprs])?-[A-Za-z0-9-]{10,}"),
    ("slack_token", rb"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    ("stripe_key", rb"(?:sk|rk)_(?:live|test|org_live|org_test)_[A-Za-z0-9]{16,}"),
    ("stripe_key", rb"whsec_[A-Za-z0-9+/]{24,}=*"),
    ("huggingface_token", rb"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("npm_token", rb"npm_[A-Za-z0-9]{36}"),
    ("pypi_token", rb"pypi-AgE[A-Za-z0-9_-]{40,}"),
    ("sendgrid_key", rb"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    ("twilio_key", rb"SK[0-9a-f]{32}" + _END),
    ("telegram_token", rb"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("digitalocean_token", rb"do[opr]_v1_[0-9a-f]{64}"),
    ("api_key", rb"gsk_[A-Za-z0-9]{40,}"),  # Groq
    ("api_key", rb"(?:xai|pplx)-[A-Za-z0-9]{40,}"),  # xAI, Perplexity
    ("api_key", rb"r8_[A-Za-z0-9]{37}"),  # Replicate
    ("api_key", rb"dapi[0-9a-f]{32}(?:-[0-9]+)?" + _END),  # Databricks
    ("api_key", rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),  # Shopify
    ("api_key", rb"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}"),  # Square
    ("api_key", rb"[0-9a-f]{32}-us[0-9]{1,2}" + _END),  # Mailchimp
    ("api_key", rb"ATATT3[A-Za-z0-9_=-]{40,}"),  # Atlassian
    ("api_key", rb"lin_(?:api|oauth)_[A-Za-z0-9]{40,}"),  # Linear
    ("api_key", rb"(?:secret|ntn)_[A-Za-z0-9]{43,}"),  # Notion
    ("api_key", rb"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}"),  # Doppler
    ("api_key", rb"hv[sbr]\.[A-Za-z0-9_-]{24,}"),  # Vault
    ("api_key", rb"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"),  # Grafana
    ("api_key", rb"NR(?:AK|II|JS|BR|RA)-[A-Za-z0-9_-]{19,32}" + _END),  # New Relic
    ("api_key", rb"sntry[su]_[A-Za-z0-9+/=_]{40,}"),  # Sentry
    ("api_key", rb"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),  # Docker
    ("api_key", rb"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),  # Postman
    ("api_key", rb"sbp_[0-9a-f]{40}"),  # Supabase
    ("api_key", rb"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9._=-]{32,}"),  # PlanetScale
    ("api_key", rb"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{16,}"),  # Tailscale
    ("api_key", rb"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),  # LangSmith
    ("api_key", rb"pcsk_[A-Za-z0-9_]{40,}"),  # Pinecone
    ("api_key", rb"figd_[A-Za-z0-9_-]{40,}"),  # Figma
    ("api_key", rb"rubygems_[0-9a-f]{48}"),
    ("api_key", rb"oy2[a-z0-9]{43}" + _END),  # NuGet
    ("api_key", rb"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,}"),
    *((("api_key", shape)) for shape in PROVIDERS),
)
"""Kind and shape of each token; of two that fit, the first counts."""
