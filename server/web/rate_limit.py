"""How often somebody may speak."""

import math

from fastapi import Request

from server.domain.errors import RateLimited
from server.web.dependencies import Visiting, Web
from server.web.proxies import one_household


async def admit(parts: Web, request: Request, visitor: Visiting) -> None:
    """Counts one message, before anything else is done about it.

    A newcomer, who could come as somebody new each time, counts for their address too. Raises RateLimited; and
    Unavailable when it can't be counted, which lets nobody through.
    """
    if parts.rate_limit is None:
        return
    keys = [visitor.principal.key]
    if visitor.minted:
        keys.insert(0, f"address:{one_household(request.client.host if request.client else None)}")
    for key in keys:
        wait = await parts.services.store.rate_limiter.take(key, parts.rate_limit)
        if wait is not None:
            raise RateLimited(retry_after=max(1, math.ceil(wait.total_seconds())))
