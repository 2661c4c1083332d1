"""The detectors that some kinds need, in the order in which they name what they find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ._addresses import AddressDetector
from ._configs import ConfigDetector, SecretManifestDetector, config_detectors
from ._contexts import context_detectors
from ._cookies import CookieDetector
from ._detectors import KeyDetector, PersonalDetector, token_detectors
from ._email import EmailDetector, SpelledEmailDetector
from ._encoded import EncodedDetector, PairsDetector
from ._labels import FoundValue, LabelDetector, SecretLabels
from ._near import PERSONAL_CORES, PersonalLabels
from ._pii import PERSONAL
from ._prose import LoginDetector, ProseDetector
from ._spans import Detector, Span
from ._tables import TableDetector

__all__ = ["LINERS", "LONGEST_NAME", "Catalogue"]

LINERS: Final = (ConfigDetector, SecretManifestDetector, TableDetector)
"""Those for which it counts where a line ends."""

LONGEST_NAME: Final = 64
_MOST_NAMES: Final = 4096

_LABELLED = frozenset({"password", "labelled_key"})


class Catalogue:
    """The detector of some kinds.

    Args:
        kinds: the kinds.
        labels: an operator's own labels of secrets.
        look: finds places in a text that was encoded; None when none is to be opened.
    """

    def __init__(
        self,
        kinds: frozenset[str],
        labels: Sequence[str],
        look: Callable[[bytes], Sequence[Span]] | None,
    ) -> None:
        self._labels = SecretLabels(kinds, labels)
        self._secrets = bool(kinds & _LABELLED)
        self._people = [
            PersonalLabels(kind, core) for kind, core in PERSONAL_CORES if kind in kinds
        ]
        self._names: dict[str, Sequence[PersonalLabels]] = {}
        found: list[Detector] = [*token_detectors(kinds)]
        found += [KeyDetector()] if "private_key" in kinds else []
        found += config_detectors(kinds)
        found += context_detectors(kinds)
        found += [CookieDetector()] if "cookie" in kinds else []
        if self._secrets:
            found.append(LabelDetector(self._labels.cores, self._labels.judge))
        found += [ProseDetector(), LoginDetector()] if "password" in kinds else []
        found += [EmailDetector(), SpelledEmailDetector()] if "email" in kinds else []
        found += [AddressDetector()] if "street_address" in kinds else []
        found += [PersonalDetector(item) for item in PERSONAL if item.kind in kinds]
        found += [LabelDetector(people.cores, people.judge, words=True) for people in self._people]
        found += self._tables()
        if look is not None and found:
            found += [EncodedDetector(look), PairsDetector(look)]
        self.detectors: Sequence[Detector] = found

    def _tables(self) -> list[TableDetector]:
        cores = [people.cores for people in self._people]
        cores += [self._labels.cores] if self._secrets else []
        return [TableDetector("|".join(cores), [self._in_cell])] if cores else []

    def names(self, name: str) -> bool:
        """Tell whether a name says what its value is."""
        if self._labels.meaning(name) is not None or self._named_by(name):
            return True
        folded = name.casefold()
        return any(word in folded for word in ("key", "auth", "cookie", "card", "conn", "dsn"))

    def of_value(self, name: str, value: bytes) -> str | None:
        """Return the kind of a whole value by its name."""
        span = self._in_cell(name, value, 0, len(value))
        return span.kind if span is not None and (span.start, span.end) == (0, len(value)) else None

    def _in_cell(self, name: str, data: bytes, start: int, end: int) -> Span | None:
        value = data[start:end].decode("utf-8", "replace")
        kind = self._labels.of_value(name, value)
        if kind is not None:
            return Span(start, end, kind)
        for people in self._named_by(name):
            found = FoundValue(name, start, end, quoted=True, separator=b"", loose=False)
            if (span := people.judge(data, found)) is not None:
                return span
        return None

    def _named_by(self, name: str) -> Sequence[PersonalLabels]:
        """Return whose labels a name is one of; names come again and again."""
        known = self._names.get(name)
        if known is None:
            known = tuple([people for people in self._people if people.names(name)])
            if len(name) <= LONGEST_NAME and len(self._names) < _MOST_NAMES:
                self._names[name] = known
        return known
