"""One list of the names that tell of a secret."""

from __future__ import annotations

import pytest

from hookcore import Told, is_telling_name, told_by


@pytest.mark.parametrize(
    "name",
    ["access_key", "passcode", "totp", "dbpassword", "DB_PASSWORD", "clientSecret", "dbPass",
     "X-Api-Key", "APIKey", "Set-Cookie", "aws_secret_access_key", "AccessKeyId", "webhook_secret",
     "signing_secrets", "\uff50assword", "p\u00e1ssword", "pass\u200bword", "pass\\u0077ord", "jwt2",
     "recovery_codes", "verificationCode", "otp", "sshkey", "motDePasse", "token"],
)  # fmt: skip
def test_a_name_tells_in_whatever_spelling(name: str) -> None:
    assert is_telling_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "key", "sort_key", "public_key", "author", "authority", "tokenizer", "compass", "bypass",
     "patch", "pattern", "opinion", "spin", "code", "zip_code", "keyboard", "monkey", "hash", "url",
     "session_id"],
)  # fmt: skip
def test_another_name_does_not(name: str) -> None:
    assert told_by(name) is Told.NOTHING


@pytest.mark.parametrize("name", ["max_tokens", "tokenCount", "auth", "password_length", "pass"])
def test_under_a_name_of_counts_only_a_text_is_a_secret(name: str) -> None:
    assert told_by(name) is Told.TEXT


def test_a_name_of_a_megabyte_is_judged_and_not_remembered() -> None:
    assert is_telling_name("x" * 1_000_000 + "_password")
