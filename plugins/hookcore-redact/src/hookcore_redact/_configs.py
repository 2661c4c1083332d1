"""Secrets in configuration files, known by the file's own form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ._encoded import decoded
from ._regex import compile_bytes
from ._spans import Span
from ._values import is_secret_value

__all__ = ["ConfigDetector", "SecretManifestDetector", "config_detectors"]

_Q: Final = rb"\\*\""
_BASE64: Final = rb"[A-Za-z0-9+/]"


class _Form(NamedTuple):
    kind: str
    shape: bytes
    hint: bytes
    check: Callable[[bytes], bool] | None = None


def _is_user_and_password(value: bytes) -> bool:
    text = decoded(value)
    return text is not None and b":" in text[:-1]


def _is_value(value: bytes) -> bool:
    return is_secret_value(value.decode("utf-8", "replace"), "password", quoted=True)


def _is_marked(value: bytes) -> bool:
    return is_secret_value(value.decode("utf-8", "replace"), "password", quoted=False)


def _is_long(value: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in value)  # noqa: PLR2004 - "0" to "9"


_FORMS: Final = (
    # Docker's config.json, and what else calls "user:password" in base64 "auth"
    _Form(
        "config_secret",
        rb"\b_?auth" + rb"\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?(" + _BASE64 + rb"{8,}={0,2})",
        rb"auth\\*[\"']?[ \t]*[:=]",
        _is_user_and_password,
    ),
    # .netrc
    _Form(
        "config_secret",
        (
            rb"(?i:machine[ \t]+\S+|\bdefault)\s+(?i:(?:login|account"
            rb"|user)\s+\S+\s+)*(?i:password|passwd)[ \t]+(\S{2,128})"
        ),
        rb"(?i:password|passwd)[ \t]",
        _is_marked,
    ),
    _Form(
        "config_secret",
        rb"(?i:\blogin)[ \t]+\S+\s+(?i:password|passwd)[ \t]+(\S{2,128})",
        rb"(?i:login)[ \t]",
        _is_marked,
    ),
    # .pgpass: host:port:database:user:password
    _Form(
        "config_secret",
        (
            rb"(?m:^|[\s\"'`])[A-Za-z*][A-Za-z0-9*.-]{0,253}:(?:[0-9]{2,5}"
            rb"|\*):[A-Za-z0-9_*-]{1,64}:[A-Za-z0-9_*.-]{1,64}:([^\s\"'`:]{3,128})(?m:$|[\s\"'`\\])"
        ),
        rb":(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,}:[A-Za-z0-9_*.-]{1,}:[^\s]",
        _is_value,
    ),
    # kubeconfig
    _Form(
        "config_secret",
        rb"client-key-data\\*[\"']?[ \t]*:[ \t]*\\*[\"']?(" + _BASE64 + rb"{16,}={0,2})",
        rb"client-key-data",
    ),
    # WireGuard
    _Form(
        "config_secret",
        rb"(?i:private-?_?key|pre-?shared-?_?key)\\*[\"']?[ \t]*[=:][ \t]*\\*[\"']?("
        + _BASE64
        + rb"{42,43}={1,2})",
        rb"(?i:private|shared)[-_]?(?i:key)",
    ),
    # JSON Web Keys: what is private in them
    _Form(
        "config_secret",
        _Q + rb"(?:d|p|q|dp|dq|qi|k)" + _Q + rb"[ \t]*:\s*" + _Q + rb"([A-Za-z0-9_-]{16,})" + _Q,
        _Q + rb"kty" + _Q,
    ),
    # Hashed passwords: shadow, htpasswd, Django
    _Form(
        "config_secret",
        (
            rb"(\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)|scrypt|sha1"
            rb"|bcrypt-sha256)\$[^\s:\"'`,;\\]{16,})"
        ),
        rb"\$(?:[1-7][abxy]?|y|gy|apr1|argon2[id]*|scrypt|sha1|bcrypt-sha256)\$[^\s]{4,}",
        _is_long,
    ),
    _Form(
        "config_secret",
        rb"\b((?:pbkdf2|bcrypt|argon2|scrypt)[A-Za-z0-9_]*\$[^\s:\"'`,;\\]{20,})",
        rb"(?:pbkdf2|bcrypt|argon2|scrypt)[A-Za-z0-9_]*\$",
        _is_long,
    ),
    _Form(
        "config_secret",
        rb"(\{S?(?:SHA|MD5|SHA256|SHA512|CRYPT)\}[A-Za-z0-9+/$.=]{20,})",
        rb"\{S?(?:SHA|MD5|CRYPT)",
    ),
    _Form(
        "config_secret",
        (
            rb"(?i:enable[ ]secret|username[ ]\S+[ ](?:privilege[ ][0-9]+[ ])?(?:secret"
            rb"|password))[ ](?:[0-9][ ])?(\S{4,})"
        ),
        rb"(?i:secret|password)[ ]",
        _is_marked,
    ),
    _Form(
        "config_secret",
        rb"(?i:snmp-server[ ]community)[ ](\S{3,64})",
        rb"(?i:snmp-server)",
        _is_value,
    ),
    _Form(
        "config_secret",
        (
            rb"(?m:^[ \t]*|[;\n])(?:requirepass|masterauth|bindpw|rootpw|auth-pass"
            rb"|auth_pass)[ \t]+[\"']?([^\s\"']{3,128})"
        ),
        rb"requirepass|masterauth|bindpw|rootpw|auth[-_]pass",
        _is_marked,
    ),
    # PuTTY
    _Form(
        "private_key",
        rb"Private-Lines:[ ]?[0-9]+((?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{4,76})+)",
        rb"Private-Lines:",
    ),
)


class ConfigDetector:
    """Finds the secret in one form of configuration."""

    crowd = "plain"

    def __init__(self, form: _Form) -> None:
        self._form = form
        self.hints: tuple[bytes, ...] = (form.hint,)
        self._regex = compile_bytes(form.shape)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        check = self._form.check
        for match in self._regex.all(data):
            start, end = match.span(1)
            if check is None or check(data[start:end]):
                yield Span(start, end, self._form.kind)


_MANIFEST: Final = rb"\bkind\\*[\"']?[ \t]*:[ \t]*\\*[\"']?(?:Secret|SealedSecret)\b"
_BLOCK: Final = re.compile(
    rb"(?m)^([ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+\S.*(?:\r?\n|$)|[ \t]*\r?\n)+)"
)
_LINE: Final = re.compile(rb"(?m)^[ \t]+[\w.-]+:[ \t]*[\"']?([^\s\"'#|>][^\n\"'#]*)")
_OBJECT: Final = re.compile(rb"\\*\"(?:data|stringData)\\*\"[ \t]*:\s*\{([^{}]{1,65536})\}")
_ENTRY: Final = re.compile(rb"\\*\"[\w.-]+\\*\"[ \t]*:\s*\\*\"([^\"\\]+)")


class SecretManifestDetector:
    """Finds the values of a Kubernetes Secret, in YAML and in JSON."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (_MANIFEST,)

    def __init__(self) -> None:
        self._manifest = compile_bytes(_MANIFEST)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        if not self._manifest.found_in(data):
            return
        for blocks, entries, group in ((_BLOCK, _LINE, 2), (_OBJECT, _ENTRY, 1)):
            for block in blocks.finditer(data):
                for entry in entries.finditer(data, *block.span(group)):
                    start, end = entry.span(1)
                    yield Span(start, start + len(data[start:end].rstrip()), "config_secret")


def config_detectors(kinds: frozenset[str]) -> list[ConfigDetector | SecretManifestDetector]:
    """Return the detectors of secrets in configuration files."""
    found: list[ConfigDetector | SecretManifestDetector] = [
        ConfigDetector(form) for form in _FORMS if form.kind in kinds
    ]
    return [*found, SecretManifestDetector()] if "config_secret" in kinds else found
