"""Names that say their value is a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_redact.telling import is_telling, meaning_of, words_of

TELLING = [
    "password", "dbPassword", "DB_PASSWORD", "db-password", "dbpassword", "PGPASSWORD", "MYSQL_PWD",
    "access_key", "accessKey", "ACCESS-KEY", "accesskey", "AWS_SECRET_ACCESS_KEY", "passcode", "totp",
    "client_secret", "clientSecret", "X-Api-Key", "PRIVATE-TOKEN", "_authToken", "api key", "Kennwort",
    "contraseña", "Contraseña", "hasło", "Пароль", "パスワード", "密码", "비밀번호", "mot de passe", "senha",
    "password2", "password_confirmation", "client-key-data", "secret_key_base", "pin", "CVV", "dsn",
]  # fmt: skip
OTHER = [
    "key", "primary_key", "cache_key", "keyboard", "monkey", "author", "authority", "secretary",
    "max_tokens", "prompt_tokens", "next_page_token", "tokenizer", "token_type", "public_key",
    "SECRET_NAME", "password_policy", "passwordField", "compass", "bypass", "authorized_keys", "name",
    "", "pinned", "sortKey", "keyword", "turkey", "the key",
]  # fmt: skip


@pytest.mark.parametrize("name", TELLING)
def test_a_name_that_promises_a_secret_is_telling(name: str) -> None:
    assert is_telling(name)


@pytest.mark.parametrize("name", OTHER)
def test_a_name_that_promises_none_is_not_telling(name: str) -> None:
    assert not is_telling(name)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("adminPassword", "password"), ("apiToken", "key"), ("otp", "code"), ("city", None)],
)
def test_a_name_says_what_its_value_may_be(name: str, meaning: str | None) -> None:
    assert meaning_of(name) == meaning


def test_words_are_split_wherever_a_spelling_joins_them() -> None:
    assert words_of("AWSSecret_access-Key2") == ["aws", "secret", "access", "key", "2"]
    assert words_of("Contraseña Łódź") == ["contrasena", "lodz"]


@given(st.text(max_size=80))
def test_any_name_can_be_asked_about(name: str) -> None:
    assert is_telling(name) in (True, False)


@given(st.sampled_from(["password", "access_key", "client_secret"]), st.sampled_from("_- ."))
def test_the_mark_between_the_words_makes_no_difference(name: str, mark: str) -> None:
    assert is_telling(name.replace("_", mark))
    assert is_telling(name.replace("_", mark).upper())
