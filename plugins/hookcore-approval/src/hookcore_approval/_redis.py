"""Requests on a Redis server that the processes of many machines share."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

from hookcore_stores import RedisStore

from ._rules import KEPT_S, TooManyError, expired
from .requests import Claim, Decided, Draft, Request, Verdict

if TYPE_CHECKING:
    from .settings import ApprovalSettings

__all__ = ["RedisRequests"]

# A request is a hash; which one is asked for by a binding, a text; all of them and those that are
# pending, sorted sets. All share a hash tag, so that scripts may make keys of what they read.
_NOW: Final = """
local t = redis.call('TIME')
local now = t[1] + t[2] / 1e6
local function text(number) return string.format('%.6f', number) end
"""
_CLAIM: Final = (
    _NOW
    + """
local prefix, binding, all, pending = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id = redis.call('GET', binding)
if id then
  local v = redis.call('HMGET', prefix .. id, 'state', 'expires', 'by')
  if v[1] and v[1] ~= 'taken' and tonumber(v[2]) > now then
    if v[1] == 'approved' then
      redis.call('HSET', prefix .. id, 'state', 'taken')
      return {'taken', id, v[3], 0}
    end
    return {v[1], id, v[3], 0}
  end
end
if ARGV[1] == '' then return {'expired', '', '[]', 0} end
redis.call('ZREMRANGEBYSCORE', pending, '-inf', now)
redis.call('ZREMRANGEBYSCORE', all, '-inf', now - ARGV[4])
local waiting = redis.call('ZCARD', pending)
if waiting >= tonumber(ARGV[3]) then return {'full', '', '[]', waiting} end
local expires = now + ARGV[2]
redis.call('HSET', prefix .. ARGV[1], 'id', ARGV[1], 'state', 'pending', 'by', '[]',
  'created', text(now), 'expires', text(expires), unpack(ARGV, 5))
redis.call('PEXPIRE', prefix .. ARGV[1], ARGV[4] * 1000)
redis.call('SET', binding, ARGV[1], 'PX', ARGV[4] * 1000)
redis.call('ZADD', all, now, ARGV[1])
redis.call('ZADD', pending, expires, ARGV[1])
return {'pending', ARGV[1], '[]', 1}
"""
)
_DECIDE: Final = (
    _NOW
    + """
local key, pending = KEYS[1], KEYS[2]
local v = redis.call('HMGET', key, 'digest', 'state', 'expires', 'by', 'needed', 'id')
if not v[1] then return {0, '', 'there is no such request'} end
local state = v[2]
if tonumber(v[3]) <= now and (state == 'pending' or state == 'approved') then state = 'expired' end
if v[1] ~= ARGV[1] then return {0, state, 'it is of another call'} end
if state ~= 'pending' then return {0, state, 'it is ' .. state} end
local people = cjson.decode(v[4])
for _, name in ipairs(people) do
  if name == ARGV[3] then return {0, state, 'another person has to approve it, too'} end
end
people[#people + 1] = ARGV[3]
if ARGV[2] == 'denied' then state = 'denied'
elseif #people >= tonumber(v[5]) then state = 'approved' end
redis.call('HSET', key, 'state', state, 'by', cjson.encode(people))
if state == 'approved' then redis.call('HSET', key, 'expires', text(now + ARGV[4])) end
if state ~= 'pending' then redis.call('ZREM', pending, v[6]) end
return {1, state, ''}
"""
)
_LIST: Final = (
    _NOW
    + """
local found = {text(now)}
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  found[#found + 1] = redis.call('HGETALL', KEYS[1] .. id)
end
return found
"""
)
_FIND: Final = _NOW + "return {text(now), redis.call('HGETALL', KEYS[1])}"


class RedisRequests:
    """Keeps requests on a server, by its own clock.

    Args:
        settings: which server it is, and how long requests live.

    Raises:
        StoreSettingsError: the server's URL cannot be used.
    """

    def __init__(self, settings: ApprovalSettings) -> None:
        self._expires_s = settings.expires_s
        self._take_within_s = settings.take_within_s
        self._max_pending = settings.max_pending
        store = self._store = RedisStore.from_env(
            settings.url_env,
            prefix=settings.prefix,
            timeout_s=settings.timeout_ms / 1000,
            replicas=settings.replicas,
        )
        self._claim, self._decide = store.script(_CLAIM), store.script(_DECIDE)
        self._list, self._find = (
            store.script(_LIST, writes=False),
            store.script(_FIND, writes=False),
        )
        self._prefix, self._all = store.key("request", ""), store.key("all")
        self._pending = store.key("pending")

    def claim(self, draft: Draft, *, make: bool) -> Claim:
        """Take an approval of the call, tell of the request for it, or make one.

        Raises:
            StoreAwayError: the server has no answer.
            TooManyError: too many requests wait.
        """
        keys = [self._prefix, self._store.key("for", draft.binding), self._all, self._pending]
        # What a request is made of is not sent to ask for one: most calls of it come again.
        state, found, by, extra = self._claim(keys, self._made_of(draft) if make else [""])
        if state == b"full":
            raise TooManyError(int(extra))
        return Claim(state.decode(), found.decode(), _people(by), new=bool(extra))

    def _made_of(self, draft: Draft) -> list[object]:
        fields = {
            "digest": draft.digest,
            "scope": draft.scope,
            "tool": draft.tool,
            "shown": draft.shown,
            "asker": draft.asker,
            "needed": draft.needed,
        }
        words = [word for pair in fields.items() for word in pair]
        return [secrets.token_hex(8), self._expires_s, self._max_pending, KEPT_S, *words]

    def decide(self, ident: str, digest: str, verdict: Verdict, by: str) -> Decided:
        """Decide a request, which must be pending and of this digest.

        Raises:
            StoreAwayError: the server has no answer.
        """
        counted, state, why = self._decide(
            [self._prefix + ident, self._pending], [digest, verdict, by, self._take_within_s]
        )
        return Decided(counted=bool(counted), state=state.decode() or None, why=why.decode())

    def find(self, ident: str) -> Request | None:
        """Return a request; None when there is none, or none any more.

        Raises:
            StoreAwayError: the server has no answer.
        """
        now, fields = self._find([self._prefix + ident], [])
        return _request(fields, float(now)) if fields else None

    def listed(self, *, pending: bool) -> list[Request]:
        """Return the requests that are pending, or all of the last days, the oldest first.

        Raises:
            StoreAwayError: the server has no answer.
        """
        now, *rows = self._list([self._prefix, self._pending if pending else self._all], [])
        found = [_request(fields, float(now)) for fields in rows if fields]
        wanted = [each for each in found if each.state == "pending" or not pending]
        return sorted(wanted, key=lambda each: each.created)

    def close(self) -> None:
        """Close the connections; the next call makes new ones."""
        self._store.close()


def _request(fields: list[bytes], now: float) -> Request:
    words = [word.decode("utf-8", "replace") for word in fields]
    found: dict[str, Any] = dict(zip(words[::2], words[1::2], strict=True))
    by = _people(found.pop("by").encode())
    numbers = {name: float(found.pop(name)) for name in ("created", "expires")}
    return expired(Request(**found | {"needed": int(found["needed"]), **numbers, "by": by}), now)


def _people(text: bytes) -> tuple[str, ...]:
    found = [] if text == b"[]" else json.loads(text)
    return tuple(found) if isinstance(found, list) else ()  # of none, Lua makes an object
