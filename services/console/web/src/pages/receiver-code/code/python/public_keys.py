# receive.py
import base64
import json
import os
import time
import urllib.request

from cryptography.exceptions import InvalidSignature  # pip install cryptography
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 300
keys, read_at = [], 0.0


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None  # It becomes an HTTPError.


def read_keys():
    # The list of your webhook: …/.well-known/webhooks/whk_…
    with urllib.request.build_opener(NoRedirect).open(os.environ["WEBHOOK_KEYS_URL"], timeout=3) as response:
        texts = [key["publicKey"].removeprefix("whpk_") for key in json.load(response)["keys"]]
    if not texts:
        raise ValueError("the list of public keys is empty")
    return [Ed25519PublicKey.from_public_bytes(base64.b64decode(text)) for text in texts]


def public_keys():
    """Read again after 5 minutes: before the service signs with a new key, the list has it for longer than that."""
    global keys, read_at
    if time.time() - read_at >= 300:
        try:
            keys = read_keys()
        except Exception:
            # The earlier keys stay. Without any, this delivery fails, and the service sends it again.
            if not keys:
                raise
        read_at = time.time()
    return keys


def is_signed(signed, signatures):
    for key in public_keys():
        for signature in signatures:
            try:
                key.verify(base64.b64decode(signature.removeprefix("v1a,")), signed)
                return True
            except (InvalidSignature, ValueError):
                pass
    return False


def receive(headers, body, store):
    """The status of the response. body: the raw bytes."""
    headers = {name.lower(): value for name, value in headers.items()}

    # 1. One of the keys verifies one of the v1a signatures over the raw body.
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signatures = [text for text in headers.get("webhook-signature", "").split(" ") if text.startswith("v1a,")]
    if not is_signed(f"{event_id}.{timestamp}.".encode() + body, signatures):
        return 401

    # 2. It is at most 300 seconds old.
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return 401

    # 3. The same event can come more than once: it is processed once, and acknowledged each time.
    if store.has(event_id):
        return 204

    # 4. Only now look into the body, and respond 2xx only after it is stored.
    store.add(event_id, json.loads(body))
    return 204
