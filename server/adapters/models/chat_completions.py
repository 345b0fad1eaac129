"""A model behind any OpenAI-compatible `/chat/completions`, streamed.

What goes wrong, and what becomes of it:

- The provider refuses the request itself (400, 413, 415, 422): ModelFailed, at once.
- It is set up wrongly (every other 4xx, a redirect): ModelUnavailable, at once.
- It is busy or broken (408, 409, 429, 5xx, an error inside the stream), can't be reached, is too slow, or breaks
  off: ModelUnavailable, after retries while nothing was delivered.
- What it wrote is not the protocol, or empty: ModelFailed, after retries while nothing was delivered. An empty
  answer that ran into its output limit is not asked for again.

The errors' `facts` say `reason`, `status` and `attempts`; never a word of the provider's, nor the key.
"""

import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import anyio
import httpx

from server.adapters.models.assembly import Answer
from server.adapters.models.chat_request import as_body, as_bytes, endpoint, headers
from server.adapters.models.event_stream import EventStream, WholeBody
from server.domain.errors import ModelFailed, ModelUnavailable, SaysoError
from server.ports import NOT_BEGUN, ModelPart, ModelRequest, TextDelta

T = TypeVar("T")

_REFUSED = {400, 413, 415, 422}
_BUSY = {408, 409, 429}
_CONNECT_S = 10.0
_AFTER_FINISH_S = 2.0  # how long usage may lag behind the answer's end
_DRAIN_S = 0.25  # the same for a stream's end behind [DONE]; read to it, a connection is reused
_HANG_UP_S = 1.0
_MAX_WAIT_S = 20.0
_MAX_ERROR_BYTES = 64 * 1024


def exponential(attempt: int) -> float:
    """Seconds to wait after that failed attempt, counted from 1: 0.5, 1, 2 … 8, less up to a half by chance."""
    return float(min(8.0, 0.5 * 2 ** (attempt - 1))) * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)


class ChatCompletions:
    """Implements `Model`. The client is the caller's to open and close.

    `timeout_s` bounds one answer with all its attempts, `idle_timeout_s` (half of that if not given) every wait
    for the next bytes. Without `repeat_billed` an attempt that may have been billed is the last one, so that no answer costs
    more than once. Closing the stream (`aclosing`) hangs up on the provider. Raises ConfigurationError for
    a URL or key that can't be used.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        base_url: str,
        name: str,
        api_key: str | None = None,
        *,
        timeout_s: float = 60.0,
        idle_timeout_s: float | None = None,
        max_output_tokens: int | None = None,
        attempts: int = 3,
        repeat_billed: bool = True,
        backoff: Callable[[int], float] = exponential,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._client = client
        self._url = endpoint(base_url)
        self._name = name
        self._headers = headers(api_key)
        self._timeout_s = timeout_s
        idle_s = timeout_s / 2 if idle_timeout_s is None else idle_timeout_s
        self._timeout = httpx.Timeout(idle_s, connect=min(idle_s, _CONNECT_S))
        self._limit = {} if max_output_tokens is None else {"max_tokens": max_output_tokens}
        self._usage_option: dict[str, Any] = {"stream_options": {"include_usage": True}}
        self._attempts = attempts
        self._repeat_billed = repeat_billed
        self._backoff = backoff
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The provider's name of the model."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """See `Model.stream`."""
        deadline = anyio.current_time() + self._timeout_s
        delivered = False
        for attempt in range(1, self._attempts + 1):
            try:
                async with aclosing(self._attempt(request, deadline)) as parts:
                    async for part in parts:
                        delivered = True
                        yield part
                return
            except (ModelUnavailable, ModelFailed) as error:
                error.facts["attempts"] = attempt
                wait = min(error.facts.get("retry_after_s", self._backoff(attempt)), _MAX_WAIT_S)
                in_time = anyio.current_time() + wait < deadline
                again = attempt < self._attempts and in_time and _passing(error)
                if delivered or not again or not self._may_repeat(error):
                    raise
            await self._sleep(wait)

    async def _attempt(
        self, request: ModelRequest, deadline: float
    ) -> AsyncGenerator[ModelPart, None]:
        response = await self._open(request, deadline)
        try:
            answer = Answer()
            pieces = response.aiter_bytes()
            async with aclosing(_texts(response, pieces, answer, deadline)) as texts:
                async for text in texts:
                    yield TextDelta(text)
            for part in answer.rest():
                yield part
            drained = anyio.current_time() + _DRAIN_S
            with suppress(ModelUnavailable):
                while await _by(drained, anext(pieces, None)) is not None:
                    pass
        finally:
            await _hang_up(response)

    async def _open(self, request: ModelRequest, deadline: float) -> httpx.Response:
        """The response to read the answer from; raises what any other response stands for."""
        while True:
            body = as_body(self._name, request) | self._usage_option | self._limit
            outgoing = self._client.build_request(
                "POST",
                self._url,
                content=as_bytes(body),
                headers=self._headers,
                timeout=self._timeout,
            )
            response = await _by(deadline, self._client.send(outgoing, stream=True))
            if response.status_code == 200:
                return response
            if not self._adapt(body, await _complaint(response, deadline)):
                raise _refusal(response)

    def _may_repeat(self, error: SaysoError) -> bool:
        return self._repeat_billed or error.facts.get("reason") in NOT_BEGUN

    def _adapt(self, body: dict[str, Any], complaint: str) -> bool:
        """Whether the refusal was about an option this server has not, or calls by another name; then it is
        left out, or renamed, from now on."""
        if "stream_options" in complaint and "stream_options" in body:
            self._usage_option = {}
            return True
        if "max_completion_tokens" in complaint and "max_tokens" in body:
            self._limit = {"max_completion_tokens": body["max_tokens"]}
            return True
        return False


async def _texts(
    response: httpx.Response, pieces: AsyncIterator[bytes], answer: Answer, deadline: float
) -> AsyncGenerator[str, None]:
    """The answer's text as it comes; the rest is in `answer` when this ends."""
    is_json = response.headers.get("content-type", "").startswith("application/json")
    events = WholeBody() if is_json else EventStream()
    while True:
        try:
            piece = await _by(deadline, anext(pieces, None))
        except ModelUnavailable:
            if answer.ended:  # only usage is missing
                return
            raise
        for data in events.close() if piece is None else events.feed(piece):
            if data.strip() == "[DONE]":
                return
            try:
                text = answer.take(data) if data.strip() else ""  # empty: a heartbeat
            except ModelFailed:
                if piece is None:  # not bad JSON: half of it
                    break
                raise
            if text:
                yield text
        if answer.ended:
            deadline = min(deadline, anyio.current_time() + _AFTER_FINISH_S)
        if piece is None:
            if answer.ended:
                return
            raise ModelUnavailable(reason="broke_off")


async def _by(deadline: float, step: Awaitable[T]) -> T:
    """The step's result, or ModelUnavailable for whatever breaks the transport or takes past the deadline.

    Raised outside of the handlers, so that no chained error carries the request and its key along.
    """
    reason = "timeout"
    with anyio.CancelScope(deadline=deadline):
        try:
            return await step
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            reason = "connect"
        except httpx.TimeoutException:
            pass
        except httpx.RequestError:
            reason = "broke_off"
    raise ModelUnavailable(reason=reason)


def _passing(error: SaysoError) -> bool:
    """Whether asking again may help."""
    status = error.facts.get("status")
    if status is not None:
        return status in _BUSY or status >= 500
    return not error.facts.get("truncated")


def _refusal(response: httpx.Response) -> SaysoError:
    status = response.status_code
    if status in _REFUSED:
        return ModelFailed(reason="refused", status=status)
    return ModelUnavailable(reason="status", status=status, **_retry_after(response.headers))


def _retry_after(headers: httpx.Headers) -> dict[str, Any]:
    """What `Retry-After` asks for, in seconds; a date is read against the provider's own clock."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return {"retry_after_s": float(value)}
    try:
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return {}
    return {"retry_after_s": max(0.0, wait.total_seconds())}


async def _complaint(response: httpx.Response, deadline: float) -> str:
    """What the provider says about a refused request, for us to adapt to and nobody to read. Hangs up."""
    text = b""
    try:
        if response.status_code in _REFUSED:
            with anyio.CancelScope(deadline=deadline), suppress(httpx.RequestError):
                async for piece in response.aiter_bytes():
                    text += piece
                    if len(text) > _MAX_ERROR_BYTES:
                        break
    finally:
        await _hang_up(response)
    return text.decode("utf-8", "replace")


async def _hang_up(response: httpx.Response) -> None:
    with anyio.move_on_after(_HANG_UP_S, shield=True):
        await response.aclose()
