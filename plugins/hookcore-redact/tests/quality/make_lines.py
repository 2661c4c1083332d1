"""Make the labelled lines: values by chance in real shapes, each in surroundings that people use.

    python make_lines.py > lines.jsonl

The values are made up, each run makes the same ones. Nothing here is anybody's.
"""

from __future__ import annotations

import base64
import json
import random
import string
import sys
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

CHANCE: Final = random.Random(20_261_201)
ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
UPPER: Final = string.ascii_uppercase + string.digits
DIGITS: Final = string.digits
URL: Final = ALNUM + "-_"
B64: Final = ALNUM + "+/"
WORDS: Final = [
    "harbor",
    "lantern",
    "cobalt",
    "meadow",
    "willow",
    "copper",
    "saffron",
    "juniper",
    "velvet",
    "granite",
]


def some(alphabet: str, count: int) -> str:
    """Return characters by chance; an early one is a digit, since almost all keys have one."""
    made = [CHANCE.choice(alphabet) for _ in range(count)]
    if "7" in alphabet and count > 4:
        made[CHANCE.randrange(1, 4)] = CHANCE.choice("23456789")
    return "".join(made)


def uuid() -> str:
    """Return a random identifier in its usual groups."""
    return "-".join(some(HEX, count) for count in (8, 4, 4, 4, 12))


PROVIDERS: Final[dict[str, tuple[str, Callable[[], str]]]] = {
    "netlify": ("NETLIFY_AUTH_TOKEN", lambda: "nfp_" + some(ALNUM, 36)),
    "pulumi": ("PULUMI_ACCESS_TOKEN", lambda: "pul-" + some(HEX, 40)),
    "circleci": ("CIRCLE_TOKEN", lambda: f"CCIPAT_{some(ALNUM, 22)}_{some(HEX, 40)}"),
    "hubspot": ("HUBSPOT_TOKEN", lambda: "pat-eu1-" + uuid()),
    "discord": ("DISCORD_TOKEN", lambda: f"M{some(ALNUM, 23)}.{some(URL, 6)}.{some(URL, 38)}"),
    "mailgun": ("MAILGUN_KEY", lambda: "key-" + some(HEX, 32)),
    "terraform": ("TFE_TOKEN", lambda: f"{some(ALNUM, 14)}.atlasv1.{some(ALNUM, 67)}"),
    "braintree": (
        "BRAINTREE",
        lambda: f"access_token$sandbox${some(HEX, 16)}${some(HEX, 32)}",
    ),
    "resend": ("RESEND_API_KEY", lambda: f"re_{some(ALNUM, 8)}_{some(ALNUM, 24)}"),
    "elevenlabs": ("ELEVENLABS_API_KEY", lambda: "sk_" + some(HEX, 48)),
    "airtable": ("AIRTABLE_PAT", lambda: f"pat{some(ALNUM, 14)}.{some(HEX, 64)}"),
    "brevo": ("BREVO_KEY", lambda: f"xkeysib-{some(HEX, 64)}-{some(ALNUM, 16)}"),
    "nvidia": ("NVIDIA_API_KEY", lambda: "nvapi-" + some(URL, 64)),
    "shippo": ("SHIPPO_TOKEN", lambda: "shippo_live_" + some(HEX, 40)),
    "prefect": ("PREFECT_API_KEY", lambda: "pnu_" + some(ALNUM, 36)),
    "contentful": ("CONTENTFUL_TOKEN", lambda: "CFPAT-" + some(URL, 43)),
    "typeform": ("TYPEFORM_TOKEN", lambda: "tfp_" + some(ALNUM, 44)),
    "posthog": ("POSTHOG_KEY", lambda: "phx_" + some(ALNUM, 43)),
    "sonar": ("SONAR_TOKEN", lambda: "squ_" + some(HEX, 40)),
    "buildkite": ("BUILDKITE_TOKEN", lambda: "bkua_" + some(HEX, 40)),
    "dynatrace": ("DT_TOKEN", lambda: f"dt0c01.{some(UPPER, 24)}.{some(UPPER, 64)}"),
    "tavily": ("TAVILY_API_KEY", lambda: "tvly-" + some(ALNUM, 32)),
    "supabase": ("SUPABASE_KEY", lambda: "sb_secret_" + some(URL, 31)),
    "alibaba": ("ALIBABA_ID", lambda: "LTAI" + some(ALNUM, 20)),
    "openshift": ("OC_TOKEN", lambda: "sha256~" + some(URL, 43)),
    "plaid": ("PLAID_ACCESS", lambda: "access-production-" + uuid()),
    "github": ("GH_TOKEN", lambda: "ghs_" + some(ALNUM, 36)),
    "gitlab": ("CI_TOKEN", lambda: "glpat-" + some(URL, 20)),
    "anthropic": ("ANTHROPIC_API_KEY", lambda: "sk-ant-api03-" + some(URL, 93) + "AA"),
    "openai": ("OPENAI_API_KEY", lambda: "sk-proj-" + some(URL, 80)),
    "slack": ("SLACK_TOKEN", lambda: f"xoxb-{some(DIGITS, 12)}-{some(ALNUM, 24)}"),
    "stripe": ("STRIPE_KEY", lambda: "rk_live_" + some(ALNUM, 24)),
}
BY_LABEL: Final[dict[str, Callable[[], str]]] = {
    "TWILIO_AUTH_TOKEN": lambda: some(HEX, 32),
    "CLOUDFLARE_API_TOKEN": lambda: some(URL, 40),
    "DD_APP_KEY": lambda: some(HEX, 40),
    "aws_session_token": lambda: "IQoJ" + some(B64, 300) + "=",
    "OKTA_API_TOKEN": lambda: "00" + some(URL, 40),
    "VERCEL_TOKEN": lambda: some(ALNUM, 24),
    "HEROKU_API_KEY": uuid,
    "AZURE_STORAGE_KEY": lambda: some(B64, 86) + "==",
    "mistralApiKey": lambda: some(ALNUM, 32),
    "deepgram_api_key": lambda: some(HEX, 40),
    "client_secret": lambda: some(URL, 32),
    "signing-key": lambda: some(B64, 43) + "=",
    "webhookSecret": lambda: some(HEX, 48),
    "refresh_token": lambda: some(URL, 60),
    "encryptionKey": lambda: some(HEX, 64),
    "jwtSecret": lambda: some(ALNUM, 40),
}
PASSWORDS: Final[list[Callable[[], str]]] = [
    lambda: some(ALNUM, 14),
    lambda: f"{CHANCE.choice(WORDS).title()}{some(DIGITS, 3)}!",
    lambda: f"{CHANCE.choice(WORDS)}-{CHANCE.choice(WORDS)}-{some(DIGITS, 2)}",
    lambda: some(ALNUM, 5) + CHANCE.choice("#%*+") + some(ALNUM, 6),
    lambda: some(ALNUM, 8) + "$" + some(ALNUM, 4) + ".x",
]
AROUND_PASSWORDS: Final = {
    "env": "MYSQL_PWD={}",
    "env_export": "export REDIS_PASSWORD={}\n",
    "json": '{{"login": "mia", "passphrase": "{}"}}',
    "json_nested": '{{"body": "{{\\"user\\": \\"mia\\", \\"pwd\\": \\"{}\\"}}"}}',
    "yaml": "db:\n  user: app\n  password: {}\n",
    "yaml_quoted": "passwd: '{}'\n",
    "toml": '[smtp]\npassword = "{}"\n',
    "ini": "[client]\nuser=app\npassword={}\n",
    "properties": "spring.mail.password={}",
    "python": "login(user='mia', passwd='{}', timeout=3)",
    "javascript": 'const dbPassword = "{}";',
    "ruby": "config.smtp_password = '{}'",
    "php": "define('SMTP_PASSWORD', '{}');",
    "php_array": "'password' => '{}',",
    "go": 'opts.Password := "{}"',
    "csharp": 'string adminPassword = "{}";',
    "xml": "<server><username>mia</username><password>{}</password></server>",
    "xml_attribute": '<add key="DbPassword" value="{}" />',
    "html": '<input type="password" name="password" value="{}">',
    "flag": "backup --user mia --password {} --all",
    "flag_equals": "backup --db-password={} --all",
    "curl": "curl -u mia:{} https://files.example.com/",
    "mysql": "mysqldump -u root -p{} shop",
    "sshpass": "sshpass -p {} ssh web-02",
    "log": "2026-05-01 10:11:12 WARN login failed user=mia password={} attempt=2",
    "log_comma": "config: host=db, password={}, port=5432",
    "markdown": "| Key | Value |\n|---|---|\n| Password | `{}` |\n",
    "markdown_bold": "**Password:** {}",
    "csv": "user,password,role\nmia,{},admin\n",
    "german": "Kennwort: {}",
    "spanish": "Contraseña: {}",
    "french": "Mot de passe : {}",
    "portuguese": "Senha: {}",
    "polish": "Hasło: {}",
    "russian": "Пароль: {}",
    "japanese": "パスワード\uff1a{}",
    "chinese": "密码\uff1a{}",
    "korean": "비밀번호: {}",
    "sql": "CREATE USER app IDENTIFIED BY '{}';",
    "sql_postgres": "ALTER ROLE app WITH PASSWORD '{}';",
}
AROUND_KEYS: Final = {
    "env": "{label}={value}",
    "export": "export {label}='{value}'\n",
    "json": '{{"{label}": "{value}", "retries": 3}}',
    "json_pair": '{{"name": "{label}", "value": "{value}"}}',
    "yaml": "app:\n  {label}: {value}\n  replicas: 2\n",
    "yaml_env": "env:\n  - name: {label}\n    value: {value}\n",
    "python": "client = Client({label}='{value}')",
    "docker": "docker run -e {label}={value} acme/app:1.2.3",
    "log": "2026-05-01T10:11:12Z ERROR bad request {label}={value} status=401",
    "repr": "Client(base_url='https://api.example.com', {label}='{value}')",
    "cell": "<tr><td>{label}</td><td><code>{value}</code></td></tr>",
    "table": "| `{label}` | `{value}` | |",
    "csv": "id,{label},note\n1,{value},ok\n",
    "diff": "-{label}=\n+{label}={value}\n",
    "sse": 'data: {{"delta": {{"text": "{label}={value}"}}}}\n\n',
}
PROSE: Final = {
    "chat": "Sure, use {} for now and rotate it later.",
    "code_block": "Here it is:\n\n```\n{}\n```\n",
    "german": "Ich habe ihn angelegt: {}. Bitte danach löschen.",
    "japanese": "キーは「{}」です。",
    "url": "GET https://api.example.com/v1/items?access={}&page=2",
}


def luhn_digit(body: str) -> str:
    """Return the digit that makes a card's number right."""
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def card(prefix: str, length: int = 16) -> str:
    """Return a card's number with its check digit."""
    body = prefix + some(DIGITS, length - 1 - len(prefix))
    return body + luhn_digit(body)


def grouped(number: str, mark: str) -> str:
    """Return a number in groups of four."""
    return mark.join(number[at : at + 4] for at in range(0, len(number), 4))


def iban(country: str, account: str) -> str:
    """Return an account's number with its check digits."""
    digits = "".join(str(int(letter, 36)) for letter in account + country + "00")
    return f"{country}{98 - int(digits) % 97:02}{account}"


def dni() -> str:
    """Return a Spanish identity number."""
    number = some(DIGITS, 8)
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def cpf() -> str:
    """Return a Brazilian tax number."""
    body = some(DIGITS, 9)
    for weight in (10, 11):
        total = sum(int(d) * (weight - at) for at, d in enumerate(body))
        body += str(total * 10 % 11 % 10)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def ahv() -> str:
    """Return a Swiss insurance number."""
    body = "756" + some(DIGITS, 9)
    total = sum(int(d) * (1 if at % 2 == 0 else 3) for at, d in enumerate(body))
    number = body + str(-total % 10)
    return f"{number[:3]}.{number[3:7]}.{number[7:11]}.{number[11:]}"


def nir() -> str:
    """Return a French insurance number."""
    body = f"2{CHANCE.randrange(50, 99)}{CHANCE.randrange(1, 13):02}75{some(DIGITS, 6)}"
    return f"{body}{97 - int(body) % 97:02}"


PHONES: Final[dict[str, Callable[[], str]]] = {
    "us": lambda: f"({CHANCE.randrange(201, 989)}) 555-01{some(DIGITS, 2)}",
    "de": lambda: f"0171 {CHANCE.randrange(1000000, 9999999)}",
    "uk": lambda: f"07{CHANCE.randrange(700, 999)} {CHANCE.randrange(100000, 999999)}",
    "fr": lambda: f"06 9{some(DIGITS, 1)} 12 8{some(DIGITS, 1)} 4{some(DIGITS, 1)}",
    "ch": lambda: f"079 {CHANCE.randrange(200, 999)} {some(DIGITS, 2)} {some(DIGITS, 2)}",
    "nl": lambda: f"06-{CHANCE.randrange(10000000, 99999999)}",
    "se": lambda: f"070-{CHANCE.randrange(100, 999)} {some(DIGITS, 2)} {some(DIGITS, 2)}",
    "br": lambda: f"(11) 9{CHANCE.randrange(1000, 9999)}-{CHANCE.randrange(1000, 9999)}",
    "it": lambda: f"347 {CHANCE.randrange(100, 999)} {CHANCE.randrange(1000, 9999)}",
    "jp": lambda: f"090-{CHANCE.randrange(1000, 9999)}-{CHANCE.randrange(1000, 9999)}",
    "es": lambda: f"6{some(DIGITS, 2)} {CHANCE.randrange(100, 999)} {CHANCE.randrange(100, 999)}",
    "in": lambda: f"9{some(DIGITS, 4)} {CHANCE.randrange(10000, 99999)}",
    "pl_intl": lambda: f"+48 {CHANCE.randrange(500, 899)} {CHANCE.randrange(100, 999)} 417",
    "at_intl": lambda: f"+43 664 {CHANCE.randrange(1000000, 9999999)}",
}
PERSONAL: Final[dict[str, Callable[[], str]]] = {
    "card": lambda: card("4"),
    "card_spaced": lambda: grouped(card("52"), " "),
    "card_dots": lambda: grouped(card("4"), "."),
    "card_no_break": lambda: grouped(card("4"), "\u00a0"),
    "card_dashes": lambda: grouped(card("6011"), "\u2013"),
    "iban_de": lambda: iban("DE", some(DIGITS, 18)),
    "iban_spaced": lambda: grouped(iban("ES", some(DIGITS, 20)), " "),
    "email": lambda: f"{CHANCE.choice(WORDS)}.{some(string.ascii_lowercase, 4)}@example.org",
    "email_wide": lambda: f"{CHANCE.choice(WORDS)}\uff20example.com",
    "email_quoted": lambda: f'"{CHANCE.choice(WORDS)} vogel"@example.net',
    "ipv4": lambda: ".".join(str(CHANCE.randrange(32, 250)) for _ in range(4)),
    "ipv6": lambda: f"2001:db8:{some(HEX, 4)}::{some(HEX, 4)}",
    "mac": lambda: ":".join(f"{CHANCE.randrange(256):02x}" for _ in range(6)),
    "ssn": lambda: f"{CHANCE.randrange(100, 660)}-{CHANCE.randrange(10, 99)}-{some(DIGITS, 4)}",
    "cpf": cpf,
    "ahv": ahv,
    "nir": nir,
}
LABELLED_PERSONAL: Final[dict[str, list[tuple[str, Callable[[], str]]]]] = {
    "tax": [
        ("Steuer-ID: {}", lambda: some(DIGITS, 11)),
        ('{{"codice_fiscale": "{}"}}', lambda: "RSSMRA85T10A562S"),
        ("NINO: {}", lambda: f"JK{some(DIGITS, 6)}C"),
        ("PAN number: {}", lambda: f"BQZPK{some(DIGITS, 4)}L"),
        ("DNI: {}", dni),
        ("BSN={}", lambda: some(DIGITS, 9)),
        ("SSN {}", lambda: f"{CHANCE.randrange(100, 660)} {CHANCE.randrange(10, 99)} 4399"),
        ("id,pesel,city\n1,{},Gdynia\n", lambda: some(DIGITS, 11)),
    ],
    "birth": [
        ("Date of birth: {}", lambda: f"1{some(DIGITS, 1)}/04/1986"),
        ("Geburtsdatum: {}", lambda: f"{CHANCE.randrange(10, 28)}.09.1990"),
        ('{{"date_of_birth": "{}"}}', lambda: f"19{CHANCE.randrange(50, 99)}-02-13"),
        ("fecha de nacimiento: {}", lambda: f"{CHANCE.randrange(10, 28)} de mayo de 1979"),
        ("Né le {}", lambda: f"{CHANCE.randrange(10, 28)}/11/1981"),
        ("生年月日: {}", lambda: f"19{CHANCE.randrange(50, 99)}年4月2日"),
        ("born on {}", lambda: f"{CHANCE.randrange(10, 28)} March 1974"),
    ],
    "passport": [
        ("Passport No: {}", lambda: f"C{some(UPPER, 8)}"),
        ("Reisepass: {}", lambda: f"C0{some(DIGITS, 7)}"),
        ('{{"passportNumber": "{}"}}', lambda: some(DIGITS, 9)),
        ("Führerschein-Nr.: {}", lambda: f"B072{some(DIGITS, 6)}A1"),
    ],
    "phone_labelled": [
        ("Tel.: {}", lambda: some(DIGITS[1:], 9)),
        ("teléfono: {}", lambda: "6" + some(DIGITS, 8)),
        ("電話番号: {}", lambda: "03" + some(DIGITS, 8)),
        ('{{"mobile": "{}"}}', lambda: "7" + some(DIGITS, 9)),
        ("call me at {}", lambda: "98" + some(DIGITS, 8)),
    ],
}
CONFIGURATION: Final[list[tuple[str, str, Callable[[], str]]]] = [
    ("netrc", "machine git.example.com\n  login mia\n  password {}\n", lambda: some(ALNUM, 12)),
    ("pgpass", "db.example.com:5432:main:app:{}\n", lambda: some(ALNUM, 12)),
    ("npmrc", "//registry.example.com/:_authToken={}\n", uuid),
    (
        "docker",
        '{{"auths": {{"r.example.com": {{"auth": "{}"}}}}}}',
        lambda: b64("mia:" + some(ALNUM, 12)),
    ),
    (
        "kubeconfig",
        "users:\n- user:\n    client-key-data: {}\n",
        lambda: "LS0tLS1CRUdJ" + some(B64, 80),
    ),
    (
        "kubernetes",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  pass: {}\n",
        lambda: b64(some(ALNUM, 12)),
    ),
    (
        "wireguard",
        "[Interface]\nPrivateKey = {}\nListenPort = 51820\n",
        lambda: some(B64, 43) + "=",
    ),
    ("jwk", '{{"kty": "EC", "crv": "P-256", "x": "abc", "d": "{}"}}', lambda: some(URL, 43)),
    ("htpasswd", "mia:{}\n", lambda: f"$apr1${some(ALNUM, 8)}${some(ALNUM, 22)}"),
    ("shadow", "mia:{}:19000:0:99999:7:::\n", lambda: f"$6${some(ALNUM, 8)}${some(ALNUM, 86)}"),
    ("redis", "port 6379\nrequirepass {}\n", lambda: some(ALNUM, 16)),
    ("pip", "index-url = https://mia:{}@pypi.example.com/simple\n", lambda: some(ALNUM, 12)),
    ("odbc", "Driver={{SQL Server}};Server=db;Uid=app;Pwd={};", lambda: some(ALNUM, 12)),
    ("jdbc", "jdbc:mysql://db.example.com/main?user=app&password={}", lambda: some(ALNUM, 12)),
    ("oracle", "jdbc:oracle:thin:erp/{}@//ora.example.com:1521/X", lambda: some(ALNUM, 12)),
    ("go_dsn", "app:{}@tcp(db.example.com:3306)/main", lambda: some(ALNUM, 12)),
    ("ado", "Data Source=db;User Id=app;Password={};Encrypt=true", lambda: some(ALNUM, 12)),
    (
        "url_marks",
        "postgres://app:{}@db.example.com/main",
        lambda: some(ALNUM, 5) + "~.$" + some(ALNUM, 4),
    ),
    ("url_at", "amqp://app:{}@mq.example.com/x", lambda: some(ALNUM, 4) + "@" + some(ALNUM, 5)),
    ("cookie", "Cookie: theme=dark; session={}; lang=de", lambda: some(ALNUM, 32)),
    ("set_cookie", "Set-Cookie: connect.sid={}; Path=/; HttpOnly", lambda: "s%3A" + some(URL, 40)),
    ("private_token", "PRIVATE-TOKEN: {}", lambda: some(ALNUM, 20)),
    ("x_auth", "X-Auth-Token: {}", lambda: some(HEX, 32)),
    ("api_key_scheme", "Authorization: ApiKey {}", lambda: some(ALNUM, 40)),
    ("basic", "Authorization: Basic {}", lambda: b64("mia:" + some(ALNUM, 10))),
    ("bearer", "authorization: bearer {}", lambda: some(URL, 40)),
    ("go_header", 'req.Header.Set("Authorization", "SSWS {}")', lambda: some(URL, 42)),
    ("curl_header", "curl -H 'X-Api-Key: {}' https://a.example.com", lambda: some(HEX, 32)),
]


def b64(text: str) -> str:
    """Return a text in base64."""
    return base64.b64encode(text.encode()).decode()


def encoded() -> list[tuple[str, str, list[str]]]:
    """Return encoded values: a name, the line, and what must vanish of it."""
    made = []
    for _ in range(4):
        key = "ghp_" + some(ALNUM, 36)
        whole = b64(json.dumps({"user": "deploy", "token": key}))
        made.append(("base64_json", f"payload: {whole}", [whole]))
        mail = f"{CHANCE.choice(WORDS)}.{some(string.ascii_lowercase, 3)}@example.com"
        made.append(("percent", f"GET /u?m={quote(mail, safe='')}&x=1", [quote(mail, safe="")]))
        made.append(
            ("entity", f"<b>{mail.replace('@', '&#64;')}</b>", [mail.replace("@", "&#64;")])
        )
        escaped = mail.replace("@", "\\u0040")
        made.append(("json_escape", f'data: {{"to": "{escaped}"}}\n', [escaped]))
        pair = b64("mia:" + some(ALNUM, 10) + " " + key)
        made.append(("base64_text", f'{{"blob": "{pair}"}}', [pair]))
        spelled = mail.replace("@", " [at] ").replace(".com", " [dot] com")
        made.append(("spelled", f"write to {spelled} please", [spelled]))
    return made


HARMLESS: Final[dict[str, list[str]]] = {
    "placeholder": [
        "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "SLACK_TOKEN=xoxb-your-token-here",
        "postgres://USER:PASSWORD@HOST:5432/DB",
        "OPENAI_API_KEY=sk-proj-YOUR_KEY_HERE_PLEASE",
        "password: <your password>",
        "password: ${DB_PASSWORD}",
        'password = "{{ vault_password }}"',
        'api_key: "your-api-key"',
        "DB_PASSWORD=changeme",
        "TOKEN=$(cat /run/secrets/token)",
        "--password ********",
        '"client_secret": "REDACTED"',
        "secret_key = 'xxxxxxxxxxxxxxxx'",
        "https://user:pass@example.com/",
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_TOKEN",
        "password=%s",
        "PGPASSWORD=$PGPASSWORD psql",
        '{"password": "string"}',
        '{"token": null, "secret": ""}',
        "AWS_SECRET_ACCESS_KEY=<secret>",
        "mysql -u root -p shop",
        "password: [PASSWORD_1]",
        "token=...",
    ],
    "prose": [
        "Passwords must be at least 12 characters long and contain a digit.",
        "Our password policy changed in 2024; see section 4.2.",
        "You can reset your password under Settings > Security.",
        "The secretary keeps the keys to the office.",
        "The token expired after 3600 seconds.",
        "Password: required",
        "The password for the staging box is in the vault.",
        "Key: value pairs are separated by a colon.",
        "Please enter your password again to confirm.",
        "He passed the exam with 95 points.",
        "Das Passwort muss mindestens 8 Zeichen haben.",
        "El token caduca en 24 horas.",
        "key findings: revenue up 12%, costs down 3%",
        "Author: Mia Vogel, editor: Paul Brandt",
        "auth: disabled, cookies: accepted",
        "This is the key insight of the paper.",
    ],
    "code": [
        "for token in tokens:\n    print(token.text)",
        "password = get_password()",
        "password=self.password, token=token",
        "if password == other.password:",
        "def login(user: str, password: str) -> bool:",
        "token = request.headers.get('X-Auth-Token')",
        "const { password, token } = req.body;",
        "password: Optional[str] = None",
        "secret = os.environ['APP_SECRET']",
        "key = lambda item: item[1]",
        "max_tokens=4096, stop_token_ids=[128001]",
        "public_key_path = '/etc/keys/pub.pem'",
        "cache_key = f'user:{user_id}:profile'",
        "PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users(id)",
        'type Credentials struct { Password string `json:"password"` }',
        "passwordField.setText(passwordLabel)",
        "var a=b.token||(b.token=c(b.secretKey))",
        "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
        "import { createToken } from './token.js'",
        "sorted(rows, key=itemgetter(0))",
        "private readonly apiKey: string;",
        "@pytest.fixture\ndef secret_name() -> str: ...",
        "assert is_password('hunter') is False",
        "token_type: bearer, expires_in: 3600",
        '["username", "password", "email"]',
    ],
    "numbers": [
        "Lottozahlen: 4 11 23 31 42 48",
        "draw 05 12 23 34 45",
        "SKU 555-123-4567",
        "part number 123-45-6789",
        "ISBN 978-3-16-148410-0",
        "EAN 4006381333931",
        "chapter 3.1.4.1",
        "Kapitel 6.2.1.3 Haushalt",
        "version 10.4.0.2 (was 10.4.0.1)",
        "figure 2.3.1.7",
        "NuGet 6.11.1.2",
        "pip install torch==2.5.1 numpy==2.1.3",
        "1 234 567 890 rows",
        "order 4111111111111112",
        "reference 2843-3135-2381-1139",
        "52.520008, 13.404954",
        "2026-03-12T10:14:22.471Z",
        "1770471203884411023",
        "exit codes 0 1 2 126 127 128 130",
        "range 100-200-3000 units",
        "dimensions 120-80-4471 mm",
        "page 212-2197",
        "ORCID 0000-0002-1825-0097",
        "1.3.6.1.4.1.311.21.20",
        "netmask 255.255.255.0",
        "listening on 127.0.0.1:8080",
        "EU2026 0312 4471 2038",
        "12:30:45 and 23:59:59",
        "price 1,234,567.89",
        "RFC 2616 section 14.1",
        "LOT 2026A0312 EXP 2029-03",
        "score 3-2-1, seats 12-14-16",
        "00000000-0000-0000-0000-000000000000",
        "ff:ff:ff:ff:ff:ff",
        "2x4 8x16 1920x1080",
        "fib: 1 1 2 3 5 8 13 21 34 55 89 144 233",
    ],
    "identifiers": [
        "commit 4fda4f7aef5fe95348348c12b2a235fd660f2b55",
        "request_id=bb5c23c20ea987bb2dc37e4925d0873c",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "sha256:f5b551b11ff3639f775e6280e66484e0b4d538d6cc2dbf71c8a7602170a53f87",
        "arn:aws:sns:eu-west-1:471203884411:topic",
        "price_1js942djZV8iNg56EcqlCKut",
        "object=usr_pKEWq6MSOM7efWNBKXMY",
        "integrity sha384-MG+8T82KPyVOt4RxFWFeyi8AxH1xZiEbrKRVHA5i76lF10QVBtWsuOYZN/yu5ywp",
        "h1:IJ6VDsvrUaCBStMwOVfQvG37ELsn0+LA7nOVPGx+CPE=",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJv2Qe1Uv7yK8k0m9wq3bR5T mia",
        "age1r8evlzyfxt69s44gvmp0p9tyuven7qjfqhkw7zmtldcgn6kqsl0cm4t4lp",
        "https://www.youtube.com/watch?v=mVApkFJhDjd",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ0iQORv411SXfCsEi8Q",
        "ulid=01JZKQQRAWFK9VSYV190VBKP2K",
        'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"',
        "job p1h0s9oe95kap9aihu6c finished",
        "session started in 4.471 s",
        "key: 01J22GT6X90F3RCP3CVKW3EASR",
        "cache_key=user:4471:profile:v2",
        "SECRET_NAME=prod/db/main",
        "next_page_token=CAUQAA",
        "sort_key=2026-05-01#4471",
        "X-Request-Id: 8c1f2a77b6e44d0f",
        "trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
    ],
    "at_signs": [
        "systemctl status getty@tty1.service",
        "wg-quick@wg0.service enabled",
        "chacha20-poly1305@openssh.com",
        "KexAlgorithms curve25519-sha256@libssh.org",
        "git@github.com:owner/repo.git",
        "npm i @acme/ui@4.1.2 react@19.0.0",
        "logo@2x.png and icon@3x.png",
        "3 apples @ 1.50 each",
        "user@localhost",
        "@app.route('/')",
        "SELECT * FROM users WHERE email LIKE '%@%'",
        "actions/checkout@v4",
        "de_DE@euro",
        "ghcr.io/acme/app@sha256:50edaf032a4d300540d249254cfc0091318424c7b1503110aaeffb89ff8e8156",
        "meet @ 10.30 in room 4",
    ],
    "logs": [
        "10:14:22,471 INFO [main] started in 4.471 s",
        '127.0.0.1 - - [12/Mar/2026:10:14:22 +0000] "GET /cart HTTP/1.1" 200 5316',
        "nginx/1.27.3 (Debian 12.8) OpenSSL/3.0.15",
        "===== 1234 passed, 3 skipped, 2 warnings in 44.71s =====",
        "CPU 2.4 GHz, 16 cores, 65536 MB; temp 47.1 C",
        "mem 0x7ffd4471 0x00000001 0xdeadbeef",
        "HTTP/2 304\ncontent-length: 4471\nage: 203884",
        "prompt_tokens=1532 completion_tokens=418 total_tokens=1950",
        "auth=ok user=mia role=admin",
        "token bucket: 40 of 100 left",
        "keyboard_shortcut: ctrl+shift+p",
        "password_changed_at=2026-05-01 by=mia",
        "gcc -O2 -Wl,-z,relro -D_FORTIFY_SOURCE=2 -o a a.c",
        "chmod 0644 file && umask 0022",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
        "key-value store with 12 shards and 3 replicas",
    ],
}


def line(text: str, kind: str, group: str, secret: list[str], shape: str) -> dict[str, Any]:
    """Return one labelled line."""
    return {"text": text, "kind": kind, "group": group, "secret": secret, "shape": shape}


def secrets() -> list[dict[str, Any]]:
    """Return the lines with secrets."""
    made = []
    shapes = list(AROUND_KEYS)
    for at, (kind, (label, make)) in enumerate(PROVIDERS.items()):
        value = make()
        shape = shapes[at % len(shapes)]
        text = AROUND_KEYS[shape].format(label=label, value=value)
        made.append(line(text, kind, "secret", [value], shape))
        value, shape = make(), list(PROSE)[at % len(PROSE)]
        made.append(line(PROSE[shape].format(value), kind, "secret", [value], shape))
    for at, (label, make) in enumerate(BY_LABEL.items()):
        for step in range(4):
            shape = shapes[(at * 4 + step) % len(shapes)]
            value = make()
            text = AROUND_KEYS[shape].format(label=label, value=value)
            made.append(line(text, "key_by_label", "secret", [value], shape))
    for at, (shape, around) in enumerate(AROUND_PASSWORDS.items()):
        for step in range(2):
            value = PASSWORDS[(at + step * 2) % len(PASSWORDS)]()
            made.append(line(around.format(value), "password", "secret", [value], shape))
    for kind, around, make in CONFIGURATION:
        for _ in range(2):
            value = make()
            made.append(line(around.format(value), kind, "secret", [value], "file"))
    return made


def personal() -> list[dict[str, Any]]:
    """Return the lines with personal data."""
    made = []
    around = list(PROSE.values())[:4]
    for at, (kind, make) in enumerate(PERSONAL.items()):
        for step in range(3):
            value = make()
            shape = list(PROSE)[(at + step) % 4]
            made.append(line(around[(at + step) % 4].format(value), kind, "pii", [value], shape))
    for country, phone in PHONES.items():
        for shape, text in (
            ("call", "call me at {}"),
            ("json", '{{"phone": "{}"}}'),
            ("chat", "Noted: {}, thanks."),
        ):
            value = phone()
            made.append(line(text.format(value), f"phone_{country}", "pii", [value], shape))
    for kind, cases in LABELLED_PERSONAL.items():
        for text, make in cases:
            for _ in range(2):
                value = make()
                made.append(line(text.format(value), kind, "pii", [value], "label"))
    return made


def main() -> None:
    """Print all lines."""
    made = [*secrets(), *personal()]
    made += [line(text, kind, "encoded", gone, kind) for kind, text, gone in encoded()]
    carriers = ("{}", "log: {}", "> {}")
    for kind, texts in HARMLESS.items():
        made += [line(text, kind, "harmless", [], "text") for text in texts]
        made += [
            line(carriers[1 + at % 2].format(text), kind, "harmless", [], "carried")
            for at, text in enumerate(texts)
            if "\n" not in text and at % 2 == 0
        ]
    for at, item in enumerate(made):
        sys.stdout.write(json.dumps({"id": f"q{at:04}", **item}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
