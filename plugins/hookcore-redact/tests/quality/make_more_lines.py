"""Make the labelled lines of street addresses, of values that are encoded twice, and of their like.

    python make_more_lines.py >> lines.jsonl

The values are made up, each run makes the same ones. Nothing here is anybody's.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import string
import sys
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

CHANCE: Final = random.Random(20_261_202)
ALNUM: Final = string.ascii_letters + string.digits

ADDRESSES: Final[list[tuple[str, str, list[str]]]] = [
    (
        "us",
        "Please ship the replacement to 1427 Larkspur Ln, Boise, ID 83702 before Friday.",
        ["1427 Larkspur Ln, Boise, ID 83702"],
    ),
    ("us", "I moved last week, my new place is 1427 Larkspur Ln in Boise.", ["1427 Larkspur Ln"]),
    (
        "us",
        "Name: Rosa Klein\nAddress: 88 Old Mill Road, Concord, MA 01742\nOrder: 5512",
        ["88 Old Mill Road, Concord, MA 01742"],
    ),
    (
        "us",
        '{"customer": "Rosa", "shipping_address": "88 Old Mill Road, Concord, MA 01742"}',
        ["88 Old Mill Road, Concord, MA 01742"],
    ),
    (
        "us",
        "I moved last week, my new place is 3105 NW Thurman St in Portland.",
        ["3105 NW Thurman St"],
    ),
    ("us", "Rosa Klein\n3105 NW Thurman St\nPortland, OR 97210\nUSA", ["3105 NW Thurman St"]),
    (
        "us",
        '{"customer": "Rosa", "shipping_address": "9 Pine Ridge Ct Apt 3B, Nashua, NH 03060"}',
        ["9 Pine Ridge Ct Apt 3B, Nashua, NH 03060"],
    ),
    (
        "us",
        "Please ship the replacement to 9 Pine Ridge Ct Apt 3B, Nashua, NH 03060 before Friday.",
        ["9 Pine Ridge Ct Apt 3B, Nashua, NH 03060"],
    ),
    (
        "us",
        "Rosa Klein\n450 Fifth Avenue, Suite 1200\nNew York, NY 10018\nUSA",
        ["450 Fifth Avenue, Suite 1200"],
    ),
    (
        "us",
        "Name: Rosa Klein\nAddress: 450 Fifth Avenue, Suite 1200, New York, NY 10018\nOrder: 5512",
        ["450 Fifth Avenue, Suite 1200, New York, NY 10018"],
    ),
    (
        "us",
        "Please ship the replacement to 2200 E Camelback Rd #410, Phoenix, AZ 85016 before Friday.",
        ["2200 E Camelback Rd #410, Phoenix, AZ 85016"],
    ),
    (
        "us",
        "I moved last week, my new place is 2200 E Camelback Rd #410 in Phoenix.",
        ["2200 E Camelback Rd #410"],
    ),
    (
        "us",
        "Name: Rosa Klein\nAddress: 17 Harbor View Drive, Mystic, CT 06355\nOrder: 5512",
        ["17 Harbor View Drive, Mystic, CT 06355"],
    ),
    (
        "us",
        '{"customer": "Rosa", "shipping_address": "17 Harbor View Drive, Mystic, CT 06355"}',
        ["17 Harbor View Drive, Mystic, CT 06355"],
    ),
    (
        "us",
        "I moved last week, my new place is 6001 W. Sunset Blvd. in Los Angeles.",
        ["6001 W. Sunset Blvd."],
    ),
    (
        "us",
        "Rosa Klein\n6001 W. Sunset Blvd.\nLos Angeles, CA 90028\nUSA",
        ["6001 W. Sunset Blvd."],
    ),
    (
        "us",
        '{"customer": "Rosa", "shipping_address": "12 O\'Connell Way, Reno, NV 89501"}',
        ["12 O'Connell Way, Reno, NV 89501"],
    ),
    (
        "us",
        "Please ship the replacement to 12 O'Connell Way, Reno, NV 89501 before Friday.",
        ["12 O'Connell Way, Reno, NV 89501"],
    ),
    (
        "us",
        "Rosa Klein\n731 Martin Luther King Jr Blvd\nDurham, NC 27701\nUSA",
        ["731 Martin Luther King Jr Blvd"],
    ),
    (
        "us",
        "Name: Rosa Klein\nAddress: 731 Martin Luther King Jr Blvd, Durham, NC 27701\nOrder: 5512",
        ["731 Martin Luther King Jr Blvd, Durham, NC 27701"],
    ),
    (
        "uk",
        "Delivery address: 14 Rosebery Avenue, London EC1R 4TD",
        ["14 Rosebery Avenue, London EC1R 4TD"],
    ),
    (
        "uk",
        "He lives at Flat 2, 37 Marchmont Street, London WC1N 1AP.",
        ["Flat 2, 37 Marchmont Street, London WC1N 1AP"],
    ),
    (
        "uk",
        "Send it to 5 Castle Hill, Lancaster LA1 1YS, please",
        ["5 Castle Hill, Lancaster LA1 1YS"],
    ),
    (
        "uk",
        "Delivery address: 221 Deansgate Road, Manchester M3 4LQ",
        ["221 Deansgate Road, Manchester M3 4LQ"],
    ),
    (
        "uk",
        "He lives at The Old Bakery, 3 Church Lane, Wells BA5 2RT.",
        ["The Old Bakery, 3 Church Lane, Wells BA5 2RT"],
    ),
    ("de", "Bitte an Lindenstraße 14, 10969 Berlin liefern.", ["Lindenstraße 14, 10969 Berlin"]),
    ("de", "Anschrift: Kastanienallee 82a, 10435 Berlin", ["Kastanienallee 82a, 10435 Berlin"]),
    ("de", "Lena Vogel\nAm Kupfergraben 6\n10117 Berlin\n", ["Am Kupfergraben 6"]),
    ("de", "Sie wohnt in der Bahnhofstr. 5 im zweiten Stock.", ["Bahnhofstr. 5"]),
    (
        "de",
        "Bitte an Mariahilfer Straße 103, 1060 Wien liefern.",
        ["Mariahilfer Straße 103, 1060 Wien"],
    ),
    ("de", "Anschrift: Hopfenweg 21, 3007 Bern", ["Hopfenweg 21, 3007 Bern"]),
    ("de", "Lena Vogel\nMarktplatz 9\n70173 Stuttgart\n", ["Marktplatz 9"]),
    ("de", "Sie wohnt in der Goethestrasse 3 im zweiten Stock.", ["Goethestrasse 3"]),
    (
        "fr",
        "Livraison au 12 rue de la République, 69002 Lyon avant midi.",
        ["12 rue de la République, 69002 Lyon"],
    ),
    (
        "fr",
        "Adresse : 48, avenue Jean Jaurès, 75019 Paris",
        ["48, avenue Jean Jaurès, 75019 Paris"],
    ),
    (
        "fr",
        '{"adresse": "3 bis impasse des Lilas, 31000 Toulouse"}',
        ["3 bis impasse des Lilas, 31000 Toulouse"],
    ),
    (
        "fr",
        "Livraison au 7 place Bellecour, 69002 Lyon avant midi.",
        ["7 place Bellecour, 69002 Lyon"],
    ),
    (
        "fr",
        "Adresse : 115 boulevard Haussmann, 75008 Paris",
        ["115 boulevard Haussmann, 75008 Paris"],
    ),
    (
        "es",
        "Mi dirección es Calle de Alcalá 45, 28014 Madrid.",
        ["Calle de Alcalá 45, 28014 Madrid"],
    ),
    (
        "es",
        "Dirección: Avda. Diagonal 211, 08018 Barcelona",
        ["Avda. Diagonal 211, 08018 Barcelona"],
    ),
    (
        "es",
        "Enviar el paquete a C/ Mayor, 3, 2º B, 28013 Madrid",
        ["C/ Mayor, 3, 2º B, 28013 Madrid"],
    ),
    (
        "es",
        "Mi dirección es Plaza de España 8, 41013 Sevilla.",
        ["Plaza de España 8, 41013 Sevilla"],
    ),
    (
        "es",
        "Dirección: Paseo de Gracia 92, 08008 Barcelona",
        ["Paseo de Gracia 92, 08008 Barcelona"],
    ),
    ("it", "Abito in Via Garibaldi 12, 20121 Milano.", ["Via Garibaldi 12, 20121 Milano"]),
    (
        "it",
        "Indirizzo: Corso Vittorio Emanuele II 88, 10121 Torino",
        ["Corso Vittorio Emanuele II 88, 10121 Torino"],
    ),
    ("it", "Spedire a Piazza San Marco 1, 30124 Venezia", ["Piazza San Marco 1, 30124 Venezia"]),
    ("it", "Abito in Viale Monza, 140, 20127 Milano.", ["Viale Monza, 140, 20127 Milano"]),
    (
        "nl",
        "address: Prinsengracht 263, 1016 GV Amsterdam",
        ["Prinsengracht 263, 1016 GV Amsterdam"],
    ),
    (
        "nl",
        "The parcel goes to Kerkstraat 18-2, 3581 RC Utrecht tomorrow.",
        ["Kerkstraat 18-2, 3581 RC Utrecht"],
    ),
    (
        "pt",
        "Contact\nRua Augusta, 1508, São Paulo - SP, 01304-001\n",
        ["Rua Augusta, 1508, São Paulo - SP, 01304-001"],
    ),
    (
        "pt",
        "address: Avenida da Liberdade 110, 1269-046 Lisboa",
        ["Avenida da Liberdade 110, 1269-046 Lisboa"],
    ),
    (
        "pl",
        "The parcel goes to ul. Nowy Świat 15, 00-029 Warszawa tomorrow.",
        ["ul. Nowy Świat 15, 00-029 Warszawa"],
    ),
    (
        "se",
        "Contact\nDrottninggatan 71, 111 36 Stockholm\n",
        ["Drottninggatan 71, 111 36 Stockholm"],
    ),
    ("dk", "address: Vesterbrogade 40, 1620 København", ["Vesterbrogade 40, 1620 København"]),
    (
        "no",
        "The parcel goes to Karl Johans gate 22, 0026 Oslo tomorrow.",
        ["Karl Johans gate 22, 0026 Oslo"],
    ),
    ("jp", "Contact\n東京都渋谷区神南1-19-11\n", ["東京都渋谷区神南1-19-11"]),
    (
        "jp",
        "address: 〒150-0041 東京都渋谷区神南1丁目19-11",
        ["〒150-0041 東京都渋谷区神南1丁目19-11"],
    ),
    ("cn", "The parcel goes to 北京市朝阳区建国路88号 tomorrow.", ["北京市朝阳区建国路88号"]),
    ("box", "Contact\nP.O. Box 4471, Austin, TX 78765\n", ["P.O. Box 4471, Austin, TX 78765"]),
    ("box", "address: Postfach 30 12 45, 70452 Stuttgart", ["Postfach 30 12 45, 70452 Stuttgart"]),
    (
        "au",
        "The parcel goes to 27 Wattle Crescent, Richmond VIC 3121 tomorrow.",
        ["27 Wattle Crescent, Richmond VIC 3121"],
    ),
    (
        "ca",
        "Contact\n1090 Rue Sherbrooke Ouest, Montréal, QC H3A 1G3\n",
        ["1090 Rue Sherbrooke Ouest, Montréal, QC H3A 1G3"],
    ),
    ("ca", "address: 55 Bloor St W, Toronto, ON M4W 1A5", ["55 Bloor St W, Toronto, ON M4W 1A5"]),
    (
        "in",
        "The parcel goes to 14, MG Road, Bengaluru 560001 tomorrow.",
        ["14, MG Road, Bengaluru 560001"],
    ),
    ("json", '{"street": "Ahornweg 7", "city": "Köln", "zip": "50667"}', ["Ahornweg 7"]),
    (
        "json",
        '{"address": {"line1": "66 Quarry Close", "line2": "", "postcode": "OX3 8AB"}}',
        ["66 Quarry Close"],
    ),
    (
        "csv",
        "id,name,street,city\n1,Ana,14 Beechwood Gardens,Leeds\n2,Tom,Hauptstr. 9,Ulm\n",
        ["14 Beechwood Gardens", "Hauptstr. 9"],
    ),
    ("form", "street=25+Elm+Street&city=Salem", ["25+Elm+Street"]),
    (
        "other",
        "Bill to: 2719 Cedar Hollow Rd, Wayne, PA 19087",
        ["2719 Cedar Hollow Rd, Wayne, PA 19087"],
    ),
    (
        "other",
        "mailed to 1 Infinite Loop, Cupertino, CA 95014 on Monday",
        ["1 Infinite Loop, Cupertino, CA 95014"],
    ),
    (
        "other",
        "Patient lives at 820 N 5th St, Apt 12, Phoenix, AZ 85003.",
        ["820 N 5th St, Apt 12, Phoenix, AZ 85003"],
    ),
    ("other", "44-02 Ditmars Blvd, Astoria, NY 11105", ["44-02 Ditmars Blvd, Astoria, NY 11105"]),
    ("other", "my address is 1600 Amphitheatre Pkwy", ["1600 Amphitheatre Pkwy"]),
    ("other", "I live at 905 Maple Ave with my sister.", ["905 Maple Ave"]),
    ("other", "The house at 19 Beacon Street is for sale.", ["19 Beacon Street"]),
    ("other", "To: Priya Shah, 73 High Street, Oxford OX1 4BA", ["73 High Street, Oxford OX1 4BA"]),
    (
        "other",
        "new home address: Flat 9, 110 Albion Road, Leeds LS2 8BQ",
        ["Flat 9, 110 Albion Road, Leeds LS2 8BQ"],
    ),
    ("other", "deliver to 6 Priory Close, leave with neighbour", ["6 Priory Close"]),
    ("other", "10 The Crescent, Taunton TA1 4EA\n", ["10 The Crescent, Taunton TA1 4EA"]),
    (
        "other",
        "Rechnung an Schillerstraße 22, 80336 München senden",
        ["Schillerstraße 22, 80336 München"],
    ),
    ("other", "Adresse: Neuer Wall 50, 20354 Hamburg", ["Neuer Wall 50, 20354 Hamburg"]),
    ("other", "wohnhaft Wiesenweg 4, 86150 Augsburg", ["Wiesenweg 4, 86150 Augsburg"]),
    ("other", "Treffpunkt ist die Rosenstr. 11 um 8", ["Rosenstr. 11"]),
    ("other", "Berliner Allee 7, 40212 Düsseldorf\n", ["Berliner Allee 7, 40212 Düsseldorf"]),
    ("other", "an die Seestrasse 101, 8002 Zürich", ["Seestrasse 101, 8002 Zürich"]),
    (
        "other",
        "J'habite au 25 rue du Faubourg Saint-Antoine, 75011 Paris.",
        ["25 rue du Faubourg Saint-Antoine, 75011 Paris"],
    ),
    (
        "other",
        "adresse de livraison: 9 allée des Tilleuls, 44000 Nantes",
        ["9 allée des Tilleuls, 44000 Nantes"],
    ),
    (
        "other",
        "64 cours Mirabeau, 13100 Aix-en-Provence",
        ["64 cours Mirabeau, 13100 Aix-en-Provence"],
    ),
    ("other", "Vivo en Calle Serrano 61, 28006 Madrid", ["Calle Serrano 61, 28006 Madrid"]),
    (
        "other",
        "Avenida de la Constitución 12, 41001 Sevilla",
        ["Avenida de la Constitución 12, 41001 Sevilla"],
    ),
    (
        "other",
        "dirección de envío: Carrer de Balmes 150, 08008 Barcelona",
        ["Carrer de Balmes 150, 08008 Barcelona"],
    ),
    ("other", "consegna in Via Roma 3, 50123 Firenze", ["Via Roma 3, 50123 Firenze"]),
    ("other", "indirizzo: Viale Europa 22, 00144 Roma", ["Viale Europa 22, 00144 Roma"]),
    (
        "other",
        "bezorgen op Keizersgracht 455, 1017 DK Amsterdam",
        ["Keizersgracht 455, 1017 DK Amsterdam"],
    ),
    ("other", "adres: Dorpsstraat 8, 3514 AB Utrecht", ["Dorpsstraat 8, 3514 AB Utrecht"]),
    ("other", "skicka till Storgatan 14, 411 24 Göteborg", ["Storgatan 14, 411 24 Göteborg"]),
    ("other", "adresse: Nørregade 10, 1165 København", ["Nørregade 10, 1165 København"]),
    ("other", "adres: ul. Długa 7/3, 31-147 Kraków", ["ul. Długa 7/3, 31-147 Kraków"]),
    ("other", "endereço: Rua do Carmo 55, 1200-093 Lisboa", ["Rua do Carmo 55, 1200-093 Lisboa"]),
    (
        "other",
        "Avenida Paulista, 1578, São Paulo - SP, 01310-200",
        ["Avenida Paulista, 1578, São Paulo - SP, 01310-200"],
    ),
    ("other", "住所: 大阪府大阪市北区梅田3-1-1", ["大阪府大阪市北区梅田3-1-1"]),
    ("other", "地址：上海市浦东新区世纪大道100号", ["上海市浦东新区世纪大道100号"]),  # noqa: RUF001
    ("other", "PO Box 992, Juneau, AK 99802", ["PO Box 992, Juneau, AK 99802"]),
    ("other", "stuur naar Postbus 1234, 1000 AA Amsterdam", ["Postbus 1234, 1000 AA Amsterdam"]),
    ("other", "340 Collins St, Melbourne VIC 3000", ["340 Collins St, Melbourne VIC 3000"]),
    (
        "other",
        "ship to 221 Yonge St Unit 5, Toronto, ON M5B 2H4",
        ["221 Yonge St Unit 5, Toronto, ON M5B 2H4"],
    ),
    ("other", '{"street": "512 Willow Lane", "city": "Salem", "state": "OR"}', ["512 Willow Lane"]),
    ("other", "street_address,city\n512 Willow Lane,Salem\n", ["512 Willow Lane"]),
    ("other", "<street>7 Elm Grove</street>", ["7 Elm Grove"]),
    ("other", "address_line_1=3 Oak Court", ["3 Oak Court"]),
    (
        "other",
        "Confirmed your booking. Address 1199 Bayshore Hwy, Burlingame, CA 94010 - see you",
        ["1199 Bayshore Hwy, Burlingame, CA 94010"],
    ),
    (
        "other",
        "| Home | 77 Massachusetts Ave, Cambridge, MA 02139 |",
        ["77 Massachusetts Ave, Cambridge, MA 02139"],
    ),
]
"""The country of a street, a line with it, and what must vanish."""


def some(alphabet: str, count: int) -> str:
    """Return characters by chance."""
    return "".join(CHANCE.choice(alphabet) for _ in range(count))


def mail() -> str:
    """Return an address for mail."""
    return f"{CHANCE.choice(['nora', 'ivan', 'paul'])}.{some(string.digits, 3)}@mail.example.org"


KEYS: Final[list[Callable[[], str]]] = [
    lambda: "ghp_" + some(ALNUM, 36),
    lambda: "sk-ant-api03-" + some(ALNUM, 40),
    lambda: "AKIA" + some(string.ascii_uppercase + "234567", 16),
    lambda: "xoxb-" + some(string.digits, 11) + "-" + some(ALNUM, 24),
]


def b64(text: str | bytes) -> str:
    """Return a text in base64."""
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def b32(text: str) -> str:
    """Return a text in base32."""
    return base64.b32encode(text.encode()).decode()


def hexed(text: str) -> str:
    """Return a text in hexadecimal digits."""
    return text.encode().hex()


def pairs(text: str, mark: str) -> str:
    """Return a text in pairs of hexadecimal digits."""
    return mark.join(f"{byte:02x}" for byte in text.encode())


def in_json(text: str) -> str:
    """Return a JSON text with the text in it."""
    return json.dumps({"v": text})


ENCODINGS: Final[dict[str, Callable[[str], str]]] = {
    "base64 of base64": lambda text: b64(b64(text)),
    "base64 three times": lambda text: b64(b64(b64(text))),
    "URL of base64": lambda text: quote(b64(text), safe=""),
    "hex of base64": lambda text: hexed(b64(text)),
    "base64 of hex": lambda text: b64(hexed(text)),
    "hex of hex": lambda text: hexed(hexed(text)),
    "JSON in JSON": lambda text: json.dumps(in_json(text)),
    "JSON in JSON in JSON": lambda text: json.dumps(json.dumps(in_json(text))),
    "base64 of JSON in JSON": lambda text: b64(in_json(in_json(text))),
    "base64 of JSON of base64": lambda text: b64(in_json(b64(text))),
    "URL twice": lambda text: quote(quote(f"q={text}", safe=""), safe="").replace("_", "%5F"),
    "base64 of URL": lambda text: b64("v=" + quote(text, safe="")),
    "hex of URL": lambda text: hexed("q=" + quote(text, safe="")),
    "URL of hex": lambda text: quote("h:" + hexed(text), safe=""),
    "base32": b32,
    "base32 of base64": lambda text: b32(b64(text)),
    "base64 of UTF-16": lambda text: b64(text.encode("utf-16-le")),
    "hex of UTF-16": lambda text: text.encode("utf-16-le").hex(),
    "base64 of gzip": lambda text: b64(gzip.compress(text.encode(), mtime=0)),
    "base64 in lines": lambda text: base64.encodebytes(
        ("nothing new in here at all, see below. " * 2 + text + " and that is it").encode()
    ).decode().strip(),
    "hex with 0x": lambda text: "0x" + hexed(text),
    "hex in pairs": lambda text: pairs(text, " "),
    "hex in pairs with colons": lambda text: pairs(text, ":").upper(),
    "base64 of hex in pairs": lambda text: b64(pairs(text, " ")),
    "octal escapes": lambda text: "".join(f"\\{ord(letter):03o}" for letter in text),
    "quoted-printable": lambda text: text.replace("@", "=40").replace("-", "=2D"),
    "data URL": lambda text: "data:text/plain;base64," + b64(text),
}  # fmt: skip
AROUND: Final = [
    "{}",
    "payload: {}",
    '{{"data": "{}"}}',
    "GET /cb?state={}&x=1",
    "export BLOB='{}'",
    "2026-03-01 INFO decoded={} ok",
]
WHOLE: Final = frozenset({"JSON in JSON", "JSON in JSON in JSON", "base64 in lines"})
PASSWORDS: Final = [
    'user.setPassword("{}")',
    "conf.with_password('{}')",
    "ENV PGPASSWORD {}",
    "ARG DB_PASSWORD {}",
    "Passwort lautet {}",
    "Password for jenkins: {}",
    "password → {}",
    "il password è {}",
]

HARMLESS: Final = """\
See chapter 12 Road Safety Basics for more.
We served 24 Hour Road Service customers.
5 Star Street Food opens today.
In 2024 Main Street banks lent less than Wall Street.
The 3 Court rulings of 2019 were overturned.
He finished on Platz 3 in the race.
Auf Platz 12 liegt Bremen.
Take Route 66 and then exit 14.
Via email 3 times a week.
Via API v2 12 calls were made.
Rue the day 5 of them left.
Place 4 eggs in a bowl.
10 Ways to Drive Growth in 2025
7 Days Way Too Long
Avenue of 100 trees
Street lights: 40 installed
A street has 12 lamps.
Corso 2025 edition starts in May
Calle 13 released an album.
Piazza 3.1 is out with 20 fixes
git checkout 4f2a1c9 on branch way-5
Step 3 Lane detection, step 4 Road marking
Model 3 Drive Unit replaced
Grade 5 Circle Time
2 Square Meters of 5 Place Mats
Level 10 Hill climb
The bus line 22 Street side stops twice.
listening on address 0.0.0.0:8080
address already in use (os error 98)
address: 0x7fff5fbff8a0
bind address = localhost:5432
MAC address table has 12 entries
memory address 0041f2c8 is invalid
street_type = 3
"street": "unknown"
address_id=88123
wallet address: none yet 12
email address is required
IP address pool 4 is exhausted
Umweg 2 Kilometer länger
Der Arbeitsplatz 4 ist frei
Im Ring 2 Boxer
Startplatz 7 geht an Italien
Auf dem Weg 3 Pausen machen
Feldversuch Weg 2 war besser
St. 5 in the list of saints
Dr. 3 of the panel spoke
1 Dr and 2 nurses
Washington St. Louis 3 - 2
3 Way Valve 12 mm
2 Court Street rulings
Court 12 Hearing
A100 Street Triple RS
The 1984 Summer Drive raised 20000 dollars.
Ave Maria 3rd verse
500 Mile Drive Charity
4 Lane Highway Project 2030
18 Wheels Trucking Terrace menu: 4 items
Ring 0 and ring 3 privileges
Largo 60 bpm
quai d'Orsay said 12 things
Cours 3: les bases
place 1st in class 4
Allee der Kosmonauten hat 12 Baeume
Rua 25 de Marco market is busy
The 12 Monkeys Blvd premiere moved
Section 8 Housing Place of service 11
ul. is short for ulica, 3 letters
C/C++ 17 compiler, 3 warnings
C/ 5
Straße 7
Str. 3 der Liste
PO Box office hit 3 million
P.O. 4471 shipped
Zip 3 files
postal code 5 digits
aGVsbG8gd29ybGQgdGhpcyBpcyBmaW5l
SGVsbG8sIHRoaXMgaXMganVzdCBhIG5vdGUgdG8gc2F5IGhp
YUdWc2JHOGdkMjl5YkdRZ2RHaHBjeUJwY3lCbWFXNWw=
4e6f7468696e6720746f2073656520686572652061742061
sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
integrity sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
de:ad:be:ef:00:01:02:03:04:05:06:07:08:09
00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
48 65 6c 6c 6f 20 77 6f 72 6c 64 21 20 6f 6b
x=40 y=41 z=2D w=5F
a=3D1&b=3D2
%48%65%6C%6C%6F%20world
&#72;&#101;&#108;&#108;&#111;
\\\\x48\\\\x65\\\\x6c\\\\x6c\\\\x6f
JBSWY3DPEBLW64TMMQQGC3TEEBSXMZLSPEQHG2DF
MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOV3HO6DZPI======
UNITED STATES OF AMERICA ABCDEFGHIJKLMNOPQRST
3f2504e04f8941d39a0c0305e82c3301
{"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span": "00f067aa0ba902b7"}
iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
eyJhbGciOiJIUzI1NiJ9
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl
The lane 5 swimmer and lane 6 swimmer collided.
Drive 2 of 4 failed: /dev/sdb
Boulevard of Broken Dreams, track 4
Terrace House season 2, episode 14
42 Highway miles per gallon
3 Bedroom, 2 Bath, 1450 Sq ft
1 Park 2 Go is a parking app
Gardens by the Bay had 12 million visitors
Rated 4.5 Close to the metro
1st Avenue is closed on 5th June
We walked 12 blocks along Fifth Avenue.
The Avenue 5 finale aired.
21 Jump Street is a film from 2012.
Meet me on Main Street at 5.
from 12 Broadway shows, 3 won
Weg 7: Rundwanderung
Wanderweg 3 ist gesperrt
Gleis 3, Bahnsteig 12
Laan van 5
Haltestelle Linie 12 Richtung Marktplatz 5 Minuten
Strada 5 has been released
Vicolo 2 giorni
Avenida 9 de Julio is wide
12 rue
rue 12
total: 5 Rd tests, 4 passed
HTTP 404 Way too many
Version 2 Place holders
Unit 4 Lane Assist
Python 3 Way merge
200 OK Drive mounted
Top 10 Streets in Berlin
100 Square Feet
5 Close calls in 2023
9 Circle packs
6 Rise events
8 Row table
2 Walk cycles per frame
3 Row Seating Drive Mode 5
4 Mews in total
The 42nd Street Workshop starts at 9.
Page 3 Road conditions: icy
Our 5 Star Hotel Avenue collection
Buy 2 Get 1 Way tickets
Season 3 Episode 12 Park scene
Top 50 Drive In movies
1 Way Out
Gate 12 Terminal B Drive slowly
100 Hill Climbs
In 1999 Park Avenue rents fell.
Room 101 Court TV
45 Minutes Drive from town
8 Mile Road is a song? no, 8 Mile is a film.
Team 7 Square Enix
3 Blind Mice Lane change
Level 2 Street Fighter
Ordner: Umgebung 3
Der Weg 3 Kilometer lang
Version 7 Platz 2
Am Rand 4 Fehler
Im Test 5 von 6
Am Montag 3 Termine
Zum Beispiel 4 Optionen
An der Wand 2 Bilder
Via Teams 4 Nachrichten gesendet
Via GitHub 12 issues were closed
Corso Inglese 2 inizia lunedi
La Piazza Grande 2 riapre
Rue Morgue 3 is a game
Plaza Mayor 2024 festival
Avenida Brasil 2 temporada
Route 53 hosted zone
Alameda County 3 cases
Camino Real 4 hotel stars
Place Value 3 digits
Cours Complet 101
Quai 5 du metro
passage 3 of the text
Address space layout 64 bits
address: not given (12 characters)
Address 12 is odd
return address 4010 pushed
"addr": "0xdeadbeef00"
address = "tcp://db:5432"
address_book has 14 contacts
street: true
line1: x = 3
line 2 of the file
"line2": "  return 0;"
addressing mode 2 is used
Adresse der Funktion: 4010a0
direccion: norte 45 grados
Bezirk Mitte 3. Stock
36 Rue
Rd 5
Dr. Smith 5 patients and 3 Ln
St. Mary 2 - St. John 3
Hofgarten 3 Bäume
Burgberg 5 km
Berghof 3 Sterne
Heidelberg 1 : Augsburg 2
Nürnberg 3 Punkte
Neuhof 2:1
Hamburg 5 Grad
Freiberg 12 Uhr
Steinberg 3 Tage
Zeitung 3 Ringe
Frühling 2026
Training 3 beginnt
Meeting 4 verschoben
Meeting 12, 10115 Zeilen
String 3, 12345 Zeichen
Building 5, 94043 rows
processing 3 of 12
timing 12 ms
ring 3, 10000 Items
Spring 5, 2023 Release
Testing 3, 45 Fehler
Ranking 12, 2024 Season
Setting 4, 1000 Users
Nach Platz 3, 2021 Meister
6a 6b 6c 6d 6e 6f 70 71 72 73 74 75
48:45:4c:4c:4f:20:57:4f:52:4c:44:21
ORSXG5DJNZTSA5DINFZSA5DINFXGOIDON53SA4DMMVQXGZI=
Q2hlY2sgdGhlIGxvZ3MgdG9tb3Jyb3cgbW9ybmluZyBwbGVhc2U=
VGhlIG1lZXRpbmcgaXMgYXQgdGVuIG9jbG9jaw==
SABlAGwAbABvACAAdwBvAHIAbABkACEAIAB5AGUAcwA=
setPassword("newPassword")
setPassword(password)
user.setPassword(encoder.encode(raw))
with_token('token')
setKey("name")
setToken("access_token")
ENV PASSWORD_FILE /run/secrets/db
ARG TOKEN
ENV KEY value
The password is case-sensitive.
Password is required
password: must have 8 characters
Das Passwort ist falsch
the token is JSON
The secret is OAuth2Client based
password hashing is PBKDF2withSHA256
status=404 body=40ms
width=40em
x=3Dtrue
a=5Fb
price=40USD
build 2024.11.05-rc1
total 12 Street names imported
12 St Andrews golf balls
Bus 38 Park Royal
M4 Motorway 3 Lane closure
47 Avenue Q tickets
Number 10 Downing
Rue 3.2.1 released
3 Lane Road
20 Place settings
4 Row Crop Planter
9 Park Rangers
75 Green Beans
11 Parade floats
90 Loop iterations
15 Circle K stores
2 Hill Street Blues episodes
6 Wall Street Journal articles
30 Rock Street Team
70 Broadway musicals
3 Abbey Road outtakes
1 Penny Lane single
"""
"""Lines that hold none of it, and look as if they did."""


def line(text: str, kind: str, group: str, secret: list[str], shape: str) -> dict[str, Any]:
    """Return one labelled line."""
    return {"text": text, "kind": kind, "group": group, "secret": secret, "shape": shape}


def encoded() -> list[dict[str, Any]]:
    """Return lines with values that are encoded."""
    made = []
    for at, (kind, encode) in enumerate(ENCODINGS.items()):
        for step in range(4):
            value = (
                mail() if (at + step) % 2 or kind == "quoted-printable" else CHANCE.choice(KEYS)()
            )
            hidden = encode(value)
            around = "{}" if kind in WHOLE else AROUND[(at + step) % len(AROUND)]
            gone = value if value in hidden else hidden.rpartition(",")[2]
            made.append(line(around.format(hidden), kind, "encoded", [gone], "encoded"))
    return made


def password() -> str:
    """Return a password with few marks."""
    return f"{some('bdfh', 1)}{some('KMPR', 1)}{some('xyz', 1)}{some('TW', 1)}-{some('2345', 3)}Qm"


def main() -> None:
    """Print all lines."""
    made = [line(text, f"street_{kind}", "pii", gone, "street") for kind, text, gone in ADDRESSES]
    made += encoded()
    for text in PASSWORDS:
        for _ in range(2):
            value = password()
            made.append(line(text.format(value), "password", "secret", [value], "call"))
    made += [line(text, "like_these", "harmless", [], "text") for text in HARMLESS.splitlines()]
    for at, item in enumerate(made):
        sys.stdout.write(json.dumps({"id": f"r{at:04}", **item}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
