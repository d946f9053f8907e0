"""A typed client of Epitome. `Epitome.start()` runs the program for one directory and talks to it on its standard
input and output; `Epitome.connect()` talks to a server (`epitome serve`) over HTTP. Both have the same methods, one for
every operation of the program."""

from __future__ import annotations

import os
from types import TracebackType

from .errors import EpitomeError
from .operations import Operations, Transport
from .transports import HttpTransport, StdioTransport, read_local_token

__all__ = ["Epitome", "EpitomeError", "HttpTransport", "Operations", "StdioTransport", "Transport"]


class Epitome(Operations):
    """A connection to the program. Use it in a `with` statement, or call `close` when it is no longer needed."""

    @classmethod
    def start(cls, project: str | os.PathLike[str] = ".", *, program: str = "epitome") -> Epitome:
        """Runs `program` for the project in a directory. No server has to run."""
        return cls(StdioTransport(project, program=program))

    @classmethod
    def connect(cls, url: str = "http://127.0.0.1:8787", *, token: str | None = None, timeout: float = 60.0) -> Epitome:
        """Uses a server. Without a token the one is taken that `epitome serve` keeps for this user."""
        return cls(HttpTransport(url, token=token or read_local_token(), timeout=timeout))

    def close(self) -> None:
        """Ends the connection, and the program where this started it."""
        self._transport.close()

    def __enter__(self) -> Epitome:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
