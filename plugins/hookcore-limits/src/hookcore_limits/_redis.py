"""Counts that the processes of many machines share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hookcore_stores import RedisStore

from ._counts import Hit, Rate, Reserved, Share, Store, wait_until_free

__all__ = ["ServerStore"]

_NOW: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1e6
"""
# KEYS: the counters. ARGV: for each of them its limit and its seconds.
_COUNT: Final = (
    _NOW
    + """
for i = 1, #KEYS do
  local limit, seconds = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local number = math.floor(now / seconds)
  local found = redis.call('HMGET', KEYS[i], number, number - 1)
  local current, before = tonumber(found[1] or 0), tonumber(found[2] or 0)
  local gone = now % seconds
  if before * (1 - gone / seconds) + current + 1 > limit then
    return {i, before, current, tostring(gone)}
  end
end
for i = 1, #KEYS do
  local seconds = tonumber(ARGV[2 * i])
  local number = math.floor(now / seconds)
  if redis.call('HINCRBY', KEYS[i], number, 1) == 1 then
    for _, field in ipairs(redis.call('HKEYS', KEYS[i])) do
      if tonumber(field) < number - 1 then redis.call('HDEL', KEYS[i], field) end
    end
    redis.call('EXPIRE', KEYS[i], 2 * seconds)
  end
end
return 0
"""
)
# KEYS: the times of the reservations, the reservations, the budgets. A reservation is a line for
# each budget: its key, its cap, its period in seconds, the part that is held of it.
_BUDGETS: Final = (
    _NOW
    + """
local keep = ARGV[1]
local function budget(key, seconds)
  local period = 0
  if seconds > 0 then period = math.floor(now / seconds) end
  local found = redis.call('HMGET', key, 'period', 'spent', 'held')
  local spent, held = tonumber(found[2] or 0), tonumber(found[3] or 0)
  local before = tonumber(found[1] or period)
  if before < period then spent = 0 else period = before end
  return period, spent, held
end
local function put(key, period, spent, held)
  redis.call('HSET', key, 'period', period,
    'spent', string.format('%.0f', spent), 'held', string.format('%.0f', math.max(0, held)))
  redis.call('EXPIRE', key, keep)
end
local function parts(text)
  local found = {}
  for key, cap, seconds, amount in string.gmatch(text, '(%S+) (%d+) (%d+) (%d+)\\n') do
    table.insert(found, {key, tonumber(cap), tonumber(seconds), tonumber(amount)})
  end
  return found
end
local function settle(ident, amount_of)
  local text = redis.call('HGET', KEYS[2], ident)
  if not text then return 0 end
  redis.call('HDEL', KEYS[2], ident)
  redis.call('ZREM', KEYS[1], ident)
  for i, part in ipairs(parts(text)) do
    local period, spent, held = budget(part[1], part[3])
    put(part[1], period, spent + amount_of(i, part), held - part[4])
  end
  return 1
end
"""
)
# ARGV: how long to keep a budget, the reservation's id, its seconds, it, 1 to charge for those that
# nobody settled, how many of these to look at.
_RESERVE: Final = (
    _BUDGETS
    + """
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return {0} end
local charges = ARGV[5] == '1'
local over = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[6])
for _, ident in ipairs(over) do
  settle(ident, function(_, part) if charges then return part[4] end return 0 end)
end
local asked, found = parts(ARGV[4]), {}
for i, part in ipairs(asked) do
  local period, spent, held = budget(part[1], part[3])
  if part[4] > 0 and spent + held + part[4] > part[2] then
    return {i, string.format('%.0f', spent), string.format('%.0f', held)}
  end
  found[i] = {period, spent, held + part[4]}
end
local answer = {0, 0, 0}
for i, part in ipairs(asked) do
  put(part[1], found[i][1], found[i][2], found[i][3])
  table.insert(answer, string.format('%.0f', found[i][2] + found[i][3]))
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
return answer
"""
)
# ARGV: how long to keep a budget, the reservation's id, the amounts.
_SETTLE: Final = _BUDGETS + "return settle(ARGV[2], function(i) return tonumber(ARGV[2 + i]) end)"
# ARGV: how long to keep a budget, the parts.
_CHARGE: Final = (
    _BUDGETS
    + """
for _, part in ipairs(parts(ARGV[2])) do
  local period, spent, held = budget(part[1], part[3])
  put(part[1], period, spent + part[4], held)
end
return 1
"""
)
_AT_ONCE: Final = 20


class ServerStore(Store):
    """Counts on a Redis server, by its clock; one script for each decision.

    Args:
        server: the server.
        ttl_s: seconds that a reservation holds.
        keep_s: seconds after which an unused budget is forgotten.
        charges: whether a reservation that outlives its time is spent.
    """

    def __init__(self, server: RedisStore, *, ttl_s: float, keep_s: float, charges: bool) -> None:
        self._server = server
        self._ttl_s = ttl_s
        self._keep_s = int(keep_s)
        self._charges = int(charges)
        self._holds = (server.key("until"), server.key("holds"))
        self._count = server.script(_COUNT)
        self._reserve = server.script(_RESERVE)
        self._settle = server.script(_SETTLE)
        self._charge = server.script(_CHARGE)

    def count(self, rates: Sequence[Rate]) -> Hit | None:
        """Count a call at all rates, or at none."""
        keys = [self._server.key("rate", rate.key) for rate in rates]
        answer = self._count(keys, [each for rate in rates for each in rate[1:]])
        if answer == 0:
            return None
        index, before, current, gone_s = answer
        rate = rates[index - 1]
        return Hit(index - 1, wait_until_free(rate, before, current, float(gone_s)))

    def reserve(self, ident: str, shares: Sequence[Share]) -> Reserved:
        """Hold parts of budgets, all or none."""
        given = (self._keep_s, ident, self._ttl_s, self._lines(shares), self._charges, _AT_ONCE)
        answer = [int(each) for each in self._reserve(self._keys(shares), given)]
        if answer == [0]:
            return Reserved(None, 0, 0, ())
        place, spent, held, *used = answer
        if place:
            return Reserved(place - 1, spent, held, (), shares[place - 1].cap)
        return Reserved(None, 0, 0, tuple(used))

    def settle(self, ident: str, amounts: Sequence[int]) -> bool:
        """Spend these amounts in the place of a reservation."""
        return bool(self._settle(self._holds, (self._keep_s, ident, *amounts)))

    def charge(self, shares: Sequence[Share]) -> bool:
        """Spend parts of budgets that nothing was held of."""
        return bool(self._charge(self._keys(shares), (self._keep_s, self._lines(shares))))

    def close(self) -> None:
        """Close all connections; the next question makes new ones."""
        self._server.close()

    def _keys(self, shares: Sequence[Share]) -> tuple[str, ...]:
        return (*self._holds, *(self._server.key("budget", share.key) for share in shares))

    def _lines(self, shares: Sequence[Share]) -> str:
        return "".join(
            f"{self._server.key('budget', share.key)} {share.cap} {share.seconds} {share.amount}\n"
            for share in shares
        )
