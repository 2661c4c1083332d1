"""Keys of further providers, each with a beginning of its own."""

from __future__ import annotations

from typing import Final

__all__ = ["PROVIDERS"]

_UUID: Final = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_END: Final = rb"(?:\b|_)"

PROVIDERS: Final[tuple[bytes, ...]] = (
    # Hosting and clouds
    rb"nf[pcoub]_[A-Za-z0-9]{36,}",  # Netlify
    rb"(?:vc[paikr]|vercel)_[A-Za-z0-9_]{24,}",  # Vercel
    rb"HRKU-[A-Za-z0-9_-]{32,}",  # Heroku
    rb"rnd_[A-Za-z0-9]{28,}",  # Render
    rb"(?:FlyV1 )?fm[12][a-z]?_[A-Za-z0-9+/=_-]{40,}",  # Fly.io
    rb"fo1_[A-Za-z0-9_-]{43}",
    rb"tk-us-[A-Za-z0-9_-]{48}",  # Scalingo
    rb"LTAI[A-Za-z0-9]{16,20}" + _END,  # Alibaba Cloud
    rb"AKID[A-Za-z0-9]{32}" + _END,  # Tencent Cloud
    rb"ABSK[A-Za-z0-9+/]{60,}={0,2}",  # Amazon Bedrock
    rb"GOOG1?[A-Z0-9]{20,60}" + _END,  # Google Cloud Storage, HMAC
    rb"1//0[A-Za-z0-9_-]{40,}",  # Google, refresh token
    rb"AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}",  # Firebase Cloud Messaging
    rb"AQVN[A-Za-z0-9_-]{35,38}",  # Yandex Cloud
    rb"t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Z0-9a-z_-]{86}={0,2}",
    rb"y0_[A-Za-z0-9_-]{50,}",
    rb"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}",  # Cloudflare, origin CA
    rb"cf(?:ut|at|k)_[A-Za-z0-9_-]{40,}",
    rb"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}",  # Azure AI services
    rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}",  # Azure DevOps
    rb"[A-Za-z0-9+/_-]{40,52}A(?:Sb|zF|zS|zC|CR)[A-Za-z0-9+/]{5,9}={1,2}",  # Azure services
    # Builds, code, packages
    rb"pul-[0-9a-f]{40}",  # Pulumi
    rb"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}",  # CircleCI
    rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",  # HCP Terraform
    rb"bk(?:ua|at|ct|aj)_[A-Za-z0-9]{32,}",  # Buildkite
    rb"sq[pua]_[0-9a-f]{40}",  # SonarQube
    rb"(?:sgp|sgd|slk)_[A-Za-z0-9_]{40,}",  # Sourcegraph
    rb"cio[A-Za-z0-9]{32}" + _END,  # crates.io
    rb"CLOJARS_[0-9a-z]{60}",
    rb"AKCp[A-Za-z0-9]{60,}",  # Artifactory
    rb"cmVmdGtuOj[A-Za-z0-9+/=]{40,}",
    rb"(?:ATBB|ATCTT3|ATTA|ATOA)[A-Za-z0-9_=+/-]{30,}",  # Bitbucket, Trello
    rb"ddp_[A-Za-z0-9]{36}",  # Deno
    rb"dd[pw]_[A-Za-z0-9]{36}",
    rb"ico-[A-Za-z0-9]{32}",  # Infracost
    rb"API-[A-Z0-9]{26,32}" + _END,  # Octopus Deploy
    rb"sha256~[A-Za-z0-9_-]{43}",  # OpenShift
    rb"pnu_[A-Za-z0-9]{36}",  # Prefect
    rb"glrt-t[0-9]_[A-Za-z0-9_-]{20,}",
    rb"e2b_[0-9a-f]{40}",
    rb"figu_[A-Za-z0-9_-]{40,}",
    rb"(?:sdk|api|mob|rel)-" + _UUID,  # LaunchDarkly
    rb"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}",  # Infisical
    # Passwords and identity
    rb"ops_eyJ[A-Za-z0-9_+/=-]{40,}",  # 1Password
    rb"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    rb"(?:dp\.(?:rs|svc)|dvls)\.[A-Za-z0-9._-]{30,}",
    # Messages, mail, office
    rb"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord, bot
    rb"mfa\.[A-Za-z0-9_-]{84}",
    rb"key-[0-9a-f]{32}" + _END,  # Mailgun
    rb"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}" + _END,
    rb"x(?:keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}",  # Brevo
    rb"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}",  # Resend
    rb"(?:mlsn|POSTMARK)\.?[0-9a-f]{64}",  # MailerSend
    rb"pat-(?:na|eu|ap)[0-9]-" + _UUID,  # HubSpot
    rb"CF(?:PAT|SCTM)-[A-Za-z0-9_-]{43,}",  # Contentful
    rb"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Airtable
    rb"tfp_[A-Za-z0-9_.=-]{40,}",  # Typeform
    rb"pk_[0-9]{4,12}_[A-Z0-9]{32}" + _END,  # ClickUp
    rb"dG9rO[A-Za-z0-9+/=]{30,}",  # Intercom
    rb"fio-u-[A-Za-z0-9_=-]{64}",  # Frame.io
    rb"sl\.(?:u\.)?[A-Za-z0-9_-]{60,}",  # Dropbox
    rb"EAA[A-Z][A-Za-z0-9]{60,}",  # Meta
    rb"IG[A-Z]{2}[A-Za-z0-9_-]{60,}",
    rb"AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{30,}",  # X
    rb"1000\.[0-9a-f]{32}\.[0-9a-f]{32}",  # Zoho
    # Models and search
    rb"nvapi-[A-Za-z0-9_-]{40,}",  # NVIDIA
    rb"sk_[0-9a-f]{40,64}" + _END,  # ElevenLabs
    rb"(?:sk|pk)-lf-" + _UUID,  # Langfuse
    rb"sk-helicone-[A-Za-z0-9-]{16,}",
    rb"fw_[A-Za-z0-9]{22,}",  # Fireworks
    rb"tgp_v1_[A-Za-z0-9_-]{40,}",  # Together
    rb"(?:csk|wsk|jina_|tvly-|fc-|tsk_|bb_live_|bb_test_)-?(?:dev-|prod-)?[A-Za-z0-9_-]{28,}",
    rb"esecret_[A-Za-z0-9]{24,}",  # Anyscale
    rb"(?:ak|as)-[A-Za-z0-9]{22}" + _END,  # Modal
    rb"wandb_v1_[A-Za-z0-9_]{40,}",
    rb"vlt_[A-Za-z0-9_-]{30,}",
    # Data, watching
    rb"sb_secret_[A-Za-z0-9_-]{20,}",  # Supabase
    rb"napi_[a-z0-9]{40,}",  # Neon
    rb"ph[xs]_[A-Za-z0-9]{40,}",  # PostHog
    rb"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",  # Dynatrace
    rb"aio_[A-Za-z0-9]{28}",  # Adafruit
    rb"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",  # MaxMind
    rb"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}",  # Mapbox
    rb"glpc_[A-Za-z0-9+/=_-]{32,}",
    rb"rdme_[a-z0-9]{70}",
    rb"zpka_[A-Za-z0-9_]{40,}",  # Zuplo
    rb"sm_(?:pat|aat|sat)_[A-Za-z0-9]{16}",  # SettleMint
    rb"lob_(?:live|test)_[A-Za-z0-9_]{30,}",
    # Payments
    rb"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",  # Braintree
    rb"EAAA[A-Za-z0-9_-]{60}",  # Square
    rb"sq0i(?:dp|db)-[A-Za-z0-9_-]{22,}",
    rb"access-(?:sandbox|development|production)-" + _UUID,  # Plaid
    rb"shippo_(?:live|test)_[0-9a-f]{40}",
    rb"EZ[AT]K[A-Za-z0-9]{54}",  # EasyPost
    rb"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}",
    rb"FLWSECK(?:_TEST)?-[A-Za-z0-9-]{32,}",  # Flutterwave
    rb"pdl_(?:live|sdbx)_[A-Za-z0-9_]{40,}",  # Paddle
    rb"rzp_(?:live|test)_[A-Za-z0-9]{14}",  # Razorpay
    rb"(?:live|test)_[A-Za-z0-9]{30,}" + _END,  # Mollie, GoCardless, Lob
    # Wallets
    rb"[xyz]prv[1-9A-HJ-NP-Za-km-z]{107}",
    rb"nsec1[a-z0-9]{58}",
)
"""The shape of each; all are of the kind ``api_key``."""
