"""The texts that are found, kind by kind, and those that are left alone."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from hookcore_redact import Redact, RedactSettings
from hookcore_redact.kinds import PII, SECRETS

# Written in pieces, so that nobody's scanner takes them for real ones.
ALNUM = "a1B2c3D4e5" * 12
HEX = "0a1b2c3d4e5f6789" * 4
FOUND = {
    "private_key": [
        f"-----BEGIN RSA PRIVATE KEY-----\n{ALNUM[:64]}\n{ALNUM[:40]}==\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{ALNUM[:64]}\n-----END OPENSSH PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{ALNUM[:64]}\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
    "jwt": [
        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + f"zdWIiOiIxMjM0In0.{ALNUM[:43]}",
        "eyJ" + "hbGciOiJSU0EtT0FFUCJ9." + ".".join(ALNUM[i : i + 20] for i in range(4)),
    ],
    "anthropic_key": ["sk-" + f"ant-api03-{ALNUM[:40]}-{ALNUM[:8]}_AA"],
    "openai_key": [
        "sk-" + ALNUM[:48],
        "sk-" + f"proj-{ALNUM[:40]}_{ALNUM[:10]}-x",
        "sk-" + f"svcacct-{ALNUM[:40]}",
    ],
    "aws_access_key": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE"],
    "azure_key": ["Xy1" + "8Q~" + ALNUM[:34]],
    "google_key": ["AIza" + ALNUM[:35], "GOCSPX-" + ALNUM[:28], "ya29." + ALNUM[:60]],
    "github_token": [
        *(f"{prefix}_" + ALNUM[:36] for prefix in ("ghp", "gho", "ghu", "ghs", "ghr")),
        "github_pat_" + ALNUM[:22] + "_" + ALNUM[:59],
    ],
    "gitlab_token": ["glpat-" + ALNUM[:20], "glpat-" + ALNUM[:50] + ".01.0a1b2c3d4"],
    "slack_token": [
        "xoxb-" + "123456789012-123456789012-" + ALNUM[:24],
        "xapp-" + "1-A0B1C2-" + ALNUM[:20],
    ],
    "slack_webhook": ["hooks.slack.com/" + "services/T00000000/B00000000/" + ALNUM[:24]],
    "stripe_key": ["sk_live_" + ALNUM[:24], "rk_live_" + ALNUM[:24], "whsec_" + ALNUM[:32]],
    "huggingface_token": ["hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"],
    "npm_token": ["npm_" + ALNUM[:36]],
    "pypi_token": ["pypi-" + "AgEIcHlwaS5vcmc" + ALNUM[:60]],
    "sendgrid_key": ["SG." + ALNUM[:22] + "." + ALNUM[:43]],
    "twilio_key": ["SK" + HEX[:32]],
    "telegram_token": ["123456789:" + "AA" + ALNUM[:33]],
    "digitalocean_token": ["dop_v1_" + HEX],
    "api_key": [
        "gsk_" + ALNUM[:52],
        "xai-" + ALNUM[:80],
        "dapi" + HEX[:32],
        "hvs." + ALNUM[:60],
        "dckr_pat_" + ALNUM[:27],
        "lsv2_pt_" + HEX[:32] + "_" + HEX[:10],
        "sk-" + "or-v1-" + HEX,
    ],
    "email": ["alice@example.com", "o'brien+x@mail.co.uk", "jörg.müller@example.de", "a_b@x-y.io"],
    "phone": [
        "+49 30 1234567",
        "+14155550123",
        "+1 (415) 555-0123",
        "(415) 555-0123",
        "415-555-0123",
        "0049 30 1234567",
        "030 12345678",
        "020 7946 0958",
        "01 23 45 67 89",
        "07700 900123",
    ],
    "card": [
        "4111111111111111",
        "4111 1111 1111 1111",
        "5500-0000-0000-0004",
        "340000000000009",
        "3400 000000 00009",
        "6011000000000004",
        "30569309025904",
        "2223003122003222",
    ],
    "iban": [
        "DE89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "NO93 8601 1117 947",
        "de89370400440532013000",
    ],
    "ip": ["10.1.2.3", "203.0.113.7", "2001:db8::8a2e:370:7334", "fe80::1", "2001:db8:0:0:1:2:3:4"],
    "us_ssn": ["219-09-9999"],
    "mac": ["26:47:03:9f:0c:c7", "26-47-03-9F-0C-C7", "bab6.e320.2654"],
    "street_address": [
        "9 Pine Ridge Ct Apt 3B",
        "73 High Street, Oxford OX1 4BA",
        "Lindenstra\u00dfe 14, 10969 Berlin",
        "48, avenue Jean Jaur\u00e8s, 75019 Paris",
    ],
    "national_id": [
        "756.9217.0769.85",
        "529.982.247-25",
        "86 095 742 719",
        "EB 76 45 23 D",
        "RSSMRA85T10A562S",
        "85.07.30-033.28",
        "2345 6789 0124",
    ],
}
IN_CONTEXT = {
    "aws_secret_key": (
        "aws_secret_access_key = {}",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX" + "AMPLEKEY",
    ),
    "azure_key": ("AccountName=a;AccountKey={};EndpointSuffix=core", ALNUM[:86] + "=="),
    "bearer_token": ("curl -H 'Authorization: Bearer {}' https://a.example", ALNUM[:30]),
    "api_key": ('x-api-key: "{}"', ALNUM[:32]),
    "url_password": ("postgres://app:{}@db.internal:5432/main", "hunter22"),
    "phone": ("call her, phone number: {} (home)", "5550123456"),
    "auth_header": ("Authorization: ApiKey {}", ALNUM[:12]),
    "cookie": ("Cookie: theme=dark; session={}", ALNUM[:24]),
    "connection_string": ("SERVER=db.example.com;UID=app;PWD={}", "Xy7-hunter"),
    "config_secret": ("machine git.example.com login mia password {}", "Xy7-hunter"),
    "password": ("DB_PASSWORD={}", "Xy7-hunter"),
    "labelled_key": ("TWILIO_AUTH_TOKEN={}", HEX[:32]),
    "passport": ("Passport No: {}", "C01X00T47"),
    "birth_date": ("Date of birth: {}", "14.03.1987"),
}
SURROUNDINGS = [
    "{}",
    "it is {}, really",
    '{{"value": "{}"}}',
    "value='{}'",
    "<b>{}</b>",
    "first line\n{}\nlast",
    "escaped\\n{}\\nlog",
    "\x1b[31m{}\x1b[0m",
    "(Grüße: {})",
    "日本語「{}」",
]

CASES = [(kind, value) for kind, values in FOUND.items() for value in values]


def redact(text: Any, **settings: Any) -> Any:
    return Redact(RedactSettings(**settings)).redact(text)


def test_every_kind_has_an_example() -> None:
    assert {*FOUND, *IN_CONTEXT} == {*SECRETS, *PII}


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize(("kind", "value"), CASES)
def test_a_value_is_replaced_and_what_is_around_it_stays(
    kind: str, value: str, around: str
) -> None:
    expected = around.format(f"[{kind.upper()}]")
    assert redact(around.format(value), placeholders="fixed") == expected


@pytest.mark.parametrize(("kind", "case"), IN_CONTEXT.items(), ids=IN_CONTEXT)
def test_a_value_that_its_surroundings_give_away_is_replaced_alone(
    kind: str, case: tuple[str, str]
) -> None:
    around, value = case
    expected = around.format(f"[{kind.upper()}]")
    assert redact(around.format(value), placeholders="fixed") == expected


@pytest.mark.parametrize(("kind", "value"), CASES)
def test_a_kind_that_is_not_asked_for_is_left_alone(kind: str, value: str) -> None:
    others = [other for other in (*SECRETS, *PII) if other != kind]
    assert kind.upper() not in redact(f"it is {value}!", kinds=others, placeholders="fixed")


LEFT_ALONE = [
    "order 4111111111111112",  # wrong check digit
    "0.4111111111111111",
    "4111111111111111.5",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "2024-05-15 15:00:00",
    "2024-05-15T15:00:00.123456+02:00",
    "05/15/2024, 05-15-2024, 15.05.2024",
    "1715785200000",
    "1715785200000000",
    "reservation HAT001, certificate_7504069, credit_card_4421486, gift_card_6847880",
    "mia_li_3668",
    "version 10.2.3.4, v1.2.3.4, pkg==1.2.3.4, Chrome/120.0.0.0, 1.2.3.4.5, 1.2.3.4-beta",
    "127.0.0.1 0.0.0.0 255.255.255.0 ::1 localhost:8080",
    "999.1.2.3",
    "12:30:45 aa:bb:cc:dd:ee:ff 00:11:22:33:44:55:66:77",
    "std::vector<int> a::b Foo::bar crate::mod::f",
    "@types/node@18.0.0 logo@2x.png user@localhost @app.route",
    "git@github.com:owner/repo.git",
    "the task-list of the risk-averse desk-clerk, sk-learn, sk-estimator",
    "a key such as sk-..., sk-xxx, AKIA..., ghp_<token>",
    "postgres://app:$PASSWORD@db/main https://u:{token}@h.de",
    "DE89370400440532013001 is no account, nor is GB82WEST1234569876543",
    "-----BEGIN PRIVATE KEY----- is how such a file begins",
    "-----BEGIN PUBLIC KEY-----\n" + ALNUM[:64] + "\n-----END PUBLIC KEY-----",
    "ISBN 978-3-16-148410-0, EAN 4006381333931",
    "666-12-1234 and 2024-05-1234",
    "price 1,234,567.89 and 1 000 000 000",
    "Bearer authentication-is-required-here",
    "api_key = os.environ['SOME_LONG_VARIABLE_NAME']",
    "ZIP 02110-1301, +35236450.6 ms, 012 0123",
    "lat 52.520008, lon 13.404954; 1234567890",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_alike_is_left_alone(text: str) -> None:
    assert redact(text) is text


def test_a_key_is_found_wherever_a_longer_word_does_not_hold_it() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    assert redact(f"KEY_{key} x{key} {key}Y", placeholders="fixed") == (
        f"KEY_[AWS_ACCESS_KEY] x{key} {key}Y"
    )


def test_neighbours_are_found_each_for_itself() -> None:
    assert redact("a@example.com,b@example.com;10.1.2.3:80,10.1.2.4") == (
        "[EMAIL_1],[EMAIL_2];[IP_1]:80,[IP_2]"
    )


def test_a_refused_candidate_does_not_hide_a_right_one_behind_it() -> None:
    assert redact("1234 4111 1111 1111 1111") == "1234 [CARD_1]"


def test_of_a_url_with_a_password_only_the_password_goes() -> None:
    text = "redis://cache:s3cr3t-s3cr3t@10.1.2.3:6379/0"
    assert redact(text) == "redis://cache:[URL_PASSWORD_1]@[IP_1]:6379/0"


def test_a_key_that_was_cut_off_is_taken_as_far_as_it_goes() -> None:
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{ALNUM[:64]}\n{ALNUM[:10]}"
    assert redact(text) == redact(text.replace("\n", "\\n")) == "[PRIVATE_KEY_1]"


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----{",
    "-----BEGIN PRIVATE KEY-----" + "a" * 30 + "{",
    "a@",
    "a@b.cd",
    "[EMAIL_1] a@b.cd ",
    "4 ",
    "a:",
    "1.",
    "DE89 ",
    "xsk-" + "ant-",
    "bearer aaaaaaaaaaaaaaaaaaaa ",
    "eyJ" + "aaaaaaaaa.",
    "ab://:$x@",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_is_slow_to_read(piece: str) -> None:
    text = piece * (400_000 // len(piece)) + "-----END PRIVATE KEY-----"
    started = time.process_time()
    redact(text)
    # A second is more than it takes; what looks back or ahead from each place takes minutes.
    assert time.process_time() - started < 20


TRANSCRIPTS = Path(__file__).parents[3] / "examples/transcripts/tau_airline_gpt4o_40.jsonl"


@pytest.mark.skipif(not TRANSCRIPTS.exists(), reason="needs the transcripts of a checkout")
def test_in_real_transcripts_addresses_and_birth_dates_are_found_and_nothing_else() -> None:
    runs = [json.loads(line) for line in TRANSCRIPTS.read_text(encoding="utf-8").splitlines()]
    left = json.dumps(redact([run["messages"] for run in runs], placeholders="fixed"))
    assert left.count("[EMAIL]") == 31
    kinds = {"[EMAIL]", "[BIRTH_DATE]", "[STREET_ADDRESS]"}
    assert set(re.findall(r"\[[A-Z][A-Z_]+\]", left)) == kinds
    assert "@" not in left
