"""Who is asking: passwords and sessions."""

import hashlib
import hmac
import secrets

ROUNDS = 200_000
SESSION_HOURS = 12


def hash_password(password: str, salt: bytes) -> bytes:
    """Slow on purpose: guessing must cost more than typing."""
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)


def check_password(password: str, salt: bytes, stored: bytes) -> bool:
    """Compares in constant time, so that the answer does not tell how close a guess was."""
    return hmac.compare_digest(hash_password(password, salt), stored)


class Sessions:
    """Open sessions by token."""

    def __init__(self, clock):
        self.clock = clock
        self.expires = {}

    def open(self, user: str) -> str:
        token = secrets.token_urlsafe(32)
        self.expires[token] = (user, self.clock() + SESSION_HOURS * 3600)
        return token

    def user_of(self, token: str):
        """The user of a token, or None when it is unknown or too old."""
        user, end = self.expires.get(token, (None, 0))
        return user if self.clock() < end else None
