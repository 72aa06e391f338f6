"""Reads the public keys of a webhook."""

import base64
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from urllib.parse import urlsplit

import httpx

from .loopback import is_loopback

TIMEOUT_SECONDS = 3
_KEPT_SECONDS = 300
_BACKOFF_SECONDS = 5
# The service makes one. Anyone can send many.
_MOST_ASYMMETRIC = 4


class PublicKeys:
    """
    The public keys at an address. A thread reads them at most every 5 minutes, so they follow their rotation. If a read fails,
    the earlier keys stay, and the next read is 5 seconds later.
    """

    def __init__(self, url: str, now: Callable[[], float]) -> None:
        target = urlsplit(url)
        if target.scheme != "https" and not (target.scheme == "http" and is_loopback(target.hostname or "")):
            raise ValueError(f"public_keys_url must be an https URL, or an http URL of this machine, not {url}")
        try:
            # The standard library has no Ed25519.
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ModuleNotFoundError as error:
            package = "pip install 'partner-client[ed25519] @ <URL of the package>'"
            raise ModuleNotFoundError(f"public_keys_url needs the extra ed25519: {package}") from error

        self._url, self._now = url, now
        self._key_of, self._mismatch = Ed25519PublicKey.from_public_bytes, InvalidSignature
        self._keys: list[Ed25519PublicKey] = []
        self._failure: Exception | None = None
        self._lock = threading.Lock()
        self._read: Future[None] | None = None
        self._read_at, self._kept_seconds = 0.0, 0

    def pending_read(self) -> Future[None] | None:
        """Begins a read if one is due. Returns the one that is in flight, or that failed before any keys were known."""
        with self._lock:
            is_reading = self._read is not None and not self._read.done()
            if not is_reading and abs(self._now() - self._read_at) >= self._kept_seconds:
                read: Future[None] = Future()
                threading.Thread(target=self._refresh, args=(read,), daemon=True).start()
                self._read, is_reading = read, True
            return self._read if is_reading or not self._keys else None

    def require_known(self) -> None:
        if not self._keys:
            raise RuntimeError(f"the public keys at {self._url} cannot be read") from self._failure

    def _refresh(self, read: Future[None]) -> None:
        kept_seconds = _KEPT_SECONDS
        try:
            response = httpx.get(self._url, timeout=TIMEOUT_SECONDS)
            response.raise_for_status()
            texts = [key["publicKey"] for key in response.json()["keys"]]
            if not texts or not all(text.startswith("whpk_") for text in texts):
                raise ValueError("the body is not a list of public keys")
            self._keys = [self._key_of(base64.b64decode(text[5:], validate=True)) for text in texts]
        except Exception as error:  # The body can be of any form.
            self._failure, kept_seconds = error, _BACKOFF_SECONDS
        with self._lock:
            self._read_at, self._kept_seconds = self._now(), kept_seconds
            read.set_result(None)

    def have_signed(self, standard: str, content: bytes) -> bool:
        given = [text.removeprefix("v1a,") for text in standard.split(" ") if text.startswith("v1a,")]
        signatures = [bytes_ for text in given if (bytes_ := from_base64(text))][:_MOST_ASYMMETRIC]
        for key in self._keys:
            for signature in signatures:
                with contextlib.suppress(self._mismatch):
                    key.verify(signature, content)
                    return True
        return False


def from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None
