"""Who asked how often: the same algorithm as in Postgres, over a dict."""

from datetime import timedelta

from server.adapters.memory.records import Records
from server.ports import Clock, Rate

SWEEP_EVERY = timedelta(seconds=60)


class MemoryRateLimiter:
    """Nothing is awaited in between, so that of many at once exactly as many fit as may."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self._arrivals = records.arrivals
        self._clock = clock
        self._sweep_at = clock()

    async def take(self, key: str, rate: Rate) -> timedelta | None:
        now = self._clock()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_EVERY
            for old in [each for each, tat in self._arrivals.items() if tat < now]:
                del self._arrivals[old]
        tat = max(self._arrivals.get(key, now), now)
        wait = tat - rate.interval * (rate.burst - 1) - now
        if wait > timedelta(0):
            return wait
        self._arrivals[key] = tat + rate.interval
        return None
