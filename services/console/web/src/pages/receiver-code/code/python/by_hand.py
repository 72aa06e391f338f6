# receive.py
import hashlib
import hmac
import json
import os
import time

TOLERANCE_SECONDS = 300


def receive(headers, body, store):
    """The status of the response. body: the raw bytes."""
    headers = {name.lower(): value for name, value in headers.items()}

    # The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
    secret = os.environ.get("WEBHOOK_SECRET_" + headers.get("x-svc-secret-version", ""))
    if not secret:
        return 401

    # 1. The signature over the raw body, compared in constant time. The key is the whole secret, whsec_ included.
    timestamp = headers.get("x-svc-timestamp", "")
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = headers.get("x-svc-signature", "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        return 401

    # 2. It is at most 300 seconds old.
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return 401

    # 3. Only now look into the body. The signature covers its id, but not the header.
    event_id = headers.get("webhook-id")
    event = json.loads(body)
    if event["id"] != event_id:
        return 400

    # 4. The same event can come more than once: it is processed once, and acknowledged each time.
    if store.has(event_id):
        return 204

    # 5. Respond 2xx only after it is stored.
    store.add(event_id, event)
    return 204
