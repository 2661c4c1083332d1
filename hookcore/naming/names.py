"""Names of tools and agents: the forms that they are compared in, and the patterns for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, product
from typing import Any, Final

from .globs import Automaton, CharClass, Token, Wild, is_exact, parse
from .spelling import bare, joined, name_forms, pieces, sanitize_tool_name

__all__ = [
    "TOOL_ALIASES",
    "NamePatterns",
    "agent_names",
    "agent_names_of",
    "check_name_pattern",
    "name_forms",
    "sanitize_tool_name",
    "tool_aliases",
    "tool_forms",
]

tool_forms = name_forms
TOOL_ALIASES: Final = "tool_aliases"
"""The attribute of a context in which a host says by which other names a tool is known."""
_PATTERNS_KEPT: Final = 8192
"""The number of compiled patterns that are kept: large policies are made more than once."""


def check_name_pattern(pattern: str, longest: int | None = None) -> None:
    """Check that a pattern for names is well formed, and that a name can match it.

    Args:
        pattern: a name or glob.
        longest: the most characters that a name has; None for no limit.

    Raises:
        ValueError: it is not; the text says why, as in "it is empty".
    """
    tokens, _ = _compiled(pattern)
    least = sum(token is not Wild.STAR for token in tokens)
    if longest is not None and least > longest:
        raise ValueError(f"it is longer than {longest} characters, and no such name is let through")


class NamePatterns:
    """Names and globs, and which of them match a name.

    A glob matches a whole name: ``*`` is any run of characters, ``?`` any one, ``[a-z]`` one of
    these, ``[!a-z]`` one of the others, ``[*]`` a star itself. The time is linear in the name.

    A name is compared in every spelling: as written, and both sides in their plain forms
    (:func:`name_forms`), so that ``Delete File``, ``DELETE_FILE`` and ``deleteFile`` match
    ``delete_file``, and ``mcp-github-merge`` matches ``mcp__github__*``. There ``?`` and a class
    are a letter in either case, with or without a separator beside it. What forbids, or watches,
    should ask so. What permits should ask for ``as_written=True``: then case and separators count.

    Args:
        patterns: the names and globs.

    Raises:
        ValueError: one of them is empty or malformed; the text names it and says why.
    """

    __slots__ = ("_exact", "_globs", "_loose", "_plain", "_wild", "_written", "patterns")

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns: tuple[str, ...] = tuple(patterns)
        self._written: defaultdict[str, list[int]] = defaultdict(list)
        self._plain: defaultdict[str, list[int]] = defaultdict(list)
        self._wild: list[int] = []
        globs: list[tuple[Token, ...]] = []
        loose: list[tuple[Token, ...]] = []
        for index, pattern in enumerate(self.patterns):
            tokens, plain = _parsed(pattern)
            if not plain:
                name = "".join(token for token in tokens if isinstance(token, str))
                self._written[name].append(index)
                for form in name_forms(name):
                    self._plain[form].append(index)
            else:
                for variant in _merged(plain):
                    self._wild.append(index)
                    globs.append(tokens)
                    loose.append(variant)
        self._globs = Automaton(globs) if globs else None
        self._loose = Automaton(loose) if globs else None

    def matches(self, name: str, *, as_written: bool = False) -> bool:
        """Tell whether one of the patterns matches a name.

        Args:
            name: the name.
            as_written: whether only the name as it is written counts.
        """
        if as_written:
            return name in self._written or (self._globs is not None and self._globs.accepts(name))
        return self.matches_forms(name_forms(name))

    def matches_forms(self, forms: tuple[str, ...]) -> bool:
        """Tell whether one of the patterns matches a name in any spelling.

        Args:
            forms: the name's :func:`name_forms`, for who compares it with many patterns.
        """
        if any(form in self._plain for form in forms):
            return True
        if self._globs is None or self._loose is None:
            return False
        return self._globs.accepts(forms[0]) or any(map(self._loose.accepts, forms))

    def matching(self, name: str, *, as_written: bool = False) -> list[int]:
        """Return the places of the patterns that match a name, in their order.

        Args:
            name: the name.
            as_written: whether only the name as it is written counts.
        """
        forms = (name,) if as_written else name_forms(name)
        exact = self._written if as_written else self._plain
        found = {index for form in forms for index in exact.get(form, ())}
        found.update(self._of(self._globs, name))
        if not as_written:
            found.update(index for form in forms for index in self._of(self._loose, form))
        return sorted(found)

    def covering(self, pattern: str, *, as_written: bool = False) -> list[int]:
        """Return the places of patterns that surely match every name that another one matches.

        Args:
            pattern: the other one.
            as_written: whether only names as they are written count, for both.

        Raises:
            ValueError: it is malformed.
        """
        tokens, plain = _parsed(pattern)
        if not plain:
            return self._covering_name("".join(map(str, tokens)), as_written=as_written)
        if as_written:
            return sorted(self._of(self._globs, tokens))
        found = set(self._of(self._loose, [t for t in plain if t is not Wild.GAP]))
        if Wild.GAP in plain:
            parted = ("_" if token is Wild.GAP else token for token in plain)
            found.intersection_update(self._of(self._loose, parted))
        if not all(isinstance(token, str) or token is Wild.STAR for token in tokens):
            # A wildcard for one character does not stand for all that a spelling may make of it.
            found.intersection_update(self._of(self._globs, tokens))
        return sorted(found)

    def _covering_name(self, name: str, *, as_written: bool) -> list[int]:
        if as_written:
            return self.matching(name, as_written=True)
        forms = name_forms(name)
        found = [
            {*self._plain.get(form, ()), *self._of(self._loose, form)}
            for form in forms[1:] or forms
        ]
        return sorted(set.intersection(*found))

    def _of(self, automaton: Automaton | None, symbols: Iterable[Token]) -> list[int]:
        if automaton is None:
            return []
        return list(dict.fromkeys(self._wild[place] for place in automaton.matching(symbols)))


_Tokens = tuple[Token, ...]


def _parsed(pattern: str) -> tuple[_Tokens, _Tokens]:
    try:
        return _compiled(pattern)
    except ValueError as error:
        raise ValueError(f"the pattern {pattern!r} matches no name: {error}") from None


@lru_cache(_PATTERNS_KEPT)
def _compiled(pattern: str) -> tuple[_Tokens, _Tokens]:
    """Return a pattern as it is compared with names as written, and with plain forms if a glob."""
    tokens = parse(pattern)
    return tokens, () if is_exact(tokens) else _plain_tokens(tokens)


def _plain_tokens(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return a glob as it is compared with plain forms: what stands for itself made plain too."""
    result: list[Token] = []
    rest = len(tokens)
    for is_text, group in groupby(tokens, lambda token: isinstance(token, str)):
        part = list(group)
        rest -= len(part)
        if is_text:
            result += _plain_text("".join(map(str, part)), is_open=rest > 0)
        else:
            for token in part:
                result += _plain_wildcard(token, result[-1:])
    return tuple(result)


_MOST_MERGED = 3


def _merged(plain: _Tokens) -> Iterator[_Tokens]:
    """Yield a glob's plain form, and those in which an empty ``*`` leaves one separator of two.

    ``a_*_b`` matches ``a__b``, which is spelled ``a_b`` as well.
    """
    places = [
        place
        for place in range(len(plain) - 2)
        if plain[place : place + 3] == ("_", Wild.STAR, "_")
    ]
    several = places[:_MOST_MERGED]
    for chosen in product((False, True), repeat=len(several)):
        gone = {place for place, is_gone in zip(several, chosen, strict=True) if is_gone}
        if len(gone) == len(several):
            gone.update(places)  # of very many, all or none
        left = {place + offset for place in gone for offset in (1, 2)}
        yield tuple(token for at, token in enumerate(plain) if at not in left)


def _plain_text(text: str, *, is_open: bool) -> Iterator[Token]:
    parts = list(pieces(bare(text), is_open=is_open))
    if not any(parts):
        raise ValueError(f"{text!a} holds nothing that can be seen")
    for index, piece in enumerate(parts):
        if index:
            yield Wild.GAP
        yield from joined(piece)


def _plain_wildcard(token: Token, before: list[Token]) -> Iterator[Token]:
    if token is Wild.STAR:
        yield token
        return
    # A letter may be a camel-cased word's first or last, with its separator beside it.
    if before != [Wild.GAP]:
        yield Wild.GAP
    yield token.loosened() if isinstance(token, CharClass) else token
    yield Wild.GAP


def agent_names(agent: Any) -> tuple[str, ...]:
    """Return what an agent can be compared by: its role and its name, or the string that it is."""
    if agent is None:
        return ()
    if isinstance(agent, str):
        return (str.__str__(agent),) if agent else ()
    names = (_text_attribute(agent, "role"), _text_attribute(agent, "name"))
    return tuple(name for name in names if name)


def agent_names_of(ctx: Any) -> tuple[str, ...]:
    """Return what a context's agent can be compared by; a host may give only ``ctx.agent_role``."""
    return agent_names(ctx.agent) or agent_names(getattr(ctx, "agent_role", None))


def _text_attribute(agent: Any, attribute: str) -> str | None:
    try:
        value = getattr(agent, attribute, None)
    except Exception:  # noqa: BLE001 - a host's property may raise anything; it is then no name
        return None
    return str.__str__(value) if isinstance(value, str) else None


def tool_aliases(ctx: Any) -> tuple[str, ...]:
    """Return the other names that a call's tool is known by, as its host gives them.

    They stand in the context's ``attributes["tool_aliases"]``: what forbids, watches or permits a
    tool by one of its names means the tool. They come from a host, never from a model.

    Args:
        ctx: the context of a tool call.

    Raises:
        TypeError: they are neither a name nor a list of names.
    """
    given = ctx.attributes.get(TOOL_ALIASES, ())
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise TypeError(f'attributes["{TOOL_ALIASES}"] takes a list of names, not {given!r}')
    return tuple(map(str.__str__, names))
