"""Values that a label gives away, and what only looks like one."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore_redact import Redact, RedactSettings

HEX = "0a1b2c3d4e5f6789" * 4


def redact(text: Any, **settings: Any) -> Any:
    return Redact(RedactSettings(placeholders="fixed", **settings)).redact(text, "post_tool_call")


FOUND = [
    ('{"password": "hunter2"}', '{"password": "[PASSWORD]"}'),
    ('{"a": "{\\"pwd\\": \\"hun\\\\\\"ter2\\"}"}', '{"a": "{\\"pwd\\": \\"[PASSWORD]\\"}"}'),
    ("run --password Xy7-hunter --now", "run --password [PASSWORD] --now"),
    (
        "curl -u mia:Xy7-hunter https://a.example.com",
        "curl -u mia:[PASSWORD] https://a.example.com",
    ),
    ("a=1&password=Xy7hunter&b=2", "a=1&password=[PASSWORD]&b=2"),
    ("<password>Xy7-hunter</password>", "<password>[PASSWORD]</password>"),
    ("the password is Xy7!hunter now", "the password is [PASSWORD] now"),
    ("use root / Xy7!hunter for it", "use root / [PASSWORD] for it"),
    ("a,password,b\n1,Xy7hunter,2\n", "a,password,b\n1,[PASSWORD],2\n"),
    ("pin: 4711", "pin: [PASSWORD]"),
    (f"DD_APP_KEY={HEX[:40]}", "DD_APP_KEY=[LABELLED_KEY]"),
    (f"- name: APP_TOKEN\n  value: {HEX[:32]}\n", "- name: APP_TOKEN\n  value: [LABELLED_KEY]\n"),
    ("DB_PASSWORD=hunter\n", "DB_PASSWORD=[PASSWORD]\n"),
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_a_value_beside_a_label_is_replaced_and_nothing_else(text: str, expected: str) -> None:
    assert redact(text) == expected


LEFT = [
    "password = get_password()",
    "password=self.password, token=tokens[0]",
    "if password == other.password: return",
    "password: Optional[str] = None",
    "Password: required",
    "Passwords must have 12 characters or more.",
    "the password for the staging box is in the vault",
    "for token in tokens: print(token)",
    "token: expired, secret: none",
    "password=${DB_PASSWORD} token=<token> key={{ key }}",
    "SECRET_NAME=prod/db/main PWD=/home/mia",
    '["username", "password", "email"]',
    '{"password": null, "token": true, "secret": ""}',
    '{"password": "Enter your password"}',
    "max_tokens=4096 prompt_tokens=1532",
    "class Token, class SecretKey, import PasswordField",
    '"ClientSecret",\n"ClientSecretExpiresAt",\n"Session",\n',
]


@pytest.mark.parametrize("text", LEFT)
def test_prose_code_and_stand_ins_beside_a_label_stay(text: str) -> None:
    assert redact(text) is text


PAYLOADS: list[tuple[Any, Any]] = [
    ({"password": "hunter two 7"}, {"password": "[PASSWORD]"}),
    ({"name": "APP_PAT", "value": HEX[:40]}, {"name": "APP_PAT", "value": "[LABELLED_KEY]"}),
    (["run", "--token", HEX[:32]], ["run", "--token", "[LABELLED_KEY]"]),
    (["sshpass", "-p", "hunter2", "ssh"], ["sshpass", "-p", "[PASSWORD]", "ssh"]),
    ([["host", "db"], ["password", "hunter2"]], [["host", "db"], ["password", "[PASSWORD]"]]),
    ({"passwords": ["hunter2"]}, {"passwords": ["[PASSWORD]"]}),
    ({"date_of_birth": "1987-02-03"}, {"date_of_birth": "[BIRTH_DATE]"}),
    ({"birthday": 19870203, "n": 19870203}, {"birthday": "[BIRTH_DATE]", "n": 19870203}),
    ({"ssn": "536904399"}, {"ssn": "[US_SSN]"}),
]


@pytest.mark.parametrize(("payload", "expected"), PAYLOADS)
def test_what_stands_beside_a_value_in_a_payload_is_its_label(payload: Any, expected: Any) -> None:
    assert redact(payload) == expected


@pytest.mark.parametrize("spelled", ["ACME_CODE", "acme-code", "acmeCode", "Acme code"])
def test_an_operator_s_label_is_known_in_every_spelling(spelled: str) -> None:
    text = f"{spelled}: tangerine7"
    assert redact(text, labels=["acme code"]) == f"{spelled}: [LABELLED_KEY]"
    assert redact(text) is text
    assert redact({spelled: "tangerine"}, labels=["acme code"]) == {spelled: "[LABELLED_KEY]"}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("password", "password=Xy7-hunter"),
        ("labelled_key", f"APP_TOKEN={HEX[:40]}"),
        ("cookie", f"Cookie: session={HEX[:32]}"),
        ("config_secret", "machine a.example.com login mia password Xy7hunter"),
        ("connection_string", "Server=db;Uid=app;Pwd=Xy7hunter"),
        ("auth_header", "Authorization: ApiKey Xy7hunter8"),
        ("mac", "link 26:47:03:9f:0c:c7"),
        ("birth_date", "born on 1987-02-03"),
    ],
)
def test_each_new_kind_can_be_switched_off(kind: str, text: str) -> None:
    assert f"[{kind.upper()}]" in redact(text)
    assert f"[{kind.upper()}]" not in redact(text, skip_kinds=[kind])


URLS = [
    ("postgres://app:p@ss:w0rd@db.example.com/x", "postgres://app:[URL_PASSWORD]@db.example.com/x"),
    ("mssql://sa:wHJK.R5~OLL@sql.example.com/x", "mssql://sa:[URL_PASSWORD]@sql.example.com/x"),
    (
        "https://git:Iw$JND@git.example.com/x.git",
        "https://git:[URL_PASSWORD]@git.example.com/x.git",
    ),
]


@pytest.mark.parametrize(("text", "expected"), URLS)
def test_a_url_s_password_does_not_take_the_host_along(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_a_placeholder_is_no_label_of_what_stands_beside_it() -> None:
    assert Redact().redact([["[PHONE_1]", "2024-05-15"]]) == [["[PHONE_1]", "2024-05-15"]]
    assert Redact().redact({"[PASSWORD_1]": "Xy7-hunter"}) == {"[PASSWORD_1]": "Xy7-hunter"}
