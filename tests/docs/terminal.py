"""A person at a terminal: types a line at each prompt and reads what comes."""

import os
import pty
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from select import select

PATIENCE_S = 60.0


class Terminal:
    """A command on a terminal of its own; `screen` is what it has shown so far, as plain text."""

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment | {"TERM": "dumb", "NO_COLOR": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._raw = b""

    @property
    def screen(self) -> str:
        """Without colours and carriage returns."""
        text = self._raw.decode(errors="replace").replace("\r", "")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

    def wait_for(self, text: str, *, times: int = 1) -> None:
        """Reads until the text is on the screen that many times. Raises AssertionError when the time is up."""
        deadline = time.monotonic() + PATIENCE_S
        while self.screen.count(text) < times:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} did not come; the screen shows:\n{self.screen}"
            if select([self._ours], [], [], min(left, 1.0))[0]:
                try:
                    self._raw += os.read(self._ours, 65536)
                except OSError:  # how Linux says that the other end is closed
                    assert self.screen.count(text) >= times, self.screen
                    return

    def type(self, line: str) -> None:
        """A line and the return key."""
        os.write(self._ours, line.encode() + b"\n")

    def end(self) -> int:
        """Ctrl-D; gives the exit code."""
        os.write(self._ours, b"\x04")
        try:
            return self._process.wait(PATIENCE_S)
        finally:
            if self._process.poll() is None:
                self._process.kill()
            os.close(self._ours)
