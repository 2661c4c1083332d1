"""Names that say their value is a secret: ``password``, ``dbPassword``, ``AWS_SECRET_ACCESS_KEY``.

The one list of such words. It knows names in any spelling (``access_key``, ``accessKey``,
``ACCESS-KEY``, ``accesskey``) and in the languages that are met most.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

from ._wording import words

__all__ = ["Meaning", "is_telling", "meaning_of", "words_of"]

Meaning = Literal["password", "key", "code"]
"""``password``: any value is a secret. ``key``: a value that looks made by chance is one.
``code``: a few digits are."""

_PASSWORDS: Final = words(
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
_KEYS: Final = words(
    """
    key keys apikey token tokens authtoken accesstoken jwt bearer pat auth authorization dsn
    sas salt pepper seed mnemonic signature sig authkey licensekey hmac privkey schlussel
    schluessel clave chave chiave cle clef jeton sleutel nyckel klucz avain anahtar ключ токен
    """
)
_CODES: Final = words(
    """
    pin otp totp hotp cvv cvc cvv2 cvc2 csc passcode mfacode puk
    """
)
_GLUED: Final = (
    "password", "passwd", "passwort", "kennwort", "passphrase", "passcode", "secret", "pwd",
    "token", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "accountkey", "appkey",
    "sharedkey", "masterkey", "signingkey", "encryptionkey", "storagekey", "presharedkey",
    "servicekey", "clientkey", "schlüssel", "schlussel", "wachtwoord", "credentials",
)  # fmt: skip
"""What a name that is written as one word may end in."""
_OTHER_SCRIPTS: Final = (
    "密码", "密碼", "口令", "パスワード", "暗証番号", "合言葉", "비밀번호", "암호", "รหัสผ่าน",
    "كلمة السر", "كلمة المرور", "סיסמה", "סיסמא", "mật khẩu", "पासवर्ड",
)  # fmt: skip
_OTHER_SCRIPTS_KEYS: Final = ("密钥", "密鑰", "令牌", "トークン", "apiキー", "토큰", "인증키")
_TRAILING: Final = words(
    """
    value val plain plaintext plain cleartext clear raw text current new old confirm
    confirmation confirmed again repeat retype prod production dev staging test live default
    primary secondary backup env str string b64 base64 base encoded data main admin root user
    db database of for de
    """
)
"""Words after the telling one that change nothing: ``password_new``, ``client-key-data``."""
_NO_KEYS: Final = words(
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
_NO_TOKENS: Final = words(
    """
    max min prompt completion input output total cached next previous prev continuation page
    paging pagination stop eos bos pad unk mask sep cls special num number n per used
    remaining budget sync cursor reasoning thinking audio text image first last each every a
    an the any this that these those word sub bad good new_line end start unexpected illegal
    invalid current parser lexer syntax design color font spacing nft erc20 native governance
    utility position keyword identifier operator string_literal
    """
)
_LONGEST: Final = 64
_UNMARKED: Final = {0x142: "l", 0x141: "L", 0x131: "i", 0xDF: "ss"}
"""Letters with a mark that Unicode does not take apart."""
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_NO_PASS: Final = words(
    """
    bypass compass surpass trespass encompass overpass
    """
)


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case and without accents.

    Args:
        name: a key, a variable, a header, a column, in any spelling.
    """
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return [word.casefold() for word in _WORD.findall(plain.translate(_UNMARKED))]


@lru_cache(maxsize=4096)
def meaning_of(name: str) -> Meaning | None:
    """Return how far a name says that its value is a secret, None when it does not.

    Args:
        name: a key, a variable, a header, a column, in any spelling.
    """
    if not name or len(name) > _LONGEST:
        return None
    folded = name.casefold()
    if any(word in folded for word in _OTHER_SCRIPTS):
        return "password"
    if any(word in folded for word in _OTHER_SCRIPTS_KEYS):
        return "key"
    words = words_of(name)
    while len(words) > 1 and (words[-1] in _TRAILING or words[-1].isdigit()):
        del words[-1]
    return _of_words(words)


def _of_words(words: list[str]) -> Meaning | None:
    if not words:
        return None
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    known = _of_last(last, before)
    if known is not None or last in _KEYS:
        return known
    if before in ("clave", "chave", "chiave", "cle", "token", "jeton", "mot") and last in (
        "api", "acceso", "acesso", "acces", "accesso", "secreta", "secrete", "segreta",
    ):  # fmt: skip
        return "key"
    if last.endswith("pass") and last not in _NO_PASS:
        return "password"
    return _of_glued(last)


def _of_last(last: str, before: str) -> Meaning | None:
    """Return what the last word of a name says."""
    if last in _CODES or (before == "pass" and last == "code"):
        return "code"
    if last in _PASSWORDS or (before == "pass" and last in ("word", "phrase")):
        return "password"
    return _of_key(last, before) if last in _KEYS else None


def _of_key(last: str, before: str) -> Meaning | None:
    if last in ("key", "keys"):
        if before in ("", *_NO_KEYS) or before.isdigit():
            return None
        return "password" if before == "secret" else "key"
    if last in ("token", "tokens"):
        plural = last == "tokens" and before not in ("access", "refresh", "auth", "api", "secret")
        return None if plural or before in _NO_TOKENS else "key"
    if last in ("signature", "sig", "auth", "salt", "seed", "sas", "cle") and before in _NO_KEYS:
        return None
    return "key"


def _of_glued(word: str) -> Meaning | None:
    for end in _GLUED:
        if word.endswith(end):
            strong = end.startswith(("pass", "kenn", "pwd", "wacht", "secret", "cred"))
            return "password" if strong else "key"
    return None


def is_telling(name: str) -> bool:
    """Tell whether a name says that its value is a secret.

    Args:
        name: a key, a variable, a header, a column, in any spelling: ``access_key``, ``totp``,
            ``dbPassword``, ``X-Api-Key``, ``Kennwort``.
    """
    return meaning_of(name) is not None
