"""Street addresses, and what only has words for streets in it."""

from __future__ import annotations

import pytest

from hookcore_redact import Redact, RedactSettings

PLUGIN = Redact(RedactSettings(kinds=["street_address"], placeholders="fixed"))
GONE = "[STREET_ADDRESS]"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("He lives at 73 High Street, Oxford OX1 4BA.", f"He lives at {GONE}."),
        ("to 88 Old Mill Road, Concord, MA 01742 today", f"to {GONE} today"),
        ("Rosa\n88 Old Mill Road\nConcord, MA 01742\nUSA", f"Rosa\n{GONE}\nUSA"),
        ("9 Pine Ridge Ct Apt 3B", GONE),
        ("in der Lindenstraße 14 im Hof", f"in der {GONE} im Hof"),
        ("an Hopfenweg 21, 3007 Bern senden", f"an {GONE} senden"),
        ("au 48, avenue Jean Jaurès, 75019 Paris avant midi", f"au {GONE} avant midi"),
        ("Vivo en Calle Serrano 61, 28006 Madrid", f"Vivo en {GONE}"),
        ("Abito in Via Garibaldi 12", f"Abito in {GONE}"),
        ("ul. Długa 7/3, 31-147 Kraków", GONE),
        ("Keizersgracht 455, 1017 DK Amsterdam", GONE),
        ("東京都渋谷区神南1-19-11", GONE),
        ("P.O. Box 4471, Austin, TX 78765", GONE),
        ('{"address": {"line1": "66 Quarry Close"}}', f'{{"address": {{"line1": "{GONE}"}}}}'),
        ("id,street,city\n1,Hauptstr. 9,Ulm\n", f"id,street,city\n1,{GONE},Ulm\n"),
        ("street=25+Elm+Street&city=Salem", f"street={GONE}&city=Salem"),
    ],
)
def test_an_address_is_replaced_with_its_town(text: str, after: str) -> None:
    assert PLUGIN.redact(text) == after


@pytest.mark.parametrize(
    "text",
    [
        "5 Star Street Food opens today.",
        "In 2024 Main Street banks lent less.",
        "3 Lane Road",
        "See chapter 12 Park Road for more.",
        "Auf Platz 3, 2021 Meister",
        "Der Arbeitsplatz 4 ist frei",
        "String 3, 12345 Zeichen",
        "Via Slack 3 messages were sent",
        "Calle 13 released an album",
        "address: 0x7fff5fbff8a0",
        "bind address = localhost:5432",
        "True if the address is reserved per RFC 4291",
        "AddressValueError: if it is no IPv4 Address",
        '"ip_address": "Server 12 Main"',
    ],
)
def test_what_is_no_address_stays(text: str) -> None:
    assert PLUGIN.redact(text) == text


def test_a_field_of_an_object_says_that_it_is_an_address() -> None:
    payload = {"street": "Ahornweg 7", "lanes": "Ahornweg 7"}
    assert PLUGIN.redact(payload) == {"street": GONE, "lanes": "Ahornweg 7"}


def test_addresses_can_be_left_alone() -> None:
    text = "He lives at 73 High Street, Oxford OX1 4BA."
    assert Redact(RedactSettings(skip_kinds=["street_address"])).redact(text) == text
