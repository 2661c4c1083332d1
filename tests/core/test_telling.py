"""One list of the names that tell of a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import Told, is_telling_name, secret_meaning, told_by

MEANING = [
    "password", "dbPassword", "DB_PASSWORD", "db-password", "dbpassword", "PGPASSWORD", "MYSQL_PWD",
    "access_key", "accessKey", "ACCESS-KEY", "accesskey", "AWS_SECRET_ACCESS_KEY", "passcode", "totp",
    "client_secret", "clientSecret", "X-Api-Key", "PRIVATE-TOKEN", "_authToken", "api key", "Kennwort",
    "contraseña", "Contraseña", "hasło", "Пароль", "パスワード", "密码", "비밀번호", "mot de passe", "senha",
    "password2", "password_confirmation", "client-key-data", "secret_key_base", "pin", "CVV", "dsn",
    "pass\\u0077ord", "\\tpassword", "pass\u200bword",
]  # fmt: skip
MEANINGLESS = [
    "key", "primary_key", "cache_key", "keyboard", "monkey", "author", "authority", "secretary",
    "max_tokens", "prompt_tokens", "next_page_token", "tokenizer", "token_type", "public_key",
    "SECRET_NAME", "password_policy", "passwordField", "compass", "bypass", "authorized_keys", "name",
    "", "pinned", "sortKey", "keyword", "turkey", "the key", "x" * 70 + "_password",
]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["access_key", "passcode", "totp", "dbpassword", "DB_PASSWORD", "clientSecret", "dbPass",
     "X-Api-Key", "APIKey", "Set-Cookie", "aws_secret_access_key", "AccessKeyId", "webhook_secret",
     "signing_secrets", "\uff50assword", "p\u00e1ssword", "pass\u200bword", "pass\\u0077ord", "jwt2",
     "recovery_codes", "verificationCode", "otp", "sshkey", "motDePasse", "token", "Wachtwoord",
     "hasło_admin", "cléPrivée_api", "パスワード", "密钥", "userpw"],
)  # fmt: skip
def test_a_name_tells_in_whatever_spelling(name: str) -> None:
    assert is_telling_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "key", "sort_key", "public_key", "author", "authority", "tokenizer", "compass", "bypass",
     "patch", "pattern", "opinion", "spin", "code", "zip_code", "keyboard", "monkey", "hash", "url",
     "session_id", "clave", "seed", "signature"],
)  # fmt: skip
def test_another_name_does_not(name: str) -> None:
    assert told_by(name) is Told.NOTHING


@pytest.mark.parametrize("name", ["max_tokens", "tokenCount", "auth", "password_length", "pass"])
def test_under_a_name_of_counts_only_a_text_is_a_secret(name: str) -> None:
    assert told_by(name) is Told.TEXT


def test_a_name_of_a_megabyte_is_judged_and_not_remembered() -> None:
    assert is_telling_name("x" * 1_000_000 + "_password")


@pytest.mark.parametrize("name", MEANING)
def test_a_name_that_promises_a_secret_has_a_meaning(name: str) -> None:
    assert secret_meaning(name) is not None


@pytest.mark.parametrize("name", MEANINGLESS)
def test_a_name_that_promises_none_has_no_meaning(name: str) -> None:
    assert secret_meaning(name) is None


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("adminPassword", "password"), ("apiToken", "key"), ("otp", "code"), ("city", None)],
)
def test_a_meaning_says_what_the_value_may_be(name: str, meaning: str | None) -> None:
    assert secret_meaning(name) == meaning


@given(st.sampled_from(["password", "access_key", "client_secret"]), st.sampled_from("_- ."))
def test_the_mark_between_the_words_makes_no_difference(name: str, mark: str) -> None:
    assert secret_meaning(name.replace("_", mark)) is not None
    assert secret_meaning(name.replace("_", mark).upper()) is not None


WORDS = st.sampled_from(
    ["db", "pass", "word", "new", "key", "api", "otp", "Kennwort", "count", "密码"]
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=5).map("_".join))
def test_what_is_any_secret_to_one_question_is_so_to_the_other(name: str) -> None:
    if secret_meaning(name) in ("password", "code"):
        assert is_telling_name(name)
