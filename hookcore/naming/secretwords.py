"""The words by which names tell of secrets, in the languages that are met most.

They are written as :func:`words_of` takes a name apart: in lower case, without marks.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["words_of"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PASSWORDS: Final = _words(
    """
    pass password passwords passwd passwds passphrase pwd pswd psw pw passw passkey pword
    secret secrets secretkey credential credentials creds cred psk bindpw rootpw adminpw
    userpw keypass storepass requirepass masterauth sshpass pgpass ansiblepass passwort
    passworte kennwort losungswort geheimnis geheimwort zugangscode contrasena contrasenas
    secreto senha segredo passe mdp wachtwoord paswoord geheim losenord passord adgangskode
    kodeord salasana haslo heslo jelszo parola parole lozinka geslo sifre пароль пароля секрет
    лозинка sandi passwordhash
    """
)
"""Under these any value is a secret."""
CODES: Final = _words("pin otp totp hotp cvv cvc csc puk mfa passcode mfacode")
"""Under these a few digits are."""
KEYS: Final = _words(
    """
    key keys schlussel schluessel clave chave chiave cle clef sleutel nyckel klucz avain anahtar
    ключ
    """
)
"""Words that may open something, and may as well be a column's."""
TOKENS: Final = _words(
    """
    apikey token tokens authtoken accesstoken jwt bearer pat auth oauth authorization dsn sas salt
    pepper seed mnemonic signature sig authkey licensekey hmac privkey whsec jeton токен
    """
)
"""Under these what looks made by chance is a secret."""
CERTAIN: Final = _words(
    """
    apikey authkey authorization authtoken accesstoken bearer cookie jwt mnemonic pat privkey whsec
    """
)
"""Those of the tokens that are never counted, and seldom anything else."""
COUNTABLE: Final = _words("auth oauth pass passe token jeton токен")
"""Words that also stand in the names of counts and switches, such as ``max_tokens``."""
MEASURES: Final = _words(
    """
    age changed count days expired expires failed found hours index length limit max min minutes
    seconds size total ttl used
    """
)
"""Words that make of a secret something that is counted, where they end its name."""
OPENING: Final = _words(
    """
    access account api app auth client encryption hmac license master private secret service
    session shared signing ssh storage
    """
)
"""Words that make a key one that opens something, also where the two are written as one."""
OPENING_APART: Final = OPENING | _words(
    "admin decryption deploy encrypt gpg hash pgp rsa sign subscription webhook"
)
"""The same, and what does so only as a word of its own: ``assignkey`` is no key for signing."""
PROVING: Final = _words("backup login recovery security seed verification")
"""Words that make a code or phrase one that lets somebody in."""
GLUED: Final = (
    "password", "passwd", "passwort", "passphrase", "passcode", "kennwort", "wachtwoord", "secret",
    "credential", "credentials", "pwd",
)  # fmt: skip
"""Endings of a name that is written as one word."""
NO_PASS: Final = _words("bypass compass surpass trespass encompass overpass underpass")
SCRIPTS: Final = (
    "密码", "密碼", "口令", "パスワード", "暗証番号", "合言葉", "비밀번호", "암호", "รหัสผ่าน",
    "كلمة السر", "كلمة المرور", "סיסמה", "סיסמא", "mật khẩu", "पासवर्ड",
)  # fmt: skip
"""Passwords in scripts that do not part their words, or in more than one word."""
SCRIPTS_OF_KEYS: Final = ("密钥", "密鑰", "令牌", "トークン", "apiキー", "토큰", "인증키")
TRAILING: Final = _words(
    """
    value val plain plaintext plain cleartext clear raw text current new old confirm
    confirmation confirmed again repeat retype prod production dev staging test live default
    primary secondary backup env str string b64 base64 base encoded data main admin root user
    db database of for de
    """
)
"""Words after the telling one that change nothing: ``password_new``, ``client-key-data``."""
NO_KEYS: Final = _words(
    """
    cache primary foreign sort partition public pub hash map dict row object s3 shortcut hot
    arrow idempotency routing group translation i18n message index unique composite natural
    surrogate lookup property json redis event config feature issue project ticket item node
    react list column field filter query meta metadata metric label tag dimension order range
    shard dedup deduplication lock file path registry answer any every each this that the a an
    my your our its which what no of and or keyboard home end enter escape delete tab function
    modifier up down left right page next prev last first same wrong missing invalid valid
    unknown known duplicate storage_name bucket blob document doc record entity attribute
    param parameter header setting settings option locale lang state slot widget component
    session_name job task batch stream authorized trusted kafka topic sns queue host ed25519
    rsa ssh gpg pgp verification verify vapid_public normal musical piano piece major minor
    success crucial important turn low
    """
)
"""Words before ``key`` with which it opens nothing."""
NO_TOKENS: Final = _words(
    """
    max min prompt completion input output total cached next previous prev continuation page
    paging pagination stop eos bos pad unk mask sep cls special num number n per used
    remaining budget sync cursor reasoning thinking audio text image first last each every a
    an the any this that these those word sub bad good new_line end start unexpected illegal
    invalid current parser lexer syntax design color font spacing nft erc20 native governance
    utility position keyword identifier operator string_literal
    """
)
"""Words before ``token`` with which it proves nothing."""

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_UNMARKED: Final = {0x142: "l", 0x141: "L", 0x131: "i", 0xDF: "ss"}
"""Letters with a mark that Unicode does not take apart."""


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case and without marks.

    It is taken apart where its case changes, at digits, and at everything that is no letter.

    Args:
        name: a key, a variable, a header, a column, in any spelling; also with JSON's escapes.
    """
    if "\\" in name:
        name = _ESCAPE.sub(_meant, name)
    if not name.isascii():
        # Letters that only look different: full-width ones, those with marks.
        plain = unicodedata.normalize("NFKD", name)
        name = "".join(c for c in plain if not _is_mark(c)).translate(_UNMARKED)
    return [word.casefold() for word in _WORD.findall(name)]


def _meant(escape: re.Match[str]) -> str:
    return " " if escape[1] is None else chr(int(escape[1], 16))


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or unicodedata.category(char) == "Cf"
