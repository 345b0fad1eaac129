"""Bytes in any pieces become the data of server-sent events.

httpx's `aiter_lines` can't be used for this: it breaks lines like `str.splitlines`, so also at U+2028, U+0085
and other characters that JSON may hold unescaped.
"""

import re

from server.domain.errors import ModelFailed

MAX_EVENT_BYTES = 4 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n|\r|\n")


class EventStream:
    """Parses `text/event-stream` as the HTML standard says, as far as data goes: names and ids are ignored."""

    def __init__(self) -> None:
        self._rest = b""
        self._after_cr = False
        self._data: list[bytes] = []
        self._size = 0
        self._first_line = True

    def feed(self, piece: bytes) -> list[str]:
        """The data of the events this piece completes. Raises ModelFailed when one is larger than 4 MiB."""
        if not piece:
            return []
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_cr = False
            if not piece:
                return []
        self._after_cr = piece.endswith(b"\r")
        *lines, self._rest = _LINE_END.split(self._rest + piece)
        found = [data for line in lines if (data := self._line(line)) is not None]
        if self._size + len(self._rest) > MAX_EVENT_BYTES:
            raise ModelFailed(reason="too_large")
        return found

    def close(self) -> list[str]:
        """The data of an event that the stream ended in, for servers that leave out the last empty line."""
        rest, self._rest = self._rest, b""
        self._line(rest)
        last = self._line(b"")
        return [] if last is None else [last]

    def _line(self, line: bytes) -> str | None:
        if self._first_line:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._first_line = False
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
                self._size += len(value)
            return None
        if not self._data:
            return None
        data = b"\n".join(self._data).decode("utf-8", "replace")
        self._data, self._size = [], 0
        return data


class WholeBody:
    """The same two methods for a server that answers with one JSON body although a stream was asked for."""

    def __init__(self) -> None:
        self._body = bytearray()

    def feed(self, piece: bytes) -> list[str]:
        """Nothing yet. Raises ModelFailed past 4 MiB."""
        self._body += piece
        if len(self._body) > MAX_EVENT_BYTES:
            raise ModelFailed(reason="too_large")
        return []

    def close(self) -> list[str]:
        """The body."""
        return [self._body.decode("utf-8", "replace")] if self._body else []
