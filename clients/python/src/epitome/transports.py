"""Two ways to run an operation: a request to a server, or a line to a program that this process started."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .errors import EpitomeError

PROTOCOL = "2025-11-25"


def read_local_token() -> str:
    """The token that `epitome serve` keeps in the state directory of this user."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    path = Path(state) / "epitome" / "token"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise EpitomeError("no_token", f"cannot read {path}: {error.strerror}", "epitome serve token") from error


class HttpTransport:
    """Sends each operation as `POST /v1/NAME`."""

    def __init__(self, url: str, *, token: str, timeout: float = 60.0) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def call(self, operation: str, parameters: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self._url}/v1/{operation}",
            data=json.dumps(parameters).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                raise _read_refusal(error.read(), error.code) from None
        except urllib.error.URLError as error:
            message = f"cannot reach {self._url}: {error.reason}"
            raise EpitomeError("unreachable", message, "is `epitome serve` running there?") from error

    def close(self) -> None:
        """Nothing is held open between calls."""


class StdioTransport:
    """Runs `epitome mcp` and sends each operation as a call of a tool, one at a time."""

    def __init__(self, project: str | os.PathLike[str] = ".", *, program: str = "epitome") -> None:
        try:
            self._process = subprocess.Popen(
                [program, "--project", os.fspath(project), "mcp", "--profile", "full"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            message = f"cannot start `{program}`: {error.strerror}"
            raise EpitomeError("no_program", message, "is it installed and on the path?") from error
        self._lock = threading.Lock()
        self._last_id = 0
        client = {"name": "epitome-python", "version": "0.2.0"}
        self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, operation: str, parameters: dict[str, Any]) -> Any:
        result = self._request("tools/call", {"name": operation, "arguments": parameters})
        structured = result.get("structuredContent")
        if result.get("isError"):
            text = "".join(part.get("text", "") for part in result.get("content", []))
            raise _read_failure(structured, text)
        return structured

    def close(self) -> None:
        """Ends the program; it writes what it still holds before it leaves."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _request(self, method: str, parameters: dict[str, Any]) -> Any:
        with self._lock:
            self._last_id += 1
            self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": parameters})
            return self._read_reply(self._last_id)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise _program_ended() from error

    def _read_reply(self, expected: int) -> Any:
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            # Notifications come between the replies, and have no id.
            if message.get("id") != expected:
                continue
            if "error" in message:
                raise EpitomeError("protocol", message["error"].get("message", "the request was refused"))
            return message["result"]
        raise _program_ended()


def _program_ended() -> EpitomeError:
    return EpitomeError("program_ended", "the program has ended", "`epitome doctor` says what is wrong")


def _read_refusal(body: bytes, status: int) -> EpitomeError:
    try:
        error = json.loads(body)["error"]
        return EpitomeError(error["code"], error["message"], error.get("hint"))
    except (ValueError, KeyError, TypeError):
        return EpitomeError("http", f"the server answered with status {status}")


def _read_failure(structured: Any, text: str) -> EpitomeError:
    error = structured.get("error") if isinstance(structured, dict) else None
    if isinstance(error, dict):
        return EpitomeError(error.get("code", "error"), error.get("message", text), error.get("hint"))
    return EpitomeError("error", text)
