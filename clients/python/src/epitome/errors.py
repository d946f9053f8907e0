"""What a call can fail with."""

from __future__ import annotations


class EpitomeError(Exception):
    """An operation failed. `code` is a stable word for programs, `message` says what failed and why, `hint` what to do
    where that is known."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(f"{message} ({code})" + (f"\nhint: {hint}" if hint else ""))
        self.code = code
        self.message = message
        self.hint = hint
