"""The values beside a telling label: a secret, or a placeholder, prose, a piece of code."""

from __future__ import annotations

import itertools
import re
from typing import Final

from hookcore import SecretMeaning, secret_meaning

from ._wording import words

__all__ = [
    "changes_case",
    "is_code_number",
    "is_made_by_chance",
    "is_secret_value",
    "looks_like_password",
]

_NO_VALUES: Final = words(
    """
    none null nil undefined true false yes no on off empty missing invalid valid required
    optional expired unset set string str text bool boolean int integer number object bytes
    any void auto default unknown n/a na tbd todo fixme changeme change-me change_me replaceme
    replace-me example sample dummy placeholder redacted masked hidden removed filtered
    omitted secret password token pass passwd key value here xxx abc foo bar baz test testing
    prompt ask env input stdin file basic bearer digest negotiate encrypted plain generated
    random rotated not given wrong correct incorrect bad good ok success failed failure denied
    rejected revoked refreshed same weak strong
    """
)
_TEMPLATE: Final = re.compile(
    r"^(?:\$[{(A-Z_a-z]|%[({A-Za-z]|\{|<|\[|\(|@\{|#\{|!(?:Ref|Sub|ENV|vault|secret|Get)|ref\+|"
    r"op://|vault:|secretsmanager:|arn:|ssm:|env[:.]|process\.env|os\.environ|os\.getenv|getenv|"
    r"System\.getenv|ENV\[|secrets\.|var\.|vars\.|local\.|data\.|config\.|self\.|this\.|"
    r"settings\.|args\.|params\.|request\.|req\.|ctx\.|-----BEGIN |&str\b)"
)
_STAND_IN: Final = re.compile(
    r"^(?:[x*.•·●#_\-?X]{2,}|\.{2,}.*|.*(?:\.\.\.|…|\*{3}|x{4,}|X{4,}|•{2,}).*|"
    r"(?:your|my|the|some|insert|enter|put|add|use|replace|example|sample|dummy|fake|test|change)"
    r"[-_ .]?(?:\w+[-_ .])*(?:password|passwort|secret|token|key|value|here|me|this|id"
    r"|credential)s?"
    r"(?:[-_ .]here)?|.*[-_ ](?:here|goes[-_]here|placeholder|changeme)|<.*>|\{\{.*|"
    r".*\$\{.*\}.*|.*\{\{.*\}\}.*)$",
    re.IGNORECASE,
)
_TYPE: Final = re.compile(
    r"^(?:\w+\.)*[A-Z]\w*(?:Keys?|Tokens?|Secrets?|Passwords?|Credentials?|Params|Response"
    r"|Request|Config|"
    r"Type|Error|Exception|Provider|Manager|Client)$"
)
_PROSE: Final = re.compile(
    r"(?:^|\s)(?:must|your|enter|please|the|is|are|was|at|least|for|to|of|and|or|with|without|not|"
    r"characters?|password|passwords|token|secret|key|be|has|have|can|will|should|in|on|from|this|"
    r"that|a|an|der|die|das|ist|und|mit|bitte|el|la|de|su|le|votre|por|must|new|forgot|reset|"
    r"change|confirm|invalid|incorrect|required)(?=[\s.,:;!?]|$)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"^\$?[^\W\d]+(?:(?:\.|->|::)[^\W\d]+)+$|^[^\W\d][\w.]*(?:\[[\w., |'\":+*-]*\]?|\([^)]*\)?)$"
)
_PATH: Final = re.compile(r"^(?:~?/|\.{1,2}/|[A-Za-z]:\\|[\w.-]+/[\w./-]*/[\w./-]*$|https?://)")
_UUID: Final = re.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_DATE: Final = re.compile(r"^\d{4}-\d\d-\d\d(?:[T ].*)?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$")
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
_KEY_CHARACTERS: Final = re.compile(r"^[\w.+/=~:%$!@#^*|\\&?,;-]+$", re.ASCII)
_SHORTEST_KEY: Final = 8
_LONG: Final = 16
_LONGER: Final = 24
_SHORTEST_RUN: Final = 10
_MOST_WORDS: Final = 8


_DIGIT: Final = re.compile("[0-9]")


def _mixed(text: str) -> tuple[bool, bool, bool]:
    """Tell whether a text has small letters, large letters and digits."""
    return text.upper() != text, text.lower() != text, _DIGIT.search(text) is not None


def is_made_by_chance(value: str) -> bool:
    """Tell whether a value looks like a key: no word, path, date, version or name.

    Args:
        value: what stands beside a label.
    """
    if len(value) < _SHORTEST_KEY or not _KEY_CHARACTERS.match(value):
        return False
    if _is_path(value) or _DATE.match(value) or _CODE.match(value):
        return False
    return _UUID.match(value) is not None or _changes_often(value)


def _changes_often(value: str) -> bool:
    lower, upper, digit = _mixed(value)
    if not digit:
        return _is_chance_of_letters(value, lower=lower, upper=upper)
    if not (lower or upper):
        return len(value) >= _LONG and value.isdigit()
    if any(map(_is_random_run, _RUN.findall(value))):
        return True
    digits = sum("0" <= letter <= "9" for letter in value)
    return digits >= 4 and (len(value) >= _LONGER or (lower and upper))  # noqa: PLR2004


_TURN: Final = re.compile(r"(?<=[0-9])[A-Za-z]|(?<=[A-Za-z])[0-9]")
_CASES: Final = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_HEX_NUMBER: Final = re.compile(r"^0x[0-9A-Fa-f]{1,16}$")
_FEW_TURNS: Final = 3
_MANY_DIGITS: Final = 6


def _is_random_run(run: str) -> bool:
    """Tell whether letters and digits change too often for words with a number."""
    small, large, digit = _mixed(run)
    if len(run) < _SHORTEST_RUN or not digit or not (small or large) or _HEX_NUMBER.match(run):
        return False
    if len(run) >= _LONGER or len(_TURN.findall(run)) >= _FEW_TURNS:
        return True
    digits = sum("0" <= letter <= "9" for letter in run)
    return digits >= _MANY_DIGITS or len(_CASES.findall(run)) * 3 >= len(run)


def _is_path(value: str) -> bool:
    """Tell whether a value is a path or an address, and no base64 with slashes."""
    if not _PATH.match(value):
        return False
    digits = sum("0" <= letter <= "9" for letter in value)
    return "+" not in value and not value.endswith("=") and digits * 6 <= len(value)


def _is_chance_of_letters(value: str, *, lower: bool, upper: bool) -> bool:
    """Tell whether letters alone are no words: they change between cases all the time."""
    if not (lower and upper) or len(value) < _LONG:
        return False
    changes = sum(a.isupper() != b.isupper() for a, b in itertools.pairwise(value))
    return changes * 3 >= len(value)


def is_code_number(value: str) -> bool:
    """Tell whether a value is a PIN, a one-time or a card's code."""
    compact = value.replace(" ", "").replace("-", "")
    return compact.isdigit() and compact.isascii() and 3 <= len(compact) <= 8  # noqa: PLR2004


def _is_stand_in(value: str) -> bool:
    folded = value.casefold().strip("\"'`.,;:!?")
    if not folded or folded in _NO_VALUES or _TEMPLATE.match(value) or _STAND_IN.match(value):
        return True
    if _TYPE.match(value) or len(set(folded)) <= 2:  # noqa: PLR2004
        return True
    return secret_meaning(value) is not None and not any(map(str.isdigit, value))


def is_secret_value(
    value: str, meaning: SecretMeaning, *, quoted: bool, strict: bool = False
) -> bool:
    """Tell whether a value beside a label is the secret that the label promises.

    Args:
        value: the value, without quotes.
        meaning: what the label says.
        quoted: whether the value is surely one: it stood in quotes, or was a value of its own.
        strict: whether it has to look like a secret all the same.
    """
    if _is_stand_in(value):
        return False
    if meaning == "code":
        return is_code_number(value) or (len(value) >= _LONG and is_made_by_chance(value))
    if meaning == "key":
        return is_made_by_chance(value)
    return _is_password(value, quoted=quoted, strict=strict)


def _is_password(value: str, *, quoted: bool, strict: bool) -> bool:
    if " " in value.strip():
        return quoted and not strict and _is_phrase(value)
    if len(value) < (3 if quoted else 4) or _is_path(value):
        return False
    if strict:
        return _has_marks(value) and not value.isalpha()
    return quoted or (_has_marks(value) and not _CODE.match(value))


def _has_marks(value: str) -> bool:
    """Tell whether a word is none of a language."""
    lower, upper, digit = _mixed(value)
    if value.isdigit():
        return len(value) >= 6  # noqa: PLR2004
    marks = any(not letter.isalnum() and letter not in "_-.'" for letter in value)
    inner = lower and any(map(str.isupper, value[1:]))
    return digit or marks or (inner and upper and len(value) >= _SHORTEST_KEY)


def _is_phrase(value: str) -> bool:
    words = value.split()
    if len(words) > _MOST_WORDS or _PROSE.search(value):
        return False
    return any(map(str.isdigit, value)) or len(words) > 2 or _has_marks(value)  # noqa: PLR2004


_PASSWORD_MARKS: Final = frozenset("!@#$%^&*?+=~§")
_METHOD: Final = re.compile("(?i:sha[0-9]|pbkdf|hmac|aes[0-9]|md5|bcrypt|argon|oauth|base64|totp)")
_NO_PASSWORD: Final = re.compile(r"^(?:https?|[\w.-]+@[\w.-]+\.\w+$|[A-Z]+-\d+$|v?\d+\.)")


def looks_like_password(word: str) -> bool:
    """Tell whether a word of a sentence is a password: letters, digits and marks, or all cases.

    Args:
        word: the word, without the marks of the sentence.
    """
    if not _SHORTEST_KEY <= len(word) <= 64 or _NO_PASSWORD.match(word):  # noqa: PLR2004
        return False
    if not word.isascii() or "://" in word or _METHOD.search(word):
        return False
    lower, upper, digit = _mixed(word)
    if not digit or not (lower or upper):
        return False
    marks = {mark for mark in word if mark in _PASSWORD_MARKS}
    if marks:
        fits = (lower and upper) or marks != {"@"}
        return fits and "(" not in word and "=" not in word[:-1] and not _is_stand_in(word)
    return (
        lower and upper and word.isalnum() and len(word) >= _SHORTEST_RUN and not _is_stand_in(word)
    )


_TURNS_OF_CASE: Final = 3


def changes_case(word: str) -> bool:
    """Tell whether a word with a number in it is none of a language, nor a name with its number.

    Args:
        word: the word, without the marks of the sentence.
    """
    lower, upper, digit = _mixed(word)
    if not (lower and upper and digit) or not _SHORTEST_KEY <= len(word) <= 64:  # noqa: PLR2004
        return False
    if _NO_PASSWORD.match(word) or not word.isascii() or "://" in word or _is_stand_in(word):
        return False
    return len(_CASES.findall(word)) >= _TURNS_OF_CASE and not _METHOD.search(word)
